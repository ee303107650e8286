/* A repetition of a collective lasts as long as its slowest rank; how far the fastest is ahead
 * tells what its kind of synchronisation is. */
#include "collectives.h"

/* The largest (sign 1) or smallest (sign -1) time of any rank, of each repetition. */
static void pick_extremes(const double *samples, int repeats, int ranks, double sign,
                          double *extremes) {
    for (int i = 0; i < repeats; i++) {
        extremes[i] = samples[i];
        for (int rank = 1; rank < ranks; rank++) {
            const double sample = samples[(size_t)rank * (size_t)repeats + (size_t)i];
            extremes[i] = sign * sample > sign * extremes[i] ? sample : extremes[i];
        }
    }
}

void collectives_sum_up(struct collectives_row *row, const double *samples, int ranks,
                        double *scratch) {
    pick_extremes(samples, row->repeats, ranks, -1, scratch);
    row->fastest_s = samples_summarize(scratch, row->repeats).median;
    pick_extremes(samples, row->repeats, ranks, 1, scratch);
    row->slowest_s = samples_summarize(scratch, row->repeats);
}
