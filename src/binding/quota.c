/* The CPU quota of the cgroups around this process. Nothing else shows it: masks and
 * omp_get_num_procs still count every CPU, and threads beyond the quota are stopped in turn. */
#include "funnel/binding.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, LINE_BYTES = 8192 };

/* A mounted cgroup hierarchy that may hold a CPU quota. */
struct hierarchy {
    bool version_2;
    char root[PATH_BYTES];  /* the cgroup that the mount point shows */
    char mount[PATH_BYTES]; /* the mount point */
};

struct quota {
    double cpus; /* 0: no limit */
    uint64_t group;
};

static FILE *open_below(const char *root, const char *path) {
    char name[2 * PATH_BYTES];
    const int length = snprintf(name, sizeof name, "%s%s", root, path);
    return length > 0 && (size_t)length < sizeof name ? fopen(name, "r") : NULL;
}

/* True if `word` is one of the comma-separated words of `list`. */
static bool list_has(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        const char end = strncmp(at, word, length) == 0 ? at[length] : '?';
        if (end == ',' || end == '\0')
            return true;
    }
    return false;
}

/* Reads one line of /proc/self/mountinfo; true if it mounts cgroup v2, or v1 with the cpu part. */
static bool parse_mount(const char *line, struct hierarchy *hierarchy) {
    char type[64], options[LINE_BYTES];
    const char *separator = strstr(line, " - ");
    if (separator == NULL ||
        sscanf(line, "%*s %*s %*s %4095s %4095s", hierarchy->root, hierarchy->mount) != 2 ||
        sscanf(separator, " - %63s %*s %8191s", type, options) != 2)
        return false;
    hierarchy->version_2 = strcmp(type, "cgroup2") == 0;
    return hierarchy->version_2 || (strcmp(type, "cgroup") == 0 && list_has(options, "cpu"));
}

/* Reads one line of /proc/self/cgroup, "ID:PARTS:PATH"; NULL if it is of another hierarchy. */
static const char *parse_membership(char *line, const struct hierarchy *hierarchy) {
    line[strcspn(line, "\n")] = '\0';
    char *parts = strchr(line, ':');
    char *path = parts == NULL ? NULL : strchr(parts + 1, ':');
    if (path == NULL)
        return NULL;
    *path = '\0';
    const bool fits = hierarchy->version_2 ? parts[1] == '\0' : list_has(parts + 1, "cpu");
    return fits ? path + 1 : NULL;
}

/* The quota that one folder sets: "cpu.max" holds "QUOTA PERIOD" or "max PERIOD". */
static double folder_quota_v2(const char *root, const char *folder) {
    char path[PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    FILE *file = open_below(root, path);
    if (file == NULL)
        return 0;
    double quota_us = 0, period_us = 0;
    const bool limited = fscanf(file, "%lf %lf", &quota_us, &period_us) == 2 && period_us > 0;
    fclose(file);
    return limited ? quota_us / period_us : 0;
}

static double read_number(const char *root, const char *folder, const char *name) {
    char path[PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = open_below(root, path);
    if (file == NULL)
        return -1;
    double number = -1;
    const bool read = fscanf(file, "%lf", &number) == 1;
    fclose(file);
    return read ? number : -1;
}

/* Version 1 has a file each; a quota of -1 is none. */
static double folder_quota_v1(const char *root, const char *folder) {
    const double quota_us = read_number(root, folder, "cpu.cfs_quota_us");
    const double period_us = read_number(root, folder, "cpu.cfs_period_us");
    return quota_us > 0 && period_us > 0 ? quota_us / period_us : 0;
}

static uint64_t folder_number(const char *root, const char *folder) {
    char path[2 * PATH_BYTES];
    struct stat facts;
    const int length = snprintf(path, sizeof path, "%s%s", root, folder);
    const bool fits = length > 0 && (size_t)length < sizeof path;
    return fits && stat(path, &facts) == 0 ? (uint64_t)facts.st_ino : 0;
}

/* Takes the limit of `folder` and of each folder above it up to the mount point. */
static void walk_up(const char *root, const struct hierarchy *hierarchy, char *folder,
                    struct quota *least) {
    const size_t top = strlen(hierarchy->mount);
    for (;;) {
        const double cpus =
            hierarchy->version_2 ? folder_quota_v2(root, folder) : folder_quota_v1(root, folder);
        if (cpus > 0 && (least->cpus <= 0 || cpus < least->cpus))
            *least = (struct quota){.cpus = cpus, .group = folder_number(root, folder)};
        char *slash = strrchr(folder, '/');
        if (slash == NULL || (size_t)(slash - folder) < top)
            return;
        *slash = '\0';
    }
}

/* Where the cgroup `path` stands below the mount point. In a container the mount shows a part of
 * the tree only; a path outside that part leaves the mount point itself. */
static void folder_of(const struct hierarchy *hierarchy, const char *path, char *folder,
                      size_t size) {
    const size_t root = strcmp(hierarchy->root, "/") == 0 ? 0 : strlen(hierarchy->root);
    const bool below = strncmp(path, hierarchy->root, root) == 0 && strstr(path, "/..") == NULL;
    const char *rest = below ? path + root : "";
    const int length =
        snprintf(folder, size, "%s%s", hierarchy->mount, strcmp(rest, "/") == 0 ? "" : rest);
    if (length < 0 || (size_t)length >= size)
        snprintf(folder, size, "%s", hierarchy->mount);
}

static void read_hierarchy(const char *root, const struct hierarchy *hierarchy,
                           struct quota *least) {
    char line[LINE_BYTES], folder[PATH_BYTES];
    FILE *file = open_below(root, "/proc/self/cgroup");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *path = parse_membership(line, hierarchy);
        if (path == NULL)
            continue;
        folder_of(hierarchy, path, folder, sizeof folder);
        walk_up(root, hierarchy, folder, least);
    }
    fclose(file);
}

double binding_cpu_quota(const char *root, uint64_t *group) {
    struct quota least = {.cpus = 0, .group = 0};
    char line[LINE_BYTES];
    FILE *file = open_below(root, "/proc/self/mountinfo");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        struct hierarchy hierarchy;
        if (parse_mount(line, &hierarchy))
            read_hierarchy(root, &hierarchy, &least);
    }
    if (file != NULL)
        fclose(file);
    *group = least.group;
    return least.cpus;
}
