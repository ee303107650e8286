/* What a run gains from more cores. Pure arithmetic. Room: model. */
#ifndef FUNNEL_SCALING_H
#define FUNNEL_SCALING_H

/* How many times faster than `base_s`. */
double scaling_speedup(double base_s, double time_s);

/* Speed-up over the number by which cores grew, 1 if perfect. */
double scaling_efficiency(double base_s, double time_s, double cores_ratio);

/* Serial fraction that would explain the speed-up: (1/S - 1/n)/(1 - 1/n) for n times the cores
 * (A. H. Karp and H. P. Flatt, "Measuring parallel processor performance", Communications of the
 * ACM 33(5), 1990). NaN for n = 1, negative where the speed-up exceeds n. */
double scaling_karp_flatt(double base_s, double time_s, double cores_ratio);

#endif
