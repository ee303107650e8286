/* A machine file (JSON) as the model's struct machine. Every fault is one line with the place in
 * the file, because such files are also written by hand. */
#include "funnel/text.h"
#include "predict.h"
#include <errno.h>
#include <math.h>
#include <string.h>

enum { PLACE_BYTES = 96, MACHINE_VERSION = 1, CORES_MOST = 1 << 20 };

struct reader {
    const char *path;
    struct status *status;
};

/* An entry of a list, and where it stands: "kernels[0].rates[2]". */
struct entry {
    const json_t *value;
    char place[PLACE_BYTES];
};

static void refuse(const struct reader *reader, const char *place, const char *name,
                   const char *what) {
    status_fail(reader->status, EXIT_CODE_USAGE, "%s: %s%s%s: %s", reader->path, place,
                place[0] != '\0' ? "." : "", name, what);
}

/* A member that must be there; NULL with the fault noted if it is not. */
static const json_t *member(const struct reader *reader, const struct entry *entry,
                            const char *name) {
    const json_t *value = json_object_get(entry->value, name);
    if (!value)
        refuse(reader, entry->place, name, "missing");
    return value;
}

static double number(const struct reader *reader, const struct entry *entry, const char *name,
                     double least) {
    const json_t *value = member(reader, entry, name);
    if (!value)
        return least;
    char what[64];
    const double found = json_number_value(value);
    snprintf(what, sizeof what, least > 0 ? "not a number above 0" : "not a number, at least 0");
    if (!json_is_number(value) || !(least > 0 ? found > 0 : found >= 0))
        refuse(reader, entry->place, name, what);
    return found;
}

static int counter(const struct reader *reader, const struct entry *entry, const char *name,
                   int most) {
    const json_t *value = member(reader, entry, name);
    const json_int_t found = json_integer_value(value);
    char what[64];
    snprintf(what, sizeof what, "not an integer in 1..%d", most);
    if (value && (!json_is_integer(value) || found < 1 || found > most)) {
        refuse(reader, entry->place, name, what);
        return 1;
    }
    return (int)found;
}

static int core_count(const struct reader *reader, const struct entry *entry, const char *name) {
    return counter(reader, entry, name, CORES_MOST);
}

static const char *text(const struct reader *reader, const struct entry *entry, const char *name) {
    const json_t *value = member(reader, entry, name);
    if (value && !json_is_string(value))
        refuse(reader, entry->place, name, "not a text");
    return json_is_string(value) ? json_string_value(value) : "";
}

/* The list `name` of an entry, at most `most` long; NULL if it is missing or no list. */
static const json_t *list(const struct reader *reader, const struct entry *entry, const char *name,
                          int most, bool required) {
    const json_t *value = json_object_get(entry->value, name);
    if (!value && !required)
        return NULL;
    char what[64];
    snprintf(what, sizeof what, "not a list of %d to %d entries", required, most);
    if (!json_is_array(value) || json_array_size(value) < (size_t)required ||
        json_array_size(value) > (size_t)most) {
        refuse(reader, entry->place, name, value ? what : "missing");
        return NULL;
    }
    return value;
}

static struct entry entry_of(const struct entry *parent, const json_t *values, const char *name,
                             size_t index) {
    struct entry entry = {.value = json_array_get(values, index)};
    snprintf(entry.place, sizeof entry.place, "%.60s%s%s[%zu]", parent->place,
             parent->place[0] != '\0' ? "." : "", name, index);
    return entry;
}

static void read_core_values(const struct reader *reader, const struct entry *machine,
                             const char *name, const char *cores, const char *value,
                             struct core_values *values) {
    const json_t *entries = list(reader, machine, name, ROOFLINE_VALUES_MAX, false);
    for (size_t i = 0; i < json_array_size(entries) && status_good(reader->status); i++) {
        const struct entry entry = entry_of(machine, entries, name, i);
        struct core_value *at = &values->at[values->count++];
        at->cores = core_count(reader, &entry, cores);
        at->value = number(reader, &entry, value, 1);
        if (i > 0 && at->cores <= at[-1].cores)
            refuse(reader, entry.place, cores, "not above the entry before");
    }
}

static double read_up_to(const struct reader *reader, const struct entry *entry) {
    if (json_is_null(json_object_get(entry->value, "up_to_bytes")))
        return INFINITY;
    return number(reader, entry, "up_to_bytes", 1);
}

/* Places ascend, the sweeps in a pass within a place, and the numbers of cores within these. */
static void check_order(const struct reader *reader, const struct entry *entry,
                        const struct kernel_rate *rate, bool first) {
    if (first || rate->up_to_bytes > rate[-1].up_to_bytes)
        return;
    if (rate->up_to_bytes < rate[-1].up_to_bytes)
        refuse(reader, entry->place, "up_to_bytes", "below the entry before");
    else if (rate->sweeps_in_pass < rate[-1].sweeps_in_pass)
        refuse(reader, entry->place, "sweeps_in_pass", "below the entry before");
    else if (rate->sweeps_in_pass == rate[-1].sweeps_in_pass && rate->cores <= rate[-1].cores)
        refuse(reader, entry->place, "cores", "not above the entry before");
}

static void read_rate(const struct reader *reader, const struct entry *entry, bool in_passes,
                      struct kernel_rate *rate) {
    rate->up_to_bytes = read_up_to(reader, entry);
    rate->sweeps_in_pass = counter(reader, entry, "sweeps_in_pass", PREDICTION_DEPTH_MAX);
    rate->cores = core_count(reader, entry, "cores");
    rate->lups = number(reader, entry, "lups", 1);
    if (status_good(reader->status) && !in_passes && rate->sweeps_in_pass > 1)
        refuse(reader, entry->place, "sweeps_in_pass", "not 1, but this kernel works in no passes");
}

static void read_kernel(const struct reader *reader, const struct entry *entry,
                        struct kernel_rates *kernel) {
    const char *name = text(reader, entry, "name");
    const struct kernel *row = kernel_find(name);
    const json_t *rates = list(reader, entry, "rates", KERNEL_RATES_MAX, true);
    if (status_good(reader->status) && (!row || strcmp(row->name, name) != 0))
        refuse(reader, entry->place, "name", "no kernel of jacobi; see jacobi --help");
    if (!status_good(reader->status))
        return;
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    kernel->in_passes = row->choose_tile != NULL;
    for (size_t i = 0; i < json_array_size(rates) && status_good(reader->status); i++) {
        const struct entry rate_entry = entry_of(entry, rates, "rates", i);
        struct kernel_rate *rate = &kernel->rates[kernel->count++];
        read_rate(reader, &rate_entry, kernel->in_passes, rate);
        check_order(reader, &rate_entry, rate, i == 0);
    }
}

static void read_segments(const struct reader *reader, const struct entry *entry,
                          struct alpha_beta *network) {
    const json_t *segments = list(reader, entry, "segments", ALPHA_BETA_SEGMENTS_MAX, true);
    *network = (struct alpha_beta){0};
    for (size_t i = 0; i < json_array_size(segments) && status_good(reader->status); i++) {
        const struct entry segment_entry = entry_of(entry, segments, "segments", i);
        struct alpha_beta_segment *segment = &network->segments[network->count++];
        segment->from_bytes = number(reader, &segment_entry, "from_bytes", 0);
        segment->alpha_s = number(reader, &segment_entry, "alpha_s", 0);
        segment->beta_s_per_byte = number(reader, &segment_entry, "beta_s_per_byte", 0);
        if (i > 0 ? segment->from_bytes <= segment[-1].from_bytes : segment->from_bytes != 0)
            refuse(reader, segment_entry.place, "from_bytes",
                   i > 0 ? "not above the segment before" : "not 0, where the first begins");
    }
}

static bool lies_in_rows(const struct reader *reader, const struct entry *entry) {
    const json_t *value = json_object_get(entry->value, "in_rows");
    if (value && !json_is_boolean(value))
        refuse(reader, entry->place, "in_rows", "not true or false");
    return json_is_true(value);
}

/* Of two distances on a node the nearer counts: neighbouring ranks are placed side by side. */
static struct alpha_beta *network_of(const struct reader *reader, const struct entry *entry,
                                     struct machine *machine, struct alpha_beta *loopback) {
    const char *distance = text(reader, entry, "distance");
    const bool in_rows = lies_in_rows(reader, entry);
    struct alpha_beta *on_node = in_rows ? &machine->rows_on_node : &machine->on_node;
    if (strcmp(distance, "shared-cache") == 0)
        return on_node;
    if (strcmp(distance, "same-node") == 0)
        return on_node->count > 0 ? loopback : on_node;
    if (strcmp(distance, "other-node") == 0)
        return in_rows ? loopback : &machine->between_nodes;
    if (strcmp(distance, "shared-window") == 0)
        return &machine->window;
    if (strcmp(distance, "loopback") != 0)
        refuse(reader, entry->place, "distance",
               "none of shared-cache, same-node, loopback, other-node, shared-window");
    return loopback;
}

static void read_networks(const struct reader *reader, const struct entry *root,
                          struct machine *machine) {
    struct alpha_beta unused; /* loopback imitates a network, it is none of this machine's */
    const json_t *networks = list(reader, root, "network", 16, true);
    for (size_t i = 0; i < json_array_size(networks) && status_good(reader->status); i++) {
        const struct entry entry = entry_of(root, networks, "network", i);
        read_segments(reader, &entry, network_of(reader, &entry, machine, &unused));
    }
}

static void read_kernels(const struct reader *reader, const struct entry *root,
                         struct machine *machine) {
    const json_t *entries = list(reader, root, "kernels", MACHINE_KERNELS_MAX, true);
    for (size_t i = 0; i < json_array_size(entries) && status_good(reader->status); i++) {
        const struct entry entry = entry_of(root, entries, "kernels", i);
        read_kernel(reader, &entry, &machine->kernels[machine->kernel_count++]);
    }
}

static void read_root(const struct reader *reader, const struct entry *root,
                      struct machine *machine) {
    const json_t *version = json_object_get(root->value, "machine_version");
    if (!json_is_integer(version) || json_integer_value(version) != MACHINE_VERSION)
        status_fail(reader->status, EXIT_CODE_USAGE,
                    "%s: machine_version is not 1: no machine file of this program; write one with "
                    "run/measure-machine",
                    reader->path);
    snprintf(machine->name, sizeof machine->name, "%s", text(reader, root, "name"));
    machine->cores = core_count(reader, root, "cores");
    read_core_values(reader, root, "copy", "cores", "bytes_per_s", &machine->copy);
    read_core_values(reader, root, "sweep_overhead", "threads", "seconds",
                     &machine->sweep_overhead);
    read_kernels(reader, root, machine);
    read_networks(reader, root, machine);
}

static json_t *load(const char *path, struct status *status) {
    FILE *file = fopen(path, "re");
    if (!file) {
        status_fail(status, EXIT_CODE_FILES, "%s: cannot be read: %s", path, strerror(errno));
        return NULL;
    }
    json_error_t error;
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    if (!root && ferror(file))
        status_fail(status, EXIT_CODE_FILES, "%s: cannot be read; give a machine file", path);
    else if (!root)
        status_fail(status, EXIT_CODE_USAGE, "%s:%d:%d: not JSON: %s", path, error.line,
                    error.column, error.text);
    fclose(file);
    return root;
}

bool machine_read(struct machine *machine, const char *path, struct status *status) {
    const struct reader reader = {path, status};
    *machine = (struct machine){0};
    json_t *root = load(path, status);
    if (!root)
        return false;
    if (json_is_object(root))
        read_root(&reader, &(struct entry){.value = root}, machine);
    else
        status_fail(status, EXIT_CODE_USAGE, "%s: not a JSON object", path);
    json_decref(root);
    return status_good(status);
}
