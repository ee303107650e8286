/* The convergence history as CSV: sweep, time, residual. Room: store. Rank 0 only. */
#ifndef FUNNEL_HISTORY_H
#define FUNNEL_HISTORY_H

#include "funnel/status.h"
#include <stdint.h>

struct history;

/* Opens the file and writes the header line. NULL with status set (EXIT_CODE_FILES). */
struct history *history_open(const char *path, struct status *status);
/* One line a check, flushed, so that a killed job keeps it. */
void history_add(struct history *history, int64_t sweep, double elapsed_s, double residual_norm2);
/* Closes; fails (EXIT_CODE_FILES) if any line could not be written. */
bool history_close(struct history *history, struct status *status);

#endif
