/* What this build is made of. The commit is asked of git at build time (see meson.build). */
#include "build_config.h"
#include "commit.h"
#include "funnel/record.h"
#include "state.h"

static const struct build_facts facts = {
    .version = FUNNEL_VERSION,
    .commit = FUNNEL_COMMIT,
    .compiler = FUNNEL_COMPILER,
    .flags = FUNNEL_FLAGS,
    .build_type = FUNNEL_BUILD_TYPE,
    /* the state is the commit, with "-dirty" after it where files differ from it */
    .dirty = sizeof FUNNEL_STATE > sizeof FUNNEL_COMMIT,
    .sanitized = FUNNEL_SANITIZED,
};

const struct build_facts *build_facts(void) {
    return &facts;
}
