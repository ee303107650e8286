/* Sizes, repetitions and what is made of their times: arithmetic, apart from MPI. */
#include "collectives.h"
#include <stdlib.h>

enum { STEP = 16, LARGE_BYTES = 1 << 16, WARMUP_SHARE = 10 };

/* The size after this one: steps of 16 or 2, the largest last; 0 after that. */
static int64_t next_size(const struct collectives_asked *asked, int64_t bytes) {
    if (bytes >= asked->max_bytes)
        return 0;
    const int64_t next = bytes * (asked->fine ? 2 : STEP);
    return next < asked->max_bytes ? next : asked->max_bytes;
}

static int count_sizes(const struct collectives_asked *asked) {
    int count = 0;
    for (int64_t bytes = asked->min_bytes; bytes > 0; bytes = next_size(asked, bytes))
        count++;
    return count;
}

static void list_sizes(const struct collectives_asked *asked,
                       const struct collective_operation *operation,
                       struct collectives_result *result) {
    for (int64_t bytes = asked->min_bytes; bytes > 0; bytes = next_size(asked, bytes)) {
        const int repeats = bytes < LARGE_BYTES ? asked->repeats : asked->repeats_large;
        const int warmup = repeats / WARMUP_SHARE;
        result->rows[result->count++] =
            (struct collectives_row){.operation = operation,
                                     .bytes = collective_bytes(operation, bytes),
                                     .repeats = repeats,
                                     .warmup = warmup > 0 ? warmup : 1};
    }
}

static bool is_asked(const struct collectives_asked *asked, int row) {
    return asked->operation == 0 || (int)asked->operation == row + 1;
}

bool collectives_plan(const struct collectives_asked *asked, int ranks,
                      struct collectives_result *result, struct status *status) {
    *result = (struct collectives_result){.ranks = ranks, .validated = asked->validate};
    if (ranks < 2)
        status_fail(status, EXIT_CODE_USAGE,
                    "two ranks are needed and this run has %d; start it with mpiexec -n 2", ranks);
    if (asked->min_bytes > asked->max_bytes)
        status_fail(status, EXIT_CODE_USAGE, "command line: --min %lld is above --max %lld",
                    (long long)asked->min_bytes, (long long)asked->max_bytes);
    if (!status_good(status))
        return false;
    const size_t rows = (size_t)count_sizes(asked) * (size_t)collective_operation_count;
    result->rows = calloc(rows, sizeof *result->rows);
    if (result->rows == NULL) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the table");
        return false;
    }
    for (int i = 0; i < collective_operation_count; i++)
        if (is_asked(asked, i))
            list_sizes(asked, &collective_operations[i], result);
    return true;
}
