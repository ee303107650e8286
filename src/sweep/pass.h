/* A pass over the field: one sweep, or several for a kernel that works by tiles. Private to the
 * room. */
#ifndef FUNNEL_SWEEP_PASS_H
#define FUNNEL_SWEEP_PASS_H

#include "sweeper.h"
#include "tile_plan.h"

struct pass {
    int from;   /* number of the iterate it starts from */
    int sweeps; /* that it does */
    int beyond; /* points beyond internal edges that are wanted after it */
    int number; /* since the exchange */
};

/* Pass number `number`, which begins after `done` of `sweeps` sweeps. */
struct pass pass_after(const struct sweeper *sweeper, int done, int sweeps, int number);

/* The tiles of a region, for threads to share or for one. */
struct tile_cut pass_cut(const struct sweeper *sweeper, const struct pass *pass,
                         struct region region, bool shared);

/* Renews the ghosts of a box that its tiles or others read. */
void pass_refresh(const struct sweeper *sweeper, const struct pass *pass, int box);

/* Sweeps a region; by a thread of a parallel region, after pass_refresh of all boxes. */
void pass_sweep(const struct sweeper *sweeper, const struct pass *pass, struct region region);

#endif
