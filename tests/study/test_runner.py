#!/usr/bin/env python3
"""run/study with a launcher and a program that are made up: what they do wrong is kept and named, and
an interrupted study that was gone on with equals one that was not interrupted.
"""
import json
import os
import shlex
import signal
import subprocess
import time
import unittest
from pathlib import Path

import synthetic
from lab.study import folder as folders, summary

PROGRAM = """#!/bin/sh
here=$(dirname "$0")
case "$*" in
*--version*) echo "MPICH Version: 4.0.2"; exit;;
*--print-config*) printf '[grid]\\nnx = 40\\nny = 40\\nlength_x = 1\\nlength_y = 1\\n'; exit;;
*--check*) [ -f "$here/check" ] && . "$here/check"; echo "layout      $RANKS ranks on 1 node"; exit;;
esac
while [ "$1" != --record ]; do shift; done
name=$(basename "$2" .json)
echo "$name" >>"$here/started"
[ -f "$here/$name" ] && . "$here/$name"
cp "$here/canned-$RANKS" "$2"
"""
LAUNCH = '#!/bin/sh\nRANKS=$1\nexport RANKS\nshift\nexec "$@"\n'
WORLDS_OF_ONE = '#!/bin/sh\ntimes=$1 RANKS=1\nexport RANKS\nshift\nfor i in $(seq $times); do "$@"; done\n'
STUDY = """[study]
question = Does it scale?
kind = strong
config = a.ini
layouts = 1x1 2x1
repeats = 2
warmup = 1
time_limit_s = 20
"""
RUNS = ['warmup1-2x1', 'warmup1-1x1', 'round1-1x1', 'round1-2x1', 'round2-2x1', 'round2-1x1']


def is_running(process):
    try:
        return Path(f'/proc/{process}/stat').read_text().split()[2] != 'Z'
    except OSError:
        return False


class RunnerCase(synthetic.Case):
    def setUp(self):
        super().setUp()
        (self.folder / 'a.ini').write_text('[grid]\nnx = 40\n')
        (self.folder / 'one.ini').write_text(STUDY)
        self.script('jacobi', PROGRAM)
        self.script('launch', LAUNCH)
        for ranks in (1, 2):
            record = synthetic.make_record(ranks, 1, 0.01 / ranks)
            (self.folder / f'canned-{ranks}').write_text(json.dumps(record))
        self.out = self.folder / 'out'

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def act(self, run, text):
        """What the program does in this run before it writes its record."""
        (self.folder / run).write_text(text + '\n')

    def words(self, *options, out=None, report=False):
        template = f'{shlex.quote(str(self.folder / "launch"))} {{ranks}} {{command}}'
        return [str(synthetic.RUN / 'study'), str(self.folder / 'one.ini'), '--launcher', 'template',
                '--template', template, '--cores', '2', '--program', str(self.folder / 'jacobi'),
                '--out', str(out or self.out), *options, *([] if report else ['--no-report'])]

    def run_study(self, *options, code=0, **keywords):
        done = subprocess.run(self.words(*options, **keywords), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def statuses(self):
        """What each run was worth, in their order."""
        return [sample['status'] for sample in summary.summarise(self.out)['samples']]


class RunTest(RunnerCase):
    def test_all_is_kept(self):
        done = self.run_study(report=True)
        self.assertEqual([entry['run'] for entry in folders.read_log(self.out)], RUNS)
        for name in RUNS:
            self.assertTrue((self.out / 'runs' / f'{name}.json').is_file(), name)
        self.assertEqual(self.statuses(), ['ok'] * 6)
        self.assertIn('2 times as fast as on 1 core', done.stdout)
        self.assertIn('6/6 round2-1x1: 10 ms a sweep; about 0:00 left', done.stdout)

    def test_cost_of_the_harness_is_measured(self):
        self.run_study()
        session, = folders.read_sessions(self.out)
        self.assertTrue(session['complete'])
        self.assertGreater(session['harness_s_per_run'], 0)

    def test_dry_run_runs_nothing(self):
        done = self.run_study('--dry-run')
        lines = done.stdout.splitlines()
        self.assertEqual(sum('--check' in line for line in lines), 2)
        self.assertEqual([line for line in lines if '--record' in line][0].count('warmup1-2x1.json'), 1)
        self.assertEqual(len(lines), 2 + 6)
        self.assertFalse(self.out.exists())
        self.assertFalse((self.folder / 'started').exists())

    def test_folder_that_exists_is_not_written_into(self):
        self.run_study()
        self.assertIn('exists; give another --out, or --resume', self.run_study(code=6).stderr)

    def test_folder_with_other_files_is_not_written_into(self):
        self.out.mkdir()
        (self.out / 'letter').write_text('dear')
        for options in ((), ('--resume',), ('--dry-run',)):
            self.assertIn('other files than a study', self.run_study(*options, code=6).stderr)
        self.assertEqual([path.name for path in self.out.iterdir()], ['letter'])

    def test_fewer_repeats(self):
        self.run_study('--repeats', '1')
        self.assertEqual(len(folders.read_log(self.out)), 4)

    def test_repeat_command_is_kept(self):
        self.run_study()
        repeat = shlex.split(json.loads((self.out / 'study.json').read_text())['repeat'])
        self.assertEqual(repeat[0], 'run/study')
        self.assertEqual(repeat[repeat.index('--cores') + 1], '2')


class WrongTest(RunnerCase):
    """Each run is one point of the log; the others are not disturbed."""

    def one_bad(self, action, status, words='', run='round1-2x1'):
        self.act(run, action)
        done = self.run_study(code=3)
        expected = ['ok'] * 6
        expected[RUNS.index(run)] = status
        self.assertEqual(self.statuses(), expected)
        self.assertIn(words, done.stdout)
        return done

    def test_garbage(self):
        self.one_bad('echo "{ not json" >"$2"; exit 0', 'no record', 'left no readable record')

    def test_record_that_is_no_object(self):
        self.one_bad('echo "[1]" >"$2"; exit 0', 'no record')

    def test_nothing_at_all(self):
        """B29: a rank that leaves with 0 and no end must not count as a run."""
        self.one_bad('exit 0', 'no record')

    def test_exit_codes(self):
        self.one_bad('echo "jacobi: no memory" >&2; exit 5', 'failed', 'exit code 5: jacobi: no memory')
        self.assertIn('jacobi: no memory', (self.out / 'runs/round1-2x1.txt').read_text())

    def test_exit_code_beside_a_good_record(self):
        self.one_bad('cp "$here/canned-2" "$2"; exit 1', 'failed')

    def test_killed(self):
        self.one_bad('kill -9 $$', 'failed', 'signal 9')

    def test_a_hang(self):
        study = (self.folder / 'one.ini')
        study.write_text(STUDY.replace('time_limit_s = 20', 'time_limit_s = 0.5'))
        self.one_bad('echo $$ >"$here/pid"; sleep 1000', 'timed out', 'its time limit')
        self.assertFalse(os.path.exists(f'/proc/{(self.folder / "pid").read_text().strip()}'))

    def test_record_of_another_layout(self):
        self.one_bad('cp "$here/canned-1" "$2"; exit 0', 'wrong layout',
                     'asked for 2 ranks x 1 threads, got 1 x 1')

    def test_warm_up_that_fails_marks_no_point(self):
        self.one_bad('exit 1', 'failed', run='warmup1-2x1')
        point = summary.summarise(self.out)['points'][1]
        self.assertEqual((point['marks'], point['good_runs']), ([], 2))


class CheckTest(RunnerCase):
    """What is wrong with any point is found before the first run."""

    def refused(self, words, code):
        self.assertIn(words, self.run_study(code=code).stderr)
        self.assertFalse((self.folder / 'started').exists())
        self.assertFalse(self.out.exists())

    def test_two_worlds_of_one_rank(self):
        """F01, F02"""
        self.script('launch', WORLDS_OF_ONE)
        self.refused('point 2x1: started 2 ranks, but the program says 1 and 1', 5)

    def test_configuration_that_the_solver_refuses(self):
        self.act('check', '[ "$RANKS" = 2 ] && { echo "jacobi: grid.nx: too few" >&2; exit 2; }')
        self.refused('point 2x1: jacobi: grid.nx: too few', 2)

    def test_launcher_that_is_missing(self):
        (self.folder / 'launch').unlink()
        self.refused('launch: No such file or directory', 5)

    def test_more_than_the_cores(self):
        """C06"""
        (self.folder / 'one.ini').write_text(STUDY.replace('2x1', '4x1'))
        self.refused('4x1 needs 4 cores, but 2 may be used', 5)


class InterruptTest(RunnerCase):
    def interrupt(self, run, number):
        """Sends a signal while `run` is under way."""
        self.act(run, 'touch "$here/now"; sleep 1000')
        with subprocess.Popen(self.words(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              cwd=self.folder) as running:
            self.addCleanup(running.kill)
            while not (self.folder / 'now').exists():
                self.assertIsNone(running.poll())
                time.sleep(0.01)
            running.send_signal(number)
            out, _ = running.communicate(timeout=60)
        (self.folder / run).unlink()
        self.assertEqual(running.returncode, 7, out)
        return out

    def comparable(self, out):
        """All that does not tell when it ran."""
        found = summary.summarise(out)
        for sample in found['samples']:
            del sample['elapsed_s'], sample['started_at']
        names = sorted(path.name for path in (out / 'runs').iterdir())
        return found['samples'], found['points'], found['series'], names

    def test_resumed_is_as_if_it_had_not_been_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                self.out = self.folder / f'out-{number}'
                (self.folder / 'now').unlink(missing_ok=True)
                out = self.interrupt('round1-2x1', number)
                self.assertIn(f'go on:     cd {shlex.quote(str(synthetic.ROOT))} && run/study ', out)
                self.assertIn(f'--program {shlex.quote(str(self.folder / "jacobi"))} ', out)
                self.assertEqual([entry['run'] for entry in folders.read_log(self.out)], RUNS[:3])
                self.run_study('--resume')
                straight = self.folder / f'straight-{number}'
                self.run_study(out=straight)
                self.assertEqual(self.comparable(self.out), self.comparable(straight))

    def test_what_is_there_can_be_reported(self):
        self.interrupt('round1-2x1', signal.SIGINT)
        done = subprocess.run([synthetic.RUN / 'report', self.out], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('2 runs missing', done.stdout)

    def test_line_cut_off_by_a_crash(self):
        self.interrupt('round2-2x1', signal.SIGINT)
        log = self.out / 'log.jsonl'
        lines = [line for line in log.read_text().splitlines(True) if 'session' not in line]
        log.write_text(''.join(lines)[:-20])
        self.run_study('--resume')
        self.assertEqual(sorted(entry['run'] for entry in folders.read_log(self.out)), sorted(RUNS))

    def test_another_study_is_not_gone_on_with(self):
        self.interrupt('round1-2x1', signal.SIGINT)
        (self.folder / 'one.ini').write_text(STUDY.replace('repeats = 2', 'repeats = 3'))
        self.assertIn('was begun with another repeats (2, now 3)', self.run_study('--resume', code=2).stderr)

    def test_other_overrides_are_named(self):
        (self.folder / 'one.ini').write_text(STUDY + '[overrides]\nsolver.max_sweeps = 1000\n')
        self.interrupt('round1-2x1', signal.SIGINT)
        (self.folder / 'one.ini').write_text(STUDY + '[overrides]\nsolver.max_sweeps = 1001\n')
        self.assertIn('another points 1x1 overrides solver.max_sweeps ("1000", now "1001")',
                      self.run_study('--resume', code=2).stderr)

    def test_folder_in_use(self):
        """By another run/study, and by a run whose run/study was killed."""
        self.act('round1-2x1', 'touch "$here/now"; echo $$ >"$here/pid"; exec sleep 1000')
        with subprocess.Popen(self.words(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              cwd=self.folder) as running:
            self.addCleanup(running.kill)
            while not (self.folder / 'pid').exists() or not (self.folder / 'pid').read_text().strip():
                self.assertIsNone(running.poll())
                time.sleep(0.01)
            rank = int((self.folder / 'pid').read_text())
            self.assertIn('is still in use', self.run_study('--resume', code=6).stderr)
            running.kill()
        try:
            self.assertIn('is still in use', self.run_study('--resume', code=6).stderr)
        finally:
            os.kill(rank, signal.SIGKILL)
        (self.folder / 'round1-2x1').unlink()
        while is_running(rank):
            time.sleep(0.01)
        self.run_study('--resume')
        self.assertEqual([entry['run'] for entry in folders.read_log(self.out)], RUNS)

    def test_resume_of_nothing_starts(self):
        self.run_study('--resume')
        self.assertEqual(len(folders.read_log(self.out)), 6)

    def test_resume_of_a_finished_study_runs_nothing(self):
        self.run_study()
        started = (self.folder / 'started').read_text()
        self.run_study('--resume')
        self.assertEqual((self.folder / 'started').read_text(), started)


class FolderTest(synthetic.Case):
    def test_a_folder_a_day(self):
        first = folders.new_folder(self.folder, 'one')
        first.mkdir(parents=True)
        self.assertEqual(folders.new_folder(self.folder, 'one').name, f'{first.name}-2')

    def test_newest_unfinished(self):
        study = synthetic.Study(self.folder / 'one/2026-01-31')
        study.point(1, 1, [synthetic.make_record()])
        study.write()
        self.assertIsNone(folders.newest_unfinished(self.folder, 'one'))
        study.plan['runs'].append('round9-1x1')
        study.write()
        self.assertEqual(folders.newest_unfinished(self.folder, 'one'), study.folder)
        self.assertIsNone(folders.newest_unfinished(self.folder, 'two'))

    def test_differences_are_shown_from_where_they_begin(self):
        long = 'x' * 100
        self.assertEqual(folders.first_difference('repeat', long + 'a', long + 'b')[1:],
                         ('...' + 'x' * 20 + 'a"', '...' + 'x' * 20 + 'b"'))
        self.assertEqual(folders.first_difference('axis', [['a', '1']], [['a', '1'], ['b', '2']]),
                         ('axis b', 'none', '"2"'))

    def test_no_study(self):
        self.assert_problem(6, 'no study: there is no study.json', folders.read_plan, self.folder)


if __name__ == '__main__':
    unittest.main()
