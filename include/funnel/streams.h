/* Standard streams that are really there. Room: base. */
#ifndef FUNNEL_STREAMS_H
#define FUNNEL_STREAMS_H

#include "funnel/status.h"

/* Opens /dev/null for each of standard input, output and error that the caller has closed:
 * otherwise the next file or socket would get its number, and the report would be written into it.
 * Call it first in main. */
void streams_open(void);

/* Writes out what standard output still holds. A report or a result that went nowhere, to a full
 * disk for instance, is a fault too: EXIT_CODE_FILES. Returns status_good. */
bool streams_flush(struct status *status);

/* Gives the launcher a fifth of a second to take what was printed: hydra drops what it has not read
 * when a job aborts. Call it between the last line and the abort. */
void streams_deliver(void);

#endif
