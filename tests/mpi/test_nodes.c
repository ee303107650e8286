/* Nodes as MPICH imagines them: told to deal the ranks of this machine out to two nodes in turn,
 * it lets one machine stand for two. */
#include "mpi_test.h"

enum { NODES = 2 };

int main(int argc, char **argv) {
    struct mpi_test test = mpi_test_start(&argc, &argv);
    const struct team_facts *facts = team_facts(test.team);
    int node = test.rank % NODES, on_node = (test.ranks - node + NODES - 1) / NODES;
    int each = test.ranks % NODES == 0 ? test.ranks / NODES : 0;
    mpi_expect(&test, facts->node == node && facts->nodes == NODES, "node %d of %d", facts->node,
               facts->nodes);
    mpi_expect(&test, facts->node_rank == test.rank / NODES, "node rank %d", facts->node_rank);
    mpi_expect(&test, facts->node_ranks == on_node, "%d ranks on the node", facts->node_ranks);
    mpi_expect(&test, facts->ranks_per_node == each, "%d ranks on each", facts->ranks_per_node);
    return mpi_test_end(&test);
}
