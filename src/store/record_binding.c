/* The binding of all ranks and threads in a record: without it two numbers cannot be compared. */
#include "funnel/record_values.h"

#include <string.h>

enum { CPU_LIST_BYTES = 4 * BINDING_CPUS }; /* holds every second processor listed singly */

/* A set of processors as the kernel writes one: "0-3,8". */
static json_t *cpu_list(const struct cpu_set *set) {
    char text[CPU_LIST_BYTES] = "";
    size_t used = 0;
    for (int cpu = 0; cpu < BINDING_CPUS; cpu++) {
        if (!cpu_set_has(set, cpu))
            continue;
        int last = cpu;
        while (last + 1 < BINDING_CPUS && cpu_set_has(set, last + 1))
            last++;
        const char *comma = used > 0 ? "," : "";
        const int length =
            last == cpu ? snprintf(text + used, sizeof text - used, "%s%d", comma, cpu)
                        : snprintf(text + used, sizeof text - used, "%s%d-%d", comma, cpu, last);
        used += (size_t)length;
        cpu = last;
    }
    return record_text(text);
}

static const struct record_field rank_fields[] = {
    {"rank", RECORD_INT, offsetof(struct rank_place, rank)},
    {"host", RECORD_CHARS, offsetof(struct rank_place, host)},
    {"node", RECORD_INT, offsetof(struct rank_place, node)},
    {"node_rank", RECORD_INT, offsetof(struct rank_place, node_rank)},
    {"threads", RECORD_INT, offsetof(struct rank_place, threads)},
    {"threads_asked", RECORD_INT, offsetof(struct rank_place, threads_asked)},
    {"threads_bound", RECORD_BOOL, offsetof(struct rank_place, threads_bound)},
    {"waits_actively", RECORD_BOOL, offsetof(struct rank_place, waits_actively)},
    {"process_cpus", RECORD_INT, offsetof(struct rank_place, process_cpus)},
    {"cpu_quota", RECORD_REAL, offsetof(struct rank_place, cpu_quota)},
};

static json_t *thread(const struct thread_place *place) {
    json_t *object = json_object();
    record_put(object, "thread", json_integer(place->thread));
    record_put(object, "cpu", place->cpu < 0 ? json_null() : json_integer(place->cpu));
    record_put(object, "allowed", cpu_list(&place->allowed));
    return object;
}

static json_t *threads(const struct binding_report *report, int rank) {
    const struct thread_place *places = binding_report_threads(report, rank);
    const int count = binding_report_rank(report, rank)->threads;
    if (places == NULL)
        return json_null();
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, thread(&places[i]));
    return list;
}

static json_t *ranks(const struct record_input *input) {
    json_t *list = json_array();
    for (int rank = 0; input->team != NULL && rank < input->team->ranks; rank++) {
        const struct rank_place *place = binding_report_rank(input->binding, rank);
        json_t *object = json_object();
        record_put_fields(object, rank_fields, sizeof rank_fields / sizeof rank_fields[0], place);
        record_put(object, "place", record_text(binding_report_place_text(input->binding, rank)));
        record_put(object, "allowed", cpu_list(&place->mask));
        record_put(object, "thread_places", threads(input->binding, rank));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *problem(const struct binding_problem *found) {
    json_t *object = json_object();
    record_put(object, "name", record_text(binding_problem_name(found->kind)));
    record_put(object, "rank", json_integer(found->rank));
    record_put(object, "ranks", json_integer(found->ranks));
    record_put(object, "evidence", record_text(found->evidence));
    record_put(object, "cost", record_text(found->cost));
    record_put(object, "remedy", record_text(found->remedy));
    return object;
}

static json_t *problems(const struct binding_report *report) {
    json_t *list = json_array();
    for (int i = 0; i < binding_report_problem_count(report); i++)
        json_array_append_new(list, problem(binding_report_problem(report, i)));
    return list;
}

json_t *record_binding(const struct record_input *input) {
    const struct binding_report *report = input->binding;
    json_t *binding = json_object();
    record_put(binding, "problems", report == NULL ? json_null() : problems(report));
    record_put(binding, "ranks_changed",
               report == NULL ? json_null() : json_integer(input->binding_changes));
    record_put(binding, "topology_load_s",
               report == NULL ? json_null() : record_number(binding_report_load_s(report)));
    record_put(binding, "ranks", report == NULL ? json_null() : ranks(input));
    return binding;
}
