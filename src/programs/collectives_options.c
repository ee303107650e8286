/* The command line of collectives; sizes and repetitions as in pingpong. */
#include "collectives.h"
#include "funnel/flags.h"
#include <limits.h>

/* "all", then the operations. */
static const char *operation_name(int index) {
    if (index == 0)
        return "all";
    return index > 0 && index <= collective_operation_count ? collective_operations[index - 1].name
                                                            : NULL;
}

#define ASKED(member) offsetof(struct collectives_options, asked.member)

static const struct collectives_options standard = {
    .asked = {.min_bytes = 1, .max_bytes = 1 << 20, .repeats = 1000, .repeats_large = 50}};

static const struct flag flags[] = {
    {"--operation", "NAME", "the operation to time", ASKED(operation), .kind = FLAG_CHOICE,
     .choice = operation_name},
    {"--min", "BYTES", "smallest size", ASKED(min_bytes), .kind = FLAG_BYTES, .low = 1,
     .high = INT_MAX - 7},
    {"--max", "BYTES", "largest size", ASKED(max_bytes), .kind = FLAG_BYTES, .low = 1,
     .high = INT_MAX - 7},
    {"--fine", NULL, "sizes in steps of 2 instead of 16", ASKED(fine), .kind = FLAG_SWITCH},
    {"--repeats", "N", "repetitions of sizes below 64 KiB", ASKED(repeats), .kind = FLAG_INTEGER,
     .low = 1, .high = 1000000},
    {"--repeats-large", "N", "repetitions from 64 KiB on", ASKED(repeats_large),
     .kind = FLAG_INTEGER, .low = 1, .high = 1000000},
    {"--validate", NULL, "check every byte, in untimed repetitions before the timed ones",
     ASKED(validate), .kind = FLAG_SWITCH},
    {"--record", "FILE", "write the JSON record (- for standard output)",
     offsetof(struct collectives_options, record), .kind = FLAG_TEXT},
    {"--help", NULL, "print this", ASKED(help), .kind = FLAG_SWITCH},
    {"--version", NULL, "print versions of everything the report depends on", ASKED(version),
     .kind = FLAG_SWITCH},
};

static const struct flag_table table = {"collectives", flags, sizeof flags / sizeof flags[0],
                                        &standard};

bool collectives_options_read(struct collectives_options *options, int argc, char **argv,
                              struct status *status) {
    *options = standard;
    return flags_read(&table, options, argc, argv, status);
}

void collectives_help(FILE *out) {
    fputs("collectives [options]\n"
          "What the collective operations of MPI cost, by size.\n\n",
          out);
    flags_print(&table, out);
    fputs("\nOperations:\n", out);
    for (int i = 0; i < collective_operation_count; i++)
        fprintf(out, "  %-11s %s\n", collective_operations[i].name, collective_operations[i].help);
    fputs("\nExit codes: 0 done, 1 internal (a wrong byte, too), 2 usage, 5 environment, 6 files\n",
          out);
}
