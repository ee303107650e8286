/* The checks of the start, in a process whose environment or MPI was prepared to be wrong:
 * test_start CODE TEXT expects this exit code, and this text within the message. */
#include "funnel/team.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    struct status status = {0};
    struct team *team = team_start(&argc, &argv, &status);
    team_end(team);
    if (team == NULL || argc != 3)
        return EXIT_FAILURE;
    if (status.code == atoi(argv[1]) && strstr(status.text, argv[2]) != NULL)
        return EXIT_SUCCESS;
    fprintf(stderr, "code %d, text \"%s\"\n", status.code, status.text);
    return EXIT_FAILURE;
}
