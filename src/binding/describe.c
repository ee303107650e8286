/* Sets of PUs in words and in a picture. */
#include "line.h"
#include "topology.h"

#include <stdlib.h>

enum { SET_TEXT_BYTES = 256 };

static void add_numbers(char *text, size_t size, const char *before, const struct cpu_set *set) {
    char numbers[SET_TEXT_BYTES];
    line_add(text, size, "%s%s", before, cpu_set_text(set, numbers, sizeof numbers));
}

static void add_packages(const struct topology *topology, const struct cpu_set *set, char *text,
                         size_t size) {
    const struct cpu_set packages = topology_touched(topology, set, DOMAIN_PACKAGE);
    add_numbers(text, size, cpu_set_count(&packages) == 1 ? "package " : "packages ", &packages);
}

static void add_numa(const struct topology *topology, const struct cpu_set *set, char *text,
                     size_t size) {
    const struct cpu_set nodes = topology_touched(topology, set, DOMAIN_NUMA);
    add_numbers(text, size, " NUMA ", &nodes);
}

/* True if `set` has some PUs of a core and lacks others. */
static bool splits_a_core(const struct topology *topology, const struct cpu_set *set,
                          const struct cpu_set *cores) {
    for (int i = 0; i < topology->pus; i++)
        if (cpu_set_has(cores, topology->pu[i].core) && !cpu_set_has(set, topology->pu[i].cpu))
            return true;
    return false;
}

static void add_cores(const struct topology *topology, const struct cpu_set *set, char *text,
                      size_t size) {
    const struct cpu_set cores = topology_touched(topology, set, DOMAIN_CORE);
    add_numbers(text, size, " core L", &cores);
    if (splits_a_core(topology, set, &cores))
        line_add(text, size, " partly");
}

/* True if the topology knows at least one PU of `set`. */
static bool is_known(const struct topology *topology, const struct cpu_set *set) {
    for (int i = 0; i < topology->pus; i++)
        if (cpu_set_has(set, topology->pu[i].cpu))
            return true;
    return false;
}

/* Packages, with `whole` NUMA nodes, and cores; the PUs alone of a set that is not known. False for
 * such a set. */
static bool add_places(const struct topology *topology, const struct cpu_set *set, bool whole,
                       char *text, size_t size) {
    text[0] = '\0';
    if (!is_known(topology, set)) {
        add_numbers(text, size, "PU P", set);
        return false;
    }
    add_packages(topology, set, text, size);
    if (whole)
        add_numa(topology, set, text, size);
    add_cores(topology, set, text, size);
    return true;
}

const char *binding_describe(const struct topology *topology, const struct cpu_set *set, char *text,
                             size_t size) {
    if (add_places(topology, set, true, text, size)) {
        add_numbers(text, size, " (P", set);
        line_add(text, size, ")");
    }
    return text;
}

const char *binding_describe_short(const struct topology *topology, const struct cpu_set *set,
                                   char *text, size_t size) {
    add_places(topology, set, false, text, size);
    return text;
}

/* The columns of the picture: the topology's PUs, or those of the masks if it has none. */
static struct topology *columns_of(const struct topology *topology, const struct rank_place *places,
                                   int ranks) {
    struct cpu_set used = {.word = {0}};
    for (int i = 0; i < ranks; i++)
        cpu_set_join(&used, &places[i].mask);
    const int count = topology->pus > 0 ? topology->pus : cpu_set_count(&used);
    struct topology *columns = calloc(1, topology_bytes(count));
    if (columns == NULL)
        return NULL;
    for (int i = 0; i < topology->pus; i++)
        columns->pu[columns->pus++] = topology->pu[i];
    for (int cpu = 0; topology->pus == 0 && cpu < BINDING_CPUS; cpu++)
        if (cpu_set_has(&used, cpu))
            columns->pu[columns->pus++] = (struct pu){.cpu = cpu, .allowed = 1};
    return columns;
}

/* What stands before column `i`: a package border, a NUMA border, or nothing. */
static const char *border_before(const struct topology *columns, int i) {
    if (i == 0 || columns->pu[i].package != columns->pu[i - 1].package)
        return "|";
    return columns->pu[i].numa != columns->pu[i - 1].numa ? ":" : "";
}

/* The sign of one PU in the row of one rank. */
static char sign_of(const struct rank_place *place, const struct thread_place *threads, int cpu) {
    char sign = cpu_set_has(&place->mask, cpu) ? '-' : '.';
    for (int i = 0, found = 0; i < place->threads; i++)
        if (threads[i].cpu == cpu)
            sign = found++ > 0 ? '+' : "0123456789"[threads[i].thread % 10];
    return sign;
}

static void draw_rank(const struct topology *columns, const struct rank_place *place,
                      const struct thread_place *threads, FILE *out) {
    fprintf(out, "rank %4d ", place->rank);
    for (int i = 0; i < columns->pus; i++)
        fprintf(out, "%s%c", border_before(columns, i),
                sign_of(place, threads, columns->pu[i].cpu));
    fprintf(out, "|\n");
}

void binding_picture(const struct topology *topology, const struct rank_place *places,
                     struct thread_place *const *threads, int ranks, FILE *out) {
    struct topology *columns = columns_of(topology, places, ranks);
    if (columns == NULL)
        return;
    fprintf(out, "a column a PU, cores in logical order; | package, : NUMA node; last digit of the "
                 "thread that ran there, + several, - allowed, . not\n");
    for (int i = 0; i < ranks; i++)
        draw_rank(columns, &places[i], threads[i], out);
    topology_free(columns);
}
