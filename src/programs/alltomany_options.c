/* The command line of alltomany: short flags as the study has them, long ones for what is added. */
#include "alltomany.h"
#include <limits.h>

const char *alltomany_order_name(int index) {
    static const char *const names[] = {"forward", "reverse", "random"};
    return index >= 0 && index < (int)(sizeof names / sizeof names[0]) ? names[index] : NULL;
}

#define ASKED(member) offsetof(struct alltomany_options, asked.member)

static const struct alltomany_options standard = {
    .asked = {.unit_bytes = 10, .iterations = 100, .warmup = 10, .repeats = 11}};

static const struct flag flags[] = {
    {"-p", "P",
     "ranks a node, as a rule those that share memory; the ranks with rank % P == 0 receive",
     ASKED(ranks_per_node), .kind = FLAG_INTEGER, .low = 1, .high = INT_MAX},
    {"-b", "BYTES", "unit of the message size: a rank sends ((rank % P) % 8 + 1) * BYTES",
     ASKED(unit_bytes), .kind = FLAG_BYTES, .low = 0, .high = INT_MAX},
    {"-n", "N", "iterations", ASKED(iterations), .kind = FLAG_INTEGER, .low = 1, .high = INT_MAX},
    {"--variant", "NAME", "how the messages are moved", ASKED(variant), .kind = FLAG_CHOICE,
     .choice = loops_variant_name},
    {"--order", "ORDER", "in which a receiver posts its receives, by sending rank", ASKED(order),
     .kind = FLAG_CHOICE, .choice = alltomany_order_name},
    {"--throttle", "K", "most receives open at a time; 0: no limit", ASKED(throttle),
     .kind = FLAG_INTEGER, .low = 0, .high = INT_MAX},
    {"--sweep-n", "LIST", "does the time grow in proportion to the iterations? e.g. 2,8,16,32",
     ASKED(sweep), .kind = FLAG_LIST, .low = 1, .high = INT_MAX},
    {"--queue", "LIST", "cost of matching by length of the queue, e.g. 16,256,4096", ASKED(queue),
     .kind = FLAG_LIST, .low = 1, .high = QUEUE_LONGEST},
    {"--repeats", "R", "repeats of each row of --sweep-n and --queue", ASKED(repeats),
     .kind = FLAG_INTEGER, .low = 1, .high = 100000},
    {"--warmup", "W", "iterations before the timed ones", ASKED(warmup), .kind = FLAG_INTEGER,
     .low = 0, .high = INT_MAX},
    {"--validate", NULL, "check every byte, in untimed iterations and after the timed ones",
     ASKED(validate), .kind = FLAG_SWITCH},
    {"--record", "FILE", "write the JSON record (- for standard output)",
     offsetof(struct alltomany_options, record), .kind = FLAG_TEXT},
    {"-h", NULL, "print this", ASKED(help), .kind = FLAG_SWITCH},
    {"--help", NULL, "print this", ASKED(help), .kind = FLAG_SWITCH},
    {"--version", NULL, "print versions of everything the report depends on", ASKED(version),
     .kind = FLAG_SWITCH},
};

static const struct flag_table table = {"alltomany", flags, sizeof flags / sizeof flags[0],
                                        &standard};

bool alltomany_options_read(struct alltomany_options *options, int argc, char **argv,
                            struct status *status) {
    *options = standard;
    return flags_read(&table, options, argc, argv, status);
}

void alltomany_help(FILE *out) {
    fputs("alltomany [options]\n"
          "The all-to-many study: every rank sends one message to the first rank of every node in\n"
          "each iteration. Receivers post their receives, everybody posts sends, one MPI_Waitall.\n"
          "\n",
          out);
    flags_print(&table, out);
    fputs("\nVariants:\n", out);
    for (int i = 0; loops_variant_name(i) != NULL; i++)
        fprintf(out, "  %-12s %s\n", loops_variants[i]->name, loops_variants[i]->help);
    fputs("\nExit codes: 0 done, 1 internal (a wrong byte, too), 2 usage, 5 environment, 6 files\n",
          out);
}
