/* Standard streams that are really there. Room: base. */
#ifndef FUNNEL_STREAMS_H
#define FUNNEL_STREAMS_H

/* Opens /dev/null for each of standard input, output and error that the caller has closed:
 * otherwise the next file or socket would get its number, and the report would be written into it.
 * Call it first in main. */
void streams_open(void);

#endif
