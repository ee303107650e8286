/* Probes of the machine's state: copies with ordinary and with streaming stores, and a flag that
 * two threads hand to each other. */
#include "state.h"
#include "funnel/clock.h"
#include "funnel/memory.h"
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#if defined(__SSE2__)
#    include <immintrin.h>
#endif

enum { LINE_DOUBLES = 8, COPY_PASSES = 2, TRIPS = 5000, BATCHES = 3, LOOKS_BEFORE_YIELD = 1024 };

const char *const stores_names[STORES_COUNT] = {"ordinary", "streaming"};

bool copy_make(struct copy_arrays *arrays, int64_t count, struct status *status) {
    const size_t bytes = (size_t)count * sizeof(double);
    *arrays = (struct copy_arrays){memory_take(bytes, status), memory_take(bytes, status), count};
    if (!status_good(status))
        return false;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; i++) {
        arrays->from[i] = 1;
        arrays->to[i] = 0;
    }
    return true;
}

void copy_free(struct copy_arrays *arrays) {
    memory_release(arrays->from, (size_t)arrays->count * sizeof(double));
    memory_release(arrays->to, (size_t)arrays->count * sizeof(double));
}

/* The factor of 1 keeps the compiler from calling memcpy, which would choose its own stores. */
static void copy_ordinary(const struct copy_arrays *arrays, int threads, double factor) {
    const double *restrict from = arrays->from;
    double *restrict to = arrays->to;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < arrays->count; i++)
        to[i] = factor * from[i];
}

/* Copies a cache line past the cache. */
static inline void stream_line(double *to, const double *from) {
#if defined(__AVX512F__)
    _mm512_stream_pd(to, _mm512_load_pd(from));
#elif defined(__SSE2__)
    for (int i = 0; i < LINE_DOUBLES; i += 2)
        _mm_stream_pd(to + i, _mm_load_pd(from + i));
#else
    for (int i = 0; i < LINE_DOUBLES; i++)
        to[i] = from[i];
#endif
}

/* Until here streaming stores may still be on their way. */
static void stream_fence(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

static void copy_streaming(const struct copy_arrays *arrays, int threads) {
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < arrays->count; i += LINE_DOUBLES)
            stream_line(arrays->to + i, arrays->from + i);
        stream_fence();
    }
}

double copy_bytes_per_s(const struct copy_arrays *arrays, int threads, enum stores stores) {
    double best_s = HUGE_VAL;
    for (int pass = 0; pass < COPY_PASSES; pass++) {
        const double start_s = clock_now_s();
        if (stores == STORES_STREAMING)
            copy_streaming(arrays, threads);
        else
            copy_ordinary(arrays, threads, 1);
        best_s = fmin(best_s, clock_now_s() - start_s);
    }
    return 16 * (double)arrays->count / best_s;
}

/* Waits until the flag is `mine`, and gives way where the other thread has no processor. */
static void wait_for(atomic_int *flag, int mine) {
    for (int look = 1; atomic_load_explicit(flag, memory_order_acquire) != mine; look++)
        if (look % LOOKS_BEFORE_YIELD == 0)
            sched_yield();
}

static void hand_over(atomic_int *flag, int mine) {
    for (int trip = 0; trip < TRIPS; trip++) {
        wait_for(flag, mine);
        atomic_store_explicit(flag, 1 - mine, memory_order_release);
    }
}

double latency_ns(void) {
    _Alignas(64) atomic_int flag = 0;
    double best_s = HUGE_VAL;
    if (omp_get_num_procs() < 2)
        return nan("");
    for (int batch = 0; batch < BATCHES; batch++) {
        const double start_s = clock_now_s();
#pragma omp parallel num_threads(2)
        if (omp_get_num_threads() == 2)
            hand_over(&flag, omp_get_thread_num());
        best_s = fmin(best_s, clock_now_s() - start_s);
    }
    return best_s * 1e9 / TRIPS;
}
