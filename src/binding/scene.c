/* Sums over the ranks and the machine of one node. */
#include "scene.h"

static struct cpu_set intersection(const struct cpu_set *a, const struct cpu_set *b) {
    struct cpu_set both;
    for (int i = 0; i < BINDING_WORDS; i++)
        both.word[i] = a->word[i] & b->word[i];
    return both;
}

struct cpu_set scene_used(const struct scene *scene, int rank) {
    struct cpu_set used = {.word = {0}};
    for (int i = 0; i < scene->places[rank].threads; i++)
        cpu_set_join(&used, &scene->threads[rank][i].allowed);
    return used;
}

int scene_domains(const struct scene *scene, const struct cpu_set *set, enum domain domain) {
    const struct cpu_set inside = intersection(set, &scene->node);
    const struct cpu_set touched = topology_touched(scene->topology, &inside, domain);
    return cpu_set_count(&touched);
}

int scene_domain_cores(const struct scene *scene, enum domain domain, int index) {
    const struct cpu_set set = topology_domain(scene->topology, domain, index);
    return scene_domains(scene, &set, DOMAIN_CORE);
}

int scene_largest_domain(const struct scene *scene, enum domain domain) {
    const struct cpu_set all = topology_touched(scene->topology, &scene->node, domain);
    int largest = 0;
    for (int index = 0; scene->trusted && index < BINDING_CPUS; index++) {
        if (!cpu_set_has(&all, index))
            continue;
        const int cores = scene_domain_cores(scene, domain, index);
        largest = cores > largest ? cores : largest;
    }
    return largest;
}

/* The PUs of the job: what the topology allows and what any rank was granted. Without a topology
 * the masks are all there is. */
static struct cpu_set node_set(const struct scene *scene) {
    struct cpu_set node = {.word = {0}};
    if (scene->trusted)
        node = topology_allowed(scene->topology);
    for (int i = 0; i < scene->ranks; i++)
        cpu_set_join(&node, &scene->places[i].mask);
    return node;
}

static int count_idle_cores(const struct scene *scene) {
    struct cpu_set busy = {.word = {0}};
    for (int i = 0; i < scene->ranks; i++) {
        const struct cpu_set used = scene_used(scene, i);
        cpu_set_join(&busy, &used);
    }
    return scene->node_cores - scene_domains(scene, &busy, DOMAIN_CORE);
}

static void count_threads(struct scene *scene) {
    for (int i = 0; i < scene->ranks; i++) {
        const int threads = scene->places[i].threads;
        scene->total_threads += threads;
        scene->most_threads = threads > scene->most_threads ? threads : scene->most_threads;
    }
}

struct scene scene_make(const struct topology *topology, const struct rank_place *places,
                        struct thread_place *const *threads, int ranks, const char *launcher) {
    struct scene scene = {.topology = topology,
                          .places = places,
                          .threads = threads,
                          .ranks = ranks,
                          .launcher = launcher,
                          .trusted =
                              topology_readable(topology) && topology_is_this_machine(topology)};
    scene.node = node_set(&scene);
    scene.node_pus = cpu_set_count(&scene.node);
    scene.node_cores =
        scene.trusted ? scene_domains(&scene, &scene.node, DOMAIN_CORE) : scene.node_pus;
    scene.idle_cores = scene.trusted ? count_idle_cores(&scene) : 0;
    count_threads(&scene);
    scene.oversubscribed = ranks > 1 && scene.total_threads > scene.node_pus;
    return scene;
}
