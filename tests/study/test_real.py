#!/usr/bin/env python3
"""A short study with the real program, from its file to the report: test_real.py JACOBI"""
import json
import os
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

import synthetic
from lab.study import folder as folders, summary

JACOBI = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(synthetic.ROOT / 'tests/cli'))
STUDY = """[study]
question = Does a small plate scale?
kind = {kind}
config = plate.ini
layouts = {layouts}
repeats = 2
warmup = 0
time_limit_s = 30
[overrides]
solver.max_sweeps = 20
{more}
"""
PLATE = """[grid]
nx = 60
ny = 40
[problem]
north = dirichlet 1
[solver]
rtol = 0
atol = 0
max_sweeps = 99
"""
# Settings of the caller that would steer a run.
STEERING = ('OMP_', 'GOMP_', 'KMP_', 'HWLOC_', 'HYDRA_', 'SLURM_', 'PMI', 'OMPI_')


class RealCase(synthetic.Case):
    def setUp(self):
        super().setUp()
        (self.folder / 'plate.ini').write_text(PLATE)
        self.out = self.folder / 'out'

    def run_study(self, kind='strong', layouts='1x1 2x1', more='', options=(), code=0):
        (self.folder / 'one.ini').write_text(STUDY.format(kind=kind, layouts=layouts, more=more))
        environment = {name: value for name, value in os.environ.items() if not name.startswith(STEERING)}
        words = [synthetic.RUN / 'study', self.folder / 'one.ini', '--program', JACOBI, '--cores', '2',
                 '--out', self.out, *options]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=110,
                              env=environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done


class RealTest(RealCase):
    def test_from_file_to_report(self):
        """Two layouts, two repeats."""
        self.run_study(code=self.allowed_code())
        entries = folders.read_log(self.out)
        self.assertEqual([entry['run'] for entry in entries],
                         ['round1-1x1', 'round1-2x1', 'round2-2x1', 'round2-1x1'])
        found = json.loads((self.out / 'summary.json').read_text())
        self.assertEqual([(point['ranks'], point['threads']) for point in found['points']], [(1, 1), (2, 1)])
        for point in found['points']:
            self.assertGreater(point['sweep_s']['min'], 0)
            self.assertEqual(point['global_points'], [60, 40])
        self.assertEqual(found['points'][1]['local_points'], [[30, 40]])
        for name in ('report.html', 'results.csv', 'extrap.jsonl'):
            self.assertTrue((self.out / name).is_file(), name)

    def allowed_code(self):
        """Where the test may use one core only, the points are marked as oversubscribed: exit code 3."""
        return 0 if len(os.sched_getaffinity(0)) > 1 else 3

    def test_records_are_those_of_the_program(self):
        import check_schema
        self.run_study(layouts='1x1', options=('--no-report',))
        records = sorted((self.out / 'runs').glob('*.json'))
        self.assertEqual(len(records), 2)
        for path in records:
            self.assertEqual(check_schema.check(synthetic.ROOT / 'results/schema.json', path.read_text()), [])

    def test_weak_with_a_variant(self):
        self.run_study('weak', '2x1', '[axis]\nparallel.halo = sendrecv shared\n', ('--no-report',),
                       self.allowed_code())
        found = summary.summarise(self.out)
        for point, halo in zip(found['points'], ('sendrecv', 'shared')):
            self.assertEqual((point['global_points'], point['halo']), ([60, 80], halo))

    def test_errors_of_the_configuration_are_the_solvers_own(self):
        for more, words in (('parallel.halo = sharred', 'parallel.halo'), ('grid.nx = 0', 'grid.nx')):
            done = self.run_study(more=more, code=2)
            self.assertIn(words, done.stderr)
            self.assertFalse(self.out.exists())

    def test_values_of_axes_are_checked_by_a_dry_run(self):
        done = self.run_study(layouts='1x1', more='[axis]\nparallel.halo = shared foo\n',
                              options=('--dry-run',), code=2)
        self.assertIn("parallel.halo", done.stderr)
        self.assertNotIn('--check', done.stdout)

    def test_too_many_ranks_for_the_grid(self):
        """B12: told before the first run."""
        done = self.run_study(layouts='1x1 2x1', more='grid.nx = 1\ngrid.ny = 1\n', code=2)
        self.assertIn('point 2x1: jacobi: parallel.process_grid: 2 ranks cannot share 1 x 1', done.stderr)
        self.assertFalse(self.out.exists())


class ShippedTest(unittest.TestCase):
    def test_every_shipped_study_is_one_that_the_solver_takes(self):
        for path in sorted((synthetic.ROOT / 'configs/studies').glob('*.ini')):
            with self.subTest(path.name):
                self.assertIn('--check', self.dry_run(path))

    def test_what_is_kept_does_not_say_where_the_checkout_is(self):
        """Wherever run/study is called, runs start in the checkout and name its files as seen from there."""
        path = synthetic.ROOT / 'configs/studies/matrix-all-cores.ini'
        for words in self.dry_run(path, cwd='/').splitlines():
            there, line = words.split(' && ')
            self.assertEqual(shlex.split(there), ['cd', str(synthetic.ROOT)])
            self.assertIn(' configs/lecture-4000.ini ', line)
            self.assertRegex(line, '--check|--record results/matrix-all-cores/')
        self.assertNotIn('cd ', self.dry_run(path, cwd=synthetic.ROOT))

    def dry_run(self, path, cwd=None):
        done = subprocess.run([synthetic.RUN / 'study', path, '--dry-run', '--program', JACOBI],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, cwd=cwd)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


if __name__ == '__main__':
    unittest.main()
