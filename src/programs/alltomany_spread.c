/* The spread of a time over ranks, with the ranks of the extremes. */
#include "alltomany.h"

struct spread alltomany_spread(const double *values, int ranks, int every) {
    struct spread spread = {.min = values[0], .max = values[0]};
    double sum = 0;
    int count = 0;
    for (int rank = 0; rank < ranks; rank += every, count++) {
        sum += values[rank];
        if (values[rank] < spread.min) {
            spread.min = values[rank];
            spread.min_rank = rank;
        }
        if (values[rank] > spread.max) {
            spread.max = values[rank];
            spread.max_rank = rank;
        }
    }
    spread.mean = sum / count;
    return spread;
}
