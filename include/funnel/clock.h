/* The one clock of the project. Room: base. */
#ifndef FUNNEL_CLOCK_H
#define FUNNEL_CLOCK_H

/* Seconds on CLOCK_MONOTONIC; only differences mean something, and only on one host. */
double clock_now_s(void);

#endif
