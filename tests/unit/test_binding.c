/* The binding room on machines nobody has here: what a set is called, what is wrong with a layout
 * and what is not, what to type, and quotas of imitated cgroups. */
#include "files.h"
#include "funnel/binding.h"

static const char two_by_64_smt[] = "pack:2 [numa] l3:8 core:8 pu:2";
static const char two_by_4_numa[] = "pack:2 l3:4 [numa] core:4 pu:1";
static const char desktop[] = "pack:1 [numa] core:8 pu:2";
static const char two_cores[] = "core:2 pu:1";
static const char two_cores_smt[] = "core:2 pu:2";

/* The name of a machine is a file of tests/data/topology, or a synthetic description. */
static struct topology *machine(const char *name) {
    char path[4096];
    const char *root = getenv("FUNNEL_SOURCE_ROOT");
    if (strstr(name, ".xml") == NULL)
        return topology_load_synthetic(name);
    assert_non_null(root);
    snprintf(path, sizeof path, "%s/tests/data/topology/%s", root, name);
    return topology_load_xml(path);
}

/* Reads "0-3,8" as a set. */
static struct cpu_set set_of(const char *text) {
    struct cpu_set set = {.word = {0}};
    while (*text != '\0') {
        char *end;
        const long first = strtol(text, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        for (long cpu = first; cpu <= last; cpu++)
            cpu_set_add(&set, (int)cpu);
        text = *end == ',' ? end + 1 : end;
    }
    return set;
}

enum { RANKS_MAX = 16, THREADS_MAX = 256, SPEC_BYTES = 512 };

/* The ranks of one node for a diagnosis. */
struct node {
    int ranks;
    struct rank_place places[RANKS_MAX];
    struct thread_place *threads[RANKS_MAX];
};

static void add_threads(struct node *node, int rank, long count, const struct cpu_set *allowed) {
    struct rank_place *place = &node->places[rank];
    int first = 0;
    while (!cpu_set_has(allowed, first))
        first++;
    cpu_set_join(&place->mask, allowed);
    for (long i = 0; i < count; i++) {
        assert_true(place->threads < THREADS_MAX);
        node->threads[rank][place->threads] =
            (struct thread_place){.thread = place->threads, .cpu = first, .allowed = *allowed};
        place->threads++;
    }
}

/* One word of a rank: "SET" (a thread), "NxSET" (N threads), "+SET" (places that no thread is on),
 * "qQ" (a quota of Q CPUs, shared by all ranks that have one). */
static void add_word(struct node *node, int rank, const char *word) {
    struct rank_place *place = &node->places[rank];
    const char *times = strchr(word, 'x');
    if (*word == 'q') {
        place->cpu_quota = strtod(word + 1, NULL);
        place->quota_group = 7;
        return;
    }
    const bool places_only = *word == '+';
    const struct cpu_set set = set_of(times != NULL ? times + 1 : word + places_only);
    if (places_only)
        cpu_set_join(&place->mask, &set);
    else
        add_threads(node, rank, times == NULL ? 1 : strtol(word, NULL, 10), &set);
}

static void add_rank(struct node *node, const char *text) {
    char spec[SPEC_BYTES];
    const int rank = node->ranks++;
    node->threads[rank] = calloc(THREADS_MAX, sizeof(struct thread_place));
    assert_non_null(node->threads[rank]);
    node->places[rank] = (struct rank_place){
        .rank = rank, .node_rank = rank, .host = "node", .waits_actively = true};
    snprintf(spec, sizeof spec, "%s", text);
    for (const char *word = strtok(spec, " "); word != NULL; word = strtok(NULL, " "))
        add_word(node, rank, word);
}

/* Ranks are separated by "; ". */
static void fill_node(struct node *node, const char *text) {
    *node = (struct node){.ranks = 0};
    for (const char *at = text; at != NULL;) {
        char spec[SPEC_BYTES];
        const char *end = strchr(at, ';');
        snprintf(spec, sizeof spec, "%.*s", end == NULL ? SPEC_BYTES - 1 : (int)(end - at), at);
        add_rank(node, spec);
        at = end == NULL ? NULL : end + 1;
    }
}

static void empty_node(struct node *node) {
    for (int rank = 0; rank < node->ranks; rank++)
        free(node->threads[rank]);
}

struct diagnosis {
    int count;
    struct binding_problem problems[BINDING_PROBLEM_KINDS];
};

static void diagnose_on(const struct topology *topology, const char *ranks, const char *launcher,
                        struct diagnosis *diagnosis) {
    struct node node;
    fill_node(&node, ranks);
    diagnosis->count = binding_diagnose(topology, node.places, node.threads, node.ranks, launcher,
                                        diagnosis->problems);
    empty_node(&node);
}

static void diagnose(const char *name, const char *ranks, const char *launcher,
                     struct diagnosis *diagnosis) {
    struct topology *topology = machine(name);
    assert_non_null(topology);
    assert_true(topology_readable(topology));
    diagnose_on(topology, ranks, launcher, diagnosis);
    topology_free(topology);
}

/* The short names of the problems, separated by blanks. */
static const char *names_of(const struct diagnosis *diagnosis, char *text, size_t size) {
    text[0] = '\0';
    for (int i = 0; i < diagnosis->count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "",
                 binding_problem_name(diagnosis->problems[i].kind));
    }
    return text;
}

struct situation {
    const char *what, *machine, *ranks, *expected;
};

static void check_situations(const struct situation *situations, size_t count) {
    int failures = 0;
    for (size_t i = 0; i < count; i++) {
        struct diagnosis diagnosis;
        char names[1024];
        diagnose(situations[i].machine, situations[i].ranks, "hydra", &diagnosis);
        names_of(&diagnosis, names, sizeof names);
        if (strcmp(names, situations[i].expected) == 0)
            continue;
        print_error("%s: found \"%s\", expected \"%s\"\n", situations[i].what, names,
                    situations[i].expected);
        failures++;
    }
    assert_int_equal(failures, 0);
}

static void faults_are_found(void **state) {
    (void)state;
    const struct situation situations[] = {
        {"all threads on the one PU of a taskset", two_cores, "4x0", "threads-exceed-pus"},
        {"launcher gives one core to two threads", two_cores, "2x0", "threads-exceed-pus"},
        {"two ranks, two threads, a core each on a small machine", two_cores, "2x0; 2x1",
         "threads-exceed-pus node-oversubscribed"},
        {"the same where cores are left", desktop, "3x0,1; 3x2,3", "threads-exceed-pus"},
        {"one package for the threads of two", two_by_64_smt, "256x0-127", "threads-exceed-pus"},
        {"threads pinned twice to the same PUs", desktop, "0 2 0 2", "threads-exceed-pus"},
        {"one rank, more threads than the machine", two_cores, "4x0-1", "threads-exceed-pus"},
        {"places reduced to one", desktop, "2x0", "threads-exceed-pus"},
        {"two ranks on one PU", two_cores, "0; 0", "ranks-share-pus"},
        {"three ranks on one PU of two", two_cores, "0; 0; 0",
         "ranks-share-pus node-oversubscribed"},
        {"first threads of unbound ranks pinned to the same places", desktop,
         "0 2 +0-15; 0 2 +0-15", "ranks-share-pus"},
        {"bound ranks that overlap in part", desktop, "2x0-3; 2x2-5", "ranks-share-pus"},
        {"two threads on the siblings of a core", desktop, "2x0-1", "threads-on-one-core"},
        {"the same, pinned, in a wide mask", desktop, "0 1 +0-15", "threads-on-one-core"},
        {"ranks with both threads on one core each", two_by_64_smt, "2x0-1; 2x2-3",
         "threads-on-one-core"},
        {"hybrid: both threads on one P core", "hybrid.xml", "2x0-1", "threads-on-one-core"},
        {"quota of one CPU for two threads", two_cores, "2x0-1 q1", "quota-below-threads"},
        {"quota shared by two ranks", desktop, "2x0-3 q3.5; 2x4-7 q3.5", "quota-below-threads"},
        {"unbound ranks beyond the machine", two_cores, "2x0-1; 2x0-1", "node-oversubscribed"},
        {"a rank more than PUs, bound in turn", two_cores, "0; 1; 0", "node-oversubscribed"},
        {"two unbound ranks", two_cores, "0-1; 0-1", "unbound"},
        {"a lone rank with fewer threads than PUs", desktop, "8x0-15", "unbound"},
        {"unbound within a package of several NUMA nodes", two_by_4_numa, "8x0-15; 8x16-31",
         "unbound"},
        {"a rank across packages", two_by_64_smt, "40x0-79; 40x80-159; 40x160-239",
         "spans-packages"},
        {"threads that wander across packages", two_by_64_smt, "4x120-135", "spans-packages"},
        {"a rank across NUMA nodes", two_by_4_numa, "2x0-1; 2x3-4; 2x8-9", "spans-numa"},
        {"siblings pinned while cores idle", desktop, "0 1 2 3", "smt-while-cores-idle"},
        {"two ranks on the siblings of a core", desktop, "0; 1", "smt-while-cores-idle"},
        {"more threads than cores in the mask, cores outside idle", desktop, "6x0-7",
         "smt-while-cores-idle"},
        {"hybrid: P siblings while E cores idle", "hybrid.xml", "0 1 2 3", "smt-while-cores-idle"},
        {"no PU 0: ranks on the same PU", "no-pu-0.xml", "2; 2", "ranks-share-pus"},
        {"memory-only NUMA nodes: a rank across packages", "memory-only-numa.xml", "2x1-2; 0",
         "spans-packages"},
    };
    check_situations(situations, sizeof situations / sizeof situations[0]);
}

static void sound_layouts_raise_no_alarm(void **state) {
    (void)state;
    const struct situation situations[] = {
        {"one rank, one thread, unbound", two_cores, "0-1", ""},
        {"one rank fills the machine, unbound", two_cores, "2x0-1", ""},
        {"one rank fills both packages, unbound", two_by_64_smt, "256x0-255", ""},
        {"OMP_PROC_BIND narrows each thread", two_cores, "0 1", ""},
        {"OMP_PROC_BIND, one thread, places of both cores", two_cores, "0 +0-1", ""},
        {"two ranks bound to a core each", two_cores, "0; 1", ""},
        {"two ranks bound to four cores each", two_by_64_smt, "4x0-7; 4x128-135", ""},
        {"the same, pinned to cores", two_by_64_smt,
         "0-1 2-3 4-5 6-7; 128-129 130-131 132-133 134-135", ""},
        {"a rank a package with all its PUs", two_by_64_smt, "128x0-127; 128x128-255", ""},
        {"one rank pinned across packages, both memories used", two_by_64_smt, "0 64 128 192", ""},
        {"two ranks bound to one package with room", two_by_64_smt, "8x0-127; 8x0-127", ""},
        {"one rank with one thread in a mask across packages", two_by_64_smt, "120-135", ""},
        {"every sibling in use", two_cores_smt, "2x0-1; 2x2-3", ""},
        {"every sibling in use, one rank each", two_cores_smt, "0; 1; 2; 3", ""},
        {"one PU of each core allowed", two_cores_smt, "0 2", ""},
        {"one PU of one core allowed", two_cores_smt, "0", ""},
        {"threads that cannot fit one NUMA node, pinned", two_by_4_numa,
         "0 1 2 3 4 5 6 7; 16 17 18 19 20 21 22 23", ""},
        {"hybrid, all PUs", "hybrid.xml", "8x0-7", ""},
        {"hybrid, a thread a core", "hybrid.xml", "0 2 4 5 6 7", ""},
        {"hybrid, ranks of different size", "hybrid.xml", "2x0-3; 4x4-7", ""},
        {"no PU 0", "no-pu-0.xml", "2x2-3; 2x6-7", ""},
        {"no PU 0, all", "no-pu-0.xml", "4x2-3,6-7", ""},
        {"memory-only NUMA nodes", "memory-only-numa.xml", "2x0-1; 2x2-3", ""},
        {"quota that suffices", two_cores, "2x0-1 q2", ""},
        {"quota that suffices for both ranks", desktop, "2x0-3 q4; 2x4-7 q4", ""},
    };
    check_situations(situations, sizeof situations / sizeof situations[0]);
}

static void expect_remedy(const char *name, const char *ranks, const char *launcher,
                          const char *expected) {
    struct diagnosis diagnosis;
    diagnose(name, ranks, launcher, &diagnosis);
    assert_int_equal(diagnosis.count, 1);
    assert_string_equal(diagnosis.problems[0].remedy, expected);
}

static void remedies_speak_the_launchers_language(void **state) {
    (void)state;
    expect_remedy(desktop, "2x0; 2x2", "hydra",
                  "OMP_NUM_THREADS=2 OMP_PLACES=cores OMP_PROC_BIND=close mpiexec.mpich -n 2 "
                  "-bind-to core:2 PROGRAM");
    expect_remedy(desktop, "2x0; 2x2", "srun",
                  "OMP_NUM_THREADS=2 OMP_PLACES=cores OMP_PROC_BIND=close srun -n 2 "
                  "--cpus-per-task=2 --cpu-bind=cores --threads-per-core=1 PROGRAM");
    expect_remedy(desktop, "2x0; 2x2", "openmpi",
                  "mpiexec -n 2 --map-by slot:PE=2 --bind-to core -x OMP_NUM_THREADS=2 "
                  "-x OMP_PLACES=cores -x OMP_PROC_BIND=close PROGRAM");
    expect_remedy(desktop, "4x0", "none",
                  "OMP_NUM_THREADS=4 OMP_PLACES=cores OMP_PROC_BIND=close taskset -c 0,2,4,6 "
                  "PROGRAM");
}

static void remedies_fit_the_machine(void **state) {
    (void)state;
    expect_remedy(two_by_64_smt, "24x0; 24x2; 24x4; 24x6", "hydra",
                  "OMP_NUM_THREADS=24 OMP_PLACES=cores OMP_PROC_BIND=close mpiexec.mpich -n 4 "
                  "-bind-to core:24 -map-by numa PROGRAM");
    expect_remedy(two_by_64_smt, "40x0-79; 40x80-159; 40x160-239", "hydra",
                  "OMP_NUM_THREADS=64 OMP_PLACES=cores OMP_PROC_BIND=close mpiexec.mpich -n 2 "
                  "-bind-to core:64 PROGRAM");
    expect_remedy(two_cores, "2x0-1; 2x0-1", "hydra",
                  "-bind-to core:2 for 2 ranks needs 4 cores and this node grants 2; here: "
                  "OMP_NUM_THREADS=1 OMP_PLACES=cores OMP_PROC_BIND=close mpiexec.mpich -n 2 "
                  "-bind-to core:1 PROGRAM");
    expect_remedy(two_cores, "0-1; 0-1; 0-1", "hydra",
                  "-bind-to core:1 for 3 ranks needs 3 cores and this node grants 2; here: "
                  "OMP_NUM_THREADS=1 OMP_PLACES=cores OMP_PROC_BIND=close mpiexec.mpich -n 2 "
                  "-bind-to core:1 PROGRAM");
    expect_remedy(two_cores_smt, "0-3; 0-3; 0-3; 0-3", "hydra",
                  "OMP_NUM_THREADS=1 OMP_PLACES=threads OMP_PROC_BIND=close mpiexec.mpich -n 4 "
                  "-bind-to hwthread:1 PROGRAM");
}

static void remedies_of_many_nodes_name_the_whole_job(void **state) {
    (void)state;
    struct node node;
    struct binding_problem problems[BINDING_PROBLEM_KINDS];
    struct topology *topology = machine(desktop);
    fill_node(&node, "2x0; 2x2");
    node.places[0].job_ranks = node.places[1].job_ranks = 6;
    assert_int_equal(
        binding_diagnose(topology, node.places, node.threads, node.ranks, "hydra", problems), 1);
    assert_non_null(strstr(problems[0].remedy, "-n 6 -ppn 2 -bind-to core:2"));
    empty_node(&node);
    topology_free(topology);
}

static void evidence_counts_and_names(void **state) {
    (void)state;
    struct diagnosis diagnosis;
    diagnose(two_by_64_smt, "112x0-55; 112x128-183", "srun", &diagnosis);
    assert_int_equal(diagnosis.count, 1);
    assert_int_equal(diagnosis.problems[0].rank, 0);
    assert_int_equal(diagnosis.problems[0].ranks, 2);
    assert_string_equal(diagnosis.problems[0].evidence,
                        "rank 0: 112 threads, 56 PUs: package 0 NUMA 0 core L0-27 (P0-55), "
                        "threads per PU = 2 (and 1 more rank of the node)");
    diagnose(two_cores, "0; 0", "hydra", &diagnosis);
    assert_string_equal(diagnosis.problems[0].evidence,
                        "ranks 0 and 1 share PU P0: package 0 NUMA 0 core L0 (P0)");
    diagnose(desktop, "0; 4; 0; 0", "hydra", &diagnosis);
    assert_string_equal(diagnosis.problems[0].evidence,
                        "ranks 0, 2 and 1 more share PU P0: package 0 NUMA 0 core L0 partly (P0)");
    assert_int_equal(diagnosis.problems[0].ranks, 3);
}

static void check_description(const char *name, const char *set, const char *expected) {
    char text[BINDING_TEXT_BYTES];
    struct topology *topology = machine(name);
    const struct cpu_set cpus = set_of(set);
    assert_string_equal(binding_describe(topology, &cpus, text, sizeof text), expected);
    topology_free(topology);
}

static void sets_are_named_by_logical_core_and_kernel_pu(void **state) {
    (void)state;
    check_description(two_by_64_smt, "8-15", "package 0 NUMA 0 core L4-7 (P8-15)");
    check_description(two_by_64_smt, "0-255", "packages 0-1 NUMA 0-1 core L0-127 (P0-255)");
    check_description(two_cores_smt, "0", "package 0 NUMA 0 core L0 partly (P0)");
    check_description("no-pu-0.xml", "3,6", "package 0 NUMA 0 core L1-2 (P3,6)");
    check_description("memory-only-numa.xml", "2-3", "package 1 NUMA 2 core L2-3 (P2-3)");
    check_description("hybrid.xml", "2-4", "package 0 NUMA 0 core L1-2 (P2-4)");
    check_description(two_cores, "7", "PU P7");
}

static void short_form_names_package_and_cores(void **state) {
    (void)state;
    char text[BINDING_TEXT_BYTES];
    struct topology *topology = machine(two_by_64_smt);
    const struct cpu_set cpus = set_of("8-15");
    assert_string_equal(binding_describe_short(topology, &cpus, text, sizeof text),
                        "package 0 core L4-7");
    assert_string_equal(topology_text(topology, text, sizeof text),
                        "2 packages, 2 NUMA nodes, 128 cores, 256 PUs");
    topology_free(topology);
}

static void long_texts_are_cut_visibly(void **state) {
    (void)state;
    char text[12];
    const struct cpu_set cpus = set_of("0,2,4,6,8,10,12,14");
    assert_string_equal(cpu_set_text(&cpus, text, sizeof text), "0,2,4,6,...");
}

static void sets_hold_every_processor_of_a_large_machine(void **state) {
    (void)state;
    char text[64];
    struct cpu_set set = set_of("0,63-64,4095");
    cpu_set_add(&set, BINDING_CPUS);
    cpu_set_add(&set, -1);
    assert_int_equal(cpu_set_count(&set), 4);
    assert_true(cpu_set_has(&set, 4095));
    assert_false(cpu_set_has(&set, 4096));
    assert_string_equal(cpu_set_text(&set, text, sizeof text), "0,63-64,4095");
}

static void check_picture(const char *name, const char *ranks, const char *const *rows) {
    char *text = NULL;
    size_t size = 0;
    struct node node;
    FILE *out = open_memstream(&text, &size);
    struct topology *topology = machine(name);
    assert_non_null(out);
    assert_non_null(topology);
    fill_node(&node, ranks);
    binding_picture(topology, node.places, node.threads, node.ranks, out);
    fclose(out);
    for (; *rows != NULL; rows++)
        assert_non_null(strstr(text, *rows));
    free(text);
    empty_node(&node);
    topology_free(topology);
}

static void picture_has_a_row_a_rank_and_borders(void **state) {
    (void)state;
    const char *const rows[] = {"\nrank    0 |0-1-|....|\n", "\nrank    1 |....|+---|\n", NULL};
    check_picture("pack:2 [numa] [numa] core:2 pu:2", "0-1 2-3; 2x4-7", rows);
}

static void picture_marks_numa_borders(void **state) {
    (void)state;
    const char *const rows[] = {"\nrank    0 |01:23|..:..|\n", NULL};
    check_picture("pack:2 l3:2 [numa] core:2 pu:1", "0 1 2 3", rows);
}

/* The topology that hwloc gives while an environment variable has this value. */
static struct topology *topology_under(const char *variable, const char *value) {
    setenv(variable, value, 1);
    struct topology *topology = topology_load();
    unsetenv(variable);
    assert_non_null(topology);
    return topology;
}

static void unreadable_topology_leaves_the_masks(void **state) {
    (void)state;
    struct diagnosis diagnosis;
    const struct binding_problem *problems = diagnosis.problems;
    char text[BINDING_TEXT_BYTES];
    const struct cpu_set first = set_of("0");
    struct topology *topology = topology_under("HWLOC_COMPONENTS", "stop");
    assert_false(topology_readable(topology));
    diagnose_on(topology, "2x0; 1", "hydra", &diagnosis);
    assert_int_equal(diagnosis.count, 3);
    assert_int_equal(problems[0].kind, BINDING_THREADS_EXCEED_PUS);
    assert_non_null(strstr(problems[0].remedy, "-bind-to core:2"));
    assert_int_equal(problems[1].kind, BINDING_NODE_OVERSUBSCRIBED);
    assert_int_equal(problems[2].kind, BINDING_TOPOLOGY_UNREADABLE);
    assert_string_equal(binding_describe(topology, &first, text, sizeof text), "PU P0");
    topology_free(topology);
}

static void foreign_topology_is_said_and_not_believed(void **state) {
    (void)state;
    struct diagnosis diagnosis;
    struct topology *topology = topology_under("HWLOC_SYNTHETIC", "core:4 pu:2");
    assert_false(topology_is_this_machine(topology));
    diagnose_on(topology, "2x0-1", "none", &diagnosis);
    assert_int_equal(diagnosis.count, 1);
    assert_int_equal(diagnosis.problems[0].kind, BINDING_TOPOLOGY_FOREIGN);
    topology_free(topology);
}

/* The share of one rank of a node with caches. */
static struct cache_share share_of(const char *name, const char *const *specs, int ranks,
                                   int rank) {
    struct topology *topology = machine(name);
    assert_non_null(topology);
    struct rank_place places[RANKS_MAX] = {{0}};
    for (int i = 0; i < ranks; i++) {
        places[i].threads = (int)strtol(specs[i], NULL, 10);
        places[i].mask = set_of(strchr(specs[i], 'x') + 1);
    }
    const struct cache_share share = binding_caches(topology, places, ranks, rank);
    topology_free(topology);
    return share;
}

static void caches_are_shared_out(void **state) {
    (void)state;
    static const char chiplets[] =
        "pack:1 l3:2(size=33554432) core:4 l2:1(size=1048576) l1d:1(size=49152) pu:2";
    static const char guest[] = "pack:1 l3:1(size=503316480) core:2 l1d:1(size=49152) pu:1";
    const int64_t kib = 1024, mib = 1024 * kib;
    const char *const alone[] = {"8x0-15"}, *const halves[] = {"4x0-7", "4x8-15"},
                      *const thirds[] = {"2x0-3", "2x4-7", "2x8-11"}, *const full[] = {"16x0-15"},
                      *const in_guest[] = {"2x0-1"}, *const two_guests[] = {"1x0", "1x1"};
    struct cache_share share = share_of(chiplets, alone, 1, 0);
    assert_int_equal(share.first_level, 48 * kib);
    assert_int_equal(share.second_level, 8 * mib);
    assert_int_equal(share.last_level, 64 * mib);
    assert_int_equal(share_of(chiplets, thirds, 3, 1).second_level, 2 * mib);
    assert_int_equal(share_of(chiplets, halves, 2, 1).last_level, 32 * mib);
    assert_int_equal(share_of(chiplets, thirds, 3, 0).last_level, 16 * mib);
    assert_int_equal(share_of(chiplets, thirds, 3, 2).last_level, 32 * mib);
    assert_int_equal(share_of(chiplets, full, 1, 0).first_level, 24 * kib); /* two a core */
    assert_int_equal(share_of(guest, in_guest, 1, 0).last_level, 64 * mib);
    assert_int_equal(share_of(guest, two_guests, 2, 0).last_level, 32 * mib);
    share = share_of("numa:1 core:2 pu:1", in_guest, 1, 0); /* hwloc knows of no cache there */
    assert_int_equal(share.first_level, 0);
    assert_int_equal(share.last_level, 0);
}

static void this_machine_is_read_and_probed(void **state) {
    (void)state;
    static struct rank_place place;
    static struct thread_place threads[THREADS_MAX];
    struct topology *topology = topology_load();
    assert_non_null(topology);
    assert_true(topology_readable(topology));
    const int count = binding_probe(&place, threads, THREADS_MAX);
    assert_in_range(count, 1, THREADS_MAX);
    assert_int_equal(place.threads, count);
    assert_true(place.process_cpus >= 1);
    for (int i = 0; i < count; i++) {
        assert_int_equal(threads[i].thread, i);
        assert_true(cpu_set_has(&threads[i].allowed, threads[i].cpu));
        assert_true(cpu_set_within(&threads[i].allowed, &place.mask));
    }
    topology_free(topology);
}

/* A folder that imitates /proc and /sys, for each test of a quota. */
static int make_root(void **state) {
    static char root[FOLDER_BYTES];
    make_folder(root);
    *state = root;
    return 0;
}

static int remove_root(void **state) {
    remove_folder(*state);
    return 0;
}

static const char mount_v2[] = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";
static const char mount_v1[] =
    "31 23 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "32 23 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";

static void quota_of_version_2_is_the_least_on_the_path(void **state) {
    const char *root = *state;
    uint64_t group = 0;
    write_below(root, "/proc/self/mountinfo", mount_v2);
    write_below(root, "/proc/self/cgroup", "0::/job.slice/step\n");
    write_below(root, "/sys/fs/cgroup/job.slice/cpu.max", "150000 100000\n");
    write_below(root, "/sys/fs/cgroup/job.slice/step/cpu.max", "max 100000\n");
    assert_true(binding_cpu_quota(root, &group) == 1.5);
    assert_true(group != 0);
    write_below(root, "/sys/fs/cgroup/job.slice/step/cpu.max", "100000 100000\n");
    assert_true(binding_cpu_quota(root, &group) == 1.0);
    write_below(root, "/sys/fs/cgroup/job.slice/cpu.max", "max 100000\n");
    write_below(root, "/sys/fs/cgroup/job.slice/step/cpu.max", "max 100000\n");
    assert_true(binding_cpu_quota(root, &group) == 0);
    assert_true(group == 0);
}

static void quota_of_version_1_is_read(void **state) {
    const char *root = *state;
    uint64_t group = 0;
    write_below(root, "/proc/self/mountinfo", mount_v1);
    write_below(root, "/proc/self/cgroup", "4:cpuset:/wrong\n3:cpu,cpuacct:/box\n");
    write_below(root, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    write_below(root, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    write_below(root, "/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "50000\n");
    write_below(root, "/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
    assert_true(binding_cpu_quota(root, &group) == 0.5);
}

static void quota_in_a_container_stands_at_its_mount_point(void **state) {
    const char *root = *state;
    uint64_t group = 0;
    write_below(root, "/proc/self/mountinfo",
                "31 23 0:27 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
    write_below(root, "/proc/self/cgroup", "3:cpu:/docker/abc\n");
    write_below(root, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
    write_below(root, "/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assert_true(binding_cpu_quota(root, &group) == 2.0);
    write_below(root, "/proc/self/cgroup", "3:cpu:/../other\n");
    assert_true(binding_cpu_quota(root, &group) == 2.0);
}

static void no_cgroup_is_no_quota(void **state) {
    const char *root = *state;
    uint64_t group = 1;
    assert_true(binding_cpu_quota(root, &group) == 0);
    assert_true(group == 0);
}

/* A letter each for PU, core, cache, NUMA node and package: Unknown, Apart, Perhaps, Same. */
static void assert_nearness(const char *name, const char *a, const char *b, const char *expected) {
    static const char letters[] = {[BINDING_UNKNOWN] = 'U',
                                   [BINDING_APART] = 'A',
                                   [BINDING_PERHAPS] = 'P',
                                   [BINDING_SAME] = 'S'};
    struct topology *topology = machine(name);
    const struct cpu_set first = set_of(a), second = set_of(b);
    assert_non_null(topology);
    for (int order = 0; order < 2; order++) {
        const struct binding_nearness near = order == 0
                                                 ? binding_nearness(topology, &first, &second)
                                                 : binding_nearness(topology, &second, &first);
        const char found[] = {letters[near.pu],   letters[near.core],    letters[near.cache],
                              letters[near.numa], letters[near.package], '\0'};
        assert_string_equal(found, expected);
    }
    topology_free(topology);
}

static void what_two_ranks_have_in_common(void **state) {
    (void)state;
    /* siblings of one core; cores of one cache; caches of one package; packages */
    assert_nearness(two_by_64_smt, "0", "1", "ASSSS");
    assert_nearness(two_by_64_smt, "0", "2", "AASSS");
    assert_nearness(two_by_64_smt, "0", "16", "AAASS");
    assert_nearness(two_by_64_smt, "0", "128", "AAAAA");
    assert_nearness(two_by_64_smt, "3", "3", "SSSSS");
    assert_nearness(two_by_64_smt, "0-15", "8-31", "PPPSS");
    assert_nearness(two_by_64_smt, "0-255", "0-255", "PPPPP");
    /* NUMA nodes inside a package; a machine whose caches are not described */
    assert_nearness(two_by_4_numa, "0", "4", "AAAAS");
    assert_nearness(two_cores, "0", "1", "AAUSS");
    assert_nearness(two_cores, "0", "", "UUUUU");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_two_ranks_have_in_common),
        cmocka_unit_test(faults_are_found),
        cmocka_unit_test(sound_layouts_raise_no_alarm),
        cmocka_unit_test(remedies_speak_the_launchers_language),
        cmocka_unit_test(remedies_fit_the_machine),
        cmocka_unit_test(remedies_of_many_nodes_name_the_whole_job),
        cmocka_unit_test(evidence_counts_and_names),
        cmocka_unit_test(sets_are_named_by_logical_core_and_kernel_pu),
        cmocka_unit_test(short_form_names_package_and_cores),
        cmocka_unit_test(long_texts_are_cut_visibly),
        cmocka_unit_test(sets_hold_every_processor_of_a_large_machine),
        cmocka_unit_test(picture_has_a_row_a_rank_and_borders),
        cmocka_unit_test(picture_marks_numa_borders),
        cmocka_unit_test(unreadable_topology_leaves_the_masks),
        cmocka_unit_test(foreign_topology_is_said_and_not_believed),
        cmocka_unit_test(caches_are_shared_out),
        cmocka_unit_test(this_machine_is_read_and_probed),
        cmocka_unit_test_setup_teardown(quota_of_version_2_is_the_least_on_the_path, make_root,
                                        remove_root),
        cmocka_unit_test_setup_teardown(quota_of_version_1_is_read, make_root, remove_root),
        cmocka_unit_test_setup_teardown(quota_in_a_container_stands_at_its_mount_point, make_root,
                                        remove_root),
        cmocka_unit_test_setup_teardown(no_cgroup_is_no_quota, make_root, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
