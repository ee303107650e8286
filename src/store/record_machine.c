/* Facts of the host a run was on: speeds on another processor, governor or kernel do not compare.
 * Read from /proc and /sys of rank 0's host; what is not there is null. */
#include "funnel/record_values.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { LINE_BYTES = 512 };

/* Reads the first line of a file into `line`, without its line break. NULL if there is none. */
static char *read_line(const char *root, const char *path, char line[LINE_BYTES]) {
    char name[LINE_BYTES];
    snprintf(name, sizeof name, "%s%s", root, path);
    FILE *file = fopen(name, "re");
    if (file == NULL)
        return NULL;
    const bool good = fgets(line, LINE_BYTES, file) != NULL;
    fclose(file);
    if (!good)
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    return line;
}

/* Value of "name : value" or "name: value" in a file such as /proc/cpuinfo, or NULL. */
static char *read_entry(const char *root, const char *path, const char *name,
                        char line[LINE_BYTES]) {
    char file_name[LINE_BYTES];
    snprintf(file_name, sizeof file_name, "%s%s", root, path);
    FILE *file = fopen(file_name, "re");
    char *value = NULL;
    while (file != NULL && value == NULL && fgets(line, LINE_BYTES, file) != NULL) {
        const size_t length = strlen(name);
        char *colon = strchr(line, ':');
        if (colon != NULL && strncmp(line, name, length) == 0 &&
            strspn(line + length, " \t") == (size_t)(colon - line) - length)
            value = colon + 1 + strspn(colon + 1, " \t");
    }
    if (file != NULL)
        fclose(file);
    if (value != NULL)
        value[strcspn(value, "\n")] = '\0';
    return value;
}

static json_t *as_integer(const char *text) {
    char *end;
    const long long value = strtoll(text, &end, 10);
    return end == text ? json_null() : json_integer(value);
}

static json_t *as_mhz_of_khz(const char *text) {
    char *end;
    const double value = strtod(text, &end);
    return end == text ? json_null() : record_number(value / 1000);
}

static json_t *as_bool(const char *text) {
    return json_boolean(text[0] != '0');
}

static json_t *as_opposite(const char *text) {
    return json_boolean(text[0] == '0');
}

/* "always [madvise] never": the word in brackets. */
static json_t *as_bracketed(const char *text) {
    const char *open = strchr(text, '[');
    const char *close = open == NULL ? NULL : strchr(open, ']');
    return close == NULL ? json_null() : json_stringn(open + 1, (size_t)(close - open - 1));
}

/* Entries of the record that are one small file each; a later row of the same name is a second
 * source for what the first could not tell. */
static const struct {
    const char *name, *path;
    json_t *(*value)(const char *text);
} small_files[] = {
    {"cpus_online", "/sys/devices/system/cpu/online", record_text},
    {"numa_nodes_online", "/sys/devices/system/node/online", record_text},
    {"smt_active", "/sys/devices/system/cpu/smt/active", as_bool},
    {"governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", record_text},
    {"min_mhz", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", as_mhz_of_khz},
    {"max_mhz", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", as_mhz_of_khz},
    {"turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", as_opposite},
    {"turbo", "/sys/devices/system/cpu/cpufreq/boost", as_bool},
    {"transparent_hugepages", "/sys/kernel/mm/transparent_hugepage/enabled", as_bracketed},
};

static void put_small_files(json_t *machine, const char *root) {
    char line[LINE_BYTES];
    for (size_t i = 0; i < sizeof small_files / sizeof small_files[0]; i++) {
        const json_t *earlier = json_object_get(machine, small_files[i].name);
        if (earlier != NULL && !json_is_null(earlier))
            continue;
        const char *text = read_line(root, small_files[i].path, line);
        record_put(machine, small_files[i].name,
                   text == NULL ? json_null() : small_files[i].value(text));
    }
}

/* Current clock of processor 0: cpufreq's word, else that of /proc/cpuinfo. */
static json_t *current_mhz(const char *root) {
    char line[LINE_BYTES];
    const char *text =
        read_line(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", line);
    if (text != NULL)
        return as_mhz_of_khz(text);
    text = read_entry(root, "/proc/cpuinfo", "cpu MHz", line);
    return text == NULL ? json_null() : record_number(strtod(text, NULL));
}

/* "KIB kB" of /proc/meminfo in bytes. */
static json_t *memory_bytes(const char *root) {
    char line[LINE_BYTES];
    const char *text = read_entry(root, "/proc/meminfo", "MemTotal", line);
    return text == NULL ? json_null() : json_integer(strtoll(text, NULL, 10) * 1024);
}

/* "32K" or "16M" in bytes. */
static json_t *as_cache_bytes(const char *text) {
    char *end;
    const long long value = strtoll(text, &end, 10);
    const long long unit = *end == 'K' ? 1024 : *end == 'M' ? 1024 * 1024 : 1;
    return end == text ? json_null() : json_integer(value * unit);
}

static const struct {
    const char *name, *file;
    json_t *(*value)(const char *text);
} cache_files[] = {
    {"level", "level", as_integer},
    {"type", "type", record_text},
    {"size_bytes", "size", as_cache_bytes},
    {"shared_by_cpus", "shared_cpu_list", record_text},
};

/* Cache `index` of processor 0, or NULL if there is none. */
static json_t *cache(const char *root, int index) {
    char path[128], line[LINE_BYTES];
    json_t *object = NULL;
    for (size_t i = 0; i < sizeof cache_files / sizeof cache_files[0]; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index,
                 cache_files[i].file);
        const char *text = read_line(root, path, line);
        if (i == 0 && text == NULL)
            return NULL;
        if (i == 0)
            object = json_object();
        record_put(object, cache_files[i].name,
                   text == NULL ? json_null() : cache_files[i].value(text));
    }
    return object;
}

/* Caches of processor 0, or null where the kernel does not show them. */
static json_t *caches(const char *root) {
    json_t *list = json_array(), *next;
    for (int index = 0; (next = cache(root, index)) != NULL; index++)
        json_array_append_new(list, next);
    if (json_array_size(list) > 0)
        return list;
    json_decref(list);
    return json_null();
}

static void put_kernel(json_t *machine) {
    struct utsname names;
    const bool known = uname(&names) == 0;
    record_put(machine, "kernel_release", record_text(known ? names.release : NULL));
    record_put(machine, "architecture", record_text(known ? names.machine : NULL));
}

static bool holds_text(const json_t *list, const char *text) {
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry) {
        if (strcmp(json_string_value(entry), text) == 0)
            return true;
    }
    return false;
}

/* Names of all hosts of the run in the order of their lowest rank; null if none is known. */
static json_t *hosts(const struct record_input *input) {
    if (input->team == NULL)
        return json_null();
    json_t *list = json_array();
    for (int rank = 0; input->binding != NULL && rank < input->team->ranks; rank++) {
        const char *host = binding_report_rank(input->binding, rank)->host;
        if (!holds_text(list, host))
            json_array_append_new(list, record_text(host));
    }
    if (json_array_size(list) == 0)
        json_array_append_new(list, record_text(input->team->host));
    return list;
}

json_t *record_machine(const char *root, const struct record_input *input) {
    char line[LINE_BYTES];
    json_t *machine = json_object();
    record_put(machine, "hosts", hosts(input));
    put_kernel(machine);
    record_put(machine, "cpu_model",
               record_text(read_entry(root, "/proc/cpuinfo", "model name", line)));
    put_small_files(machine, root);
    record_put(machine, "current_mhz", current_mhz(root));
    record_put(machine, "memory_bytes", memory_bytes(root));
    record_put(machine, "caches", caches(root));
    return machine;
}
