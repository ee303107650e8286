/* The parts of predict: what is asked, what is known of the machine, what follows. */
#ifndef FUNNEL_PROGRAMS_PREDICT_H
#define FUNNEL_PROGRAMS_PREDICT_H

#include "funnel/flags.h"
#include "funnel/prediction.h"
#include "funnel/solver.h"
#include <jansson.h>

enum { PREDICT_WORDS_MAX = 128 };

/* Values given by hand are 0 where they are not. */
struct predict_options {
    bool help, version;
    double alpha_s, beta_bytes_per_s, rate_lups, bandwidth_bytes_per_s;
    int cores;
    struct flag_list ranks, threads;
    const char *plot, *record;    /* NULL: none */
    const char *machine, *config; /* machine NULL: all by hand */
    int override_count;
    const char *overrides[PREDICT_WORDS_MAX];
};

/* Reads the command line. EXIT_CODE_USAGE. */
bool predict_options_read(struct predict_options *options, int argc, char **argv,
                          struct status *status);
void predict_help(FILE *out);

/* Reads a file in the form of results/machine-schema.json. Fails with EXIT_CODE_FILES if it cannot
 * be read, else EXIT_CODE_USAGE with the place. */
bool machine_read(struct machine *machine, const char *path, struct status *status);

/* What is to be predicted. */
struct predict_task {
    struct config config;
    struct solve_plan plan; /* of one rank: grid, sources, halo variant, interval of checks */
    struct machine machine;
    struct run_case run;                            /* ranks, threads and depth to be filled in */
    enum message_count count;                       /* the way that fits the halo variant */
    struct flag_list ranks, threads, tried_threads; /* tried: for the best layout */
    bool ranks_asked, threads_asked;                /* for these very ones */
};

/* Machine, configuration and what the command line adds to both. */
bool predict_task_make(struct predict_task *task, const struct predict_options *options,
                       struct status *status);

/* The halo depth that is asked for, or that the solver would choose for so many ranks. */
int predict_depth(const struct predict_task *task, int ranks);
/* The depth at which 1-D and 2-D process grids are compared for all ranks alike. */
int predict_crossover_depth(const struct predict_task *task);

struct predict_row {
    int ranks, threads;
    struct prediction found;
    double strips_s, blocks_s; /* T_sweep of the best 1-D and 2-D process grid */
};

/* All predictions, the memory of both lists owned. */
struct predict_results {
    int row_count, best_count;
    struct predict_row *rows, *best; /* best: ranks x threads and depth for a number of cores */
    double one_core_s;
    int crossover[MESSAGE_COUNTS];
};

bool predict_all(struct predict_results *results, const struct predict_task *task,
                 struct status *status);
void predict_results_free(struct predict_results *results);

void predict_report(const struct predict_task *task, const struct predict_options *options,
                    const struct predict_results *results, FILE *out);
bool predict_plot(const struct predict_task *task, const struct predict_results *results,
                  const char *path, struct status *status);

/* The part `measured` of a record; owned by the caller. */
json_t *predict_measured(const struct predict_task *task, const struct predict_options *options,
                         const struct predict_results *results);

#endif
