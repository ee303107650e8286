/* What the files of the loops share. Private to them. */
#ifndef FUNNEL_PINGPONG_LOOPS_PARTS_H
#define FUNNEL_PINGPONG_LOOPS_PARTS_H

#include "funnel/team_mpi.h"
#include "pingpong_loops.h"
#include <stdatomic.h>

enum { PINGPONG_IN_FLIGHT = 64, PINGPONG_LINE_BYTES = 64 };

/* What a rank tells its peer through shared memory; only its owner writes it. */
struct pingpong_flags {
    _Alignas(PINGPONG_LINE_BYTES) atomic_uint_least64_t turn;  /* of the window pattern */
    _Alignas(PINGPONG_LINE_BYTES) atomic_uint_least64_t probe; /* of the probe */
};

struct pingpong_link {
    const struct pingpong_plan *plan;
    const struct pingpong_pattern *pattern;
    MPI_Comm all, active, pair; /* the last two are null on a rank without a peer */
    int me, other;              /* in `pair`: 0 and 1 */
    int other_rank;             /* in `all` */
    char *send, *receive;       /* whole buffers */
    size_t send_bytes, receive_bytes;
    /* the message of this repetition */
    int bytes;
    uint64_t number; /* counts repetitions over all sizes, warm-up included */
    char *out, *in;  /* parts of the buffers */
    MPI_Request request[PINGPONG_IN_FLIGHT];
    /* it lies in rows, of which one begins so many bytes after another */
    int rows, row_bytes;
    ptrdiff_t row_stride;
    MPI_Datatype row_type;
    /* shared memory of the pair */
    MPI_Win window; /* MPI_WIN_NULL between nodes */
    bool yields;
    struct pingpong_flags *mine, *theirs;
    char *my_data, *their_data;
    uint64_t round, probe;
    double *sample_s;
};

/* Opens the window that the ranks of a pair share, with `bytes` of data beside the flags. */
void pingpong_window_open(struct pingpong_link *link, size_t bytes);
void pingpong_window_close(struct pingpong_link *link);

/* How the messages of the next size lie. */
void pingpong_rows_begin(struct pingpong_link *link);
void pingpong_rows_end(struct pingpong_link *link);

/* The rows "halo" and "deep-halo". */
void pingpong_halo_prepare(struct pingpong_link *link);
void pingpong_halo_round(struct pingpong_link *link);

/* The row "window". */
void pingpong_window_prepare(struct pingpong_link *link);
void pingpong_window_round(struct pingpong_link *link);

/* Seconds for a flag to the other rank and back, the best of a few; NaN without a window. */
double pingpong_probe_s(struct pingpong_link *link);

#endif
