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

#endif
