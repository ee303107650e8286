/* Flags of a command line: every kind of value, its bounds, its words of refusal and its help. */
#include "funnel/flags.h"
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum colour { RED, GREEN, BLUE };

struct options {
    bool loud;
    const char *file, *picture;
    int count, any;
    double share, delay_s;
    int64_t size_bytes, free_bytes;
    enum colour colour;
    struct flag_list ranks;
};

static const char *colour_name(int i) {
    static const char *const names[] = {"red", "green", "blue"};
    return i < 3 ? names[i] : NULL;
}

static const struct options standard = {.count = 50,
                                        .share = 0.5,
                                        .delay_s = 50e-6,
                                        .size_bytes = 16 << 20,
                                        .colour = GREEN,
                                        .ranks = {3, {1, 2, 4}}};

static const struct flag rows[] = {
    {"--loud", NULL, "say more", offsetof(struct options, loud), .kind = FLAG_SWITCH},
    {"--file", "FILE", "where to", offsetof(struct options, file), .kind = FLAG_TEXT},
    {"--picture", "FILE.png", "drawn", offsetof(struct options, picture), .kind = FLAG_PICTURE},
    {"-n", "COUNT", "how often", offsetof(struct options, count), .kind = FLAG_INTEGER, 1, 1000},
    {"--any", "N", "any number", offsetof(struct options, any), .kind = FLAG_INTEGER},
    {"--share", "PART", "a part", offsetof(struct options, share), .kind = FLAG_REAL, 0, 1},
    {"--delay", "TIME", "a time", offsetof(struct options, delay_s), .kind = FLAG_QUANTITY, 1e-9,
     HUGE_VAL, "s"},
    {"--size", "BYTES", "a size", offsetof(struct options, size_bytes), .kind = FLAG_BYTES, 1,
     1 << 30},
    {"--free", "BYTES", "any size", offsetof(struct options, free_bytes), .kind = FLAG_BYTES},
    {"--colour", "NAME", "a colour", offsetof(struct options, colour), .kind = FLAG_CHOICE,
     .choice = colour_name},
    {"--ranks", "LIST", "some ranks", offsetof(struct options, ranks), .kind = FLAG_LIST, 1, 4096},
};

static const struct flag_table table = {"tester", rows, sizeof rows / sizeof rows[0], &standard};

enum { WORDS_MAX = 4 };

/* Reads up to three words after the program's name on top of the defaults. */
static struct status read_words(struct options *options, const char *const *words) {
    struct status status = {0};
    char copy[WORDS_MAX][400], *argv[WORDS_MAX];
    int argc = 1;
    argv[0] = strcpy(copy[0], "tester");
    for (; argc < WORDS_MAX && words[argc - 1]; argc++)
        argv[argc] = strcpy(copy[argc], words[argc - 1]);
    *options = standard;
    const bool taken = flags_read(&table, options, argc, argv, &status);
    assert_int_equal(taken, status.code == EXIT_CODE_DONE);
    options->file = options->file ? "set" : NULL; /* the copy of argv ends here */
    options->picture = options->picture ? "set" : NULL;
    return status;
}

static struct options good(const char *name, const char *value) {
    struct options options;
    const struct status status = read_words(&options, (const char *const[]){name, value, NULL});
    assert_string_equal(status.text, "");
    return options;
}

/* The words of refusal; nothing of the options has changed. */
static void refused(const char *name, const char *value, const char *text) {
    struct options options;
    const struct status status = read_words(&options, (const char *const[]){name, value, NULL});
    assert_string_equal(status.text, text);
    assert_int_equal(status.code, EXIT_CODE_USAGE);
    assert_memory_equal(&options, &standard, sizeof options);
}

static void test_every_kind(void **state) {
    (void)state;
    assert_true(good("--loud", NULL).loud);
    assert_string_equal(good("--file", "a.json").file, "set");
    assert_int_equal(good("-n", "7").count, 7);
    assert_int_equal(good("--any", "-2147483648").any, INT_MIN);
    assert_true(good("--share", "0.25").share == 0.25);
    assert_int_equal(good("--colour", "blue").colour, BLUE);
    assert_int_equal(good("--colour", "red").colour, RED);
    assert_true(good("-n", "7").share == 0.5);
}

static void test_bytes(void **state) {
    (void)state;
    assert_int_equal(good("--size", "100").size_bytes, 100);
    assert_int_equal(good("--size", "64K").size_bytes, 65536);
    assert_int_equal(good("--size", "16M").size_bytes, 16777216);
    assert_int_equal(good("--size", "1GiB").size_bytes, 1 << 30);
    assert_int_equal(good("--free", "8589934591G").free_bytes, INT64_MAX - ((1 << 30) - 1));
    assert_int_equal(good("--free", "0").free_bytes, 0);
}

static void test_quantities(void **state) {
    (void)state;
    assert_true(good("--delay", "50us").delay_s == 50e-6);
    assert_true(good("--delay", "1.5 ms").delay_s == 1.5e-3);
    assert_true(good("--delay", "2e-3").delay_s == 2e-3);
    assert_true(good("--delay", "3u").delay_s == 3e-6);
    assert_true(good("--delay", "2s").delay_s == 2);
}

static void test_lists(void **state) {
    (void)state;
    const struct flag_list ranks = good("--ranks", "2,8,16,32").ranks;
    assert_int_equal(ranks.count, 4);
    assert_int_equal(ranks.values[0], 2);
    assert_int_equal(ranks.values[3], 32);
    assert_int_equal(good("--ranks", "4096").ranks.count, 1);
}

static void test_the_last_word_counts(void **state) {
    (void)state;
    struct options options;
    struct status status = {0};
    char words[5][8] = {"tester", "-n", "2", "-n", "3"};
    char *argv[] = {words[0], words[1], words[2], words[3], words[4]};
    options = standard;
    assert_true(flags_read(&table, &options, 5, argv, &status));
    assert_int_equal(options.count, 3);
}

static void test_pictures(void **state) {
    (void)state;
    const char *const names[] = {"a.png", "a.PNG", "out.2/a", "-", "/dev/null"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(good("--picture", names[i]).picture, "set");
    refused("--file", "", "command line: --file: an empty name; give FILE");
    refused("--picture", "", "command line: --picture: an empty name; give FILE.png");
    refused("--picture", "a.jpg",
            "command line: --picture: 'a.jpg' does not end in .png, and pictures are PNG only");
    refused("--picture", "a.png.",
            "command line: --picture: 'a.png.' does not end in .png, and pictures are PNG only");
}

static void test_refused_numbers(void **state) {
    (void)state;
    refused("-n", "0", "command line: -n: 0 is not in 1..1000");
    refused("-n", "-5", "command line: -n: -5 is not in 1..1000");
    refused("-n", "10x", "command line: -n: '10x' is not an integer in 1..1000");
    refused("-n", "", "command line: -n: '' is not an integer in 1..1000");
    refused("--any", "2147483648",
            "command line: --any: 2147483648 is not in -2147483648..2147483647");
    refused("--share", "1.5", "command line: --share: 1.5 is not in 0..1");
    refused("--share", "nan", "command line: --share: 'nan' is not a number in 0..1");
}

static void test_refused_sizes(void **state) {
    (void)state;
    refused("--size", "2G", "command line: --size: 2G is not in 1..1G");
    refused("--size", "0", "command line: --size: 0 is not in 1..1G");
    const char *const odd[] = {
        "-1", "1.5M", "4KB", "4k", "K", "", "4 K", "99999999999999999999", "9999999999G"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        char text[200];
        snprintf(
            text, sizeof text,
            "command line: --size: '%s' is not a number of bytes (as 100, 64K or 16M) in 1..1G",
            odd[i]);
        refused("--size", odd[i], text);
    }
}

static void test_refused_quantities(void **state) {
    (void)state;
    refused("--delay", "0", "command line: --delay: 0 is not at least 1ns");
    const char *const odd[] = {"50 MB", "us", "50usec", "1e400", "1ee3", "fast", "5  s"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "command line: --delay: '%s' is not a number of s, prefixes n, u, m, k, M, G "
                 "allowed, at least 1ns",
                 odd[i]);
        refused("--delay", odd[i], text);
    }
}

static void test_refused_words(void **state) {
    (void)state;
    refused("--colour", "gren",
            "command line: --colour: 'gren' is not one of red, green, blue; did you mean green?");
    refused("--colour", "", "command line: --colour: '' is not one of red, green, blue");
    refused("--ranks", "2,,8",
            "command line: --ranks: '' is not an integer of a list such as 2,4,8");
    refused("--ranks", "2,8,",
            "command line: --ranks: '' is not an integer of a list such as 2,4,8");
    refused("--ranks", "2;8",
            "command line: --ranks: '2;8' is not an integer of a list such as 2,4,8");
    refused("--ranks", "2,5000", "command line: --ranks: 5000 is not in 1..4096");
}

static void test_refused_long_list(void **state) {
    (void)state;
    char most[2 * FLAG_LIST_MAX + 2] = "1";
    for (int i = 1; i < FLAG_LIST_MAX; i++)
        strcat(most, ",1");
    assert_int_equal(good("--ranks", most).ranks.count, FLAG_LIST_MAX);
    refused("--ranks", strcat(most, ",1"), "command line: --ranks: more than 64 entries");
}

static void test_refused_flags(void **state) {
    (void)state;
    refused("-n", NULL, "command line: -n needs COUNT");
    refused("--lou", NULL, "command line: unknown option --lou; did you mean --loud?");
    refused("word", NULL, "command line: unknown option word; see tester --help");
}

static void test_help(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    flags_print(&table, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "  --loud               say more\n"
                              "  --file FILE          where to\n"
                              "  --picture FILE.png   drawn\n"
                              "  -n COUNT             how often (1..1000; default 50)\n"
                              "  --any N              any number (-2147483648..2147483647)\n"
                              "  --share PART         a part (0..1; default 0.5)\n"
                              "  --delay TIME         a time (at least 1ns; default 50us)\n"
                              "  --size BYTES         a size (1..1G; default 16M)\n"
                              "  --free BYTES         any size (at least 0; default 0)\n"
                              "  --colour NAME        a colour (red, green, blue; default green)\n"
                              "  --ranks LIST         some ranks (each 1..4096; default 1,2,4)\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_the_last_word_counts),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_refused_numbers),
        cmocka_unit_test(test_refused_sizes),
        cmocka_unit_test(test_refused_quantities),
        cmocka_unit_test(test_refused_words),
        cmocka_unit_test(test_refused_long_list),
        cmocka_unit_test(test_refused_flags),
        cmocka_unit_test(test_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
