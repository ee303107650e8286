/* What the files of collectives share: what is asked for and what was measured. */
#ifndef FUNNEL_COLLECTIVES_H
#define FUNNEL_COLLECTIVES_H

#include "collectives_loops.h"
#include "funnel/record.h"
#include "funnel/samples.h"

/* Those of rank 0 count everywhere. */
struct collectives_asked {
    unsigned operation; /* 0: all, else one more than the row */
    int64_t min_bytes, max_bytes;
    int repeats, repeats_large;
    bool fine, validate, help, version;
};

struct collectives_options {
    struct collectives_asked asked;
    const char *record; /* NULL: none; counts on rank 0 only */
};

/* One size of one operation: seconds over the repetitions, on rank 0. */
struct collectives_row {
    const struct collective_operation *operation;
    int64_t bytes;
    int repeats, warmup;
    struct samples_summary slowest_s; /* of the rank that was last in each repetition */
    double fastest_s;                 /* median of the rank that was first */
};

struct collectives_result {
    int ranks;
    bool validated;
    int count;
    struct collectives_row *rows;
};

bool collectives_options_read(struct collectives_options *options, int argc, char **argv,
                              struct status *status);
void collectives_help(FILE *out);

/* Lists operations and sizes, the repetitions of each. False with status set (EXIT_CODE_USAGE, the
 * same on all ranks) for one rank alone or sizes in the wrong order; EXIT_CODE_ENVIRONMENT without
 * memory. The rows are the caller's to free. */
bool collectives_plan(const struct collectives_asked *asked, int ranks,
                      struct collectives_result *result, struct status *status);

/* Over `repeats` repetitions of `ranks` ranks, samples[rank * repeats + repetition]: sums up the
 * slowest and the fastest rank of each; `scratch` holds `repeats` values. */
void collectives_sum_up(struct collectives_row *row, const double *samples, int ranks,
                        double *scratch);

/* Rank 0. */
void collectives_report(const struct collectives_result *result, FILE *out);
/* What `measured` of the record holds; owned by the caller. */
json_t *collectives_measured(const struct collectives_result *result);

#endif
