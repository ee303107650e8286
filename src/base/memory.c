/* Large memory straight from the kernel, so that no page is touched before its thread does, and a
 * look at what the node and every cgroup above this process still have. */
#include "funnel/memory.h"
#include "funnel/text.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

static const size_t huge_page_bytes = (size_t)2 << 20;

static size_t round_up(size_t bytes, size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

void memory_wish_huge_pages(void *memory, size_t bytes) {
    madvise(memory, bytes, MADV_HUGEPAGE);
}

void *memory_take(size_t bytes, struct status *status) {
    size_t rounded = round_up(bytes, huge_page_bytes);
    size_t mapped = rounded + huge_page_bytes;
    char *start = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) {
        char size[32];
        status_fail(status, EXIT_CODE_ENVIRONMENT,
                    "no memory: %s refused (%s); use a smaller grid or "
                    "more nodes",
                    text_bytes(size, sizeof size, (double)bytes), strerror(errno));
        return NULL;
    }
    size_t before = round_up((size_t)start, huge_page_bytes) - (size_t)start;
    if (before > 0)
        munmap(start, before);
    munmap(start + before + rounded, huge_page_bytes - before);
    memory_wish_huge_pages(start + before, rounded);
    return start + before;
}

void memory_release(void *memory, size_t bytes) {
    if (memory)
        munmap(memory, round_up(bytes, huge_page_bytes));
}

/* The number in a file that holds one, or -1 ("max" and a missing file included). */
static int64_t number_in_file(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    long long value = -1;
    if (fscanf(file, "%lld", &value) != 1)
        value = -1;
    fclose(file);
    return value;
}

static int64_t meminfo_available(const char *root) {
    char path[4096], line[256];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    long long kib = -1;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lld kB", &kib) == 1)
            break;
    fclose(file);
    return kib < 0 ? -1 : kib * 1024;
}

/* Bytes of files that the kernel keeps for a group and gives back when memory is wanted. Version 1
 * has a number for the group alone and a larger one with its children. */
static int64_t group_cache(const char *folder) {
    char path[4400], line[256];
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    long long most = 0, value;
    while (fgets(line, sizeof line, file))
        if ((sscanf(line, "inactive_file %lld", &value) == 1 ||
             sscanf(line, "total_inactive_file %lld", &value) == 1) &&
            value > most)
            most = value;
    fclose(file);
    return most;
}

/* What one cgroup folder leaves, or -1 if it sets no limit. */
static int64_t group_leaves(const char *folder, const char *limit, const char *usage) {
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", folder, limit);
    int64_t most = number_in_file(path);
    snprintf(path, sizeof path, "%s/%s", folder, usage);
    int64_t used = number_in_file(path);
    if (most < 0 || used < 0)
        return -1;
    int64_t cache = group_cache(folder);
    used = used > cache ? used - cache : 0;
    return used < most ? most - used : 0;
}

static int64_t smaller_known(int64_t a, int64_t b) {
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return a < b ? a : b;
}

/* Walks from a group up to the top of its hierarchy; `path` is shortened on the way. */
static int64_t groups_leave(const char *top, char *path, const char *limit, const char *usage) {
    int64_t least = -1;
    for (;;) {
        char folder[4300];
        snprintf(folder, sizeof folder, "%s%s", top, path);
        least = smaller_known(least, group_leaves(folder, limit, usage));
        char *last = strrchr(path, '/');
        if (!last)
            return least;
        *last = '\0';
    }
}

static int64_t cgroup_available(const char *root) {
    char name[4096], line[2048], top[4200];
    snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
    FILE *file = fopen(name, "r");
    if (!file)
        return -1;
    int64_t least = -1;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        bool unified = controllers[1] == '\0';
        if (!unified && !strstr(controllers + 1, "memory"))
            continue;
        snprintf(top, sizeof top, "%s/sys/fs/cgroup%s", root, unified ? "" : "/memory");
        least = smaller_known(
            least, groups_leave(top, path, unified ? "memory.max" : "memory.limit_in_bytes",
                                unified ? "memory.current" : "memory.usage_in_bytes"));
    }
    fclose(file);
    return least;
}

int64_t memory_available_bytes(const char *root) {
    return smaller_known(meminfo_available(root), cgroup_available(root));
}

int64_t memory_shared_left_bytes(void) {
    struct statvfs shared;
    if (statvfs("/dev/shm", &shared) != 0)
        return -1;
    return (int64_t)(shared.f_bavail * shared.f_frsize);
}

bool memory_suffices(int64_t bytes, int64_t available_bytes) {
    return available_bytes < 0 || bytes <= available_bytes / 10 * 9;
}
