/* Round numbers along an axis. Inside the room store only. */
#ifndef FUNNEL_STORE_TICKS_H
#define FUNNEL_STORE_TICKS_H

enum { TICKS_FEWEST = 2, TICKS_MOST = 10, TICKS_MAX = 16, TICK_TEXT_BYTES = 32 };

struct ticks {
    int count;
    double value[TICKS_MAX];
    char text[TICKS_MAX][TICK_TEXT_BYTES];
};

/* About `wanted` (at most TICKS_MOST) ticks at multiples of 1, 2 or 5 times a power of ten inside
 * low..high, written with as many digits as tell them apart. An empty, backward or not finite range
 * gives none. */
void ticks_make(struct ticks *ticks, double low, double high, int wanted);

/* A range to draw values of low..high in: itself, or one around a constant. */
void ticks_widen(double *low, double *high);

#endif
