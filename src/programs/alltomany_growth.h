/* Does the time grow in proportion to the iterations? The study's question, answered from repeated
 * measurements and their noise; pure arithmetic. */
#ifndef FUNNEL_ALLTOMANY_GROWTH_H
#define FUNNEL_ALLTOMANY_GROWTH_H

#include "funnel/samples.h"
#include <stddef.h>

/* A number of iterations, and the times that all of them together took in repeated runs. */
struct growth_point {
    int iterations;
    struct samples_summary total_s;
};

enum growth_verdict {
    GROWTH_PROPORTIONAL, /* one time an iteration fits all points */
    GROWTH_FIXED_COST,   /* a line fits them, with a cost that is paid once a run */
    GROWTH_RISING,       /* more iterations make each one slower */
    GROWTH_IRREGULAR,    /* the differences exceed the noise, but follow no line */
    GROWTH_UNKNOWN       /* fewer than two numbers of iterations, or noise that hides everything */
};

struct growth {
    enum growth_verdict verdict;
    double iteration_s;     /* time an iteration: over all points, or slope of the line */
    double fixed_s;         /* intercept of the line; 0 where the verdict is proportional */
    double noise;           /* half the widest interval of a median, relative to that median */
    double least_s, most_s; /* smallest and largest median time an iteration */
    int least_at, most_at;  /* their numbers of iterations */
};

/* Judges `count` points of different numbers of iterations. A time an iteration, or a line, fits a
 * point if it passes through the interval that holds the point's median. */
struct growth growth_judge(const struct growth_point *points, int count);

/* The verdict as one sentence for people. Returns `text`. */
const char *growth_sentence(char *text, size_t size, const struct growth *growth);

#endif
