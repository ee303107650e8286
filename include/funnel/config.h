/* The configuration of a run: one table of options, from which parsing, checks, --help,
 * --print-config and the README's reference come. Room: config. */
#ifndef FUNNEL_CONFIG_H
#define FUNNEL_CONFIG_H

#include "funnel/equation.h"
#include "funnel/process_grid.h"
#include <stdio.h>

enum { CONFIG_TEXT_BYTES = 512, CONFIG_OPTIONS_MAX = 64 };

/* One side: kind and, for Dirichlet and Neumann, an expression along it. */
struct side_option {
    enum side_kind kind;
    char value[CONFIG_TEXT_BYTES];
};

/* What sweeps do with numbers below 2.2e-308. */
enum denormals { DENORMALS_KEEP, DENORMALS_FLUSH };

/* Size of the tiles of a kernel that works by tiles; both 0: auto. */
struct tile_wish {
    int width, rows;
};
enum { TILE_WIDTH_LEAST = 8, TILE_WIDTH_MOST = 65536, TILE_ROWS_LEAST = 2, TILE_ROWS_MOST = 32 };

enum schedule_wish { SCHEDULE_STATIC, SCHEDULE_DYNAMIC };

enum timing_split { TIMING_SPLIT_OFF, TIMING_SPLIT_ON };
enum binding_policy { BINDING_REPORT, BINDING_WARN, BINDING_STRICT };

/* Plain bytes without pointers: rank 0 reads it and sends it to the others as it is.
 * A field of an option that holds `auto` is 0 (or "auto" where it is text). */
struct config {
    char program[32];                /* name used in messages */
    char file[CONFIG_TEXT_BYTES];    /* as given on the command line */
    int line_of[CONFIG_OPTIONS_MAX]; /* of each option: 0 default, -1 command line, else line */
    struct {
        global_index nx, ny; /* ny 0: a line */
        double length_x, length_y;
    } grid;
    struct {
        char source[CONFIG_TEXT_BYTES], diffusion[CONFIG_TEXT_BYTES], reaction[CONFIG_TEXT_BYTES];
        struct side_option side[SIDE_COUNT];
        char initial[CONFIG_TEXT_BYTES], exact[CONFIG_TEXT_BYTES]; /* exact: empty if unknown */
        enum denormals denormals;
    } problem;
    struct {
        char method[32];
        double omega, rtol, atol;
        int64_t max_sweeps, check_every; /* check_every 0: auto */
        double time_limit_s;             /* 0: none */
    } solver;
    struct {
        struct process_grid_wish process_grid;
        char halo[32];
        int halo_depth; /* 0: auto */
        char kernel[32];
        struct tile_wish kernel_tile;
        enum schedule_wish schedule;
        int threads;            /* 0: auto */
        bool synchronous_sends; /* debug: every send waits for its receive */
    } parallel;
    struct {
        enum timing_split split;
    } timing;
    struct {
        char record[CONFIG_TEXT_BYTES], image[CONFIG_TEXT_BYTES], history[CONFIG_TEXT_BYTES];
        bool overwrite;
    } output;
    struct {
        enum binding_policy policy;
    } binding;
};

/* All defaults, no file. */
void config_defaults(struct config *config, const char *program);

/* Reads a file (INI) over the defaults. Fails with EXIT_CODE_FILES if it cannot be read, else with
 * EXIT_CODE_USAGE and "FILE:LINE: SECTION.KEY: what is wrong". One rank only. */
bool config_read(struct config *config, const char *path, struct status *status);

/* Applies "section.key=value" from the command line over the rest. */
bool config_override(struct config *config, const char *assignment, struct status *status);

/* Checks everything that two options say together, and every expression; call it once after the
 * last option. Fills nothing in. */
bool config_check(const struct config *config, struct status *status);

/* Writes a config file that gives the same run. */
void config_print(const struct config *config, FILE *out);

/* Writes the option table for --help, and as Markdown for the README. */
void config_print_help(FILE *out);
void config_print_reference(FILE *out);

/* Calls `visit` for every option that applies (a line has no y options) in the order of the table,
 * with its section, key and value as text, without the quotes that config_print may add (records
 * and tests walk the table with it). The text lives during the call only. */
void config_visit(const struct config *config,
                  void (*visit)(void *context, const char *section, const char *key,
                                const char *value),
                  void *context);

/* "FILE:LINE: " or "command line: " or "" for an option, to start a message of a later check. */
const char *config_place(const struct config *config, const char *section, const char *key,
                         char *text, size_t size);

/* Notes the message of a later check that begins with "section.key: ", with the option's place
 * before it. */
void config_fail_like(const struct config *config, const struct status *cause,
                      struct status *status);

/* The grid and the equation of a configuration. Fails (EXIT_CODE_USAGE) as grid_make does, or where
 * diffusion or reaction is no constant. */
bool config_grid(const struct config *config, struct grid *grid, struct status *status);
bool config_equation(const struct config *config, struct equation *equation, struct status *status);

#endif
