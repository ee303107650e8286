/* The report in words: what a person reads at the head of a run, and what has changed at its end.
 */
#include "report.h"

#include "line.h"

enum { NUMBERS_BYTES = 256 };

/* The first node that has the topology of this one. */
static int first_alike(const struct binding_report *report, int node) {
    int first = 0;
    while (report->machines[first] != report->machines[node])
        first++;
    return first;
}

static const char *host_of(const struct binding_report *report, int node) {
    int rank = 0;
    while (report->places[rank].node != node)
        rank++;
    return report->places[rank].host;
}

/* One line for all nodes of a shape, at the first of them. */
static void print_machine(const struct binding_report *report, int node, FILE *out) {
    char text[BINDING_TEXT_BYTES];
    const struct topology *topology = report->machines[node];
    int nodes = 0;
    if (first_alike(report, node) != node)
        return;
    for (int other = 0; other < report->nodes; other++)
        nodes += report->machines[other] == topology;
    const bool foreign = topology_readable(topology) && !topology_is_this_machine(topology);
    fprintf(out, "machine %s%s: %s%s\n", host_of(report, node), nodes > 1 ? " and others" : "",
            topology_text(topology, text, sizeof text),
            foreign ? " (the topology is not this machine)" : "");
}

/* True if the threads may run wherever the job may. */
static bool is_unbound(const struct topology *topology, const struct rank_place *place) {
    const struct cpu_set allowed = topology_allowed(topology);
    return topology_readable(topology) && !place->threads_bound && cpu_set_count(&allowed) > 1 &&
           cpu_set_within(&allowed, &place->mask);
}

static void add_numa(const struct topology *topology, const struct rank_place *place, char *text,
                     size_t size) {
    char numbers[NUMBERS_BYTES];
    const struct cpu_set nodes = topology_touched(topology, &place->mask, DOMAIN_NUMA);
    if (cpu_set_count(&nodes) == 0)
        return;
    line_add(text, size, ", NUMA %s", cpu_set_text(&nodes, numbers, sizeof numbers));
    line_add(text, size, ", PU P%s", cpu_set_text(&place->mask, numbers, sizeof numbers));
}

static void print_rank(const struct topology *topology, const struct rank_place *place, FILE *out) {
    char where[BINDING_TEXT_BYTES], more[BINDING_TEXT_BYTES] = "";
    binding_describe_short(topology, &place->mask, where, sizeof where);
    add_numa(topology, place, more, sizeof more);
    line_add(more, sizeof more, ", node rank %d, %d thread%s", place->node_rank, place->threads,
             place->threads == 1 ? "" : "s");
    if (place->threads_asked > 0 && place->threads_asked != place->threads)
        line_add(more, sizeof more, " (%d asked)", place->threads_asked);
    if (place->cpu_quota > 0)
        line_add(more, sizeof more, ", quota %.3g CPUs", place->cpu_quota);
    if (place->threads_bound)
        line_add(more, sizeof more, ", threads bound");
    else if (is_unbound(topology, place))
        line_add(more, sizeof more, ", unbound");
    fprintf(out, "rank %d %s %s%s\n", place->rank, place->host, where, more);
}

static void print_thread(const struct topology *topology, const struct thread_place *thread,
                         FILE *out) {
    char allowed[BINDING_TEXT_BYTES], core[NUMBERS_BYTES] = "";
    struct cpu_set here = {.word = {0}};
    cpu_set_add(&here, thread->cpu);
    const struct cpu_set cores = topology_touched(topology, &here, DOMAIN_CORE);
    char numbers[NUMBERS_BYTES];
    if (cpu_set_count(&cores) > 0)
        line_add(core, sizeof core, "core L%s ", cpu_set_text(&cores, numbers, sizeof numbers));
    fprintf(out, "  thread %d on %sP%d, allowed %s\n", thread->thread, core, thread->cpu,
            binding_describe(topology, &thread->allowed, allowed, sizeof allowed));
}

void binding_report_print(const struct binding_report *report, bool threads, FILE *out) {
    for (int node = 0; node < report->nodes; node++)
        print_machine(report, node, out);
    for (int rank = 0; rank < report->ranks; rank++) {
        const struct topology *topology = binding_report_topology(report, rank);
        print_rank(topology, &report->places[rank], out);
        for (int i = 0; threads && i < report->places[rank].threads; i++)
            print_thread(topology, &binding_report_threads(report, rank)[i], out);
    }
}

void binding_report_picture(const struct binding_report *report, FILE *out) {
    for (int node = 0; node < report->nodes; node++) {
        struct node_view view;
        if (node_view_make(report, node, &view)) {
            fprintf(out, "%s\n", view.places[0].host);
            binding_picture(report->machines[node], view.places, view.threads, view.ranks, out);
        }
        node_view_free(&view);
    }
}

void binding_report_problems(const struct binding_report *report, FILE *out) {
    for (int i = 0; i < report->problem_count; i++) {
        const struct binding_problem *problem = &report->problems[i];
        fprintf(out, "binding problem %s (%d rank%s)\n  seen: %s\n  cost: %s\n  mend: %s\n",
                binding_problem_name(problem->kind), problem->ranks, problem->ranks == 1 ? "" : "s",
                problem->evidence, problem->cost, problem->remedy);
    }
}

static bool same_threads(const struct binding_report *before, const struct binding_report *after,
                         int rank) {
    if (before->places[rank].threads != after->places[rank].threads)
        return false;
    for (int i = 0; i < after->places[rank].threads; i++)
        if (!cpu_set_equal(&binding_report_threads(before, rank)[i].allowed,
                           &binding_report_threads(after, rank)[i].allowed))
            return false;
    return true;
}

static void print_change(const struct binding_report *before, const struct binding_report *after,
                         int rank, FILE *out) {
    fprintf(out, "rank %d %s moved during the run: %d threads on %s, then %d threads on %s\n", rank,
            after->places[rank].host, before->places[rank].threads,
            binding_report_place_text(before, rank), after->places[rank].threads,
            binding_report_place_text(after, rank));
}

int binding_report_changes(const struct binding_report *before, const struct binding_report *after,
                           FILE *out) {
    int changed = 0;
    for (int rank = 0; rank < after->ranks; rank++)
        if (!same_threads(before, after, rank)) {
            print_change(before, after, rank, out);
            changed++;
        }
    return changed;
}
