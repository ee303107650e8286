/* The parts of the pingpong program. Private to src/programs. */
#ifndef FUNNEL_PINGPONG_H
#define FUNNEL_PINGPONG_H

#include "funnel/alpha_beta.h"
#include "funnel/binding_report.h"
#include "funnel/flags.h"
#include "funnel/samples.h"
#include "funnel/team.h"
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* What the command line asks for, as plain bytes: the one of rank 0 counts for all. */
struct pingpong_wish {
    bool fine, pairs, validate, cold, help, version;
    unsigned pattern; /* row of pingpong_patterns */
    int repeats, repeats_large;
    int64_t min_bytes, max_bytes;
    struct flag_list pair; /* two ranks, or empty */
};

struct pingpong_options {
    struct pingpong_wish wish;
    const char *record, *plot; /* NULL: none; count on rank 0 only */
};

/* Reads the command line. Fails with EXIT_CODE_USAGE. */
bool pingpong_options_read(struct pingpong_options *options, int argc, char **argv,
                           struct status *status);
void pingpong_help(FILE *out);

/* A message size, and how often it is sent. */
struct pingpong_size {
    int64_t bytes;
    int repeats, warmup;
};

enum { PINGPONG_SIZES_MAX = 64, PINGPONG_LARGE_BYTES = 64 * 1024 };

/* Who sends what to whom. Pair i is the ranks first + i and second + i. */
struct pingpong_plan {
    const struct pingpong_pattern *pattern;
    int sizes;
    struct pingpong_size size[PINGPONG_SIZES_MAX];
    int pairs, first, second;
    bool validate;
    int64_t
        cold_bytes; /* of each buffer that is cycled through; 0: one buffer, as warm as it gets */
};

/* Fails (EXIT_CODE_USAGE) if the ranks cannot be paired as asked, or min is above max. Pure.
 * `cache_bytes` is the size of the last-level cache, used with --cold. */
bool pingpong_plan_make(struct pingpong_plan *plan, const struct pingpong_wish *wish,
                        const struct pingpong_pattern *pattern, int ranks, int64_t cache_bytes,
                        struct status *status);

/* The rank at the other end, -1 for a rank that has none. */
int pingpong_peer(const struct pingpong_plan *plan, int rank);

/* Bytes that a rank of a pair sends from and receives into. */
int64_t pingpong_send_bytes(const struct pingpong_plan *plan);
int64_t pingpong_receive_bytes(const struct pingpong_plan *plan);
/* What of the first lies in a window. */
int64_t pingpong_window_bytes(const struct pingpong_plan *plan);
/* Bytes that the first rank of a pair sends in all. */
int64_t pingpong_sent_bytes(const struct pingpong_plan *plan);

/* Bytes of the last-level cache, or a guess that is large enough where nothing can be read. */
int64_t pingpong_cache_bytes(void);

/* Fails (EXIT_CODE_ENVIRONMENT) if the buffers do not fit this node. COLLECTIVE. */
bool pingpong_memory_check(const struct pingpong_plan *plan, struct team *team,
                           struct status *status);

/* What a rank has measured of a size; NaN on ranks that keep no clock. Plain bytes. */
struct pingpong_result {
    struct samples_summary time_s; /* of one message, one way */
    double probe_s; /* a flag to the other rank and back through shared memory; NaN between nodes */
};

/* Which network interface of the host carried the messages. Plain bytes. */
struct pingpong_carrier {
    char name[32];         /* empty: none did */
    int64_t carried_bytes; /* by the busiest interface, whichever it was */
};

/* Everything rank 0 knows at the end. */
struct pingpong_measurement {
    const struct pingpong_plan *plan;
    const struct team_facts *facts;
    const struct binding_report *binding;
    const struct pingpong_result *of_rank;          /* rank after rank, a size after the other */
    struct pingpong_result all[PINGPONG_SIZES_MAX]; /* over the pairs */
    double rate_bytes_per_s[PINGPONG_SIZES_MAX];    /* of all pairs together */
    bool fitted;                                    /* two sizes at least */
    struct alpha_beta_fit fit;                      /* of the medians */
    double half_bytes;
    struct pingpong_carrier carrier; /* of the host of the first rank */
    double clock_s;                  /* what reading the clock costs, taken off each time */
};

/* Sums up over the pairs and fits. Rank 0. */
void pingpong_conclude(struct pingpong_measurement *measurement, struct status *status);

/* What a pair of ranks has in common, "unknown" on different nodes. Rank 0. */
struct binding_nearness pingpong_nearness(const struct binding_report *binding, int a, int b);
bool pingpong_same_node(const struct binding_report *binding, int a, int b);
/* Writes "one host, the same outermost cache, different cores". Returns `text`. */
const char *pingpong_nearness_text(const struct binding_report *binding, int a, int b, char *text,
                                   size_t size);
/* Warns, before any number, of pairs that share a core. */
void pingpong_warn(const char *program, const struct pingpong_plan *plan,
                   const struct binding_report *binding);

/* Bytes that each interface has sent: called before and after, the busiest becomes the carrier if
 * it carried at least half of `sent_bytes`. `root` is "" on a real machine. */
enum { PINGPONG_INTERFACES_MAX = 32 };
struct pingpong_traffic {
    int count;
    struct pingpong_carrier interface[PINGPONG_INTERFACES_MAX];
};
void pingpong_traffic_read(struct pingpong_traffic *traffic, const char *root);
struct pingpong_carrier pingpong_traffic_carrier(const struct pingpong_traffic *before,
                                                 const struct pingpong_traffic *after,
                                                 int64_t sent_bytes);
/* Writes what moved the messages, as far as it can be known. Returns `text`. */
const char *pingpong_transport_text(const struct pingpong_measurement *measurement, char *text,
                                    size_t size);

/* The plan before, and the table and the fit after the measurement. Rank 0. */
void pingpong_outline(const struct pingpong_plan *plan, const struct team_facts *facts,
                      const struct binding_report *binding, FILE *out);
void pingpong_table(const struct pingpong_measurement *measurement, FILE *out);

/* What the record has under "measured". The caller owns it. */
json_t *pingpong_measured(const struct pingpong_measurement *measurement);

/* Draws time and bandwidth over the size, with the fit. EXIT_CODE_FILES. */
bool pingpong_draw(const struct pingpong_measurement *measurement, const char *path,
                   struct status *status);

#endif
