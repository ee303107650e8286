/* MPI started with each of its thread levels, which a process can do once: so this stands beside
 * the team, which always asks for funneled, and ends MPI again. */
#include "funnel/library_probe.h"
#include "team_checks.h"
#include "team_parts.h"
#include "transport_cures.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *word;
    int level;
} levels[] = {{"single", MPI_THREAD_SINGLE},
              {"funneled", MPI_THREAD_FUNNELED},
              {"serialized", MPI_THREAD_SERIALIZED},
              {"multiple", MPI_THREAD_MULTIPLE}};

enum { LEVELS = sizeof levels / sizeof levels[0] };

static bool find_level(const char *word, int *level, struct status *status) {
    for (int i = 0; i < LEVELS; i++)
        if (strcmp(word, levels[i].word) == 0) {
            *level = levels[i].level;
            return true;
        }
    status_fail(status, EXIT_CODE_USAGE,
                "thread level %.60s is none of single, funneled, serialized, multiple", word);
    return false;
}

static void ask(struct library_facts *facts) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    mpi_check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
    snprintf(facts->text, sizeof facts->text, "%.*s", LIBRARY_TEXT_BYTES - 1, text);
    snprintf(facts->headers, sizeof facts->headers, "%s", mpi_headers_name());
    mpi_check(MPI_Get_version(&facts->standard, &facts->substandard), "MPI_Get_version");
    mpi_check(MPI_Comm_rank(MPI_COMM_WORLD, &facts->rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(MPI_COMM_WORLD, &facts->ranks), "MPI_Comm_size");
    if (gethostname(facts->host, sizeof facts->host - 1) != 0)
        snprintf(facts->host, sizeof facts->host, "unknown");
}

bool library_probe(int *argc, char ***argv, const char *level, struct library_facts *facts,
                   struct status *status) {
    int asked = MPI_THREAD_SINGLE, provided = MPI_THREAD_SINGLE;
    *facts = (struct library_facts){.ranks = 0};
    if (!find_level(level, &asked, status))
        return false;
    transport_cures_prepare();
    mpi_check(MPI_Init_thread(argc, argv, asked, &provided), "MPI_Init_thread");
    mpi_check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
              "MPI_Comm_set_errhandler");
    facts->asked = thread_level_name(asked);
    facts->provided = thread_level_name(provided);
    ask(facts);
    mpi_check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return true;
}
