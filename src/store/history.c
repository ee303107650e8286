/* The convergence history as CSV. Flushed line by line, so that a killed job keeps what it had. */
#include "funnel/history.h"

#include "funnel/text.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct history {
    FILE *stream;
    int error; /* errno of the first line that could not be written */
    char path[];
};

static void note_error(struct history *history, bool written) {
    if (!written && history->error == 0)
        history->error = errno;
}

static FILE *open_csv(const char *path) {
    return strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
}

struct history *history_open(const char *path, struct status *status) {
    struct history *history = malloc(sizeof *history + strlen(path) + 1);
    FILE *stream = history == NULL ? NULL : open_csv(path);
    if (stream == NULL) {
        status_fail(status, EXIT_CODE_FILES, "%s: the history cannot be written: %s", path,
                    strerror(errno));
        free(history);
        return NULL;
    }
    history->stream = stream;
    history->error = 0;
    strcpy(history->path, path);
    note_error(history, fputs("sweep,elapsed_s,residual_norm2\n", stream) >= 0);
    note_error(history, fflush(stream) == 0);
    return history;
}

void history_add(struct history *history, int64_t sweep, double elapsed_s, double residual_norm2) {
    char residual[32];
    if (isnan(residual_norm2)) /* printf would show its sign */
        snprintf(residual, sizeof residual, "nan");
    else
        text_double(residual, sizeof residual, residual_norm2);
    note_error(history,
               fprintf(history->stream, "%" PRId64 ",%.6f,%s\n", sweep, elapsed_s, residual) >= 0);
    note_error(history, fflush(history->stream) == 0);
}

bool history_close(struct history *history, struct status *status) {
    if (history->stream != stdout)
        note_error(history, fclose(history->stream) == 0);
    const bool good = history->error == 0;
    if (!good)
        status_fail(status, EXIT_CODE_FILES, "%s: the history is incomplete: %s; check the disk",
                    history->path, strerror(history->error));
    free(history);
    return good;
}
