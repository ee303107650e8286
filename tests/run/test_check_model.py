#!/usr/bin/env python3
"""run/check-model: its arithmetic on made-up rounds, and the whole of it on small grids.

usage: test_check_model.py BUILD-FOLDER SOURCE-ROOT
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import scripts

ROOT = Path(sys.argv.pop(2)).resolve()
BUILD = Path(sys.argv.pop(1)).resolve()
MACHINE = ROOT / 'tests/data/machine/two-cores.json'
model = scripts.load('check-model')


def made_up(predicted_s, measured_s, problems=0):
    return {'cases': [{'predicted': {'sweep_s': predicted_s, 'tcomm_fraction': 0.1},
                       'measured': {'sweep_s': measured_s, 'tcomm_fraction': 0.2,
                                    'binding_problems': problems}}]}


class Arithmetic(unittest.TestCase):
    def test_a_round_is_compared_with_its_own_machine(self):
        """The machine halves its speed in one round; the prediction follows, so no error comes of it."""
        found = model.compare([made_up(1.1, 1), made_up(2.2, 2), made_up(1.2, 1)], 0)
        self.assertAlmostEqual(found['error']['median'], 0.1)
        self.assertAlmostEqual(found['error']['max'], 0.2)
        self.assertEqual(found['measured_s']['median'], 1)
        self.assertEqual((found['predicted_tcomm'], found['measured_tcomm']), (0.1, 0.2))

    def test_what_is_beyond_the_aim_is_marked(self):
        case = model.Case('vector', 1, 256, 1, 2)
        good, bad = (model.compare([made_up(value, 1)], 0) for value in (1.15, 0.8))
        self.assertNotIn('beyond', model.row(case, good))
        self.assertIn('-20.0 [ -20.0 ..  -20.0]  beyond the aim', model.row(case, bad))
        self.assertIn('binding problems', model.row(case, model.compare([made_up(1, 1, 2)], 0)))
        self.assertEqual(model.verdict([good, bad]),
                         '1 of 2 predictions within 15 %, median error 17.5 %, largest 20.0 %')

    def test_the_first_block_counts_in_no_sweep(self):
        self.assertEqual(model.sweep_time_s({'total_s': 9, 'sweeps': 100, 'first_block_sweeps': 10}), 0.1)

    def test_cases(self):
        cases = model.make_cases(model.GRIDS)
        self.assertEqual(len(cases), 18)
        self.assertEqual({(case.ranks, case.threads) for case in cases}, {(1, 1), (1, 2), (2, 1)})
        words = model.Case('temporal', 16, 1000, 1, 1).words(0.08)
        self.assertIn('solver.max_sweeps=160', words)  # 160 million points at 2 GLUP/s


class Whole(unittest.TestCase):
    def run_script(self, *words):
        return subprocess.run([sys.executable, '-B', ROOT / 'run/check-model', '--build', BUILD, *words],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, 'layouts of two cores')
    def test_small_grids(self):
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder, 'record.json')
            done = self.run_script('--quick', '--rounds', '1', '--machine', MACHINE, '--record', record)
            self.assertEqual(done.returncode, 0, done.stderr)
            content = json.loads(record.read_text())
        self.assertEqual(len(content['cases']), 6)
        self.assertEqual(content['rounds'][0]['machine']['name'], 'example')
        self.assertIn('commit', content['version'])
        for case in content['cases']:
            self.assertGreater(case['measured_s']['median'], 0)
            self.assertGreater(case['predicted_s']['median'], 0)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 8)
        self.assertEqual(lines[-1], content['verdict'])

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, 'layouts of two cores')
    def test_rounds_are_added_to_a_record(self):
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder, 'record.json')
            words = ['--quick', '--rounds', '1', '--machine', MACHINE, '--record', record, '--continue']
            for rounds in 1, 2:
                done = self.run_script(*words)
                self.assertEqual(done.returncode, 0, done.stderr)
                content = json.loads(record.read_text())
                self.assertEqual(len(content['rounds']), rounds)
            self.assertEqual(len(content['cases'][0]['error']['samples']), 2)
            self.assertEqual(done.stdout.splitlines()[-1], content['verdict'])
            done = self.run_script(*(word for word in words if word != '--quick'))
        self.assertEqual((done.returncode, done.stderr),
                         (2, f'run/check-model: --record {record}: has not the same cases, so it cannot be '
                             'continued\n'))

    def test_machine_and_runs_go_first_by_turns(self):
        order = []

        class Workshop:
            machine = staticmethod(lambda: order.append('machine') or MACHINE)
            measure = staticmethod(lambda case: order.append(case) or {'sweep_s': 2})
            predict = staticmethod(lambda machine, case: {'sweep_s': 1})

        for first, expected in ((True, ['machine', 'a', 'b']), (False, ['a', 'b', 'machine'])):
            order.clear()
            found = model.take_round(Workshop, ['a', 'b'], first)
            self.assertEqual(order, expected)
            self.assertEqual(found['cases'], [{'predicted': {'sweep_s': 1}, 'measured': {'sweep_s': 2}}] * 2)

    def test_bad_input(self):
        for code, words, message in (
                (6, ['--machine', '/no/file'], '/no/file: No such file or directory'),
                (6, ['--record', '/no/folder/x'], '--record /no/folder/x: /no/folder is no folder that '
                                                  'can be written'),
                (2, ['--continue'], '--continue needs --record; see run/check-model --help'),
                (2, ['--rounds', '0'], 'argument --rounds: 0 is not at least 1; see run/check-model --help')):
            done = self.run_script(*words)
            self.assertEqual((done.returncode, done.stdout), (code, ''))
            self.assertEqual(done.stderr, f'run/check-model: {message}\n')


if __name__ == '__main__':
    unittest.main()
