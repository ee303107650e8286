/* The configuration: what is read, what is refused with which words, and that everything printed
 * reads back to the same. */
#include "funnel/config.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char file_name[] = "in.ini";

static int enter_directory(void **state) {
    (void)state;
    static char directory[] = "test_config.XXXXXX";
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave_directory(void **state) {
    (void)state;
    char directory[4096];
    unlink(file_name);
    return getcwd(directory, sizeof directory) ? rmdir(directory) : -1;
}

static void write_bytes(const void *bytes, size_t size) {
    FILE *file = fopen(file_name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Reads a text as if it stood in in.ini, and checks it. */
static struct status read_text(struct config *config, const char *text) {
    struct status status = {0};
    write_bytes(text, strlen(text));
    config_defaults(config, "test");
    if (config_read(config, file_name, &status))
        config_check(config, &status);
    return status;
}

static struct config good(const char *text) {
    struct config config;
    struct status status = read_text(&config, text);
    assert_string_equal(status.text, "");
    return config;
}

/* What config_print writes, to be freed. */
static char *printed(const struct config *config) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    config_print(config, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Equal in every byte but where the values came from. */
static void assert_same_run(const struct config *a, const struct config *b) {
    struct config copy = *b;
    memcpy(copy.line_of, a->line_of, sizeof copy.line_of);
    memcpy(copy.file, a->file, sizeof copy.file);
    assert_memory_equal(a, &copy, sizeof copy);
}

static void assert_round_trip(const struct config *config) {
    char *text = printed(config);
    struct config again = good(text);
    char *text_again = printed(&again);
    assert_same_run(config, &again);
    assert_string_equal(text, text_again);
    free(text);
    free(text_again);
}

static void defaults(void **state) {
    (void)state;
    struct config config = good("[grid]\nnx=7\n");
    assert_int_equal(config.grid.nx, 7);
    assert_int_equal(config.grid.ny, 0);
    assert_true(config.grid.length_x == 1 && config.solver.omega == 1);
    assert_true(config.solver.rtol == 1e-8 && config.solver.atol == 0);
    assert_int_equal(config.solver.max_sweeps, 100000);
    assert_int_equal(config.solver.check_every, 0);
    assert_int_equal(config.parallel.halo_depth, 0);
    assert_string_equal(config.parallel.halo, "nonblocking");
    assert_string_equal(config.parallel.kernel, "auto");
    assert_int_equal(config.parallel.kernel_tile.width, 0);
    assert_int_equal(config.parallel.schedule, SCHEDULE_STATIC);
    assert_int_equal(config.parallel.threads, 0);
    assert_int_equal(config.problem.denormals, DENORMALS_FLUSH);
    assert_string_equal(config.problem.source, "0");
    assert_string_equal(config.problem.exact, "");
    assert_int_equal(config.problem.side[SIDE_EAST].kind, SIDE_DIRICHLET);
    assert_int_equal(config.timing.split, TIMING_SPLIT_OFF);
    assert_int_equal(config.binding.policy, BINDING_WARN);
    assert_false(config.output.overwrite || config.parallel.synchronous_sends);
}

static void every_kind_of_value(void **state) {
    (void)state;
    struct config config =
        good("[grid]\nnx = +12\nny = 34\nlength_x = 2.5e-1\n"
             "[problem]\nwest = neumann  x + y \nsouth=periodic\nnorth= periodic\n"
             "[solver]\nmethod=weighted\nomega=.8\ncheck_every=10\n"
             "[parallel]\nprocess_grid=4x2\nhalo_depth=16\nsynchronous_sends=on\n"
             "kernel_tile=512x8\nschedule=dynamic\nthreads=3\n[problem]\ndenormals=keep\n"
             "[timing]\nsplit=on\n[binding]\npolicy=strict\n"
             "[output]\nrecord = a b.json\n");
    assert_int_equal(config.grid.nx, 12);
    assert_int_equal(config.parallel.halo_depth, 16);
    assert_int_equal(config.parallel.kernel_tile.width, 512);
    assert_int_equal(config.parallel.kernel_tile.rows, 8);
    assert_int_equal(config.parallel.schedule, SCHEDULE_DYNAMIC);
    assert_int_equal(config.parallel.threads, 3);
    assert_int_equal(config.problem.denormals, DENORMALS_KEEP);
    assert_true(config.grid.length_x == 0.25 && config.solver.omega == 0.8);
    assert_int_equal(config.problem.side[SIDE_WEST].kind, SIDE_NEUMANN);
    assert_string_equal(config.problem.side[SIDE_WEST].value, "x + y");
    assert_int_equal(config.problem.side[SIDE_NORTH].kind, SIDE_PERIODIC);
    assert_int_equal(config.parallel.process_grid.decomposition, DECOMPOSITION_GIVEN);
    assert_int_equal(config.parallel.process_grid.count[AXIS_X], 4);
    assert_int_equal(config.parallel.process_grid.count[AXIS_Y], 2);
    assert_true(config.parallel.synchronous_sends);
    assert_int_equal(config.timing.split, TIMING_SPLIT_ON);
    assert_int_equal(config.binding.policy, BINDING_STRICT);
    assert_string_equal(config.output.record, "a b.json");
    assert_round_trip(&config);
}

/* Each of these texts is the same configuration. */
static void forms_of_a_file(void **state) {
    (void)state;
    static const char *const texts[] = {
        "[grid]\nnx = 100\nny = 50\n",
        "[grid]\r\nnx = 100\r\nny = 50\r\n",
        "[grid]\r\nnx = 100\nny = 50\r\r\n",
        "[grid]\nnx = 100\nny = 50",
        "\xEF\xBB\xBF[grid]\nnx=100\nny=50\n",
        "\n# comment\n; comment\n\n[grid] # comment\n  nx = 100 # cells\n\t ny\t=\t50\t; # y\n",
        "[grid]\nnx = \"100\"   # quoted\n[solver]\n[grid]\nny = \"50\"#\n\n\n",
    };
    struct config first = good(texts[0]);
    for (size_t i = 1; i < sizeof texts / sizeof texts[0]; i++) {
        struct config config = good(texts[i]);
        assert_same_run(&first, &config);
    }
}

static void quotes_and_comments(void **state) {
    (void)state;
    struct config config = good("[grid]\nnx=9\n[output]\nrecord = \"a#b ; c\" # comment\n"
                                "image = a#b;c ; comment\nhistory = \"\"\"x\"\" y\"\n");
    assert_string_equal(config.output.record, "a#b ; c");
    assert_string_equal(config.output.image, "a#b;c");
    assert_string_equal(config.output.history, "\"x\" y");
    assert_round_trip(&config);
    config = good("[grid]\nnx=9\n[output]\nrecord = \"\"\nimage =\nhistory=\"  \"\n");
    assert_string_equal(config.output.record, "");
    assert_string_equal(config.output.image, "");
    assert_string_equal(config.output.history, "  ");
    assert_round_trip(&config);
}

/* A wrong text and the whole message; the code is EXIT_CODE_USAGE. */
struct refusal {
    const char *text, *message;
};

static const struct refusal refusals[] = {
    /* numbers */
    {"[grid]\nnx = -1\n", "in.ini:2: grid.nx: -1 is not in 1..2147483647"},
    {"[grid]\nnx = 0\n", "in.ini:2: grid.nx: 0 is not in 1..2147483647"},
    {"[grid]\nnx = 1e9\n", "in.ini:2: grid.nx: '1e9' is not an integer in 1..2147483647"},
    {"[grid]\nnx = 99999999999999999999\n",
     "in.ini:2: grid.nx: '99999999999999999999' is not an integer in 1..2147483647"},
    {"[grid]\nnx = 3000000000\n", "in.ini:2: grid.nx: 3000000000 is not in 1..2147483647"},
    {"[grid]\nnx = 10abc\n", "in.ini:2: grid.nx: '10abc' is not an integer in 1..2147483647"},
    {"[grid]\nnx = 0x10\n", "in.ini:2: grid.nx: '0x10' is not an integer in 1..2147483647"},
    {"[grid]\nnx = 100;cells\n",
     "in.ini:2: grid.nx: '100;cells' is not an integer in 1..2147483647"},
    {"[grid]\nnx = \" \"\n", "in.ini:2: grid.nx: ' ' is not an integer in 1..2147483647"},
    {"[grid]\nnx =\n", "in.ini:2: grid.nx: '' is not an integer in 1..2147483647"},
    {"[grid]\nnx = nan\n", "in.ini:2: grid.nx: 'nan' is not an integer in 1..2147483647"},
    {"[grid]\nnx = auto\n", "in.ini:2: grid.nx: 'auto' is not an integer in 1..2147483647"},
    {"[grid]\nlength_x = inf\n", "in.ini:2: grid.length_x: 'inf' is not a number above 0"},
    {"[grid]\nlength_x = nan\n", "in.ini:2: grid.length_x: 'nan' is not a number above 0"},
    {"[grid]\nlength_x = 0\n", "in.ini:2: grid.length_x: 0 is not above 0"},
    {"[solver]\nrtol = 2\n", "in.ini:2: solver.rtol: 2 is not in 0..1"},
    {"[solver]\nrtol = 1e-8x\n", "in.ini:2: solver.rtol: '1e-8x' is not a number in 0..1"},
    {"[solver]\natol = -1\n", "in.ini:2: solver.atol: -1 is not at least 0"},
    {"[solver]\nomega = 2\n", "in.ini:2: solver.omega: 2 is not above 0 and below 2"},
    {"[solver]\ncheck_every = 0\n",
     "in.ini:2: solver.check_every: 0 is not in 1..1000000000000 or auto"},
    {"[solver]\ncheck_every = often\n",
     "in.ini:2: solver.check_every: 'often' is not an integer in 1..1000000000000 or auto"},
    /* words */
    {"[solver]\nmethod = jacoby\n",
     "in.ini:2: solver.method: 'jacoby' is not one of jacobi, weighted; did you mean jacobi?"},
    {"[timing]\nsplit = yes\n", "in.ini:2: timing.split: 'yes' is not one of off, on"},
    {"[parallel]\nhalo =\n", "in.ini:2: parallel.halo: a name is needed"},
    {"[parallel]\nkernel = a_name_that_is_longer_than_a_name_can_be\n",
     "in.ini:2: parallel.kernel: 40 characters are more than 31"},
    {"[parallel]\nprocess_grid = 4x\n",
     "in.ini:2: parallel.process_grid: '4x' is not auto, 1d-x, 1d-y, 2d or PXxPY, as in 4x2"},
    {"[parallel]\nkernel_tile = 512\n",
     "in.ini:2: parallel.kernel_tile: '512' is not auto, or WxR with W in 8..65536 and R in 2..32, "
     "as in 512x8"},
    {"[parallel]\nkernel_tile = x8\n",
     "in.ini:2: parallel.kernel_tile: 'x8' is not auto, or WxR with W in 8..65536 and R in 2..32, "
     "as in 512x8"},
    {"[parallel]\nkernel_tile = 512x\n", "in.ini:2: parallel.kernel_tile: '512x' is not auto, or "
                                         "WxR with W in 8..65536 and R in 2..32, "
                                         "as in 512x8"},
    {"[parallel]\nkernel_tile = 512x8x8\n", "in.ini:2: parallel.kernel_tile: '512x8x8' is not "
                                            "auto, or WxR with W in 8..65536 and R in 2..32, "
                                            "as in 512x8"},
    {"[parallel]\nkernel_tile = 7x8\n",
     "in.ini:2: parallel.kernel_tile: '7x8' is not auto, or WxR with W in 8..65536 and R in 2..32, "
     "as in 512x8"},
    {"[parallel]\nkernel_tile = 65537x8\n", "in.ini:2: parallel.kernel_tile: '65537x8' is not "
                                            "auto, or WxR with W in 8..65536 and R in 2..32, "
                                            "as in 512x8"},
    {"[parallel]\nkernel_tile = 512x1\n", "in.ini:2: parallel.kernel_tile: '512x1' is not auto, or "
                                          "WxR with W in 8..65536 and R in 2..32, "
                                          "as in 512x8"},
    {"[parallel]\nkernel_tile = 512x33\n", "in.ini:2: parallel.kernel_tile: '512x33' is not auto, "
                                           "or WxR with W in 8..65536 and R in 2..32, "
                                           "as in 512x8"},
    {"[parallel]\nkernel_tile = 0x0\n",
     "in.ini:2: parallel.kernel_tile: '0x0' is not auto, or WxR with W in 8..65536 and R in 2..32, "
     "as in 512x8"},
    {"[parallel]\nkernel_tile = -8x8\n", "in.ini:2: parallel.kernel_tile: '-8x8' is not auto, or "
                                         "WxR with W in 8..65536 and R in 2..32, "
                                         "as in 512x8"},
    {"[parallel]\nschedule = guided\n",
     "in.ini:2: parallel.schedule: 'guided' is not one of static, dynamic"},
    {"[parallel]\nthreads = 0\n", "in.ini:2: parallel.threads: 0 is not in 1..4096 or auto"},
    {"[problem]\ndenormals = flash\n",
     "in.ini:2: problem.denormals: 'flash' is not one of keep, flush; did you mean flush?"},
    {"[parallel]\nprocess_grid = 0x2\n",
     "in.ini:2: parallel.process_grid: '0x2' is not auto, 1d-x, 1d-y, 2d or PXxPY, as in 4x2"},
    /* sides */
    {"[problem]\nwest = 0\n",
     "in.ini:2: problem.west: '0' is not dirichlet VALUE, neumann FLUX or periodic"},
    {"[problem]\nwest = dirichlet\n",
     "in.ini:2: problem.west: 'dirichlet' lacks its value, as in dirichlet 0 or neumann 0"},
    {"[problem]\nwest = periodic 1\n",
     "in.ini:2: problem.west: 'periodic 1' has a value, but periodic takes none"},
    {"[problem]\nsource =\n", "in.ini:2: problem.source: an expression is needed"},
    /* names */
    {"[solver]\nmax_itter = 10\n", "in.ini:2: solver.max_itter: unknown key; [solver] has method, "
                                   "omega, rtol, atol, max_sweeps, check_every, time_limit_s"},
    {"[solver]\nmax_sweep = 10\n",
     "in.ini:2: solver.max_sweep: unknown key; did you mean max_sweeps?"},
    {"[grid]\nNX = 10\n", "in.ini:2: grid.NX: unknown key; did you mean nx?"},
    {"[grid]\nomega = 1\n", "in.ini:2: grid.omega: unknown key; it belongs to [solver]"},
    {"[gird]\n", "in.ini:1: unknown section [gird]; did you mean [grid]?"},
    {"[grid]\nnx=5\n[mesh]\n",
     "in.ini:3: unknown section [mesh]; known are grid, problem, solver, parallel, timing, output "
     "and binding"},
    {"nx = 5\n", "in.ini:1: nx stands before any section; put it under [grid]"},
    {"foo = 5\n", "in.ini:1: foo stands before any section, such as [grid]"},
    {"[grid]\nnx = 5\nny = 6\n nx = 7\n", "in.ini:4: grid.nx: given again, first in line 2"},
    {"[grid]\nnx = 5\n[solver]\n[grid]\nnx = 5\n",
     "in.ini:5: grid.nx: given again, first in line 2"},
    /* lines */
    {"[grid\nnx = 5\n", "in.ini:1: '[grid' is not a section; it should be [NAME]"},
    {"[grid] nx = 5\n", "in.ini:1: '[grid] nx = 5' is not a section; it should be [NAME]"},
    {"[grid]\nnx 5\n", "in.ini:2: no '=' in this line; it should be KEY = VALUE"},
    {"[grid]\nnx = 5\n  6\n", "in.ini:3: no '=' in this line; it should be KEY = VALUE"},
    {"[grid]\nnx # = 5\n", "in.ini:2: no '=' in this line; it should be KEY = VALUE"},
    {"[grid]\nnx: 5\n", "in.ini:2: ':' after a key; it should be KEY = VALUE"},
    {"[grid]\n = 5\n", "in.ini:2: no key before '='"},
    {"[output]\nimage = # none\n",
     "in.ini:2: the value would begin with '#': put it in double quotes, or the comment on a line "
     "of its own"},
    {"[output]\nimage = \"a\n", "in.ini:2: the closing double quote is missing"},
    {"[output]\nimage = \"a\"b\n", "in.ini:2: 'b' stands after the closing double quote"},
    {"[output]\nimage = a\rb\n", "in.ini:2: a control character: this is no text file"},
    /* what options say together */
    {"[solver]\n", "in.ini: grid.nx: not given; set the number of unknowns along x"},
    {"[grid]\nnx = 5\nlength_y = 2\n",
     "in.ini:3: grid.length_y: means nothing on a line; give grid.ny for a rectangle"},
    {"[grid]\nnx = 5\n[problem]\nsouth = dirichlet 0\n",
     "in.ini:4: problem.south: means nothing on a line; give grid.ny for a rectangle"},
    {"[grid]\nnx = 5\n[problem]\neast = periodic\n",
     "in.ini:4: problem.east: periodic needs problem.west = periodic too"},
    {"[grid]\nnx=5\nny=5\n[problem]\nsouth=periodic\nnorth=neumann 0\n",
     "in.ini:5: problem.south: periodic needs problem.north = periodic too"},
    {"[grid]\nnx = 1\n[problem]\nwest = neumann 0\neast = neumann 0\n",
     "in.ini:2: grid.nx: two Neumann sides need at least 2 points, not 1"},
    {"[grid]\nnx = 5\n[problem]\nexact = x*y\n",
     "in.ini:4: problem.exact: 'x*y': y means nothing on a line"},
    {"[grid]\nnx = 5\n[problem]\nsource = sin(x\n",
     "in.ini:4: problem.source: 'sin(x': Missing parenthesis at character 7"},
    {"[grid]\nnx = 5\n[problem]\neast = neumann x=1\n",
     "in.ini:4: problem.east: 'x=1': '=' at character 2: nothing can be assigned (to compare, "
     "write ==)"},
    {"[grid]\nnx = 5\n[problem]\ndiffusion = 1+x\n",
     "in.ini:4: problem.diffusion: must be a constant; x and y cannot stand in it"},
    {"[grid]\nnx = 5\n[problem]\ndiffusion = 1-1\n",
     "in.ini:4: problem.diffusion: must be above 0 and finite"},
    {"[grid]\nnx = 5\n[problem]\nreaction = -1/0\n",
     "in.ini:4: problem.reaction: must be at least 0 and finite"},
    {"[grid]\nnx = 5\n[solver]\nomega = 0.9\n",
     "in.ini:4: solver.omega: this method has no omega; give solver.method = weighted, or omega = "
     "1"},
    {"[grid]\nnx = 5\n[parallel]\nhalo_depth = 65\n",
     "in.ini:4: parallel.halo_depth: 65 is not in 1..64 or auto"},
    {"[grid]\nnx = 5\n[output]\nimage = out.png/a.svg\n",
     "in.ini:4: output.image: 'out.png/a.svg' does not end in .png, and pictures are PNG only"},
    {"[grid]\nnx = 5\n[output]\nimage = a\nhistory = a\n",
     "in.ini:5: output.history: the same file as output.image"},
};

static void refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct config config;
        struct status status = read_text(&config, refusals[i].text);
        assert_string_equal(status.text, refusals[i].message);
        assert_int_equal(status.code, EXIT_CODE_USAGE);
    }
}

/* Bytes that are no text: a NUL, a file in UTF-16. */
static void nul_bytes_are_refused(void **state) {
    (void)state;
    static const char nul[] = "[grid]\nnx = 5\0 6\n", wide[] = "[\0g\0r\0i\0d\0]\0\n\0";
    struct config config;
    struct status status = {0}, status_wide = {0};
    config_defaults(&config, "test");
    write_bytes(nul, sizeof nul - 1);
    assert_false(config_read(&config, file_name, &status));
    assert_string_equal(status.text, "in.ini:2: a NUL byte: this is no text file (is it UTF-16?)");
    write_bytes(wide, sizeof wide - 1);
    assert_false(config_read(&config, file_name, &status_wide));
    assert_string_equal(status_wide.text,
                        "in.ini:1: a NUL byte: this is no text file (is it UTF-16?)");
}

/* "[output]\nimage = aaa..." with `count` letters; to be freed. */
static char *long_value(const char *before, size_t count) {
    size_t length = strlen(before);
    char *text = calloc(length + count + 2, 1);
    assert_non_null(text);
    memcpy(text, before, length);
    memset(text + length, 'a', count);
    text[length + count] = '\n';
    return text;
}

/* Values may be longer than the 200 characters of inih's lines, and are never cut. */
static void long_lines(void **state) {
    (void)state;
    static const struct {
        const char *before;
        size_t count;
        const char *message;
    } lines[] = {
        {"[grid]\nnx=5\n[output]\nimage = ", 180, ""},
        {"[grid]\nnx=5\n[output]\nimage = ", 511, ""},
        {"[grid]\nnx=5\n[output]\nimage = ", 512,
         "in.ini:4: the value has more than 511 characters"},
        {"[grid]\nnx=5\n# ", 2000, ""},
        {"[grid]\nnx=5\n# ", 5000, "in.ini:3: the line has more than 2047 characters"},
        {"[output]\nimage = = ", 5000, "in.ini:2: the line has more than 2047 characters"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct config config;
        char *text = long_value(lines[i].before, lines[i].count);
        struct status status = read_text(&config, text);
        assert_string_equal(status.text, lines[i].message);
        if (status_good(&status))
            assert_round_trip(&config);
        free(text);
    }
}

static void long_keys(void **state) {
    (void)state;
    struct config config;
    char text[2000] = "[grid]\n";
    memset(text + 7, 'k', 300);
    memcpy(text + 307, " = 5\n", 6);
    struct status status = read_text(&config, text);
    assert_string_equal(status.text, "in.ini:2: the key has more than 196 characters");
}

static void files_that_cannot_be_read(void **state) {
    (void)state;
    static const struct refusal files[] = {
        {"no-such.ini", "no-such.ini: cannot be opened: No such file or directory"},
        {".", ".: cannot be read: Is a directory"},
    };
    for (size_t i = 0; i < 2; i++) {
        struct config config;
        struct status status = {0};
        config_defaults(&config, "test");
        assert_false(config_read(&config, files[i].text, &status));
        assert_string_equal(status.text, files[i].message);
        assert_int_equal(status.code, EXIT_CODE_FILES);
    }
}

static void reads_from_a_pipe(void **state) {
    (void)state;
    int ends[2];
    char name[40];
    struct config config;
    struct status status = {0};
    static const char text[] = "[grid]\nnx = 77\n";
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    config_defaults(&config, "test");
    assert_true(config_read(&config, name, &status));
    assert_int_equal(config.grid.nx, 77);
    close(ends[0]);
}

static void overrides(void **state) {
    (void)state;
    struct config config = good("[grid]\nnx = 5\n[solver]\nomega = 1\n");
    struct status status = {0};
    char place[100];
    assert_true(config_override(&config, "grid.nx=6", &status));
    assert_true(config_override(&config, " grid.nx = 7 ", &status));
    assert_true(config_override(&config, "grid.ny=8", &status));
    assert_true(config_override(&config, "problem.exact=x==y", &status));
    assert_true(config_override(&config, "output.image= # \"a", &status));
    assert_true(config_check(&config, &status));
    assert_int_equal(config.grid.nx, 7);
    assert_string_equal(config.problem.exact, "x==y");
    assert_string_equal(config.output.image, "# \"a");
    assert_string_equal(config_place(&config, "grid", "nx", place, sizeof place), "command line: ");
    assert_string_equal(config_place(&config, "solver", "omega", place, sizeof place),
                        "in.ini:4: ");
    assert_string_equal(config_place(&config, "solver", "rtol", place, sizeof place), "");
    assert_round_trip(&config);
}

static void overrides_refused(void **state) {
    (void)state;
    static const struct refusal wrong[] = {
        {"grid.nx=-5", "command line: grid.nx: -5 is not in 1..2147483647"},
        {"grid.nx=", "command line: grid.nx: '' is not an integer in 1..2147483647"},
        {"grid.nz=5", "command line: grid.nz: unknown key; did you mean nx?"},
        {"gird.nx=5", "command line: unknown section [gird]; did you mean [grid]?"},
        {"grid.nx", "command line: 'grid.nx' is not SECTION.KEY=VALUE in one line"},
        {"nx=5", "command line: 'nx' is not SECTION.KEY=VALUE in one line"},
        {"", "command line: '' is not SECTION.KEY=VALUE in one line"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct config config = good("[grid]\nnx = 5\n");
        struct status status = {0};
        assert_false(config_override(&config, wrong[i].text, &status));
        assert_string_equal(status.text, wrong[i].message);
        assert_int_equal(status.code, EXIT_CODE_USAGE);
    }
}

static void line_breaks_in_overrides_are_refused(void **state) {
    (void)state;
    struct config config = good("[grid]\nnx = 5\n");
    struct status status = {0};
    assert_false(config_override(&config, "output.image=a\n[grid]", &status));
    assert_int_equal(status.code, EXIT_CODE_USAGE);
    assert_string_equal(config.output.image, "");
}

static void contradiction_names_the_command_line(void **state) {
    (void)state;
    struct config config = good("[grid]\nnx = 5\n");
    struct status status = {0};
    assert_true(config_override(&config, "problem.west=periodic", &status));
    assert_false(config_check(&config, &status));
    assert_string_equal(status.text,
                        "command line: problem.west: periodic needs problem.east = periodic too");
}

static void shipped_configs(void **state) {
    (void)state;
    static const char *const names[] = {"hot-plate", "poisson-sine", "lecture-4000", "line-8m",
                                        "periodic"};
    const char *root = getenv("FUNNEL_SOURCE_ROOT");
    assert_non_null(root);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[4096];
        struct config config;
        struct status status = {0};
        snprintf(path, sizeof path, "%s/configs/%s.ini", root, names[i]);
        config_defaults(&config, "test");
        assert_true(config_read(&config, path, &status));
        assert_true(config_check(&config, &status));
        assert_round_trip(&config);
    }
}

static void grid_and_equation(void **state) {
    (void)state;
    struct config config =
        good("[grid]\nnx = 3\nny = 4\nlength_y = 2\n[problem]\nsource = 2*3\n"
             "diffusion = 1/4\nreaction = 0.5\nwest = periodic\neast = periodic\n");
    struct grid grid;
    struct equation equation;
    struct status status = {0};
    assert_true(config_grid(&config, &grid, &status));
    assert_true(config_equation(&config, &equation, &status));
    assert_int_equal(grid.dimensions, 2);
    assert_true(grid.spacing[AXIS_X] == 1.0 / 3 && grid.spacing[AXIS_Y] == 2.0 / 5);
    assert_true(equation.diffusion == 0.25 && equation.reaction == 0.5);
    assert_true(!equation.source_varies && equation.source == 6);
    config = good("[grid]\nnx = 3\n[problem]\nsource = x\n");
    assert_true(config_grid(&config, &grid, &status));
    assert_true(config_equation(&config, &equation, &status));
    assert_int_equal(grid.dimensions, 1);
    assert_int_equal(grid.points[AXIS_Y], 1);
    assert_true(equation.source_varies);
}

/* Counts options, and those that mean something on a rectangle only. */
struct count {
    int options, of_y;
};

static void count_option(void *context, const char *section, const char *key, const char *value) {
    struct count *count = context;
    count->options++;
    count->of_y += strcmp(key, "ny") == 0 || strcmp(key, "length_y") == 0 ||
                   strcmp(key, "south") == 0 || strcmp(key, "north") == 0;
    assert_true(section[0] != '\0' && value);
}

static void visits_what_applies(void **state) {
    (void)state;
    struct config line = good("[grid]\nnx = 5\n"), plane = good("[grid]\nnx = 5\nny = 5\n");
    struct count on_line = {0, 0}, on_plane = {0, 0};
    config_visit(&line, count_option, &on_line);
    config_visit(&plane, count_option, &on_plane);
    assert_int_equal(on_line.of_y, 0);
    assert_int_equal(on_plane.of_y, 4);
    assert_int_equal(on_plane.options, on_line.options + 4);
}

static char *captured(void (*print)(FILE *)) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    print(out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void assert_mentioned(void *context, const char *section, const char *key,
                             const char *value) {
    (void)section, (void)value;
    assert_non_null(strstr(context, key));
}

static void help_names_every_option(void **state) {
    (void)state;
    struct config plane = good("[grid]\nnx = 5\nny = 5\n");
    char *help = captured(config_print_help), *reference = captured(config_print_reference);
    config_visit(&plane, assert_mentioned, help);
    config_visit(&plane, assert_mentioned, reference);
    assert_non_null(
        strstr(reference, "| `method` | jacobi, weighted | jacobi | relaxation method |"));
    assert_non_null(strstr(reference, "| `nx` | 1..2147483647 | required | unknowns along x |"));
    free(help);
    free(reference);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(every_kind_of_value),
        cmocka_unit_test(forms_of_a_file),
        cmocka_unit_test(quotes_and_comments),
        cmocka_unit_test(refused),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(long_keys),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(reads_from_a_pipe),
        cmocka_unit_test(overrides),
        cmocka_unit_test(overrides_refused),
        cmocka_unit_test(line_breaks_in_overrides_are_refused),
        cmocka_unit_test(contradiction_names_the_command_line),
        cmocka_unit_test(shipped_configs),
        cmocka_unit_test(grid_and_equation),
        cmocka_unit_test(visits_what_applies),
        cmocka_unit_test(help_names_every_option),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
