/* A picture of the whole field on rank 0: every rank gives the bits of the samples it owns, and or
 * joins them exactly. */
#include "funnel/image.h"

#include <stdlib.h>

static void no_memory(struct status *status) {
    status_fail(status, EXIT_CODE_ENVIRONMENT, "output.image: no memory for the picture");
}

bool picture_take(struct picture *picture, struct team *team, const struct grid *grid,
                  const struct field *field, const global_index begin[AXIS_COUNT], int max_width,
                  int max_height, struct status *status) {
    picture_plan(picture, grid, max_width, max_height);
    const int64_t count = (int64_t)picture->width * picture->height;
    uint64_t *words = malloc((size_t)count * sizeof *words);
    if (words == NULL)
        no_memory(status);
    if (team_agree(team, status)) {
        picture_sample(picture, grid, field, begin, words);
        team_or_to_root(team, words, count);
        if (team_facts(team)->rank == 0 && !picture_fill(picture, words))
            no_memory(status);
        team_agree(team, status);
    }
    free(words);
    return status_good(status);
}
