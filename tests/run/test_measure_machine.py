#!/usr/bin/env python3
"""run/measure-machine: what it decides to measure, and a quick run that predict reads.

usage: test_measure_machine.py BUILD-FOLDER SCHEMA.json
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import scripts
from lab import command, kernels, network, series

BUILD, SCHEMA = (Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[1:3]
CHECK_SCHEMA = Path(__file__).resolve().parents[1] / 'cli/check_schema.py'
MIB, GIB = 1024 ** 2, 1024 ** 3
CACHES = [{'level': 1, 'size_bytes': 48 * 1024, 'cores': 1}, {'level': 2, 'size_bytes': 2 * MIB, 'cores': 1},
          {'level': 3, 'size_bytes': 32 * MIB, 'cores': 8}]


class PlanTest(unittest.TestCase):
    def places(self, caches, cores, memory=256 * GIB):
        return [(place.where, place.up_to_bytes) for place in kernels.places(caches, cores, memory)]

    def test_a_cache_holds_half_of_a_cores_share(self):
        own = [('L1', 24 * 1024), ('L2', MIB)]
        for last_bytes, last in ((32 * MIB, []), (64 * MIB, [('L3', 4 * MIB)])):
            caches = [*CACHES[:2], {'level': 3, 'size_bytes': last_bytes, 'cores': 8}]
            self.assertEqual(self.places(caches, 8), [*own, *last, ('memory', None)])

    def test_steps_through_a_large_last_cache(self):
        large = [*CACHES[:2], {'level': 3, 'size_bytes': 480 * MIB, 'cores': 2}]
        self.assertEqual(self.places(large, 2),
                         [('L1', 24 * 1024), ('L2', MIB), ('L3', 8 * MIB), ('L3', 32 * MIB), ('L3', 120 * MIB),
                          ('memory', None)])

    def test_unreadable_caches_leave_memory(self):
        self.assertEqual(self.places([], 4), [('memory', None)])

    def test_memory_is_beyond_all_caches_and_fits(self):
        for caches, cores, memory in ((CACHES, 8, 256 * GIB), (CACHES, 8, 2 * GIB), ([], 1, GIB)):
            place = kernels.places(caches, cores, memory)[-1]
            self.assertLessEqual(place.measured_bytes * cores, memory // 4)
            self.assertGreater(place.measured_bytes, 8 * MIB)

    def test_core_counts(self):
        self.assertEqual([kernels.core_counts(cores) for cores in (1, 2, 6, 8)],
                         [[1], [1, 2], [1, 2, 4, 6], [1, 2, 4, 8]])

    def test_cases(self):
        """Each kernel at each place with each number of cores; those with passes at three depths, in the
        order of the machine file."""
        places = kernels.places(CACHES, 2, 64 * GIB)
        found = kernels.make_cases(['vector', 'temporal'], places, 2, False)
        runs = [('vector', 1), ('temporal', 4), ('temporal', 16), ('temporal', 64)]
        self.assertEqual([(case.place, case.kernel, case.sweeps_in_pass, case.cores) for case in found],
                         [(place, *run, cores) for place in places for run in runs for cores in (1, 2)])
        for case in found:
            self.assertEqual(case.points, case.side ** 2 * case.cores)
            working_set = case.side ** 2 * kernels.BYTES_A_POINT
            self.assertLessEqual(working_set, case.place.measured_bytes)
            self.assertGreater(working_set, case.place.measured_bytes * 0.9)

    def test_rate_is_of_what_the_points_cost(self):
        case = kernels.Case('vector', 1, None, 1, 100)
        self.assertAlmostEqual(kernels.rate_lups(case, 12e-6, 2e-6) / 1e9, 1)
        self.assertAlmostEqual(kernels.rate_lups(case._replace(cores=3), 12e-6, 2e-6) / 1e9, 3)
        self.assertIsNone(kernels.rate_lups(case, 12e-6, 10e-6))
        in_passes = case._replace(kernel='temporal', sweeps_in_pass=16)
        self.assertAlmostEqual(kernels.rate_lups(in_passes, 11e-6, 16e-6) / 1e9, 1)
        self.assertIsNone(kernels.rate_lups(case, 12e-6, 20e-6))

    def test_kernels_of_the_solver(self):
        found = kernels.kernel_names(BUILD)
        self.assertEqual(found[0], 'reference')
        self.assertLessEqual(set(kernels.IN_PASSES), set(found))
        self.assertEqual(kernels.chosen_names(BUILD, None), found)
        self.assertEqual(kernels.chosen_names(BUILD, 'temporal,reference'), ['reference', 'temporal'])


class SeriesTest(unittest.TestCase):
    def test_rounds_go_there_and_back_and_a_failure_is_final(self):
        order, answers = [], iter([({None: 2}, None), (None, 'broken'), ({None: 8}, None)])

        def take(name, answer):
            def inner():
                order.append(name)
                return answer()
            return inner

        good = series.Series({}, 's', take('good', lambda: ({None: 3, 8: 4}, None)))
        bad = series.Series({}, 's', take('bad', lambda: next(answers)))
        series.take_rounds(3, [good, bad], lambda text: None)
        self.assertEqual(order, ['good', 'bad', 'bad', 'good', 'good'])
        self.assertEqual((good.median(), good.median(8), good.median(9)), (3, 4, None))
        self.assertEqual((bad.median(), bad.as_record()['problem']), (None, 'broken'))

    def test_fit_is_that_of_the_run_in_the_middle(self):
        link = network.Link(None, network.transports.DEFAULT, ('near', None), 'shared-cache', False)
        segment = {'from_bytes': 0, 'alpha_s': 1, 'beta_s_per_byte': 1, 'error': 0, 'sizes': 3}
        for value in 9, 2, 1:
            link.samples.setdefault(8, []).append(value)
            link.runs.append(({8: value}, [{**segment, 'alpha_s': value}]))
        self.assertEqual(link.entry()['segments'],
                         [{'from_bytes': 0, 'alpha_s': 2, 'beta_s_per_byte': 1, 'error': 0}])
        link.problem = 'broken'
        self.assertIsNone(link.entry())


class ScriptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_script(self, *words, build=BUILD):
        return subprocess.run([scripts.RUN / 'measure-machine', '--build', build, *words], cwd=self.folder,
                              capture_output=True, text=True, timeout=250, stdin=subprocess.DEVNULL)

    def test_quick_run(self):
        done = self.run_script('m.json', '--quick', '--samples', 's.json')
        self.assertEqual(done.returncode, 0, done)
        checked = subprocess.run([sys.executable, CHECK_SCHEMA, SCHEMA, self.folder / 'm.json'],
                                 capture_output=True, text=True, timeout=60)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        machine = json.loads((self.folder / 'm.json').read_text())
        self.assertEqual({entry['name'] for entry in machine['kernels']}, set(kernels.kernel_names(BUILD)))
        counts = kernels.core_counts(machine['cores'])
        for entry in machine['kernels']:
            depths = (4, 16, 64) if entry['name'] in ('tiled', 'temporal') else (1,)
            places = list(dict.fromkeys(rate['up_to_bytes'] for rate in entry['rates']))
            self.assertEqual(
                [(rate['up_to_bytes'], rate['sweeps_in_pass'], rate['cores']) for rate in entry['rates']],
                [(place, depth, count) for place in places for depth in depths for count in counts])
        self.assertEqual([one['cores'] for one in machine['copy']], counts)
        self.assertIn('shared-window', {entry['distance'] for entry in machine['network']})
        samples = json.loads((self.folder / 's.json').read_text())
        self.assertEqual({one['what'] for one in samples['series']},
                         {'copy', 'sweep_overhead', 'sweep', 'message', 'message in rows'})
        self.assertEqual({entry['in_rows'] for entry in machine['network']}, {False, True})
        predicted = subprocess.run([BUILD / 'src/programs/predict', self.folder / 'm.json',
                                    command.ROOT / 'configs/hot-plate.ini'], capture_output=True, text=True,
                                   timeout=60, stdin=subprocess.DEVNULL)
        self.assertEqual(predicted.returncode, 0, predicted.stderr)

    def test_errors(self):
        for words, build, code, text in (((), BUILD, 2, 'MACHINE.json'),
                                         (('m.json', '--rounds', 'x'), BUILD, 2, 'x'),
                                         (('/no/such/m.json',), BUILD, 6, 'no folder'),
                                         (('m.json', '--samples', '.'), BUILD, 6, 'is a folder'),
                                         (('m.json', '--samples', 'm.json'), BUILD, 2, 'the same file'),
                                         (('m.json', '--kernels', 'vector,x'), BUILD, 2,
                                          'x is none of reference, '),
                                         (('m.json', '--kernels', ''), BUILD, 2, 'nothing is none of'),
                                         (('m.json',), self.folder, 5, 'run/build')):
            done = self.run_script(*words, build=build)
            self.assertEqual((done.returncode, done.stdout), (code, ''), done)
            self.assertRegex(done.stderr, rf'^run/measure-machine: .*{text}.*\n$')
        self.assertFalse((self.folder / 'm.json').exists())


if __name__ == '__main__':
    unittest.main()
