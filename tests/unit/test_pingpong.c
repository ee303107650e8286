/* What pingpong works out without sending anything: sizes and pairs, the bytes it checks, the sums
 * over pairs, and which interface carried the messages. */
#include "../../src/programs/pingpong_loops.h"
#include "../../src/programs/pingpong_payload.h"
#include "files.h"

#include <math.h>

static const struct pingpong_wish usual = {
    .repeats = 1000, .repeats_large = 50, .min_bytes = 1, .max_bytes = 16 << 20};
static const struct pingpong_pattern plain = {
    .name = "plain", .times = 2, .ways = 1, .in_flight = 1};
static const struct pingpong_pattern many = {.name = "many", .times = 4, .ways = 1, .in_flight = 4};
static const int64_t cache_bytes = 32 << 20;

static struct pingpong_plan plan_of(const struct pingpong_wish *wish,
                                    const struct pingpong_pattern *pattern, int ranks) {
    struct pingpong_plan plan;
    struct status status = {0};
    assert_true(pingpong_plan_make(&plan, wish, pattern, ranks, cache_bytes, &status));
    return plan;
}

static void sizes_go_in_steps_of_16(void **state) {
    (void)state;
    const int64_t expected[] = {1, 16, 256, 4096, 65536, 1 << 20, 16 << 20};
    const struct pingpong_plan plan = plan_of(&usual, &plain, 2);
    assert_int_equal(plan.sizes, 7);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(plan.size[i].bytes, expected[i]);
        assert_int_equal(plan.size[i].repeats, expected[i] <= 65536 ? 1000 : 50);
        assert_int_equal(plan.size[i].warmup, expected[i] <= 65536 ? 100 : 5);
    }
}

static void fine_sizes_are_the_powers_of_two_too(void **state) {
    (void)state;
    struct pingpong_wish wish = usual;
    wish.fine = true;
    struct pingpong_plan plan = plan_of(&wish, &plain, 2);
    assert_int_equal(plan.sizes, 25);
    for (int i = 0; i < 25; i++)
        assert_int_equal(plan.size[i].bytes, 1 << i);
    const int64_t expected[] = {3, 4, 8, 16, 32, 48, 64, 100};
    wish.min_bytes = 3;
    wish.max_bytes = 100;
    plan = plan_of(&wish, &plain, 2);
    assert_int_equal(plan.sizes, 8);
    for (int i = 0; i < 8; i++)
        assert_int_equal(plan.size[i].bytes, expected[i]);
    wish.min_bytes = 1;
    wish.max_bytes = 1 << 30;
    assert_int_equal(plan_of(&wish, &plain, 2).sizes, 31);
}

static void one_size_alone(void **state) {
    (void)state;
    struct pingpong_wish wish = usual;
    wish.min_bytes = wish.max_bytes = 1000;
    wish.repeats = 1;
    const struct pingpong_plan plan = plan_of(&wish, &plain, 2);
    assert_int_equal(plan.sizes, 1);
    assert_int_equal(plan.size[0].bytes, 1000);
    assert_int_equal(plan.size[0].warmup, 1);
}

/* Every rank has the peer that names it, and as many have one as asked. */
static void assert_pairs(const struct pingpong_plan *plan, int ranks, int expected) {
    int paired = 0;
    for (int rank = 0; rank < ranks; rank++) {
        const int peer = pingpong_peer(plan, rank);
        paired += peer >= 0;
        assert_true(peer < 0 || pingpong_peer(plan, peer) == rank);
        assert_int_not_equal(peer, rank);
    }
    assert_int_equal(paired, 2 * expected);
}

static void ranks_are_paired_as_asked(void **state) {
    (void)state;
    struct pingpong_wish wish = usual;
    struct pingpong_plan plan = plan_of(&wish, &plain, 5);
    assert_pairs(&plan, 5, 1);
    assert_int_equal(pingpong_peer(&plan, 0), 1);
    wish.pairs = true;
    plan = plan_of(&wish, &plain, 8);
    assert_pairs(&plan, 8, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pingpong_peer(&plan, i), i + 4);
    wish.pairs = false;
    wish.pair = (struct flag_list){2, {3, 1}};
    plan = plan_of(&wish, &plain, 4);
    assert_pairs(&plan, 4, 1);
    assert_int_equal(pingpong_peer(&plan, 3), 1);
    assert_int_equal(plan.first, 3);
}

static void refused(const struct pingpong_wish *wish, int ranks, const char *text) {
    struct pingpong_plan plan;
    struct status status = {0};
    assert_false(pingpong_plan_make(&plan, wish, &plain, ranks, cache_bytes, &status));
    assert_string_equal(status.text, text);
    assert_int_equal(status.code, EXIT_CODE_USAGE);
}

static void what_cannot_be_paired_is_refused(void **state) {
    (void)state;
    struct pingpong_wish wish = usual;
    refused(&wish, 1, "two ranks are needed and this run has 1; start it with mpiexec -n 2");
    wish.pairs = true;
    refused(
        &wish, 3,
        "command line: --pairs needs an even number of ranks, and this run has 3; start one more "
        "or one less");
    wish.pair = (struct flag_list){2, {0, 1}};
    refused(&wish, 4, "command line: --pair and --pairs exclude each other; leave one out");
    wish.pairs = false;
    refused(&wish, 1, "two ranks are needed and this run has 1; start it with mpiexec -n 2");
    wish.pair = (struct flag_list){2, {0, 4}};
    refused(&wish, 4, "command line: --pair: rank 4 is not in 0..3");
    wish.pair = (struct flag_list){2, {2, 2}};
    refused(&wish, 4, "command line: --pair: rank 2 cannot be its own peer; give two ranks");
    wish.pair = (struct flag_list){3, {0, 1, 2}};
    refused(&wish, 4, "command line: --pair takes two ranks, as in 0,1, and 3 are given");
    wish.pair.count = 0;
    wish.min_bytes = 200;
    wish.max_bytes = 100;
    refused(&wish, 2, "command line: --min 200 is above --max 100");
}

static void buffers_hold_what_is_in_flight(void **state) {
    (void)state;
    struct pingpong_wish wish = usual;
    wish.max_bytes = 1000;
    struct pingpong_plan plan = plan_of(&wish, &many, 2);
    assert_int_equal(pingpong_send_bytes(&plan), 1000);
    assert_int_equal(pingpong_receive_bytes(&plan), 4000);
    assert_int_equal(pingpong_window_bytes(&plan), 0);
    const struct pingpong_pattern rows = {
        .name = "rows", .times = 1, .ways = 2, .in_flight = 1, .in_rows = true};
    const struct pingpong_plan in_rows = plan_of(&wish, &rows, 2);
    assert_int_equal(pingpong_send_bytes(&in_rows), 2000);
    assert_int_equal(pingpong_receive_bytes(&in_rows), 2000);
    /* 1, 16, 256 and 1000 bytes, each warmed up 100 times and repeated 1000 times */
    assert_int_equal(pingpong_sent_bytes(&plan), INT64_C(4) * 1100 * (1 + 16 + 256 + 1000));
    plan.validate = true;
    assert_int_equal(pingpong_sent_bytes(&plan), INT64_C(4) * 2100 * (1 + 16 + 256 + 1000));
}

static void cold_buffers_are_larger_than_the_cache(void **state) {
    (void)state;
    struct pingpong_wish wish = usual;
    wish.cold = true;
    wish.max_bytes = 1000;
    struct pingpong_plan plan = plan_of(&wish, &plain, 2);
    assert_true(pingpong_send_bytes(&plan) + pingpong_receive_bytes(&plan) > cache_bytes);
    wish.max_bytes = 1 << 30; /* larger than the cache by itself: two of them by turns */
    plan = plan_of(&wish, &plain, 2);
    assert_true(pingpong_send_bytes(&plan) >= INT64_C(2) << 30);
}

static void every_wrong_byte_is_found(void **state) {
    (void)state;
    enum { MOST = 67 };
    char data[MOST], spoiled[MOST];
    unsigned char expected = 0;
    for (int bytes = 1; bytes <= MOST; bytes++) {
        const uint64_t seed = payload_seed(bytes, 7, 1);
        payload_fill(data, bytes, seed);
        assert_int_equal(payload_first_wrong(data, bytes, seed, &expected), -1);
        for (int at = 0; at < bytes; at++) {
            const char right = data[at];
            data[at] = (char)(right ^ 1);
            assert_int_equal(payload_first_wrong(data, bytes, seed, &expected), at);
            assert_int_equal(expected, (unsigned char)right);
            data[at] = right;
        }
        payload_spoil(spoiled, bytes, seed);
        for (int at = 0; at < bytes; at++)
            assert_int_not_equal(spoiled[at], data[at]);
    }
}

/* A message of another size, repetition or sender does not pass for this one. */
static void bytes_depend_on_size_repetition_and_sender(void **state) {
    (void)state;
    char data[64];
    unsigned char expected;
    const uint64_t seed = payload_seed(64, 3, 0);
    const uint64_t others[] = {payload_seed(65, 3, 0), payload_seed(64, 4, 0),
                               payload_seed(64, 3, 1)};
    payload_fill(data, sizeof data, seed);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_true(payload_first_wrong(data, sizeof data, others[i], &expected) >= 0);
    assert_true(payload_first_wrong(data, 64 - 8, seed + 8, &expected) >= 0);
}

/* Two pairs and three sizes: T(m) = 2 us + m * 1 ns/byte, the second pair 2 us slower. */
static void fill_results(struct pingpong_result *of_rank, const struct pingpong_plan *plan) {
    for (int rank = 0; rank < 4; rank++)
        for (int i = 0; i < plan->sizes; i++) {
            const double time_s =
                2e-6 + 1e-9 * (double)plan->size[i].bytes + (rank == 1 ? 2e-6 : 0);
            of_rank[rank * plan->sizes + i] =
                (struct pingpong_result){.time_s = {.min = time_s - 1e-7,
                                                    .p5 = time_s - 1e-8,
                                                    .median = time_s,
                                                    .p95 = time_s + 1e-8,
                                                    .max = time_s + 1e-7,
                                                    .median_low = time_s,
                                                    .median_high = time_s},
                                         .probe_s = rank == 1 ? 3e-7 : nan("")};
        }
}

static void pairs_are_summed_up_and_fitted(void **state) {
    (void)state;
    struct pingpong_wish wish = usual;
    wish.pairs = true;
    const struct pingpong_plan plan = plan_of(&wish, &plain, 4);
    struct pingpong_result of_rank[4 * 7];
    struct pingpong_measurement found = {.plan = &plan, .of_rank = of_rank};
    struct status status = {0};
    fill_results(of_rank, &plan);
    pingpong_conclude(&found, &status);
    assert_true(status_good(&status));
    const struct samples_summary *first = &found.all[0].time_s;
    assert_true(fabs(first->median - 3.001e-6) < 1e-15);
    assert_true(fabs(first->min - 1.901e-6) < 1e-15);
    assert_true(fabs(first->p5 - 1.991e-6) < 1e-15);
    assert_true(fabs(first->p95 - 4.011e-6) < 1e-15);
    assert_true(found.all[0].probe_s == 3e-7);
    assert_true(fabs(found.rate_bytes_per_s[0] - (1 / 2.001e-6 + 1 / 4.001e-6)) < 1);
    assert_true(found.fitted);
    assert_int_equal(found.fit.model.count, 1);
    assert_true(fabs(found.fit.model.segments[0].alpha_s - 3e-6) < 1e-12);
    assert_true(fabs(found.fit.model.segments[0].beta_s_per_byte - 1e-9) < 1e-15);
    assert_true(fabs(found.half_bytes - 3000) < 1);
}

static void write_counters(const char *root, const char *lo, const char *eth0) {
    write_below(root, "/sys/class/net/lo/statistics/tx_bytes", lo);
    write_below(root, "/sys/class/net/eth0/statistics/tx_bytes", eth0);
}

static void the_carrier_is_the_interface_that_sent_the_bytes(void **state) {
    (void)state;
    struct pingpong_traffic before, after;
    char root[FOLDER_BYTES];
    make_folder(root);
    write_counters(root, "1000\n", "5000000\n");
    pingpong_traffic_read(&before, root);
    assert_int_equal(before.count, 2);
    write_counters(root, "901000\n", "5000100\n");
    pingpong_traffic_read(&after, root);
    const struct pingpong_carrier carrier = pingpong_traffic_carrier(&before, &after, 1000000);
    assert_string_equal(carrier.name, "lo");
    assert_int_equal(carrier.carried_bytes, 900000);
    assert_string_equal(pingpong_traffic_carrier(&before, &after, 2000000).name, "");
    assert_int_equal(pingpong_traffic_carrier(&before, &after, 2000000).carried_bytes, 900000);
    remove_folder(root);
    pingpong_traffic_read(&before, "nowhere");
    assert_int_equal(before.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_go_in_steps_of_16),
        cmocka_unit_test(fine_sizes_are_the_powers_of_two_too),
        cmocka_unit_test(one_size_alone),
        cmocka_unit_test(ranks_are_paired_as_asked),
        cmocka_unit_test(what_cannot_be_paired_is_refused),
        cmocka_unit_test(buffers_hold_what_is_in_flight),
        cmocka_unit_test(cold_buffers_are_larger_than_the_cache),
        cmocka_unit_test(every_wrong_byte_is_found),
        cmocka_unit_test(bytes_depend_on_size_repetition_and_sender),
        cmocka_unit_test(pairs_are_summed_up_and_fitted),
        cmocka_unit_test(the_carrier_is_the_interface_that_sent_the_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
