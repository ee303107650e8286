#!/usr/bin/env python3
"""The arithmetic of scaling on numbers with known answers."""
import itertools
import math
import random
import unittest
from unittest import mock

import synthetic  # noqa: F401  puts run/ on the path
from lab.study import arithmetic


class DescribeTest(unittest.TestCase):
    def test_median_extremes_and_spread(self):
        found = arithmetic.describe([3.0, 1.0, 2.0, None])
        self.assertEqual((found['median'], found['min'], found['max'], found['samples']), (2, 1, 3, 3))
        self.assertEqual((found['spread'], found['variation']), (1, 0.5))

    def test_one_sample_has_no_variation(self):
        self.assertIsNone(arithmetic.describe([2.0])['variation'])

    def test_nothing(self):
        self.assertIsNone(arithmetic.describe([None]))

    def test_zero_has_no_spread(self):
        self.assertIsNone(arithmetic.describe([0.0, 0.0])['spread'])


class StrongTest(unittest.TestCase):
    def test_base_of_several_cores(self):
        self.assertEqual(arithmetic.efficiency(8.0, 4, 2.0, 16), 1.0)
        self.assertEqual(arithmetic.efficiency(8.0, 4, 4.0, 16), 0.5)

    def test_karp_flatt_finds_the_serial_fraction(self):
        for fraction, ratio in itertools.product((0.0, 0.05, 0.3), (2, 3, 64)):
            speed = 1 / (fraction + (1 - fraction) / ratio)
            self.assertAlmostEqual(arithmetic.karp_flatt(speed, ratio), fraction)

    def test_karp_flatt_of_the_base_is_not_defined(self):
        self.assertIsNone(arithmetic.karp_flatt(1.0, 1))

    def test_karp_flatt_is_negative_beyond_the_ideal(self):
        self.assertLess(arithmetic.karp_flatt(9.0, 2), 0)


def amdahl(fraction, ratios, time_s=10.0, noise=lambda: 1.0):
    return {ratio: time_s * (fraction + (1 - fraction) / ratio) * noise() for ratio in ratios}


class AmdahlTest(unittest.TestCase):
    def test_five_percent(self):
        fit = arithmetic.fit_amdahl(amdahl(0.05, (1, 2, 4, 8, 16)))
        self.assertAlmostEqual(fit['serial_fraction'], 0.05)
        self.assertAlmostEqual(fit['serial_s'] + fit['parallel_s'], 10)
        self.assertEqual(fit['core_counts'], 5)
        for end in fit['interval_95']:
            self.assertAlmostEqual(end, 0.05, places=6)
        self.assertIsNone(fit['note'])

    def test_perfect_scaling(self):
        self.assertAlmostEqual(arithmetic.fit_amdahl(amdahl(0, (1, 2, 4, 8)))['serial_fraction'], 0)

    def test_three_core_counts_are_too_few_for_an_interval(self):
        fit = arithmetic.fit_amdahl(amdahl(0.05, (1, 2, 4)))
        self.assertAlmostEqual(fit['serial_fraction'], 0.05)
        self.assertIsNone(fit['interval_95'])
        self.assertIn('too few points for an interval: 3 different core counts', fit['note'])

    def test_one_core_count_is_no_fit(self):
        self.assertIsNone(arithmetic.fit_amdahl({1: 3.0}))

    def test_interval_holds_the_truth_as_often_as_it_says(self):
        chance, held, tries = random.Random(1), 0, 400
        for _ in range(tries):
            times = amdahl(0.05, (1, 2, 4, 8, 16, 32), noise=lambda: chance.gauss(1, 0.01))
            low, high = arithmetic.fit_amdahl(times)['interval_95']
            held += low <= 0.05 <= high
        self.assertTrue(0.90 * tries <= held <= 0.99 * tries, held)

    def test_quantile_between_rows_is_the_wider(self):
        self.assertEqual(arithmetic.student_t(11), arithmetic.student_t(10))
        self.assertEqual(arithmetic.student_t(1000), 2.000)


class WeakTest(unittest.TestCase):
    def test_perfect(self):
        self.assertEqual(arithmetic.weak_efficiency(2.0, 2.0), 1)
        self.assertEqual(arithmetic.scaled_speedup(2.0, 2.0, 8), 8)
        self.assertEqual(arithmetic.gustafson_serial_fraction(8, 8), 0)

    def test_gustafson_finds_the_serial_fraction(self):
        for fraction, ratio in itertools.product((0.05, 0.5), (2, 16)):
            scaled = ratio + (1 - ratio) * fraction
            self.assertAlmostEqual(arithmetic.gustafson_serial_fraction(scaled, ratio), fraction)
        self.assertIsNone(arithmetic.gustafson_serial_fraction(1, 1))


class RankTest(unittest.TestCase):
    def test_number_of_ways_is_the_binomial(self):
        for a, b in ((1, 1), (2, 3), (5, 5), (7, 4)):
            self.assertEqual(sum(arithmetic.rank_sums(a, b).values()), math.comb(a + b, a))

    def test_against_the_definition(self):
        """All orders of the values are equally likely."""
        a, b = [1.0, 4.0, 6.0], [2.0, 7.0, 8.0, 9.0]
        values, middle = a + b, 3 * 8 / 2
        def distance(chosen):
            return abs(sum(sorted(values).index(value) + 1 for value in chosen) - middle)
        ways = list(itertools.combinations(values, 3))
        expected = sum(distance(way) >= distance(a) for way in ways) / len(ways)
        self.assertAlmostEqual(arithmetic.rank_test(a, b), expected)

    def test_five_apart_from_five(self):
        p = arithmetic.rank_test([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])
        self.assertAlmostEqual(p, 2 / 252)
        self.assertAlmostEqual(p, arithmetic.least_p(5, 5))

    def test_many_samples_by_the_normal_distribution(self):
        for shift in (0.5, 4.5, 6.5):
            a, b = [float(i) for i in range(50)], [i + shift for i in range(50)]
            exact = arithmetic.rank_test(a, b)
            with mock.patch.object(arithmetic, 'EXACT_PAIRS', 0):
                self.assertAlmostEqual(arithmetic.rank_test(a, b), exact, delta=0.02 * exact)

    def test_the_same(self):
        self.assertEqual(arithmetic.rank_test([1, 1, 1], [1, 1, 1]), 1)

    def test_false_discoveries(self):
        self.assertEqual(arithmetic.false_discoveries([0.01, 0.04, 0.5, 0.02]), [True, False, False, True])
        self.assertEqual(arithmetic.false_discoveries([0.04, 0.04]), [True, True])
        self.assertEqual(arithmetic.false_discoveries([0.2]), [False])
        self.assertEqual(arithmetic.false_discoveries([]), [])


if __name__ == '__main__':
    unittest.main()
