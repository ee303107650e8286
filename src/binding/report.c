/* The binding of a team. Every rank sends plain bytes to rank 0, which alone describes and
 * diagnoses; a topology crosses the network once a shape, so a thousand equal nodes cost one. */
#include "report.h"

#include "funnel/clock.h"
#include <stdlib.h>
#include <string.h>

/* What each rank sends beside its threads. */
struct rank_message {
    struct rank_place place;
    int64_t shape; /* hash of its node's topology; 0 on ranks that have not loaded it */
    double load_s;
};

/* Memory that only one rank may lack is a fault of which the others cannot learn. */
static void *take_zeroed(struct team *team, size_t count, size_t bytes) {
    void *memory = calloc(count > 0 ? count : 1, bytes);
    if (memory == NULL)
        team_abort(team, EXIT_CODE_INTERNAL);
    return memory;
}

static size_t words_of(int pus) {
    return (topology_bytes(pus) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

/* FNV-1a over the rows, cut to a positive number. */
static int64_t shape_of(const struct topology *topology) {
    const unsigned char *byte = (const unsigned char *)topology;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < topology_bytes(topology->pus); i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return (int64_t)(hash >> 1) | 1;
}

/* The topology of this rank's node, on the first rank of the node only. */
static struct topology *load_on_leader(struct team *team, struct rank_message *message) {
    if (team_facts(team)->node_rank != 0)
        return NULL;
    const double start_s = clock_now_s();
    struct topology *topology = topology_load();
    if (topology == NULL)
        team_abort(team, EXIT_CODE_INTERNAL);
    message->load_s = clock_now_s() - start_s;
    message->shape = shape_of(topology);
    return topology;
}

static void introduce(const struct team_facts *facts, struct rank_place *place) {
    place->rank = facts->rank;
    place->node = facts->node;
    place->node_rank = facts->node_rank;
    place->job_ranks = facts->ranks;
}

/* Probes twice: the first parallel region tells how many threads there are. */
static struct thread_place *probe_all(struct team *team, struct rank_place *place, int64_t *width) {
    *width = binding_probe(place, NULL, 0);
    team_max(team, width, 1);
    struct thread_place *threads = take_zeroed(team, (size_t)*width, sizeof *threads);
    binding_probe(place, threads, (int)*width);
    place->threads = place->threads > (int)*width ? (int)*width : place->threads;
    introduce(team_facts(team), place);
    return threads;
}

/* Sends one shape to rank 0: all nodes that have it add the same bits, all others none. */
static struct topology *send_shape(struct team *team, const struct topology *mine, bool has_it) {
    int64_t pus = has_it ? mine->pus : 0;
    team_max(team, &pus, 1);
    const size_t words = words_of((int)pus);
    uint64_t *bits = take_zeroed(team, words, sizeof *bits);
    if (has_it)
        memcpy(bits, mine, topology_bytes(mine->pus));
    team_or_to_root(team, bits, (int64_t)words);
    struct topology *topology = take_zeroed(team, 1, topology_bytes((int)pus));
    memcpy(topology, bits, topology_bytes((int)pus));
    free(bits);
    return topology;
}

/* Gives every node of this shape its machine. Rank 0. */
static void keep_shape(struct team *team, struct binding_report *report,
                       const struct rank_message *messages, int64_t shape,
                       struct topology *topology) {
    const size_t count = (size_t)report->shape_count + 1;
    struct topology **shapes = realloc(report->shapes, count * sizeof(struct topology *));
    if (shapes == NULL)
        team_abort(team, EXIT_CODE_INTERNAL);
    report->shapes = shapes;
    report->shapes[report->shape_count++] = topology;
    for (int rank = 0; rank < report->ranks; rank++)
        if (messages[rank].shape == shape)
            report->machines[messages[rank].place.node] = topology;
}

/* Collects the different topologies on rank 0, in rounds: the largest hash not yet sent is next. */
static void gather_shapes(struct team *team, struct binding_report *report,
                          const struct rank_message *messages, const struct topology *mine,
                          int64_t shape) {
    int64_t unsent = mine == NULL ? 0 : shape;
    for (;;) {
        int64_t next = unsent;
        team_max(team, &next, 1);
        if (next == 0)
            return;
        struct topology *topology = send_shape(team, mine, unsent == next);
        if (messages != NULL)
            keep_shape(team, report, messages, next, topology);
        else
            topology_free(topology);
        unsent = unsent == next ? 0 : unsent;
    }
}

static void keep_messages(struct binding_report *report, const struct rank_message *messages) {
    for (int rank = 0; rank < report->ranks; rank++) {
        report->places[rank] = messages[rank].place;
        report->load_s =
            messages[rank].load_s > report->load_s ? messages[rank].load_s : report->load_s;
    }
}

static struct thread_place *threads_of(const struct binding_report *report, int rank) {
    return report->threads + (size_t)rank * (size_t)report->width;
}

static int ranks_on(const struct binding_report *report, int node) {
    int ranks = 0;
    for (int rank = 0; rank < report->ranks; rank++)
        ranks += report->places[rank].node == node;
    return ranks;
}

bool node_view_make(const struct binding_report *report, int node, struct node_view *view) {
    const size_t ranks = (size_t)ranks_on(report, node);
    view->ranks = 0;
    view->places = calloc(ranks, sizeof *view->places);
    view->threads = calloc(ranks, sizeof(struct thread_place *));
    if (view->places == NULL || view->threads == NULL)
        return false;
    for (int rank = 0; rank < report->ranks; rank++)
        if (report->places[rank].node == node) {
            view->threads[view->ranks] = threads_of(report, rank);
            view->places[view->ranks++] = report->places[rank];
        }
    return true;
}

void node_view_free(struct node_view *view) {
    free(view->threads);
    free(view->places);
}

/* Adds one node's problem to those of the kind found before: the first evidence stands for all. */
static void merge_problem(struct binding_report *report, const struct binding_problem *problem) {
    for (int i = 0; i < report->problem_count; i++)
        if (report->problems[i].kind == problem->kind) {
            report->problems[i].ranks += problem->ranks;
            return;
        }
    report->problems[report->problem_count++] = *problem;
}

static int compare_kinds(const void *a, const void *b) {
    const struct binding_problem *first = a, *second = b;
    return (int)first->kind - (int)second->kind;
}

static void diagnose_node(struct team *team, struct binding_report *report, int node) {
    struct binding_problem problems[BINDING_PROBLEM_KINDS];
    struct node_view view;
    if (!node_view_make(report, node, &view))
        team_abort(team, EXIT_CODE_INTERNAL);
    const int found = binding_diagnose(report->machines[node], view.places, view.threads,
                                       view.ranks, team_facts(team)->launcher, problems);
    for (int i = 0; i < found; i++)
        merge_problem(report, &problems[i]);
    node_view_free(&view);
}

static void describe_all(struct binding_report *report) {
    for (int rank = 0; rank < report->ranks; rank++)
        binding_describe(binding_report_topology(report, rank), &report->places[rank].mask,
                         report->texts[rank].text, sizeof report->texts[rank].text);
}

/* The least of two sizes, of which 0 is unknown and stays so. */
static int64_t least_of(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* What the ranks of one node may count on, into the least of all. */
static void share_caches(struct team *team, struct binding_report *report, int node) {
    struct node_view view;
    if (!node_view_make(report, node, &view))
        team_abort(team, EXIT_CODE_INTERNAL);
    for (int rank = 0; rank < view.ranks; rank++) {
        const struct cache_share share =
            binding_caches(report->machines[node], view.places, view.ranks, rank);
        const bool first = node == 0 && rank == 0;
        struct cache_share *least = &report->caches;
        least->first_level =
            first ? share.first_level : least_of(least->first_level, share.first_level);
        least->second_level =
            first ? share.second_level : least_of(least->second_level, share.second_level);
        least->last_level =
            first ? share.last_level : least_of(least->last_level, share.last_level);
    }
    node_view_free(&view);
}

static void diagnose_all(struct team *team, struct binding_report *report) {
    for (int node = 0; node < report->nodes; node++) {
        diagnose_node(team, report, node);
        share_caches(team, report, node);
    }
    qsort(report->problems, (size_t)report->problem_count, sizeof report->problems[0],
          compare_kinds);
}

/* Room on rank 0 for what all ranks send; NULL elsewhere. */
static struct rank_message *make_room(struct team *team, struct binding_report *report) {
    const struct team_facts *facts = team_facts(team);
    report->ranks = facts->rank == 0 ? facts->ranks : 0;
    report->nodes = facts->rank == 0 ? facts->nodes : 0;
    const size_t ranks = (size_t)report->ranks;
    report->places = take_zeroed(team, ranks, sizeof *report->places);
    report->threads = take_zeroed(team, ranks * (size_t)report->width, sizeof *report->threads);
    report->texts = take_zeroed(team, ranks, sizeof *report->texts);
    report->machines = take_zeroed(team, (size_t)report->nodes, sizeof(struct topology *));
    return facts->rank == 0 ? take_zeroed(team, ranks, sizeof(struct rank_message)) : NULL;
}

struct binding_report *binding_take(struct team *team) {
    struct binding_report *report = take_zeroed(team, 1, sizeof *report);
    struct rank_message *message = take_zeroed(team, 1, sizeof *message);
    int64_t width = 0;
    struct thread_place *threads = probe_all(team, &message->place, &width);
    struct topology *mine = load_on_leader(team, message);
    report->width = (int)width;
    struct rank_message *messages = make_room(team, report);
    team_gather(team, message, sizeof *message, messages);
    team_gather(team, threads, (size_t)width * sizeof *threads, report->threads);
    gather_shapes(team, report, messages, mine, message->shape);
    if (messages != NULL) {
        keep_messages(report, messages);
        describe_all(report);
        diagnose_all(team, report);
    }
    team_share(team, &report->problem_count, sizeof report->problem_count);
    team_share(team, &report->caches, sizeof report->caches);
    topology_free(mine);
    free(threads);
    free(message);
    free(messages);
    return report;
}

void binding_report_free(struct binding_report *report) {
    if (report == NULL)
        return;
    for (int i = 0; i < report->shape_count; i++)
        topology_free(report->shapes[i]);
    free(report->shapes);
    free(report->machines);
    free(report->texts);
    free(report->threads);
    free(report->places);
    free(report);
}

int binding_report_problem_count(const struct binding_report *report) {
    return report->problem_count;
}

const struct binding_problem *binding_report_problem(const struct binding_report *report,
                                                     int index) {
    return &report->problems[index];
}

const struct rank_place *binding_report_rank(const struct binding_report *report, int rank) {
    return &report->places[rank];
}

const struct thread_place *binding_report_threads(const struct binding_report *report, int rank) {
    return threads_of(report, rank);
}

const char *binding_report_place_text(const struct binding_report *report, int rank) {
    return report->texts[rank].text;
}

const struct topology *binding_report_topology(const struct binding_report *report, int rank) {
    return report->machines[report->places[rank].node];
}

struct cache_share binding_report_caches(const struct binding_report *report) {
    return report->caches;
}

double binding_report_load_s(const struct binding_report *report) {
    return report->load_s;
}
