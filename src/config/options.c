/* The one table of options. Parsing, range checks, --help, --print-config, the reference in the
 * README and "did you mean" all come from these rows: a new option is a field and a row. */
#include "options.h"
#include "funnel/relaxation.h"
#include "funnel/text.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

static const char *method_name(int i) {
    return i < relaxation_count ? relaxations[i].name : NULL;
}

static const char *switch_name(int i) {
    static const char *const names[] = {"off", "on"};
    return i < 2 ? names[i] : NULL;
}

static const char *denormals_name(int i) {
    static const char *const names[] = {"keep", "flush"};
    return i < 2 ? names[i] : NULL;
}

static const char *schedule_name(int i) {
    static const char *const names[] = {"static", "dynamic"};
    return i < 2 ? names[i] : NULL;
}

static const char *policy_name(int i) {
    static const char *const names[] = {"report", "warn", "strict"};
    return i < 3 ? names[i] : NULL;
}

const struct option options[] = {
    {"grid", "nx", OPTION_LONG, offsetof(struct config, grid.nx), NULL, 1, INT32_MAX,
     .help = "unknowns along x"},
    {"grid", "ny", OPTION_LONG, offsetof(struct config, grid.ny), "", 1, INT32_MAX,
     .rectangle_only = true, .help = "unknowns along y; without it the domain is a line"},
    {"grid", "length_x", OPTION_REAL, offsetof(struct config, grid.length_x), "1", 0, HUGE_VAL,
     .open = true, .help = "length of the domain along x"},
    {"grid", "length_y", OPTION_REAL, offsetof(struct config, grid.length_y), "1", 0, HUGE_VAL,
     .open = true, .rectangle_only = true, .help = "length of the domain along y"},

    {"problem", "source", OPTION_EXPRESSION, offsetof(struct config, problem.source), "0",
     .help = "f of -div(k grad u) + s u = f"},
    {"problem", "diffusion", OPTION_EXPRESSION, offsetof(struct config, problem.diffusion), "1",
     .help = "k, a constant above 0"},
    {"problem", "reaction", OPTION_EXPRESSION, offsetof(struct config, problem.reaction), "0",
     .help = "s, a constant, at least 0"},
    {"problem", "west", OPTION_SIDE, offsetof(struct config, problem.side[SIDE_WEST]),
     "dirichlet 0", .help = "side x = 0; a flux is k du/dn, n pointing outward"},
    {"problem", "east", OPTION_SIDE, offsetof(struct config, problem.side[SIDE_EAST]),
     "dirichlet 0", .help = "side x = length_x"},
    {"problem", "south", OPTION_SIDE, offsetof(struct config, problem.side[SIDE_SOUTH]),
     "dirichlet 0", .rectangle_only = true, .help = "side y = 0"},
    {"problem", "north", OPTION_SIDE, offsetof(struct config, problem.side[SIDE_NORTH]),
     "dirichlet 0", .rectangle_only = true, .help = "side y = length_y"},
    {"problem", "initial", OPTION_EXPRESSION, offsetof(struct config, problem.initial), "0",
     .help = "values to start from"},
    {"problem", "exact", OPTION_EXPRESSION, offsetof(struct config, problem.exact), "",
     .help = "exact solution, if known: the run then reports its errors"},
    {"problem", "denormals", OPTION_ENUM, offsetof(struct config, problem.denormals), "flush",
     .choice = denormals_name,
     .help = "what becomes of numbers below 2.2e-308: zero, or kept, which sweeps a field full of "
             "them about 20 times as slowly"},

    {"solver", "method", OPTION_WORD, offsetof(struct config, solver.method), "jacobi",
     .choice = method_name, .help = "relaxation method"},
    {"solver", "omega", OPTION_REAL, offsetof(struct config, solver.omega), "1", 0, 2, .open = true,
     .help = "relaxation factor of method weighted; it converges for certain up to 1"},
    {"solver", "rtol", OPTION_REAL, offsetof(struct config, solver.rtol), "1e-8", 0, 1,
     .help = "stop when the residual is below rtol times the right-hand side"},
    {"solver", "atol", OPTION_REAL, offsetof(struct config, solver.atol), "0", 0, HUGE_VAL,
     .help = "or below atol; with both 0 the run does exactly max_sweeps sweeps"},
    {"solver", "max_sweeps", OPTION_LONG, offsetof(struct config, solver.max_sweeps), "100000", 1,
     1e12, .help = "most sweeps to do"},
    {"solver", "check_every", OPTION_LONG, offsetof(struct config, solver.check_every), "auto", 1,
     1e12, .takes_auto = true, .unit = "sweeps", .help = "sweeps between two residuals"},
    {"solver", "time_limit_s", OPTION_REAL, offsetof(struct config, solver.time_limit_s), "0", 0,
     1e9, .unit = "s", .help = "stop after this time; 0: no limit"},

    {"parallel", "process_grid", OPTION_PROCESS_GRID,
     offsetof(struct config, parallel.process_grid), "auto",
     .help = "ranks along x and y; auto takes the fewest halo points"},
    {"parallel", "halo", OPTION_WORD, offsetof(struct config, parallel.halo), "nonblocking",
     .help = "variant of the halo exchange"},
    {"parallel", "halo_depth", OPTION_INT, offsetof(struct config, parallel.halo_depth), "auto", 1,
     64, .takes_auto = true, .unit = "points",
     .help = "sweeps between two exchanges, which are as many points deep"},
    {"parallel", "kernel", OPTION_WORD, offsetof(struct config, parallel.kernel), "auto",
     .help = "kernel of the sweep; auto takes the best for this processor and problem"},
    {"parallel", "kernel_tile", OPTION_TILE, offsetof(struct config, parallel.kernel_tile), "auto",
     .help = "points and rows that temporal and tiled work on at a time; auto: by the caches"},
    {"parallel", "schedule", OPTION_ENUM, offsetof(struct config, parallel.schedule), "static",
     .choice = schedule_name,
     .help =
         "static: threads sweep the memory they touched first; dynamic: then what slower threads "
         "have left"},
    {"parallel", "threads", OPTION_INT, offsetof(struct config, parallel.threads), "auto", 1, 4096,
     .takes_auto = true,
     .help = "threads of a rank that sweep, at most OMP_NUM_THREADS; auto: fewer where parts are "
             "small"},
    {"parallel", "synchronous_sends", OPTION_SWITCH,
     offsetof(struct config, parallel.synchronous_sends), "off", .choice = switch_name,
     .help = "every send waits for its receive: shows hidden reliance on buffers"},

    {"timing", "split", OPTION_ENUM, offsetof(struct config, timing.split), "off",
     .choice = switch_name,
     .help = "tell waiting for other ranks from transfer; costs a barrier before each exchange"},

    {"output", "record", OPTION_PATH, offsetof(struct config, output.record), "",
     .help = "JSON record of the run; - is standard output"},
    {"output", "image", OPTION_PICTURE, offsetof(struct config, output.image), "",
     .help = "picture of the solution (PNG)"},
    {"output", "history", OPTION_PATH, offsetof(struct config, output.history), "",
     .help = "sweep, time and residual at each check (CSV)"},
    {"output", "overwrite", OPTION_SWITCH, offsetof(struct config, output.overwrite), "off",
     .choice = switch_name, .help = "replace output files that exist"},

    {"binding", "policy", OPTION_ENUM, offsetof(struct config, binding.policy), "warn",
     .choice = policy_name, .help = "what a wrong binding does; strict refuses to run"},
};
const int option_count = (int)(sizeof options / sizeof options[0]);

_Static_assert(sizeof options / sizeof options[0] <= CONFIG_OPTIONS_MAX,
               "config.line_of has a place for each option");

int option_find(const char *section, const char *key) {
    for (int i = 0; i < option_count; i++)
        if (strcmp(options[i].section, section) == 0 && strcmp(options[i].key, key) == 0)
            return i;
    return -1;
}

bool option_section_known(const char *section) {
    for (int i = 0; i < option_count; i++)
        if (strcmp(options[i].section, section) == 0)
            return true;
    return false;
}

bool option_applies(const struct option *option, const struct config *config) {
    return !option->rectangle_only || config->grid.ny > 0;
}

void option_section_unknown(const char *place, const char *section, struct status *status) {
    const char *names[CONFIG_OPTIONS_MAX];
    for (int i = 0; i < option_count; i++)
        names[i] = options[i].section;
    const char *nearest = text_nearest(section, names, option_count);
    if (nearest)
        status_fail(status, EXIT_CODE_USAGE, "%sunknown section [%.60s]; did you mean [%s]?", place,
                    section, nearest);
    else
        status_fail(status, EXIT_CODE_USAGE,
                    "%sunknown section [%.60s]; known are grid, problem, solver, parallel, timing, "
                    "output and binding",
                    place, section);
}

/* The option of another section that has this very key, or NULL. */
static const struct option *elsewhere(const char *key) {
    for (int i = 0; i < option_count; i++)
        if (strcmp(options[i].key, key) == 0)
            return &options[i];
    return NULL;
}

/* The keys of a section; returns how many. */
static int keys_of(const char *section, const char *names[CONFIG_OPTIONS_MAX]) {
    int count = 0;
    for (int i = 0; i < option_count; i++)
        if (strcmp(options[i].section, section) == 0)
            names[count++] = options[i].key;
    return count;
}

static void key_not_near(const char *place, const char *section, const char *key,
                         struct status *status) {
    const char *names[CONFIG_OPTIONS_MAX];
    char list[OPTION_WHY_BYTES] = "";
    int count = keys_of(section, names);
    for (int i = 0; i < count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    status_fail(status, EXIT_CODE_USAGE, "%s%s.%.60s: unknown key; [%s] has %s", place, section,
                key, section, list);
}

static void key_unknown(const char *place, const char *section, const char *key,
                        struct status *status) {
    const char *names[CONFIG_OPTIONS_MAX];
    const struct option *other = elsewhere(key);
    const char *nearest = text_nearest(key, names, keys_of(section, names));
    if (other)
        status_fail(status, EXIT_CODE_USAGE, "%s%s.%.60s: unknown key; it belongs to [%s]", place,
                    section, key, other->section);
    else if (nearest)
        status_fail(status, EXIT_CODE_USAGE, "%s%s.%.60s: unknown key; did you mean %s?", place,
                    section, key, nearest);
    else
        key_not_near(place, section, key, status);
}

int option_require(const char *place, const char *section, const char *key, struct status *status) {
    int found = option_find(section, key);
    if (found >= 0)
        return found;
    if (option_section_known(section))
        key_unknown(place, section, key, status);
    else
        option_section_unknown(place, section, status);
    return -1;
}
