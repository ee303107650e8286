/* Which network interface carried the messages, by the counters that the kernel keeps of each. */
#include "pingpong.h"
#include <dirent.h>
#include <inttypes.h>
#include <string.h>

enum { PATH_BYTES = 512, FOLDER_BYTES = 256 };

/* The number in a file, -1 if there is none. */
static int64_t read_number(const char *path) {
    int64_t number = -1;
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    if (fscanf(file, "%" SCNd64, &number) != 1)
        number = -1;
    fclose(file);
    return number;
}

static void add_interface(struct pingpong_traffic *traffic, const char *folder, const char *name) {
    char path[PATH_BYTES];
    struct pingpong_carrier *added = &traffic->interface[traffic->count];
    if (strlen(name) >= sizeof added->name)
        return;
    snprintf(path, sizeof path, "%.*s/%.*s/statistics/tx_bytes", FOLDER_BYTES, folder,
             (int)sizeof added->name, name);
    const int64_t bytes = read_number(path);
    if (bytes < 0)
        return;
    *added = (struct pingpong_carrier){.carried_bytes = bytes};
    strcpy(added->name, name);
    traffic->count++;
}

void pingpong_traffic_read(struct pingpong_traffic *traffic, const char *root) {
    char folder[FOLDER_BYTES];
    traffic->count = 0;
    snprintf(folder, sizeof folder, "%s/sys/class/net", root);
    DIR *directory = opendir(folder);
    if (!directory)
        return;
    for (const struct dirent *entry = readdir(directory);
         entry && traffic->count < PINGPONG_INTERFACES_MAX; entry = readdir(directory))
        if (entry->d_name[0] != '.')
            add_interface(traffic, folder, entry->d_name);
    closedir(directory);
}

static int64_t bytes_before(const struct pingpong_traffic *before, const char *name) {
    for (int i = 0; i < before->count; i++)
        if (strcmp(before->interface[i].name, name) == 0)
            return before->interface[i].carried_bytes;
    return 0;
}

struct pingpong_carrier pingpong_traffic_carrier(const struct pingpong_traffic *before,
                                                 const struct pingpong_traffic *after,
                                                 int64_t sent_bytes) {
    struct pingpong_carrier busiest = {.carried_bytes = 0};
    for (int i = 0; i < after->count; i++) {
        struct pingpong_carrier now = after->interface[i];
        now.carried_bytes -= bytes_before(before, now.name);
        if (now.carried_bytes > busiest.carried_bytes)
            busiest = now;
    }
    if (busiest.carried_bytes < sent_bytes / 2)
        busiest.name[0] = '\0';
    return busiest;
}
