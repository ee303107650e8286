/* Colours for values. Inside the room store only. */
#ifndef FUNNEL_STORE_COLOUR_MAP_H
#define FUNNEL_STORE_COLOUR_MAP_H

#include <stdint.h>

/* sRGB, 0xRRGGBB. */
typedef uint32_t colour;

enum { COLOUR_ODD = 0x00c080 }; /* NaN and Inf: a green that the map does not have */

/* Colour of a fraction, clamped to 0..1; COLOUR_ODD for NaN. */
colour colour_of(double fraction);

/* Where `value` lies in low..high: 0..1; 1/2 if the two are equal, NaN for NaN and Inf. */
double colour_fraction(double value, double low, double high);

#endif
