/* Memory of the iterates. Ordinary pages for variants that send; for one that copies, a window that
 * the ranks of a node share, laid out by hand: flags on lines of their own, then each iterate from
 * an aligned place. */
#include "funnel/memory.h"
#include "funnel/text.h"
#include "halo_parts.h"
#include <stdlib.h>

static const size_t huge_page_bytes = (size_t)2 << 20;

double *const *halo_memory_values(const struct halo_memory *memory) {
    return memory->values;
}

/* Bytes from one iterate to the next. */
static size_t stride_bytes(const struct halo_memory *memory) {
    return (memory->bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
}

/* Refuses before a page that does not fit ends the rank. Where there is no /dev/shm, MPI knows
 * better. */
static void check_room(const struct halo_memory *memory, struct status *status) {
    int64_t mine = (int64_t)((uint64_t)memory->iterates * memory->bytes), on_node = 0;
    mpi_check(MPI_Allreduce(&mine, &on_node, 1, MPI_INT64_T, MPI_SUM, memory->node),
              "MPI_Allreduce");
    const int64_t left = memory_shared_left_bytes();
    char need[32], have[32];
    if (!memory_suffices(on_node, left))
        status_fail(status, EXIT_CODE_ENVIRONMENT,
                    "parallel.halo: the ranks of a node would share %s, its /dev/shm can give nine "
                    "tenths of %s; enlarge it or use nonblocking",
                    text_bytes(need, sizeof need, (double)on_node),
                    text_bytes(have, sizeof have, (double)left));
}

/* Each rank's piece begins on a page of its own, so that its threads touch it first. */
static int allocate_window(struct halo_memory *memory, size_t bytes, void *start) {
    MPI_Info info;
    mpi_check(MPI_Info_create(&info), "MPI_Info_create");
    mpi_check(MPI_Info_set(info, "alloc_shared_noncontig", "true"), "MPI_Info_set");
    int code =
        MPI_Win_allocate_shared((MPI_Aint)bytes, 1, info, memory->node, start, &memory->window);
    mpi_check(MPI_Info_free(&info), "MPI_Info_free");
    return code;
}

static size_t padding_to(const char *place, size_t unit) {
    return (unit - (uintptr_t)place % unit) % unit;
}

static void take_window(struct halo_memory *memory, struct status *status) {
    size_t all = (size_t)memory->iterates * stride_bytes(memory);
    char *start = NULL;
    if (allocate_window(memory, sizeof *memory->flags + huge_page_bytes + all, &start) !=
        MPI_SUCCESS) {
        memory->window = MPI_WIN_NULL;
        status_fail(status, EXIT_CODE_ENVIRONMENT,
                    "parallel.halo: MPI refuses a window of %zu bytes that the ranks of a node "
                    "share; use nonblocking",
                    all);
        return;
    }
    mpi_check(MPI_Win_lock_all(MPI_MODE_NOCHECK, memory->window), "MPI_Win_lock_all");
    memory->start = start;
    start += padding_to(start, _Alignof(struct halo_flags));
    memory->flags = (struct halo_flags *)(void *)start;
    start += sizeof *memory->flags;
    start += padding_to(start, huge_page_bytes);
    memory_wish_huge_pages(start, all);
    for (int i = 0; i < memory->iterates; i++)
        memory->values[i] = (double *)(void *)(start + (size_t)i * stride_bytes(memory));
}

static void take_pages(struct halo_memory *memory, struct status *status) {
    for (int i = 0; i < memory->iterates && status_good(status); i++)
        memory->values[i] = memory_take(memory->bytes, status);
}

static struct halo_memory *allocate(const struct team *team, int iterates, size_t bytes,
                                    struct status *status) {
    struct halo_memory *memory = calloc(1, sizeof *memory);
    double **values = calloc((size_t)iterates, sizeof *values);
    if (memory == NULL || values == NULL) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for the list of iterates");
        free(memory);
        free(values);
        return NULL;
    }
    *memory = (struct halo_memory){.iterates = iterates,
                                   .bytes = bytes,
                                   .values = values,
                                   .node = team->node,
                                   .window = MPI_WIN_NULL};
    return memory;
}

struct halo_memory *halo_memory_take(struct team *team, const struct halo_variant *variant,
                                     int iterates, size_t bytes, struct status *status) {
    struct halo_memory *memory = allocate(team, iterates, bytes, status);
    if (team_agree(team, status) && variant->shares) {
        check_room(memory, status);
        if (team_agree(team, status))
            take_window(memory, status);
    } else if (status_good(status)) {
        take_pages(memory, status);
    }
    if (team_agree(team, status))
        return memory;
    halo_memory_release(memory);
    return NULL;
}

void halo_memory_release(struct halo_memory *memory) {
    if (memory == NULL)
        return;
    if (memory->window != MPI_WIN_NULL) {
        mpi_check(MPI_Win_unlock_all(memory->window), "MPI_Win_unlock_all");
        mpi_check(MPI_Win_free(&memory->window), "MPI_Win_free");
    } else {
        for (int i = 0; i < memory->iterates; i++)
            memory_release(memory->values[i], memory->bytes);
    }
    free(memory->values);
    free(memory);
}
