/* Who sweeps what: the cut of the interior into one box a thread. Private to the room. */
#ifndef FUNNEL_SWEEP_THREAD_PLAN_H
#define FUNNEL_SWEEP_THREAD_PLAN_H

#include "funnel/field.h"

/* Points between two places where a row may be cut, and least width of a box of a row that is cut:
 * a cache line, so that none is shared, and the longest vector, so that a vector read beyond a box
 * ends inside the next one and not on the ghosts that its thread writes. */
enum { THREAD_PLAN_CUT = 8 };

/* Cuts nx x ny points into `threads` boxes that cover them once. Rows are shared out first; rows
 * are cut too where that makes the largest box clearly smaller (few rows, a line). Threads for
 * which no point is left get an empty box; those come last. */
void thread_plan_cut(struct region *boxes, int threads, local_index nx, local_index ny);

#endif
