/* Done, said and checked the same way by every program that reports from several ranks. */
#include "program.h"
#include "funnel/memory.h"
#include "funnel/record.h"
#include "funnel/streams.h"
#include "funnel/text.h"
#include <stdlib.h>
#include <string.h>

int program_main(const char *program, int argc, char **argv,
                 int (*body)(struct program_run *run, struct status *status)) {
    struct status status = {.code = EXIT_CODE_DONE};
    streams_open();
    struct team *team = team_start(&argc, &argv, &status);
    if (team == NULL) {
        status_print(program, &status);
        return status.code;
    }
    const struct team_facts *facts = team_facts(team);
    struct program_run run = {program, argc, argv, team, facts, facts->rank == 0, NULL};
    int code = status_good(&status) ? body(&run, &status) : status.code;
    if (run.root && !streams_flush(&status)) {
        code = status.code;
        status_print(program, &status);
    }
    binding_report_free(run.binding);
    team_end(team);
    return code;
}

static bool is_standard_output(const char *path) {
    return path != NULL && strcmp(path, "-") == 0;
}

FILE *program_report_stream(const char *record, const char *plot) {
    return is_standard_output(record) || is_standard_output(plot) ? stderr : stdout;
}

void program_record(const struct program_run *run, const char *path, json_t *measured,
                    int exit_code, struct status *status) {
    const struct record_input input = {.program = run->program,
                                       .argc = run->argc,
                                       .argv = run->argv,
                                       .team = run->facts,
                                       .binding = run->binding,
                                       .measured = measured,
                                       .exit_code = exit_code};
    record_write(path, &input, status);
    json_decref(measured);
}

void program_version(const struct program_run *run, FILE *out) {
    const struct build_facts *build = build_facts();
    fprintf(out, "%s (Funnel) %s, commit %s%s\n", run->program, build->version, build->commit,
            build->dirty ? " with changes" : "");
    fprintf(out, "MPI       built with %s, runs with %s\n", run->facts->mpi_headers,
            run->facts->mpi_library);
    fprintf(out, "hwloc     %s\n", binding_hwloc_versions());
}

void program_head(const struct program_run *run, FILE *out) {
    const struct build_facts *build = build_facts();
    fprintf(out, "%-11s Funnel %s, commit %.12s%s, %s\n", run->program, build->version,
            build->commit, build->dirty ? " with changes" : "", run->facts->mpi_library);
    binding_report_print(run->binding, false, out);
    binding_report_problems(run->binding, out);
    if (build->sanitized)
        fputs("a sanitizer build: its times say nothing\n", out);
    if (run->facts->yields)
        fputs(
            "yielding    waiting gives the processor away, for ranks outnumber PUs: times contain "
            "it\n",
            out);
    fflush(out);
}

/* What one rank wants and its node can give, as rank 0 hears it. */
struct wish {
    int node;
    int64_t bytes, available_bytes; /* available: -1 where nothing can be read */
};

/* Rank 0. */
static void check_wishes(const struct wish *wishes, int ranks, int nodes, struct status *status) {
    int64_t *of_node = calloc((size_t)nodes, sizeof *of_node);
    char asked[32], there[32];
    for (int rank = 0; of_node != NULL && rank < ranks; rank++)
        of_node[wishes[rank].node] += wishes[rank].bytes;
    for (int rank = 0; of_node != NULL && rank < ranks && status_good(status); rank++) {
        const struct wish *wish = &wishes[rank];
        if (!memory_suffices(of_node[wish->node], wish->available_bytes))
            status_fail(status, EXIT_CODE_ENVIRONMENT,
                        "the messages need %s on node %d, which can give nine tenths of %s; ask "
                        "for smaller ones",
                        text_bytes(asked, sizeof asked, (double)of_node[wish->node]), wish->node,
                        text_bytes(there, sizeof there, (double)wish->available_bytes));
    }
    free(of_node);
}

bool program_memory_check(struct team *team, int64_t bytes, struct status *status) {
    const struct team_facts *facts = team_facts(team);
    const struct wish mine = {facts->node, bytes, memory_available_bytes("")};
    struct wish *wishes = calloc((size_t)facts->ranks, sizeof *wishes);
    if (wishes == NULL)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for %d ranks", facts->ranks);
    if (team_agree(team, status)) {
        team_gather(team, &mine, sizeof mine, wishes);
        if (facts->rank == 0)
            check_wishes(wishes, facts->ranks, facts->nodes, status);
    }
    free(wishes);
    return team_agree(team, status);
}
