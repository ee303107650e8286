/* Several sweeps over a tile in one pass through memory. The tile is cut into columns. Each is
 * walked northward, and each sweep (level) follows the one before it one row behind; only level 0
 * is read from the old iterate and only the last is written to the new one.
 *
 * A level lies one point west of the one before it, so that a column needs nothing from east of it;
 * what it needs from the west is what the column before it has left behind (a parallelogram in x
 * and time), and no point of a tile is computed twice. Beyond the box a tile computes what it needs
 * itself, so tiles are independent.
 *
 * A level handles a few rows at a time. It needs those that the level before has just made and the
 * two before them, and leaves its own in their place, so that what a step works on stays in the
 * first-level cache. Nothing is copied: rows are buffers that change their place in a list. */
#include "walk.h"
#include <stddef.h>

enum { DEFAULT_ROWS = 4, WIDTH_MAX = 1 << 16 };

/* How the tile is cut in x. */
struct columns {
    local_index begin; /* x of the first place at level 0 */
    int64_t units, count;
};

/* The state of a walk over one column. */
struct walk {
    const struct temporal_tile *tile;
    const struct folded_functions *folded;
    local_index begin; /* x of place 0 at level 0 */
    int64_t lines;
    local_index y_begin; /* first row of level 1 */
    /* two rows kept from the step before, then those of this step, of the level made last */
    double *row[TEMPORAL_ROWS_MAX + 2];
    double *kept[TEMPORAL_SWEEPS_MAX][2]; /* last two rows of each level */
    /* given values or mirror terms beyond the sides of the domain in the south and north, with
       lines before them for all levels */
    double *beyond[2];
    /* what each level asks for ahead of time in the step that begins with row 0 */
    const double *request[TEMPORAL_SWEEPS_MAX + 1];
    int64_t request_step;
    double *source; /* rows of the source, from the oldest that a level needs, in a ring */
    double *end;    /* of the column to the west, and then of this one, in the order of the walk */
};

/* Lines before a row of which every level uses another part. */
static int64_t lines_before(int sweeps) {
    return divide_up(sweeps + FOLDED_BEFORE, FOLDED_UNIT) * FOLDED_UNIT;
}

/* Lines from a buffer to the next. An odd number spreads the rows over the sets of a cache. */
static int64_t buffer_lines(int64_t lines, int64_t before) {
    return (lines + before) | 1;
}

static int64_t ring_rows(int rows, int sweeps) {
    return rows + sweeps;
}

/* Doubles for the ends that a column leaves to the next. */
static int64_t end_values(int sweeps, int64_t height) {
    int64_t values = FOLDED_BEFORE * (sweeps - 1) * (height + 2 * sweeps);
    return divide_up(values, SPAN_LINE) * SPAN_LINE;
}

static size_t scratch_bytes(const struct kernel_tile *tile, int sweeps, int64_t height) {
    int64_t lines = tile->width / SPAN_LINE, before = lines_before(sweeps);
    int64_t near = tile->rows + 2 * sweeps, far = 2 + ring_rows(tile->rows, sweeps);
    int64_t buffers = near * buffer_lines(lines, FOLDED_BEFORE) + far * buffer_lines(lines, before);
    return (size_t)(buffers * SPAN_LINE + end_values(sweeps, height)) * sizeof(double);
}

static int possible_width(int64_t width, int sweeps) {
    /* mirror ghosts of the first column must find in it what they mirror */
    int64_t least = 4 * sweeps + TEMPORAL_UNIT;
    return (int)(divide_up(larger(width, least), TEMPORAL_UNIT) * TEMPORAL_UNIT);
}

/* The first column begins so far west that what it lacks there reaches no point that counts, and so
 * that the last level begins on a cache line. */
static struct columns columns_of(const struct temporal_tile *tile) {
    const struct region *box = &tile->box.box;
    local_index sweeps = tile->sweeps;
    local_index begin = larger(tile->domain.x0, box->x0 - sweeps + FOLDED_BEFORE) - sweeps;
    begin = (begin & -SPAN_LINE) + sweeps;
    int64_t units = divide_up(box->x1 + sweeps - begin, TEMPORAL_UNIT);
    return (struct columns){begin, units, divide_up(units * TEMPORAL_UNIT, tile->width)};
}

static int64_t points(const struct temporal_tile *tile) {
    int64_t rows = 0;
    for (int level = 1; level <= tile->sweeps; level++) {
        struct region region = level_rows(tile, level);
        rows += region.y1 - region.y0;
    }
    return rows * columns_of(tile).units * TEMPORAL_UNIT;
}

/* Takes the next buffer from the scratch memory; returns its line 0. */
static double *take_buffer(double **next, int64_t lines, int64_t before) {
    double *row = *next + before * SPAN_LINE;
    *next += buffer_lines(lines, before) * SPAN_LINE;
    return row;
}

static void take_buffers(struct walk *walk) {
    const struct temporal_tile *tile = walk->tile;
    const struct region *box = &tile->box.box;
    int64_t before = lines_before(tile->sweeps);
    double *next = tile->scratch + end_values(tile->sweeps, box->y1 - box->y0);
    walk->end = tile->scratch;
    for (int i = 0; i < tile->rows; i++)
        walk->row[i + 2] = take_buffer(&next, walk->lines, FOLDED_BEFORE);
    for (int level = 0; level < tile->sweeps; level++)
        for (int i = 0; i < 2; i++)
            walk->kept[level][i] = take_buffer(&next, walk->lines, FOLDED_BEFORE);
    for (int i = 0; i < 2; i++)
        walk->beyond[i] = take_buffer(&next, walk->lines, before);
    walk->source = take_buffer(&next, walk->lines, before);
}

/* What a step will read from memory and, unless stores go past the caches, write to it is asked for
 * a step before. The requests are spread over the levels, since only a few can be under way. */
static void share_requests(struct walk *walk) {
    const struct temporal_tile *tile = walk->tile;
    const struct kernel_box *box = &tile->box;
    const double *field[3] = {box->u + (tile->rows + 1) * box->pitch};
    int fields = 1;
    if (box->source)
        field[fields++] = box->source + tile->rows * box->pitch;
    if (!tile->streaming)
        field[fields++] = box->u_new - (tile->sweeps - 1) * box->pitch - tile->sweeps;
    int64_t levels = larger(1, tile->sweeps / (tile->rows * fields)); /* for a row */
    int64_t part = divide_up((walk->lines + 1) * SPAN_LINE, levels);
    for (int i = 0; i < tile->sweeps; i++) {
        int64_t row = i / levels;
        walk->request[i + 1] = field[row % fields] + row / fields * box->pitch + walk->begin -
                               SPAN_LINE + i % levels * part;
    }
    walk->request_step = divide_up(SPAN_LINE, levels);
}

static struct walk walk_begin(const struct temporal_tile *tile,
                              const struct folded_functions *folded, struct columns columns,
                              int64_t number) {
    int64_t first = columns.units * number / columns.count;
    int64_t last = columns.units * (number + 1) / columns.count;
    struct walk walk = {.tile = tile,
                        .folded = folded,
                        .begin = columns.begin + first * TEMPORAL_UNIT,
                        .lines = (last - first) * FOLDED_UNIT,
                        .y_begin = level_rows(tile, 1).y0};
    take_buffers(&walk);
    share_requests(&walk);
    return walk;
}

/* Row y of the old iterate, from x = 0 on. */
static const double *old_row(const struct walk *walk, local_index y) {
    return walk->tile->box.u + y * walk->tile->box.pitch;
}

/* The places of level 0 that may be read: the box, its halo and the ghosts at sides of the domain.
 */
static struct folded_range readable(const struct walk *walk) {
    const struct temporal_tile *tile = walk->tile;
    const struct region *box = &tile->box.box, *domain = &tile->domain;
    return (struct folded_range){larger(box->x0 - tile->sweeps, domain->x0 - 1) - walk->begin,
                                 smaller(box->x1 + tile->sweeps, domain->x1 + 1) - walk->begin};
}

/* Folds this column of a row that begins at x = 0, and `before` lines before it. */
static void fold_row(const struct walk *walk, const double *row, double *folded, int64_t before) {
    walk->folded->fold(row + walk->begin, readable(walk), folded, walk->lines, before);
}

/* Row y of level 0. */
static void fold_old_row(const struct walk *walk, local_index y, double *folded) {
    const double *row = old_row(walk, y);
    struct folded_range range = readable(walk);
    double end[FOLDED_BEFORE];
    for (int i = 0; i < FOLDED_BEFORE; i++)
        end[i] = i - FOLDED_BEFORE >= range.begin ? row[walk->begin + i - FOLDED_BEFORE] : 0;
    fold_row(walk, row, folded, 0);
    walk->folded->link(&folded, 1, walk->lines, end);
}

static double *source_row(const struct walk *walk, local_index y) {
    int64_t slot = (y - walk->y_begin) % ring_rows(walk->tile->rows, walk->tile->sweeps);
    return walk->source +
           slot * buffer_lines(walk->lines, lines_before(walk->tile->sweeps)) * SPAN_LINE;
}

/* What a step needs beside the rows that were kept: those of level 0, one row ahead of level 1,
 * which begins with row y, and the source's. */
static void fold_step(const struct walk *walk, local_index y) {
    const struct kernel_box *box = &walk->tile->box;
    local_index end = smaller(y + walk->tile->rows, level_rows(walk->tile, 1).y1);
    for (local_index i = y; i < end; i++) {
        fold_old_row(walk, i + 1, walk->row[i - y + 2]);
        if (box->source)
            fold_row(walk, box->source + i * box->pitch, source_row(walk, i),
                     lines_before(walk->tile->sweeps));
    }
}

/* What lies beyond a side of the domain, if the tile reaches that far. */
static void fold_beyond(const struct walk *walk, enum side side, local_index y, bool reached) {
    const double *mirror = walk->tile->mirror[side];
    if (reached)
        fold_row(walk, mirror ? mirror : old_row(walk, y), walk->beyond[side == SIDE_NORTH],
                 lines_before(walk->tile->sweeps));
}

/* The value at a place of a row, or of the end of the column to the west. */
static double *place(double *row, double *end, int64_t lines, int64_t i) {
    return i < 0 ? &end[i + FOLDED_BEFORE] : &row[i % lines * SPAN_LINE + i / lines];
}

/* The ghosts at x in a level's rows from y on; `inward` leads to the first point. */
static void put_ghosts(const struct walk *walk, const struct folded_span *span, int level,
                       local_index y, enum side side, local_index x, int inward) {
    const double *mirror = walk->tile->mirror[side];
    int64_t i = x - walk->begin + level;
    if (i < 0 || i >= walk->lines * SPAN_LINE)
        return;
    for (int r = 0; r < span->rows; r++) {
        double *end = walk->end + FOLDED_BEFORE * r;
        double *ghost = place(span->row[r], end, walk->lines, i);
        *ghost = mirror ? *place(span->row[r], end, walk->lines, i + 2 * inward) + mirror[y + r]
                        : old_row(walk, y + r)[x];
    }
}

/* The ghosts at both ends of a level's rows. Given values come first, because the mirror of a
 * single column is the ghost on its other side. */
static void put_end_ghosts(const struct walk *walk, const struct folded_span *span, int level,
                           local_index y) {
    const struct temporal_tile *tile = walk->tile;
    bool mirror_west = tile->mirror[SIDE_WEST] != NULL;
    for (int turn = 0; turn < 2; turn++)
        if ((turn == 1) == mirror_west)
            put_ghosts(walk, span, level, y, SIDE_WEST, tile->domain.x0 - 1, 1);
        else
            put_ghosts(walk, span, level, y, SIDE_EAST, tile->domain.x1, -1);
}

/* What a level reads beyond a side of the domain: given values, or mirror ghosts of a row. */
static void put_side_row(const struct walk *walk, enum side side, int level, const double *inner,
                         double *ghosts) {
    const double *beyond = walk->beyond[side == SIDE_NORTH] - (level - 1) * SPAN_LINE;
    const double *mirror = walk->tile->mirror[side];
    for (int64_t i = -FOLDED_BEFORE * SPAN_LINE; i < walk->lines * SPAN_LINE; i++)
        ghosts[i] = mirror ? inner[i] + beyond[i] : beyond[i];
}

/* Puts the rows beyond the sides of the domain into a span whose first row is y, in buffers that
 * would hold rows of the level before if there were more. Given values come first, because the
 * mirror of a single row is the row beyond the other side. */
static void put_side_rows(const struct walk *walk, const struct folded_span *span, int level,
                          local_index y) {
    const struct region *domain = &walk->tile->domain;
    const double *const *mirror = walk->tile->mirror;
    local_index south = domain->y0 - 1 - y, north = domain->y1 - y;
    double *const *row = span->row;
    for (int turn = 0; turn < 2; turn++) {
        if (south >= 0 && (turn == 1) == (mirror[SIDE_SOUTH] != NULL))
            put_side_row(walk, SIDE_SOUTH, level, row[south + 2], row[south]);
        if (north < span->rows + 2 && (turn == 1) == (mirror[SIDE_NORTH] != NULL))
            put_side_row(walk, SIDE_NORTH, level, row[north - 2], row[north]);
    }
}

/* Writes a row of the last level to the new iterate. */
static void unfold_row(const struct walk *walk, const double *folded, local_index y) {
    const struct kernel_box *box = &walk->tile->box;
    local_index x0 = walk->begin - walk->tile->sweeps;
    struct folded_range range = {box->box.x0 - x0, box->box.x1 - x0};
    walk->folded->unfold(folded, box->u_new + y * box->pitch + x0, range, walk->lines,
                         walk->tile->streaming);
}

/* After the sweep of a level's rows from y on: what later levels and columns need of them, or the
 * result. */
static void finish_rows(struct walk *walk, const struct folded_span *span, int level,
                        local_index y) {
    if (level == walk->tile->sweeps) {
        for (int r = 0; r < span->rows; r++)
            unfold_row(walk, span->row[r], y + r);
        return;
    }
    put_end_ghosts(walk, span, level, y);
    walk->folded->link(span->row, span->rows, walk->lines, walk->end);
    walk->end += FOLDED_BEFORE * span->rows;
}

/* The rows of a level in the step that begins with row `step` of level 1, as far as the tile needs
 * them. They are written where they were read, two rows behind. */
static void sweep_rows(struct walk *walk, int level, local_index step) {
    const struct temporal_tile *tile = walk->tile;
    local_index y = step + 1 - level;
    struct region region = level_rows(tile, level);
    local_index first = larger(y, region.y0), last = smaller(y + tile->rows, region.y1);
    if (first >= last)
        return;
    struct folded_span span;
    span.stencil = tile->box.stencil;
    span.rows = (int)(last - first);
    span.lines = walk->lines;
    span.source[0] = NULL;
    span.kept = walk->kept[level < tile->sweeps ? level : 0];
    span.request = walk->request[level] + step * tile->box.pitch;
    span.request_step = walk->request_step;
    for (int i = 0; i < span.rows + 2; i++)
        span.row[i] = walk->row[first - y + i];
    for (int i = 0; tile->box.source && i < span.rows; i++)
        span.source[i] = source_row(walk, first + i) - level * SPAN_LINE;
    if (level > 1)
        put_side_rows(walk, &span, level, first - 1);
    walk->folded->sweep(&span);
    finish_rows(walk, &span, level, first);
}

static void sweep_plane(struct walk *walk) {
    const struct temporal_tile *tile = walk->tile;
    struct region first = level_rows(tile, 1);
    local_index end = tile->box.box.y1 + tile->sweeps - 1;
    fold_beyond(walk, SIDE_SOUTH, first.y0 - 1, first.y0 == tile->domain.y0);
    fold_beyond(walk, SIDE_NORTH, first.y1, first.y1 == tile->domain.y1);
    for (int i = 0; i < 2; i++)
        fold_old_row(walk, first.y0 - 1 + i, walk->kept[0][i]);
    for (local_index y = first.y0; y < end; y += tile->rows) {
        fold_step(walk, y);
        for (int level = 1; level <= tile->sweeps; level++) {
            take_kept(walk->row, walk->kept[level - 1]);
            sweep_rows(walk, level, y);
            keep_rows(walk->row, walk->kept[level - 1], tile->rows);
        }
    }
}

/* A line is one row, which all levels share. */
static void sweep_line(struct walk *walk) {
    const struct kernel_box *box = &walk->tile->box;
    double *row = walk->row[2];
    struct folded_span span = {.stencil = box->stencil,
                               .rows = 1,
                               .lines = walk->lines,
                               .row = {row, row, row},
                               .kept = walk->row + 2,
                               .request = row};
    fold_old_row(walk, 0, row);
    if (box->source)
        fold_row(walk, box->source, walk->source, lines_before(walk->tile->sweeps));
    for (int level = 1; level <= walk->tile->sweeps; level++) {
        span.source[0] = box->source ? walk->source - level * SPAN_LINE : NULL;
        walk->folded->sweep(&span);
        finish_rows(walk, &span, level, 0);
    }
}

void kernel_temporal(const struct temporal_tile *tile, const struct folded_functions *folded) {
    if (region_points(tile->box.box) == 0)
        return;
    struct columns columns = columns_of(tile);
    for (int64_t number = 0; number < columns.count; number++) {
        struct walk walk = walk_begin(tile, folded, columns, number);
        if (tile->box.stencil->dimensions == 1)
            sweep_line(&walk);
        else
            sweep_plane(&walk);
    }
    if (tile->streaming)
        streaming_fence();
}

/* Width at which the rows of a step fill half of the first-level cache; the next level's rows are
 * on their way. */
static int64_t default_width(int64_t doubles, int rows, int sweeps) {
    (void)sweeps;
    return smaller(doubles / 2 / rows, WIDTH_MAX) & -TEMPORAL_UNIT;
}

const struct tiling tiling_temporal = {.rows = DEFAULT_ROWS,
                                       .default_width = default_width,
                                       .possible_width = possible_width,
                                       .scratch_bytes = scratch_bytes,
                                       .points = points};
