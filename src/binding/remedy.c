/* One table of launchers; each row knows how to ask for N cores a rank. Hydra's words were checked
 * against what it does on a described machine (HYDRA_TOPO_DEBUG with HWLOC_SYNTHETIC). */
#include "remedy.h"

#include "line.h"
#include <string.h>

/* How many ranks and threads, and on what. */
struct layout {
    int ranks;      /* a node */
    int job_ranks;  /* the whole job */
    int threads;    /* a rank */
    bool on_pus;    /* a thread a PU instead of a core */
    const char *by; /* "numa" or "socket": deal ranks out to these, else NULL */
};

/* A launcher's words for a layout. */
struct launcher_words {
    const char *launcher;
    const char *cores_option; /* what stands before the number of cores a rank */
    void (*command)(const struct scene *, const struct layout *, char *text, size_t size);
};

static void add_environment(const struct layout *layout, const char *before, char *text,
                            size_t size) {
    line_add(text, size, "%sOMP_NUM_THREADS=%d %sOMP_PLACES=%s %sOMP_PROC_BIND=close ", before,
             layout->threads, before, layout->on_pus ? "threads" : "cores", before);
}

static bool has_siblings(const struct scene *scene) {
    return scene->node_pus > scene->node_cores;
}

static void add_hydra(const struct scene *scene, const struct layout *layout, char *text,
                      size_t size) {
    (void)scene;
    add_environment(layout, "", text, size);
    line_add(text, size, "mpiexec.mpich -n %d ", layout->job_ranks);
    if (layout->job_ranks > layout->ranks)
        line_add(text, size, "-ppn %d ", layout->ranks);
    line_add(text, size, "-bind-to %s:%d ", layout->on_pus ? "hwthread" : "core", layout->threads);
    if (layout->by != NULL)
        line_add(text, size, "-map-by %s ", layout->by);
    line_add(text, size, "PROGRAM");
}

/* Slurm counts hardware threads as CPUs where the node has them. */
static void add_srun(const struct scene *scene, const struct layout *layout, char *text,
                     size_t size) {
    add_environment(layout, "", text, size);
    line_add(text, size, "srun -n %d ", layout->job_ranks);
    if (layout->job_ranks > layout->ranks)
        line_add(text, size, "--ntasks-per-node=%d ", layout->ranks);
    line_add(text, size, "--cpus-per-task=%d --cpu-bind=%s ", layout->threads,
             layout->on_pus ? "threads" : "cores");
    if (has_siblings(scene) && !layout->on_pus)
        line_add(text, size, "--threads-per-core=1 ");
    if (layout->by != NULL)
        line_add(text, size, "--distribution=block:cyclic ");
    line_add(text, size, "PROGRAM");
}

static void add_openmpi(const struct scene *scene, const struct layout *layout, char *text,
                        size_t size) {
    (void)scene;
    line_add(text, size, "mpiexec -n %d ", layout->job_ranks);
    if (layout->job_ranks > layout->ranks)
        line_add(text, size, "-N %d ", layout->ranks);
    line_add(text, size, "--map-by %s:PE=%d --bind-to %s ",
             layout->by != NULL ? layout->by : "slot", layout->threads,
             layout->on_pus ? "hwthread --use-hwthread-cpus" : "core");
    add_environment(layout, "-x ", text, size);
    line_add(text, size, "PROGRAM");
}

/* True if row `i` is the first PU of its core that the job may use. */
static bool starts_core(const struct scene *scene, const struct cpu_set *cores_taken, int i) {
    const struct pu *pu = &scene->topology->pu[i];
    return cpu_set_has(&scene->node, pu->cpu) && !cpu_set_has(cores_taken, pu->core);
}

/* `count` PUs on cores of their own, in the package of the node's first rank as far as it goes. */
static struct cpu_set choose_pus(const struct scene *scene, int count) {
    const struct topology *topology = scene->topology;
    const struct cpu_set home = topology_touched(topology, &scene->places[0].mask, DOMAIN_PACKAGE);
    struct cpu_set chosen = {.word = {0}}, cores = {.word = {0}};
    for (int away = 0; away < 2; away++)
        for (int i = 0; i < topology->pus && cpu_set_count(&cores) < count; i++) {
            const bool near = cpu_set_has(&home, topology->pu[i].package);
            if (near == (away != 0) || !starts_core(scene, &cores, i))
                continue;
            cpu_set_add(&cores, topology->pu[i].core);
            cpu_set_add(&chosen, topology->pu[i].cpu);
        }
    return chosen;
}

/* No launcher: the shell's own tools; or one that is not known, whose option the user must find. */
static void add_alone(const struct scene *scene, const struct layout *layout, char *text,
                      size_t size) {
    char list[BINDING_TEXT_BYTES];
    const struct cpu_set pus = layout->on_pus ? scene->node : choose_pus(scene, layout->threads);
    add_environment(layout, "", text, size);
    if (layout->ranks > 1)
        line_add(text, size, "and the launcher's option for %d cores a rank: ", layout->threads);
    else if (scene->trusted)
        line_add(text, size, "taskset -c %s ", cpu_set_text(&pus, list, sizeof list));
    else
        line_add(text, size, "taskset -c LIST_OF_%d_CPUS ", layout->threads);
    line_add(text, size, "PROGRAM");
}

static const struct launcher_words *words_of(const char *launcher) {
    static const struct launcher_words table[] = {{"hydra", "-bind-to core:", add_hydra},
                                                  {"srun", "--cpus-per-task=", add_srun},
                                                  {"openmpi", "--map-by slot:PE=", add_openmpi},
                                                  {"none", "OMP_NUM_THREADS=", add_alone}};
    enum { ROWS = sizeof table / sizeof table[0] };
    for (int i = 0; i < ROWS; i++)
        if (strcmp(table[i].launcher, launcher) == 0)
            return &table[i];
    return &table[ROWS - 1];
}

/* How many ranks of `threads` cores fit without one crossing a border of `domain`. */
static int ranks_within(const struct scene *scene, enum domain domain, int threads) {
    const struct cpu_set all = topology_touched(scene->topology, &scene->node, domain);
    int ranks = 0;
    for (int index = 0; index < BINDING_CPUS; index++)
        if (cpu_set_has(&all, index))
            ranks += scene_domain_cores(scene, domain, index) / threads;
    return ranks;
}

/* True if ranks laid on consecutive cores would cross a border of `domain`. */
static bool crosses_border(const struct scene *scene, enum domain domain,
                           const struct layout *layout) {
    const struct topology *topology = scene->topology;
    struct cpu_set cores = {.word = {0}};
    int at = -1, last_domain = -1;
    for (int i = 0; i < topology->pus && at + 1 < layout->ranks * layout->threads; i++) {
        if (!starts_core(scene, &cores, i))
            continue;
        cpu_set_add(&cores, topology->pu[i].core);
        const int here = pu_domain(&topology->pu[i], domain);
        if (++at % layout->threads != 0 && here != last_domain)
            return true;
        last_domain = here;
    }
    return false;
}

/* The objects to deal ranks out to, where consecutive cores would cross a border needlessly. */
static const char *choose_objects(const struct scene *scene, const struct layout *layout) {
    static const struct {
        enum domain domain;
        const char *name;
    } objects[] = {{DOMAIN_NUMA, "numa"}, {DOMAIN_PACKAGE, "socket"}};
    if (!scene->trusted || layout->on_pus)
        return NULL;
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++)
        if (crosses_border(scene, objects[i].domain, layout) &&
            ranks_within(scene, objects[i].domain, layout->threads) >= layout->ranks)
            return objects[i].name;
    return NULL;
}

/* The job's ranks if this node's change and all nodes follow. */
static int scale_job(const struct scene *scene, int ranks) {
    const int job = scene->places[0].job_ranks;
    if (job <= scene->ranks || ranks == scene->ranks)
        return job > 0 && ranks == scene->ranks ? job : ranks;
    return (job + scene->ranks - 1) / scene->ranks * ranks;
}

void remedy_layout(const struct scene *scene, int ranks, int threads, char *text, size_t size) {
    struct layout layout = {.ranks = ranks,
                            .job_ranks = scale_job(scene, ranks),
                            .threads = threads,
                            .on_pus = scene->trusted && ranks * threads > scene->node_cores};
    layout.by = choose_objects(scene, &layout);
    words_of(scene->launcher)->command(scene, &layout, text, size);
}

/* Fewer threads a rank, and where even that is too much, fewer ranks. */
static void remedy_smaller(const struct scene *scene, char *text, size_t size) {
    const int threads = scene->node_cores / scene->ranks;
    if (threads > 0)
        remedy_layout(scene, scene->ranks, threads, text, size);
    else
        remedy_layout(scene, scene->node_cores, 1, text, size);
}

/* The words alone for what the node cannot give, so that a larger node can be asked for. */
static void add_unfulfilled(const struct scene *scene, char *text, size_t size) {
    const int threads = scene->most_threads;
    line_add(text, size, "%s%d", words_of(scene->launcher)->cores_option, threads);
    line_add(text, size,
             " for %d rank%s needs %d cores and this node grants %d; here: ", scene->ranks,
             scene->ranks == 1 ? "" : "s", scene->ranks * threads, scene->node_cores);
}

void remedy_bind(const struct scene *scene, char *text, size_t size) {
    if (!scene->trusted || scene->ranks * scene->most_threads <= scene->node_pus) {
        remedy_layout(scene, scene->ranks, scene->most_threads, text, size);
        return;
    }
    add_unfulfilled(scene, text, size);
    remedy_smaller(scene, text, size);
}
