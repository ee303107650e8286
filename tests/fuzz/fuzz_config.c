/* libFuzzer target of the config parser: any bytes are either refused with one line, or are a
 * configuration that prints to a file which reads back to the same. */
#include "funnel/config.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool condition) {
    if (!condition)
        abort();
}

static bool read_bytes(struct config *config, const void *bytes, size_t size) {
    char path[64];
    struct status status = {0};
    int file = memfd_create("config", 0);
    require(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    config_defaults(config, "fuzz");
    bool good = config_read(config, path, &status) && config_check(config, &status);
    close(file);
    require(good == (status.text[0] == '\0') && !strchr(status.text, '\n'));
    return good;
}

static char *printed(const struct config *config) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    require(out);
    config_print(config, out);
    require(fclose(out) == 0);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct config config, again;
    if (!read_bytes(&config, bytes, size))
        return 0;
    char *first = printed(&config);
    require(read_bytes(&again, first, strlen(first)));
    char *second = printed(&again);
    require(strcmp(first, second) == 0);
    free(first);
    free(second);
    return 0;
}
