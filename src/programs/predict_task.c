/* What predict is asked for: command line, machine and configuration become one task. */
#include "funnel/text.h"
#include "predict.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct flag flags[] = {
    {"--ranks", "LIST", "ranks, such as 1,4,64; without it powers of two up to 1048576",
     offsetof(struct predict_options, ranks), FLAG_LIST, 1, PREDICTION_RANKS_MAX, NULL, NULL},
    {"--threads", "LIST", "threads of a rank; without it 1 and all cores of a node",
     offsetof(struct predict_options, threads), FLAG_LIST, 1, PREDICTION_RANKS_MAX, NULL, NULL},
    {"--alpha", "TIME", "time of a message of no bytes, such as 50us",
     offsetof(struct predict_options, alpha_s), FLAG_QUANTITY, 1e-12, 1, "s", NULL},
    {"--beta-bandwidth", "RATE", "bytes a second of long messages, such as 110MB/s",
     offsetof(struct predict_options, beta_bytes_per_s), FLAG_QUANTITY, 1e3, 1e15, "B/s", NULL},
    {"--rate", "RATE", "points a second of a core in cache, such as 1.3GLUP/s",
     offsetof(struct predict_options, rate_lups), FLAG_QUANTITY, 1e3, 1e15, "LUP/s", NULL},
    {"--bandwidth", "RATE", "bytes a second between memory and all cores of a node",
     offsetof(struct predict_options, bandwidth_bytes_per_s), FLAG_QUANTITY, 1e3, 1e18, "B/s",
     NULL},
    {"--cores", "N", "cores of a node", offsetof(struct predict_options, cores), FLAG_INTEGER, 1,
     1 << 20, NULL, NULL},
    {"--plot", "FILE.png", "draw time over ranks", offsetof(struct predict_options, plot),
     FLAG_PICTURE, 0, 0, NULL, NULL},
    {"--record", "FILE", "write the JSON record (- for standard output)",
     offsetof(struct predict_options, record), FLAG_TEXT, 0, 0, NULL, NULL},
    {"--help", NULL, "print this", offsetof(struct predict_options, help), FLAG_SWITCH, 0, 0, NULL,
     NULL},
    {"--version", NULL, "print version and commit", offsetof(struct predict_options, version),
     FLAG_SWITCH, 0, 0, NULL, NULL},
};

static const struct flag_table table = {"predict", flags, sizeof flags / sizeof flags[0], NULL};

void predict_help(FILE *out) {
    fputs(
        "predict MACHINE.json CONFIG [section.key=value ...] [options]\n"
        "predict CONFIG --alpha TIME --beta-bandwidth RATE --rate RATE [options]\n"
        "Predicts the time of a sweep and the share of communication for any number of ranks and\n"
        "threads, from a measured machine (run/measure-machine) or from values given by hand.\n"
        "Values given by hand win over the file: --alpha and --beta-bandwidth are then those of\n"
        "messages between nodes. Without a machine every rank has a node of its own unless\n"
        "--cores says how many cores a node has.\n\n",
        out);
    flags_print(&table, out);
    fputs("\nExit codes: 0 done, 1 internal, 2 usage, configuration or machine file, 6 files\n",
          out);
}

/* Words that are no flags: files first, then what overrides the configuration. */
static void take_word(struct predict_options *options, const char *word, struct status *status) {
    if (strchr(word, '=') && options->override_count < PREDICT_WORDS_MAX)
        options->overrides[options->override_count++] = word;
    else if (!options->config)
        options->config = word;
    else if (!options->machine) {
        options->machine = options->config;
        options->config = word;
    } else
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: '%s' is one word too many; see predict --help", word);
}

/* Without a machine everything that a prediction cannot do without is given by hand. */
static void check_options(const struct predict_options *options, struct status *status) {
    if (!options->config)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: a configuration file is needed: predict MACHINE.json CONFIG "
                    "[section.key=value ...]; see predict --help");
    if ((options->alpha_s > 0) != (options->beta_bytes_per_s > 0))
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: --alpha and --beta-bandwidth are needed together");
    if (!options->machine && !(options->alpha_s > 0 && options->rate_lups > 0))
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: without a MACHINE.json before %s it takes --alpha, "
                    "--beta-bandwidth and --rate",
                    options->config ? options->config : "the configuration");
}

bool predict_options_read(struct predict_options *options, int argc, char **argv,
                          struct status *status) {
    *options = (struct predict_options){0};
    for (int at = 1; at < argc && status_good(status);) {
        if (argv[at][0] == '-' && argv[at][1] != '\0')
            at += flags_take(&table, options, argc, argv, at, status);
        else
            take_word(options, argv[at++], status);
    }
    if (status_good(status) && !options->help && !options->version)
        check_options(options, status);
    return status_good(status);
}

/* The solver's own plan of a run, made and checked as jacobi would. */
static bool plan_run(struct solve_plan *plan, const struct config *config, int ranks,
                     struct status *status) {
    static const struct sweep_caches unknown = {0};
    const struct team_facts facts = {
        .ranks = ranks, .nodes = ranks, .node_ranks = 1, .ranks_per_node = 1};
    return solve_plan_make(plan, config, &facts, &unknown, status);
}

/* Of one rank: how several share the grid is for the model. */
static bool plan_one_rank(struct predict_task *task, struct status *status) {
    struct config config = task->config;
    config.parallel.process_grid = (struct process_grid_wish){.decomposition = DECOMPOSITION_AUTO};
    if (!plan_run(&task->plan, &config, 1, status))
        return false;
    task->plan.values = (struct sweep_values){.source = NULL}; /* pointed into the copy */
    return true;
}

int predict_depth(const struct predict_task *task, int ranks) {
    struct solve_plan plan;
    struct status ignored = {0};
    if (task->config.parallel.halo_depth > 0)
        return task->config.parallel.halo_depth;
    return plan_run(&plan, &task->config, ranks, &ignored) ? plan.halo_depth : 1;
}

int predict_crossover_depth(const struct predict_task *task) {
    return task->config.parallel.halo_depth > 0 ? task->config.parallel.halo_depth : 1;
}

static bool read_config(struct predict_task *task, const struct predict_options *options,
                        struct status *status) {
    config_defaults(&task->config, "predict");
    bool good = config_read(&task->config, options->config, status);
    for (int i = 0; good && i < options->override_count; i++)
        good = config_override(&task->config, options->overrides[i], status);
    return good && config_check(&task->config, status) && plan_one_rank(task, status);
}

static int largest(const struct flag_list *list) {
    int most = 1;
    for (int i = 0; i < list->count; i++)
        most = list->values[i] > most ? list->values[i] : most;
    return most;
}

/* What the command line says of the machine wins. */
static void apply_options(struct machine *machine, const struct predict_options *options) {
    if (!options->machine)
        machine->cores = largest(&options->threads);
    if (options->cores > 0)
        machine->cores = options->cores;
    if (options->alpha_s > 0)
        machine->between_nodes = alpha_beta_line(options->alpha_s, options->beta_bytes_per_s);
    if (!options->machine)
        machine->on_node = machine->between_nodes;
    if (options->rate_lups > 0) {
        machine->kernel_count = 1;
        machine->kernels[0] = (struct kernel_rates){
            .name = "given", .count = 1, .rates = {{0, 1, 1, options->rate_lups}}};
    }
    if (options->bandwidth_bytes_per_s > 0)
        machine->copy = (struct core_values){
            .count = 1, .at = {{machine->cores, options->bandwidth_bytes_per_s}}};
}

/* The machine's row of the kernel that the configuration names; -1 for auto, or for a rate given by
 * hand, which is that of whatever kernel runs. */
static int find_kernel(const struct predict_task *task, const struct predict_options *options,
                       struct status *status) {
    const char *name = task->config.parallel.kernel;
    char known[256] = "";
    if (strcmp(name, "auto") == 0 || options->rate_lups > 0)
        return -1;
    for (int i = 0; i < task->machine.kernel_count; i++) {
        if (strcmp(task->machine.kernels[i].name, name) == 0)
            return i;
        strncat(known, i > 0 ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, task->machine.kernels[i].name, sizeof known - strlen(known) - 1);
    }
    status_fail(status, EXIT_CODE_USAGE,
                "%s: kernels: no rates of parallel.kernel = %s, only of %s; measure it, or give "
                "--rate",
                options->machine, name, known);
    return -1;
}

static struct run_case make_run(const struct predict_task *task) {
    const struct solve_plan *plan = &task->plan;
    return (struct run_case){.grid = &plan->grid,
                             .wish = task->config.parallel.process_grid,
                             .ranks = 1,
                             .threads = 1,
                             .depth = 1,
                             .arrays = plan->memory.arrays,
                             .bytes_per_point = kernel_bytes(plan->kernel, &plan->stencil, 1),
                             .order = plan->halo->order == HALO_X_THEN_Y ? MESSAGES_X_THEN_Y
                                                                         : MESSAGES_AT_ONCE,
                             .overlaps = plan->halo->overlaps,
                             .uses_window = plan->halo->shares,
                             .check_every = (double)plan->check_every};
}

static void add_value(struct flag_list *list, int value) {
    if (list->count < FLAG_LIST_MAX)
        list->values[list->count++] = value;
}

/* Ranks to look at where none are asked for: those of a given process grid, or powers of two, on
 * one node where nothing is known of others. */
static struct flag_list usual_ranks(const struct predict_task *task) {
    const struct process_grid_wish *wish = &task->run.wish;
    struct flag_list ranks = {0};
    int64_t most = grid_points(task->run.grid);
    if (most > PREDICTION_RANKS_MAX)
        most = PREDICTION_RANKS_MAX;
    if (task->machine.between_nodes.count == 0 && most > task->machine.cores)
        most = task->machine.cores;
    for (int64_t count = 1; count <= most && wish->decomposition != DECOMPOSITION_GIVEN; count *= 2)
        add_value(&ranks, (int)count);
    if (wish->decomposition == DECOMPOSITION_GIVEN)
        add_value(&ranks, wish->count[AXIS_X] * wish->count[AXIS_Y]);
    return ranks;
}

/* Powers of two up to the cores of a node, and these. */
static struct flag_list all_threads(const struct machine *machine) {
    struct flag_list threads = {0};
    for (int count = 1; count < machine->cores; count *= 2)
        add_value(&threads, count);
    add_value(&threads, machine->cores);
    return threads;
}

static void fill_lists(struct predict_task *task, const struct predict_options *options) {
    task->ranks = options->ranks.count > 0 ? options->ranks : usual_ranks(task);
    task->ranks_asked =
        options->ranks.count > 0 || task->run.wish.decomposition == DECOMPOSITION_GIVEN;
    task->threads_asked = options->threads.count > 0;
    task->tried_threads =
        options->threads.count > 0 ? options->threads : all_threads(&task->machine);
    task->threads = options->threads;
    if (task->threads.count > 0)
        return;
    add_value(&task->threads, 1);
    if (task->machine.cores > 1)
        add_value(&task->threads, task->machine.cores);
}

bool predict_task_make(struct predict_task *task, const struct predict_options *options,
                       struct status *status) {
    *task = (struct predict_task){.machine = {.cores = 1}};
    if (options->machine && !machine_read(&task->machine, options->machine, status))
        return false;
    if (!read_config(task, options, status))
        return false;
    apply_options(&task->machine, options);
    task->run = make_run(task);
    task->run.kernel = find_kernel(task, options, status);
    task->count = task->run.order == MESSAGES_X_THEN_Y ? ONE_AFTER_OTHER : NEIGHBOURS_AT_ONCE;
    fill_lists(task, options);
    if (largest(&task->threads) > task->machine.cores)
        status_fail(status, EXIT_CODE_USAGE,
                    "command line: --threads: %d are more than the %d core%s of a node",
                    largest(&task->threads), task->machine.cores,
                    task->machine.cores == 1 ? "" : "s");
    return status_good(status);
}
