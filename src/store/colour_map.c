/* A perceptually uniform colour map of our own: night blue through purple and red to pale yellow.
 * Its control points were computed in Oklab (B. Ottosson, 2020): lightness rises in equal steps
 * from 0.22 to 0.96 while the hue turns from 280 to 465 degrees, as strong a colour as sRGB can
 * show without jumps. All steps are 0.07 to 0.08 long there; it stays readable in grey. */
#include "colour_map.h"

#include <math.h>

enum { CONTROL_POINTS = 13 };

static const unsigned char control[CONTROL_POINTS][3] = {
    {22, 0, 85},     {50, 11, 100},   {82, 16, 114},  {116, 20, 120}, {152, 25, 118},
    {183, 41, 109},  {211, 62, 94},   {235, 88, 76},  {242, 125, 72}, {246, 158, 84},
    {250, 189, 102}, {253, 218, 123}, {254, 247, 148}};

colour colour_of(double fraction) {
    if (isnan(fraction))
        return COLOUR_ODD;
    const double place = fmin(fmax(fraction, 0), 1) * (CONTROL_POINTS - 1);
    const int below = place < CONTROL_POINTS - 1 ? (int)place : CONTROL_POINTS - 2;
    colour mixed = 0;
    for (int channel = 0; channel < 3; channel++) {
        const double a = control[below][channel], b = control[below + 1][channel];
        mixed = mixed << 8 | (colour)lround(a + (b - a) * (place - below));
    }
    return mixed;
}

double colour_fraction(double value, double low, double high) {
    if (!isfinite(value))
        return nan("");
    if (!(high > low))
        return 0.5;
    return (value / 2 - low / 2) / (high / 2 - low / 2); /* halves: high - low may overflow */
}
