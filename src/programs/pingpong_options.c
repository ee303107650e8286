/* The command line of pingpong. */
#include "pingpong_loops.h"
#include <stddef.h>

enum { REPEATS_MOST = 1000000, RANKS_MOST = 1 << 30 };

static const struct pingpong_options standard = {
    .wish = {.repeats = 1000, .repeats_large = 50, .min_bytes = 1, .max_bytes = 16 << 20}};

static const char *pattern_name(int i) {
    return i < pingpong_pattern_count ? pingpong_patterns[i].name : NULL;
}

static const struct flag flags[] = {
    {"--pattern", "NAME", "what is sent", offsetof(struct pingpong_options, wish.pattern),
     .kind = FLAG_CHOICE, .choice = pattern_name},
    {"--pair", "A,B", "these two ranks; without it 0 and 1",
     offsetof(struct pingpong_options, wish.pair), .kind = FLAG_LIST, 0, RANKS_MOST},
    {"--pairs", NULL, "rank i with rank i + n/2, all pairs at once",
     offsetof(struct pingpong_options, wish.pairs), .kind = FLAG_SWITCH},
    {"--min", "BYTES", "least size", offsetof(struct pingpong_options, wish.min_bytes),
     .kind = FLAG_BYTES, 1, 1 << 30},
    {"--max", "BYTES", "greatest size", offsetof(struct pingpong_options, wish.max_bytes),
     .kind = FLAG_BYTES, 1, 1 << 30},
    {"--fine", NULL, "every power of two between them, not only steps of 16",
     offsetof(struct pingpong_options, wish.fine), .kind = FLAG_SWITCH},
    {"--repeats", "N", "repetitions of sizes up to 64K",
     offsetof(struct pingpong_options, wish.repeats), .kind = FLAG_INTEGER, 1, REPEATS_MOST},
    {"--repeats-large", "N", "repetitions of larger ones",
     offsetof(struct pingpong_options, wish.repeats_large), .kind = FLAG_INTEGER, 1, REPEATS_MOST},
    {"--validate", NULL, "send each size as often again before, and check every byte",
     offsetof(struct pingpong_options, wish.validate), .kind = FLAG_SWITCH},
    {"--cold", NULL, "cycle through buffers larger than the last-level cache",
     offsetof(struct pingpong_options, wish.cold), .kind = FLAG_SWITCH},
    {"--record", "FILE", "write the JSON record (- for standard output)",
     offsetof(struct pingpong_options, record), .kind = FLAG_TEXT},
    {"--plot", "FILE.png", "draw time and bandwidth, with the fit",
     offsetof(struct pingpong_options, plot), .kind = FLAG_PICTURE},
    {"--help", NULL, "print this", offsetof(struct pingpong_options, wish.help),
     .kind = FLAG_SWITCH},
    {"--version", NULL, "print versions of everything a result depends on",
     offsetof(struct pingpong_options, wish.version), .kind = FLAG_SWITCH},
};

static const struct flag_table table = {"pingpong", flags, sizeof flags / sizeof flags[0],
                                        &standard};

bool pingpong_options_read(struct pingpong_options *options, int argc, char **argv,
                           struct status *status) {
    *options = standard;
    return flags_read(&table, options, argc, argv, status);
}

void pingpong_help(FILE *out) {
    fputs("mpiexec -n 2 pingpong [options]\n"
          "Sends messages between two ranks, times each, and fits latency and bandwidth.\n\n",
          out);
    flags_print(&table, out);
    fputs("\nPatterns (--pattern):\n", out);
    for (int row = 0; row < pingpong_pattern_count; row++)
        fprintf(out, "  %-16s %s\n", pingpong_patterns[row].name, pingpong_patterns[row].help);
    fputs("\nExit codes: 0 done, 1 internal (a byte arrived wrong), 2 usage, 5 environment, 6 "
          "files\n",
          out);
}
