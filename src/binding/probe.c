/* What the kernel and the OpenMP library say from inside every thread. The project's only OpenMP
 * outside src/sweep: a mask can be read right in no other place. */
#include "funnel/binding.h"

#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { KERNEL_CPUS_MAX = 1 << 20, THREADS_MOST = 8192 };

/* Tries a mask of `cpus` bits; false if the kernel has more. */
static bool read_mask(int cpus, struct cpu_set *allowed) {
    cpu_set_t *mask = CPU_ALLOC(cpus);
    const size_t bytes = CPU_ALLOC_SIZE(cpus);
    const bool read = mask != NULL && sched_getaffinity(0, bytes, mask) == 0;
    for (int cpu = 0; read && cpu < BINDING_CPUS; cpu++)
        if (CPU_ISSET_S(cpu, bytes, mask))
            cpu_set_add(allowed, cpu);
    CPU_FREE(mask);
    return read;
}

/* The calling thread's own mask; the kernel refuses masks shorter than its own. */
static struct cpu_set own_mask(void) {
    struct cpu_set allowed = {.word = {0}};
    for (int cpus = BINDING_CPUS; cpus <= KERNEL_CPUS_MAX; cpus *= 2)
        if (read_mask(cpus, &allowed))
            break;
    return allowed;
}

static struct thread_place own_place(void) {
    return (struct thread_place){
        .thread = omp_get_thread_num(), .cpu = sched_getcpu(), .allowed = own_mask()};
}

/* Adds the processors of every OpenMP place: a rank with fewer threads than places may still be
 * granted all of them. */
static void join_places(struct cpu_set *mask) {
    for (int place = 0; place < omp_get_num_places(); place++) {
        const int count = omp_get_place_num_procs(place);
        int *processors = calloc((size_t)count + 1, sizeof *processors);
        if (processors == NULL)
            return;
        omp_get_place_proc_ids(place, processors);
        for (int i = 0; i < count; i++)
            cpu_set_add(mask, processors[i]);
        free(processors);
    }
}

/* The first number of OMP_NUM_THREADS, which may be a list for nested regions. */
static int threads_asked(void) {
    const char *value = getenv("OMP_NUM_THREADS");
    const long number = value == NULL ? 0 : strtol(value, NULL, 10);
    return number > 0 && number < BINDING_CPUS ? (int)number : 0;
}

static bool policy_is(const char *name) {
    const char *policy = getenv("OMP_WAIT_POLICY");
    return policy != NULL && strcasecmp(policy, name) == 0;
}

static void read_environment(struct rank_place *place) {
    if (gethostname(place->host, sizeof place->host - 1) != 0)
        memcpy(place->host, "unknown", sizeof "unknown");
    place->threads_asked = threads_asked();
    place->threads_bound = omp_get_proc_bind() != omp_proc_bind_false;
    place->waits_actively = !policy_is("passive");
    place->never_sleeps = policy_is("active");
    place->process_cpus = omp_get_num_procs();
    place->cpu_quota = binding_cpu_quota("", &place->quota_group);
}

bool binding_threads_check(struct status *status) {
    const int threads = omp_get_max_threads();
    if (threads > THREADS_MOST)
        status_fail(status, EXIT_CODE_ENVIRONMENT,
                    "OMP_NUM_THREADS: %d threads a rank, more than the %d that are taken for "
                    "meant; give at most one a core",
                    threads, THREADS_MOST);
    return status_good(status);
}

void binding_main_thread_only(void) {
    omp_set_num_threads(1);
}

int binding_probe(struct rank_place *place, struct thread_place *threads, int capacity) {
    *place = (struct rank_place){.threads = 0};
    int count = 0;
#pragma omp parallel
    {
        const struct thread_place own = own_place();
        if (own.thread < capacity)
            threads[own.thread] = own;
#pragma omp critical
        {
            count++;
            cpu_set_join(&place->mask, &own.allowed);
        }
    }
    place->threads = count;
    join_places(&place->mask);
    read_environment(place);
    return count;
}
