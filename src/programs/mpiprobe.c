/* mpiprobe: the MPI library's own words and the thread level it provides, as JSON; run/machine asks
 * it for each of the four. */
#include "funnel/library_probe.h"
#include "funnel/record_values.h"
#include "funnel/streams.h"
#include <stdio.h>
#include <string.h>

static const char program[] = "mpiprobe";

static void print_help(FILE *out) {
    fputs("usage: mpiprobe [single | funneled | serialized | multiple]\n"
          "Starts MPI with a thread level (funneled) and prints as JSON what it provides and what\n"
          "the library says of itself. Exit codes: 0 done, 1 internal, 2 usage\n",
          out);
}

static json_t *as_json(const struct library_facts *facts) {
    json_t *object = json_object();
    char standard[32];
    snprintf(standard, sizeof standard, "%d.%d", facts->standard, facts->substandard);
    record_put(object, "asked", record_text(facts->asked));
    record_put(object, "provided", record_text(facts->provided));
    record_put(object, "standard", record_text(standard));
    record_put(object, "library", record_text(facts->text));
    record_put(object, "headers", record_text(facts->headers));
    record_put(object, "host", record_text(facts->host));
    record_put(object, "ranks", json_integer(facts->ranks));
    return object;
}

static void probe(int *argc, char ***argv, const char *level, struct status *status) {
    struct library_facts facts;
    if (!library_probe(argc, argv, level, &facts, status) || facts.rank != 0)
        return;
    json_t *object = as_json(&facts);
    record_dump("-", object, status);
    json_decref(object);
}

int main(int argc, char **argv) {
    struct status status = {.code = EXIT_CODE_DONE};
    streams_open();
    const char *word = argc > 1 ? argv[1] : "funneled";
    if (argc > 2)
        status_fail(&status, EXIT_CODE_USAGE, "%.60s: one thread level at a time", argv[2]);
    else if (strcmp(word, "--help") == 0)
        print_help(stdout);
    else
        probe(&argc, &argv, word, &status);
    if (!status_good(&status))
        status_print(program, &status);
    return status.code;
}
