/* The machine as hwloc sees it, read once and flattened. It is never restricted to what this
 * process may use: hwloc aborts on some machines when asked to, and the idle cores matter to the
 * diagnosis. */
#include "topology.h"

#include "line.h"
#include <hwloc.h>
#include <stdlib.h>

enum { VERSION_MAJOR_SHIFT = 16, VERSION_MINOR_SHIFT = 8, VERSION_PART_MASK = 0xff };

bool topology_readable(const struct topology *topology) {
    return topology->readable != 0;
}

bool topology_is_this_machine(const struct topology *topology) {
    return topology->this_machine != 0;
}

void topology_free(struct topology *topology) {
    free(topology);
}

size_t topology_bytes(int pus) {
    return sizeof(struct topology) + (size_t)pus * sizeof(struct pu);
}

int pu_domain(const struct pu *pu, enum domain domain) {
    switch (domain) {
    case DOMAIN_CORE:
        return pu->core;
    case DOMAIN_NUMA:
        return pu->numa;
    case DOMAIN_PACKAGE:
        return pu->package;
    case DOMAIN_CACHE:
        return pu->last_bytes > 0 ? pu->last_cache : -1;
    }
    return 0;
}

struct cpu_set topology_touched(const struct topology *topology, const struct cpu_set *set,
                                enum domain domain) {
    struct cpu_set touched = {.word = {0}};
    for (int i = 0; i < topology->pus; i++)
        if (cpu_set_has(set, topology->pu[i].cpu))
            cpu_set_add(&touched, pu_domain(&topology->pu[i], domain));
    return touched;
}

struct cpu_set topology_domain(const struct topology *topology, enum domain domain, int index) {
    struct cpu_set set = {.word = {0}};
    for (int i = 0; i < topology->pus; i++)
        if (pu_domain(&topology->pu[i], domain) == index)
            cpu_set_add(&set, topology->pu[i].cpu);
    return set;
}

struct cpu_set topology_allowed(const struct topology *topology) {
    struct cpu_set set = {.word = {0}};
    for (int i = 0; i < topology->pus; i++)
        if (topology->pu[i].allowed)
            cpu_set_add(&set, topology->pu[i].cpu);
    return set;
}

/* The number of the ancestor of a type; machines without that level have one such object. */
static int ancestor_number(hwloc_topology_t machine, hwloc_obj_type_t type, hwloc_obj_t pu,
                           int without) {
    const struct hwloc_obj *found = hwloc_get_ancestor_obj_by_type(machine, type, pu);
    return found == NULL ? without : (int)found->logical_index;
}

/* The NUMA node with the fewest PUs around this one, the first of equals: where ordinary memory of
 * a thread there comes from. High-bandwidth or far memory lists the same PUs, or more, or none. */
static int numa_number(hwloc_topology_t machine, unsigned cpu) {
    int best_weight = 0, number = 0;
    const int nodes = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_NUMANODE);
    for (int i = 0; i < nodes; i++) {
        const struct hwloc_obj *node =
            hwloc_get_obj_by_type(machine, HWLOC_OBJ_NUMANODE, (unsigned)i);
        if (!hwloc_bitmap_isset(node->cpuset, cpu))
            continue;
        const int weight = hwloc_bitmap_weight(node->cpuset);
        if (best_weight == 0 || weight < best_weight) {
            best_weight = weight;
            number = (int)node->os_index;
        }
    }
    return number;
}

/* Fills in the caches above a PU, from the nearest to the farthest. */
static void look_at_caches(hwloc_obj_t place, struct pu *pu) {
    for (hwloc_obj_t above = place->parent; above != NULL; above = above->parent) {
        if (!hwloc_obj_type_is_dcache(above->type))
            continue;
        pu->last_bytes = (int64_t)above->attr->cache.size;
        pu->last_cache = hwloc_bitmap_first(above->cpuset);
        if (above->type == HWLOC_OBJ_L2CACHE) {
            pu->second_bytes = pu->last_bytes;
            pu->second_cache = pu->last_cache;
        }
        if (pu->first_bytes == 0)
            pu->first_bytes = pu->last_bytes;
    }
}

static struct pu flatten_pu(hwloc_topology_t machine, hwloc_obj_t pu) {
    struct pu row = {
        .cpu = (int)pu->os_index,
        .core = ancestor_number(machine, HWLOC_OBJ_CORE, pu, (int)pu->logical_index),
        .package = ancestor_number(machine, HWLOC_OBJ_PACKAGE, pu, 0),
        .numa = numa_number(machine, pu->os_index),
        .allowed = hwloc_bitmap_isset(hwloc_topology_get_allowed_cpuset(machine), pu->os_index),
    };
    look_at_caches(pu, &row);
    return row;
}

static struct topology *flatten(hwloc_topology_t machine) {
    const int pus = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU);
    struct topology *topology = calloc(1, topology_bytes(pus));
    if (topology == NULL)
        return NULL;
    topology->readable = 1;
    topology->this_machine = hwloc_topology_is_thissystem(machine);
    topology->pus = pus;
    for (int i = 0; i < pus; i++)
        topology->pu[i] =
            flatten_pu(machine, hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, (unsigned)i));
    return topology;
}

/* Where hwloc reads from: this system, or one of these. */
struct source {
    const char *xml, *synthetic;
};

static int set_source(hwloc_topology_t machine, const struct source *source) {
    if (source->xml != NULL)
        return hwloc_topology_set_xml(machine, source->xml);
    return source->synthetic == NULL ? 0 : hwloc_topology_set_synthetic(machine, source->synthetic);
}

/* NULL if the source cannot be read. */
static struct topology *load(const struct source *source, unsigned long flags) {
    hwloc_topology_t machine;
    /* another major version has other structures: touching them would crash */
    if (hwloc_get_api_version() >> VERSION_MAJOR_SHIFT !=
            HWLOC_API_VERSION >> VERSION_MAJOR_SHIFT ||
        hwloc_topology_init(&machine) != 0)
        return NULL;
    struct topology *topology = NULL;
    if (set_source(machine, source) == 0 &&
        hwloc_topology_set_flags(machine, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | flags) == 0 &&
        hwloc_topology_load(machine) == 0)
        topology = flatten(machine);
    hwloc_topology_destroy(machine);
    return topology;
}

struct topology *topology_load(void) {
    struct topology *topology = load(&(struct source){.xml = NULL, .synthetic = NULL}, 0);
    return topology != NULL ? topology : calloc(1, topology_bytes(0));
}

struct topology *topology_load_xml(const char *path) {
    return load(&(struct source){.xml = path, .synthetic = NULL},
                HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM);
}

struct topology *topology_load_synthetic(const char *description) {
    return load(&(struct source){.xml = NULL, .synthetic = description},
                HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM);
}

static void add_count(char *text, size_t size, int count, const char *noun) {
    line_add(text, size, "%s%d %s%s", text[0] == '\0' ? "" : ", ", count, noun,
             count == 1 ? "" : "s");
}

const char *topology_text(const struct topology *topology, char *text, size_t size) {
    static const struct {
        enum domain domain;
        const char *noun;
    } parts[] = {{DOMAIN_PACKAGE, "package"}, {DOMAIN_NUMA, "NUMA node"}, {DOMAIN_CORE, "core"}};
    struct cpu_set all = {.word = {0}};
    for (int i = 0; i < topology->pus; i++)
        cpu_set_add(&all, topology->pu[i].cpu);
    text[0] = '\0';
    if (!topology_readable(topology))
        line_add(text, size, "topology not readable");
    for (size_t i = 0; topology_readable(topology) && i < sizeof parts / sizeof parts[0]; i++) {
        const struct cpu_set touched = topology_touched(topology, &all, parts[i].domain);
        add_count(text, size, cpu_set_count(&touched), parts[i].noun);
    }
    if (topology_readable(topology))
        add_count(text, size, topology->pus, "PU");
    return text;
}

static void add_version(char *text, size_t size, unsigned version) {
    line_add(text, size, "%u.%u.%u", version >> VERSION_MAJOR_SHIFT,
             version >> VERSION_MINOR_SHIFT & VERSION_PART_MASK, version & VERSION_PART_MASK);
}

const char *binding_hwloc_versions(void) {
    static char text[64]; /* the same words at every call */
    text[0] = '\0';
    add_version(text, sizeof text, hwloc_get_api_version());
    line_add(text, sizeof text, " (headers ");
    add_version(text, sizeof text, HWLOC_API_VERSION);
    line_add(text, sizeof text, ")");
    return text;
}
