/* Passes over the values themselves: the checksum that is equal for every layout, the number of
 * denormals, and shifts by a constant. */
#include "sweeper.h"
#include <string.h>

/* Spreads every bit of a word over all others: the finaliser "Mix13" of D. Stafford, a bijection
 * with shifts and odd factors found by search. */
static uint64_t mixed(uint64_t word) {
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t row_checksum(const double *row, int64_t count, global_index first) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += mixed(bits_of(row[i]) + mixed((uint64_t)(first + i) + 1));
    return sum;
}

static void checksum_box(const struct sweeper *sweeper, int number, void *argument) {
    (void)argument;
    struct thread_box *box = &sweeper->box[number];
    struct region in = box->interior;
    const global_index *begin = sweeper->part.begin;
    box->checksum = 0;
    for (local_index y = in.y0; y < in.y1; y++) {
        global_index first =
            (begin[AXIS_Y] + y) * sweeper->grid.points[AXIS_X] + begin[AXIS_X] + in.x0;
        const double *row = field_row(sweeper_current(sweeper), y) + in.x0;
        box->checksum += row_checksum(row, in.x1 - in.x0, first);
    }
}

uint64_t sweeper_checksum(const struct sweeper *sweeper) {
    boxes_each(sweeper, checksum_box, NULL);
    uint64_t sum = 0;
    for (int i = 0; i < sweeper->threads; i++)
        sum += sweeper->box[i].checksum;
    return sum;
}

/* Without arithmetic, which would take them for zero where the problem says so. */
static bool is_denormal(double value) {
    const uint64_t least_normal = UINT64_C(1) << 52;
    uint64_t magnitude = bits_of(value) << 1 >> 1;
    return magnitude > 0 && magnitude < least_normal;
}

static void count_denormals(const struct sweeper *sweeper, int number, void *argument) {
    (void)argument;
    struct thread_box *box = &sweeper->box[number];
    struct region in = box->interior;
    box->denormals = 0;
    for (local_index y = in.y0; y < in.y1; y++) {
        const double *row = field_row(sweeper_current(sweeper), y);
        for (local_index x = in.x0; x < in.x1; x++)
            box->denormals += is_denormal(row[x]);
    }
}

int64_t sweeper_denormals(const struct sweeper *sweeper) {
    boxes_each(sweeper, count_denormals, NULL);
    int64_t count = 0;
    for (int i = 0; i < sweeper->threads; i++)
        count += sweeper->box[i].denormals;
    return count;
}

static void shift_box(const struct sweeper *sweeper, int number, void *argument) {
    const double *amount = argument;
    const struct region region =
        box_extended(&sweeper->part, sweeper->box[number].interior, sweeper->part.layout.depth - 1);
    for (local_index y = region.y0; y < region.y1; y++) {
        double *row = field_row(&sweeper->source, y);
        for (local_index x = region.x0; x < region.x1; x++)
            row[x] += *amount;
    }
}

void sweeper_shift_source(struct sweeper *sweeper, double amount) {
    struct stencil *stencil = &sweeper->part.stencil;
    if (sweeper->source.values) {
        boxes_each(sweeper, shift_box, &amount);
        return;
    }
    stencil->source += amount;
    stencil->has_source = stencil->has_source || amount != 0;
}
