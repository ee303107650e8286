/* jacobi --tune: short solves of this very problem with one option changed at a time, kernel and
 * depth first, each next option on top of the best so far; a halo variant that wins is tried with
 * other depths too. Candidates of a stage take turns, so that a change of the machine's state meets
 * all of them, and the best of a candidate's runs counts. All ranks know the same rates, so they
 * choose alike; the time that is left is rank 0's.
 */
#include "funnel/clock.h"
#include "funnel/text.h"
#include "jacobi.h"
#include <string.h>

enum { CANDIDATES_MAX = 48, ROUNDS = 3, DEPTH_MOST = 64 /* that an option can hold */ };

/* A solve begins only if it should end by then; what is not measured is left out. Each stage leaves
 * time to those that follow. */
enum stage { STAGE_KERNELS, STAGE_HALOS, STAGE_DEPTHS, STAGE_TILES, STAGE_SCHEDULES, STAGES };
static const double until_s[STAGES] = {8, 11, 13, 16, 17};
static const double hopeless = 0.7; /* of the best: one run is enough to see it */
static const double solve_s = 0.05; /* that a solve sweeps, if one block is not longer */
static const double limit_s = 0.5;  /* of a solve of several blocks, whatever it should take */
static const double margin = 1.02;  /* a candidate must be faster by as much to be worth its line */

/* The options that are tuned. */
struct choice {
    char kernel[32], halo[32];
    int halo_depth;
    struct tile_wish tile;
    enum schedule_wish schedule;
};

struct candidate {
    struct choice choice;
    double rate_lups; /* of its best run, 0 before the first */
    char refused[200];
};

struct tuning {
    const struct config *config;
    const struct solve_plan *plan; /* as configured */
    struct team *team;
    const struct sweep_caches *caches;
    struct config trial_config;
    struct solve_plan trial_plan;
    double begin_s;
    int solves;
    double best_lups; /* of all runs so far */
    bool stopped;
    struct candidate candidate[CANDIDATES_MAX];
    int count, best;
};

/* Sweeps of a short solve: a block that does not count, and those that do. */
static int64_t sweeps_of(const struct tuning *tuning, int depth) {
    double points = (double)grid_points(&tuning->plan->grid);
    double blocks = solve_s * tuning->best_lups / (points * depth);
    return depth * (int64_t)(blocks < 1 ? 2 : blocks > 1e6 ? 1e6 : blocks + 1);
}

static void set_trial(struct tuning *tuning, const struct choice *choice) {
    struct config *trial = &tuning->trial_config;
    *trial = *tuning->config;
    memcpy(trial->parallel.kernel, choice->kernel, sizeof choice->kernel);
    memcpy(trial->parallel.halo, choice->halo, sizeof choice->halo);
    trial->parallel.halo_depth = choice->halo_depth;
    trial->parallel.kernel_tile = choice->tile;
    trial->parallel.schedule = choice->schedule;
    trial->solver.rtol = trial->solver.atol = 0;
    trial->solver.max_sweeps = trial->solver.check_every = sweeps_of(tuning, choice->halo_depth);
    /* the rate of a few points swept once promises anything; two blocks are the least that counts
     */
    trial->solver.time_limit_s = trial->solver.max_sweeps > 2 * choice->halo_depth ? limit_s : 0;
    trial->problem.exact[0] = '\0';
}

/* Points a second while sweeping and exchanging; norms cost every candidate the same. */
static double rate_of(const struct tuning *tuning, const struct solve_result *result) {
    const struct spread *phase = result->phase_s;
    double seconds = phase[PHASE_SWEEP].mean + phase[PHASE_PACK].mean + phase[PHASE_TRANSFER].mean +
                     phase[PHASE_WAIT].mean;
    double points = (double)grid_points(&tuning->trial_plan.grid);
    int64_t counted = result->sweeps - result->first_block_sweeps;
    return seconds > 0 && counted > 0 ? points * (double)counted / seconds : 0;
}

/* COLLECTIVE. */
static bool plan_trial(struct tuning *tuning, struct status *status) {
    solve_plan_make(&tuning->trial_plan, &tuning->trial_config, team_facts(tuning->team),
                    tuning->caches, status);
    return team_agree(tuning->team, status) &&
           solve_memory_check(tuning->team, &tuning->trial_plan, status);
}

/* One short solve. COLLECTIVE. */
static bool solve_trial(struct tuning *tuning, struct solve_result *result, struct status *status) {
    if (!plan_trial(tuning, status))
        return false;
    struct solve *solve =
        solve_make(tuning->team, &tuning->trial_plan, &tuning->trial_config, status);
    bool solved = solve && solve_run(solve, NULL, result, status);
    solve_free(solve);
    return solved;
}

/* Whether the time allows for another solve; the same answer on all ranks. COLLECTIVE. */
static bool time_left(struct tuning *tuning, enum stage stage) {
    double spent_s = clock_now_s() - tuning->begin_s;
    bool left = spent_s + 1.5 * spent_s / tuning->solves <= until_s[stage];
    team_share(tuning->team, &left, sizeof left);
    return left;
}

/* Measures a candidate once more. False with status set where it cannot run. COLLECTIVE. */
static bool measure(struct tuning *tuning, struct candidate *candidate, struct status *status) {
    struct solve_result result = {0};
    set_trial(tuning, &candidate->choice);
    tuning->solves++;
    if (!solve_trial(tuning, &result, status))
        return false;
    double rate_lups = rate_of(tuning, &result);
    tuning->stopped = result.reason == STOP_SIGNAL;
    if (rate_lups > candidate->rate_lups)
        candidate->rate_lups = rate_lups;
    if (rate_lups > tuning->best_lups)
        tuning->best_lups = rate_lups;
    return true;
}

static void refuse(struct candidate *candidate, const struct status *status) {
    snprintf(candidate->refused, sizeof candidate->refused, "%.199s", status->text);
}

/* One turn of a candidate, unless it cannot run or win, or there is no time. */
static void take_turn(struct tuning *tuning, struct candidate *candidate, enum stage stage) {
    struct status status = {0};
    double rate_lups = candidate->rate_lups;
    bool lost = rate_lups > 0 && rate_lups < hopeless * tuning->best_lups;
    if (candidate->refused[0] != '\0' || lost || tuning->stopped || !time_left(tuning, stage))
        return;
    if (!measure(tuning, candidate, &status))
        refuse(candidate, &status);
}

/* Rounds over the candidates from `first` on and the best so far; the fastest becomes the best. */
static void run_stage(struct tuning *tuning, enum stage stage, int first) {
    if (first == tuning->count)
        return;
    for (int round = 0; round < ROUNDS; round++) {
        if (first > tuning->best)
            take_turn(tuning, &tuning->candidate[tuning->best], stage);
        for (int i = first; i < tuning->count; i++)
            take_turn(tuning, &tuning->candidate[i], stage);
    }
    int best = tuning->best;
    double least = margin * tuning->candidate[best].rate_lups;
    for (int i = first; i < tuning->count; i++)
        if (tuning->candidate[i].rate_lups > least) {
            least = tuning->candidate[i].rate_lups;
            best = i;
        }
    tuning->best = best;
}

static bool equal(const struct choice *a, const struct choice *b) {
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->halo, b->halo) == 0 &&
           a->halo_depth == b->halo_depth && a->tile.width == b->tile.width &&
           a->tile.rows == b->tile.rows && a->schedule == b->schedule;
}

/* Adds a candidate unless it is there; one that no time is needed to refuse is refused here. */
static void add(struct tuning *tuning, const struct choice *choice) {
    struct status status = {0};
    for (int i = 0; i < tuning->count; i++)
        if (equal(&tuning->candidate[i].choice, choice))
            return;
    if (tuning->count == CANDIDATES_MAX)
        return;
    struct candidate *candidate = &tuning->candidate[tuning->count++];
    *candidate = (struct candidate){.choice = *choice};
    set_trial(tuning, choice);
    if (!plan_trial(tuning, &status))
        refuse(candidate, &status);
}

static void add_kernel(struct tuning *tuning, const struct choice *from, const char *kernel,
                       int depth) {
    struct choice choice = *from;
    const struct kernel *row = kernel_find(kernel);
    snprintf(choice.kernel, sizeof choice.kernel, "%s", kernel);
    choice.halo_depth = depth;
    if (row && !row->choose_tile)
        choice.tile = (struct tile_wish){0, 0};
    add(tuning, &choice);
}

/* The deepest halo that a block can use. */
static int64_t deepest(const struct tuning *tuning) {
    const struct solve_plan *plan = tuning->plan;
    int64_t most = plan->check_every < tuning->config->solver.max_sweeps
                       ? plan->check_every
                       : tuning->config->solver.max_sweeps;
    return plan->narrowest_part > 0 && plan->narrowest_part < most ? plan->narrowest_part : most;
}

/* Kernels with tiles at every depth that blocks can have, and those one sweep at a time; the likely
 * ones first, no reference. */
static void try_kernels(struct tuning *tuning) {
    static const int depths[] = {32, 16, 64, 8, 4};
    const struct choice from = tuning->candidate[0].choice;
    int first = tuning->count;
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++)
        for (int row = kernel_count - 1; row > 0 && depths[i] <= deepest(tuning); row--)
            if (kernels[row].choose_tile)
                add_kernel(tuning, &from, kernels[row].name, depths[i]);
    for (int row = kernel_count - 1; row > 0; row--)
        if (!kernels[row].choose_tile)
            add_kernel(tuning, &from, kernels[row].name, 1);
    run_stage(tuning, STAGE_KERNELS, first);
}

static void add_tile(struct tuning *tuning, struct choice choice, int width, int rows) {
    if (width < TILE_WIDTH_LEAST || width > TILE_WIDTH_MOST || rows < TILE_ROWS_LEAST ||
        rows > TILE_ROWS_MOST)
        return;
    choice.tile = (struct tile_wish){width, rows};
    add(tuning, &choice);
}

static void try_tiles(struct tuning *tuning) {
    const struct choice from = tuning->candidate[tuning->best].choice;
    struct choice choice = from;
    struct status status = {0};
    int first = tuning->count;
    set_trial(tuning, &from);
    plan_trial(tuning, &status);
    struct kernel_tile tile = tuning->trial_plan.tile;
    /* ranks need not agree on the size of a tile, but rank 0's is what will be printed */
    team_share(tuning->team, &tile, sizeof tile);
    if (tile.width == 0)
        return;
    choice.tile = (struct tile_wish){0, 0};
    add(tuning, &choice);
    add_tile(tuning, from, tile.width / 2, tile.rows);
    add_tile(tuning, from, tile.width * 2, tile.rows);
    add_tile(tuning, from, tile.width, tile.rows / 2);
    add_tile(tuning, from, tile.width, tile.rows * 2);
    run_stage(tuning, STAGE_TILES, first);
}

static void try_schedules(struct tuning *tuning) {
    int threads = tuning->plan->threads;
    struct choice choice = tuning->candidate[tuning->best].choice;
    int first = tuning->count;
    team_share(tuning->team, &threads, sizeof threads);
    if (threads == 1)
        return;
    choice.schedule = choice.schedule == SCHEDULE_STATIC ? SCHEDULE_DYNAMIC : SCHEDULE_STATIC;
    add(tuning, &choice);
    run_stage(tuning, STAGE_SCHEDULES, first);
}

static void add_halo(struct tuning *tuning, const struct halo_variant *variant) {
    struct choice choice = tuning->candidate[tuning->best].choice;
    snprintf(choice.halo, sizeof choice.halo, "%s", variant->name);
    add(tuning, &choice);
}

/* First those that save most where they can: no message, or one that threads sweep beside. */
static void try_halos(struct tuning *tuning) {
    int first = tuning->count;
    for (int row = 0; row < halo_variant_count; row++)
        if (halo_variants[row]->shares || halo_variants[row]->overlaps)
            add_halo(tuning, halo_variants[row]);
    for (int row = 0; row < halo_variant_count; row++)
        add_halo(tuning, halo_variants[row]);
    run_stage(tuning, STAGE_HALOS, first);
}

/* Half and twice the best depth; true if one of them is better. */
static bool try_depths(struct tuning *tuning) {
    const struct choice from = tuning->candidate[tuning->best].choice;
    int first = tuning->count, best = tuning->best;
    if (from.halo_depth > 1)
        add_kernel(tuning, &from, from.kernel, from.halo_depth / 2);
    if (2 * from.halo_depth <= DEPTH_MOST && 2 * from.halo_depth <= deepest(tuning))
        add_kernel(tuning, &from, from.kernel, 2 * from.halo_depth);
    run_stage(tuning, STAGE_DEPTHS, first);
    return tuning->best != best;
}

/* What the run would do as it is configured is the first candidate. */
static bool try_as_configured(struct tuning *tuning, struct status *status) {
    const struct solve_plan *plan = tuning->plan;
    struct choice choice = {.halo_depth = plan->halo_depth,
                            .tile = tuning->config->parallel.kernel_tile,
                            .schedule = tuning->config->parallel.schedule};
    snprintf(choice.kernel, sizeof choice.kernel, "%s", plan->kernel->name);
    snprintf(choice.halo, sizeof choice.halo, "%s", plan->halo->name);
    add(tuning, &choice);
    struct candidate *candidate = &tuning->candidate[0];
    if (!measure(tuning, candidate, status))
        return false;
    if (candidate->rate_lups == 0 && !tuning->stopped)
        status_fail(status, EXIT_CODE_DIVERGED,
                    "--tune: the start values are not finite: there is nothing to measure");
    return status_good(status);
}

static const char *tile_text(struct tile_wish tile, char text[32]) {
    if (tile.width == 0)
        snprintf(text, 32, "auto");
    else
        snprintf(text, 32, "%dx%d", tile.width, tile.rows);
    return text;
}

static const char *schedule_text(enum schedule_wish schedule) {
    return schedule == SCHEDULE_DYNAMIC ? "dynamic" : "static";
}

static void print_table(const struct tuning *tuning, FILE *out) {
    char tile[32];
    fputs("  kernel      depth  tile       schedule  halo             MLUP/s\n", out);
    for (int i = 0; i < tuning->count; i++) {
        const struct candidate *candidate = &tuning->candidate[i];
        const struct choice *choice = &candidate->choice;
        fprintf(out, "  %-11s %5d  %-10s %-9s %-12s ", choice->kernel, choice->halo_depth,
                tile_text(choice->tile, tile), schedule_text(choice->schedule), choice->halo);
        if (candidate->rate_lups > 0)
            fprintf(out, "%10.1f%s\n", 1e-6 * candidate->rate_lups,
                    i == tuning->best ? "  keep" : "");
        else
            fprintf(out, "%10s  %s\n", "-",
                    candidate->refused[0] != '\0' ? candidate->refused : "no time was left");
    }
}

/* The lines of a configuration that gives the best run. */
static void print_lines(const struct choice *choice, FILE *out) {
    char tile[32];
    fprintf(out,
            "\n[parallel]\nkernel = %s\nhalo_depth = %d\nkernel_tile = %s\nschedule = %s\n"
            "halo = %s\n",
            choice->kernel, choice->halo_depth, tile_text(choice->tile, tile),
            schedule_text(choice->schedule), choice->halo);
}

static void print_result(const struct tuning *tuning, FILE *out) {
    fprintf(out, "tuned       in %.1f s; best of up to %d runs each, first as configured\n",
            clock_now_s() - tuning->begin_s, ROUNDS);
    print_table(tuning, out);
    print_lines(&tuning->candidate[tuning->best].choice, out);
}

bool jacobi_tune(const struct config *config, const struct solve_plan *plan, struct team *team,
                 const struct sweep_caches *caches, FILE *out, struct status *status) {
    struct tuning tuning = {
        .config = config, .plan = plan, .team = team, .caches = caches, .begin_s = clock_now_s()};
    if (!try_as_configured(&tuning, status))
        return false;
    try_kernels(&tuning);
    if (team_facts(team)->ranks > 1) {
        try_halos(&tuning);
        while (try_depths(&tuning)) {
            /* a cheaper exchange pays for more of them, and a dearer one for fewer */
        }
    }
    try_tiles(&tuning);
    try_schedules(&tuning);
    if (tuning.stopped)
        status_fail(status, EXIT_CODE_STOPPED, "--tune: stopped by a signal");
    else if (team_facts(team)->rank == 0)
        print_result(&tuning, out);
    return status_good(status);
}
