/* Round numbers along an axis: steps of 1, 2 or 5 times a power of ten. */
#include "ticks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* Below this share of the values themselves a range is rounding noise: ticks would look the same.
 */
static const double smallest_relative_range = 1e-10;

/* The round number nearest to `raw`. */
static double round_step(double raw) {
    const double power = pow(10, floor(log10(raw)));
    const double mantissa = raw / power;
    return power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
}

/* Writes a multiple of `step` with no more digits than the step has; `largest` is the largest
 * magnitude on the axis. */
static void write_tick(char text[TICK_TEXT_BYTES], double value, double step, double largest) {
    const int exponent = (int)floor(log10(step) + 1e-9);
    if (largest < 1e5 && largest >= 1e-3)
        snprintf(text, TICK_TEXT_BYTES, "%.*f", exponent < 0 ? -exponent : 0, value);
    else if (fabs(value) < step / 2)
        snprintf(text, TICK_TEXT_BYTES, "0");
    else
        snprintf(text, TICK_TEXT_BYTES, "%.*e", (int)floor(log10(fabs(value)) + 1e-9) - exponent,
                 value);
}

/* The two ends alone: for a range that is wider than a double can tell. */
static void mark_ends(struct ticks *ticks, double low, double high) {
    ticks->count = 2;
    ticks->value[0] = low;
    ticks->value[1] = high;
    for (int i = 0; i < 2; i++)
        snprintf(ticks->text[i], TICK_TEXT_BYTES, "%.3g", ticks->value[i]);
}

void ticks_make(struct ticks *ticks, double low, double high, int wanted) {
    ticks->count = 0;
    if (!(high > low) || !isfinite(low) || !isfinite(high))
        return;
    if (!isfinite(high - low)) {
        mark_ends(ticks, low, high);
        return;
    }
    const double step = round_step((high - low) / wanted);
    const double slack = step * 1e-9;
    const double first = ceil((low - slack) / step);
    for (int i = 0; i < TICKS_MAX && (first + i) * step <= high + slack; i++) {
        ticks->value[i] = (first + i) * step;
        write_tick(ticks->text[i], ticks->value[i], step, fmax(fabs(low), fabs(high)));
        ticks->count++;
    }
}

void ticks_widen(double *low, double *high) {
    const double largest = fmax(fabs(*low), fabs(*high));
    if (*high / 2 - *low / 2 > largest * smallest_relative_range)
        return;
    const double margin = largest > DBL_MIN ? largest / 2 : 0.5;
    *low -= margin;
    *high += margin;
}
