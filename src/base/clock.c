/* The one clock: monotonic, so that a change of the time of day never shows in a measurement. */
#include "funnel/clock.h"
#include <time.h>

double clock_now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
