/* Speed-up and what follows from it. */
#include "funnel/scaling.h"
#include <math.h>

double scaling_speedup(double base_s, double time_s) {
    return base_s / time_s;
}

double scaling_efficiency(double base_s, double time_s, double cores_ratio) {
    return scaling_speedup(base_s, time_s) / cores_ratio;
}

double scaling_karp_flatt(double base_s, double time_s, double cores_ratio) {
    if (cores_ratio == 1)
        return NAN;
    return (1 / scaling_speedup(base_s, time_s) - 1 / cores_ratio) / (1 - 1 / cores_ratio);
}
