/* Start and end of MPI, and what the ranks know of each other. The start checks what would
 * otherwise go wrong in silence; the end closes connections in an order that does not hang. */
#include "crowding.h"
#include "team_checks.h"
#include "team_parts.h"
#include "transport_cures.h"
#include "transport_start.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct team_facts *team_facts(const struct team *team) {
    return &team->facts;
}

MPI_Comm team_communicator(const struct team *team) {
    return team->comm;
}

/* The word that follows "MPICH Device:" in the library's own description. */
static void read_device(struct team_facts *facts, const char *text) {
    static const char label[] = "MPICH Device:";
    const char *found = strstr(text, label);
    if (found == NULL)
        return;
    found += sizeof label - 1;
    found += strspn(found, " \t");
    snprintf(facts->mpi_device, sizeof facts->mpi_device, "%.*s", (int)strcspn(found, " \t\n"),
             found);
}

/* The first line of the library's own description, tabs as blanks. */
static void read_library_name(struct team_facts *facts) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    mpi_check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
    read_device(facts, text);
    text[strcspn(text, "\n")] = '\0';
    for (char *tab = strchr(text, '\t'); tab != NULL; tab = strchr(tab, '\t'))
        *tab = ' ';
    snprintf(facts->mpi_library, sizeof facts->mpi_library, "%.*s", TEAM_VERSION_BYTES - 1, text);
    snprintf(facts->mpi_headers, sizeof facts->mpi_headers, "%s", mpi_headers_name());
}

static void read_ranks(struct team *team) {
    struct team_facts *facts = &team->facts;
    mpi_check(MPI_Comm_rank(team->comm, &facts->rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(team->comm, &facts->ranks), "MPI_Comm_size");
    mpi_check(MPI_Comm_split_type(team->comm, MPI_COMM_TYPE_SHARED, facts->rank, MPI_INFO_NULL,
                                  &team->node),
              "MPI_Comm_split_type");
    mpi_check(MPI_Comm_rank(team->node, &facts->node_rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(team->node, &facts->node_ranks), "MPI_Comm_size");
}

/* Nodes are numbered by their lowest ranks, which are the first of each node communicator: in a
 * communicator of their own their ranks are the numbers. A prefix sum would say the same, but takes
 * some libraries p^2 messages. */
static void number_nodes(struct team *team) {
    struct team_facts *facts = &team->facts;
    MPI_Comm firsts = MPI_COMM_NULL;
    mpi_check(
        MPI_Comm_split(team->comm, facts->node_rank == 0 ? 0 : MPI_UNDEFINED, facts->rank, &firsts),
        "MPI_Comm_split");
    if (firsts != MPI_COMM_NULL) {
        mpi_check(MPI_Comm_rank(firsts, &facts->node), "MPI_Comm_rank");
        mpi_check(MPI_Comm_free(&firsts), "MPI_Comm_free");
    }
    mpi_check(MPI_Bcast(&facts->node, 1, MPI_INT, 0, team->node), "MPI_Bcast");
    int64_t most[] = {facts->node + 1, facts->node_ranks, -facts->node_ranks};
    team_max(team, most, 3);
    facts->nodes = (int)most[0];
    facts->ranks_per_node = most[1] == -most[2] ? (int)most[1] : 0;
}

static void read_host(struct team_facts *facts) {
    if (gethostname(facts->host, sizeof facts->host - 1) != 0)
        snprintf(facts->host, sizeof facts->host, "unknown");
}

/* Lets waiting yield where the ranks of this node must share processors. */
static bool choose_yielding(struct team *team, struct status *status) {
    int ranks = team->facts.node_ranks;
    struct pu_mask mine = pu_mask_of_caller(), *masks = calloc((size_t)ranks, sizeof *masks);
    if (masks == NULL)
        status_fail(status, EXIT_CODE_ENVIRONMENT, "no memory for %d affinity masks", ranks);
    if (!team_agree(team, status)) {
        free(masks);
        return false;
    }
    mpi_check(MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, masks, (int)sizeof mine, MPI_BYTE,
                            team->node),
              "MPI_Allgather");
    bool crowded = ranks_crowded(masks, ranks);
    free(masks);
    return transport_cures_yield(crowded);
}

static void learn_facts(struct team *team, int provided, const struct launcher_words *words,
                        struct status *status) {
    struct team_facts *facts = &team->facts;
    facts->thread_level_asked = thread_level_name(MPI_THREAD_FUNNELED);
    facts->thread_level_provided = thread_level_name(provided);
    facts->launcher = launcher_name(words);
    facts->finalize_cured = transport_cures_finalize();
    read_library_name(facts);
    read_host(facts);
    read_ranks(team);
    number_nodes(team);
    facts->yields = choose_yielding(team, status);
}

static void open_communicator(struct team *team) {
    mpi_check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
              "MPI_Comm_set_errhandler");
    mpi_check(MPI_Comm_dup(MPI_COMM_WORLD, &team->comm), "MPI_Comm_dup");
    mpi_check(MPI_Comm_set_errhandler(team->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

void team_threads(struct team *team, int threads) {
    int64_t on_node = 0, mine = threads;
    mpi_check(MPI_Allreduce(&mine, &on_node, 1, MPI_INT64_T, MPI_SUM, team->node), "MPI_Allreduce");
    if (on_node > sysconf(_SC_NPROCESSORS_ONLN))
        team->facts.yields = transport_cures_yield(true);
}

static int start_mpi(int *argc, char ***argv, int *provided) {
    transport_cures_prepare();
    transport_start_begin();
    const int code = MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, provided);
    transport_start_end();
    return code;
}

struct team *team_start(int *argc, char ***argv, struct status *status) {
    struct team *team = calloc(1, sizeof *team);
    int provided = MPI_THREAD_SINGLE;
    if (team == NULL || start_mpi(argc, argv, &provided) != MPI_SUCCESS) {
        status_fail(status, EXIT_CODE_ENVIRONMENT, "MPI did not start");
        free(team);
        return NULL;
    }
    struct launcher_words words = launcher_words_read();
    open_communicator(team);
    learn_facts(team, provided, &words, status);
    const struct team_facts *facts = &team->facts;
    thread_level_check(provided, status);
    library_check(facts->mpi_headers, facts->mpi_library, status);
    launcher_check(&words, facts->ranks, facts->mpi_headers, status);
    team_agree(team, status);
    return team;
}

void team_end(struct team *team) {
    if (team == NULL)
        return;
    mpi_check(MPI_Comm_free(&team->node), "MPI_Comm_free");
    mpi_check(MPI_Comm_free(&team->comm), "MPI_Comm_free");
    free(team);
    /* without it a rank may close its connections while another still needs them */
    mpi_check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    mpi_check(MPI_Finalize(), "MPI_Finalize");
}
