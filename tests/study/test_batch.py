#!/usr/bin/env python3
"""run/batch: the script is one that sbatch takes, its srun gets all it needs, and TERM ends it so that
it can be submitted again.
"""
import os
import signal
import subprocess
import time
import unittest

import slurm
import synthetic
import test_runner
from lab.study import batch, folder as folders

STUDY = test_runner.STUDY.replace('layouts = 1x1 2x1', 'layouts = 1x1 2x1 1x2')
# Prints nothing of its own: what it was called with goes to a file, then it starts the program.
SRUN = """#!/bin/sh
here=$(dirname "$0")
[ "$1" = --version ] && { echo "slurm-wlm 22.05.8"; exit; }
echo "$*" >>"$here/srun-words"
RANKS=1
while [ "${1#-}" != "$1" ]; do
    [ "$1" = -n ] && { RANKS=$2; shift; }
    shift
done
export RANKS
exec "$@"
"""


class BatchCase(test_runner.RunnerCase):
    def setUp(self):
        super().setUp()
        (self.folder / 'one.ini').write_text(STUDY)
        self.script('srun', SRUN)
        self.script('sbatch', '#!/bin/sh\necho "Job 1 to start" >&2\n')
        record = synthetic.make_record(1, 2, 0.006)
        (self.folder / 'canned-1-2').write_text(synthetic.json.dumps(record))
        self.script('jacobi', test_runner.PROGRAM.replace(
            'cp "$here', '[ "$OMP_NUM_THREADS" = 2 ] && RANKS=1-2\ncp "$here'))
        self.environment = {**os.environ, 'PATH': f"{self.folder}:{os.environ['PATH']}", 'SLURM_JOB_ID': '7',
                            'SLURM_JOB_CPUS_PER_NODE': '1(x2)', 'SLURM_JOB_NUM_NODES': '2'}

    def write(self, *options, code=0):
        words = [synthetic.RUN / 'batch', self.folder / 'one.ini', '--nodes', '2', '--time', '10', '--output',
                 self.folder / 'job', '--out', self.out, *options]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                              env=self.environment)
        self.assertEqual(done.returncode, code, done.stderr)
        self.told = done.stdout + done.stderr
        return (self.folder / 'job').read_text() if code == 0 else None

    def job(self):
        """The script as Slurm would run it; the program is the made-up one."""
        text = self.write().replace('run/study ', f"run/study --program '{self.folder}/jacobi' ")
        path = self.folder / 'run-job'
        path.write_text(text)
        return subprocess.Popen(['bash', path], env=self.environment, stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class ScriptTest(BatchCase):
    def test_all_sbatch_lines_come_first(self):
        """F13: what follows the first command is ignored."""
        lines = self.write('--sbatch=--partition=short').splitlines()
        self.assertEqual(lines[0], '#!/bin/bash')
        count = sum(line.startswith('#SBATCH') for line in lines)
        self.assertTrue(all(line.startswith('#SBATCH ') for line in lines[1:count + 1]))
        for line in ('--nodes=2', '--time=10', '--exclusive', '--hint=nomultithread', '--signal=B:TERM@120',
                     '--partition=short'):
            self.assertIn(f'#SBATCH {line}', lines[:count + 1])

    def test_sbatch_is_asked(self):
        self.write()
        self.assertIn('sbatch --test-only passed: Job 1 to start', self.told)
        self.script('sbatch', '#!/bin/sh\necho "no such partition" >&2; exit 1\n')
        self.write()
        self.assertIn('sbatch --test-only failed: no such partition', self.told)

    def test_bash_can_read_it(self):
        done = subprocess.run(['bash', '-n'], input=self.write(), text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_times(self):
        for text, seconds in (('10', 600), ('10:30', 630), ('1:00:00', 3600), ('1-12', 129600),
                              ('2-0:30', 174600), ('1-0:0:5', 86405)):
            self.assertEqual(batch.time_limit_s(text), seconds, text)
        for text, words in (('ten', '--time ten: write minutes'), ('1', 'is less than two minutes'),
                            ('1:2:3:4', 'write minutes'), ('-5', 'write minutes')):
            self.assert_problem(2, words, batch.time_limit_s, text)

    def test_only_scripts_of_its_own_are_written_over(self):
        study = self.folder / 'one.ini'
        self.write('--output', study, code=6)
        self.assertIn('one.ini: holds something else', self.told)
        self.assertEqual(study.read_text(), STUDY)
        self.write()
        self.write('--sbatch=--partition=long')
        self.assertIn('--partition=long', (self.folder / 'job').read_text())

    def test_wrong_options(self):
        for options, words in ((('--sbatch=partition=short',), 'is no option of sbatch'),
                               (('--sbatch=--a\n#x',), 'is no option of sbatch'),
                               (('--nodes', '0'), 'not at least 1'),
                               (('--time', '1'), 'less than two minutes')):
            self.write(*options, code=2)
            self.assertIn(words, self.told)


class JobTest(BatchCase):
    def test_whole_study_with_cpus_per_task_on_each_srun(self):
        """F09: srun takes no --cpus-per-task from the job since 22.05."""
        with self.job() as job:
            out, _ = job.communicate(timeout=60)
        self.assertEqual(job.returncode, 0, out)
        self.assertEqual(len(folders.read_log(self.out)), 9)
        calls = (self.folder / 'srun-words').read_text().splitlines()
        self.assertEqual(len(calls), 3 + 9)
        for call in calls:
            self.assertIn('--mpi=pmi2', call)
            threads = '2' if '1x2' in call or ('--check' in call and '--cpus-per-task=2' in call) else '1'
            self.assertIn(f'--cpus-per-task={threads} ', call)
            self.assertLess(call.index('--cpus-per-task'), call.index('jacobi'))

    def test_nodes_that_were_asked_for_and_not_used(self):
        """F08: all ranks on one of two nodes."""
        with self.job() as job:
            out, _ = job.communicate(timeout=60)
        self.assertIn('warning: 2 x 1: ran on 1 of the 2 nodes that were asked for', out)

    def test_term_before_the_limit_and_again(self):
        self.act('round1-2x1', 'touch "$here/now"; sleep 1000')
        with self.job() as job:
            while not (self.folder / 'now').exists():
                self.assertIsNone(job.poll())
                time.sleep(0.01)
            job.send_signal(signal.SIGTERM)
            out, _ = job.communicate(timeout=60)
        self.assertEqual(job.returncode, 7, out)
        self.assertIn('time is up; go on with: sbatch', out)
        done = len(folders.read_log(self.out))
        self.assertEqual(done, 5)
        (self.folder / 'round1-2x1').unlink()
        with self.job() as job:
            out, _ = job.communicate(timeout=60)
        self.assertEqual(job.returncode, 0, out)
        self.assertEqual(len((self.folder / 'started').read_text().split()), 9 + 1)

    def test_nodes_that_differ(self):
        """A28: layouts are never derived from one host for others."""
        (self.folder / 'one.ini').write_text(STUDY.replace('layouts = 1x1 2x1 1x2', 'layouts = all'))
        self.environment['SLURM_JOB_CPUS_PER_NODE'] = '4,2'
        with self.job() as job:
            out, _ = job.communicate(timeout=60)
        self.assertEqual(job.returncode, 5)
        self.assertIn('the nodes of this allocation differ in cores (4,2); name the layouts', out)


@unittest.skipUnless(slurm.can_start(), 'no Slurm here, or not root')
class SbatchTest(synthetic.Case):
    def test_sbatch_takes_every_shipped_study(self):
        running = slurm.Slurm()
        self.addCleanup(running.close)
        for path in sorted((synthetic.ROOT / 'configs/studies').glob('*.ini')):
            with self.subTest(path.name):
                words = [synthetic.RUN / 'batch', path, '--nodes', '1', '--time', '10', '--output',
                         self.folder / 'job']
                done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=60, env=running.environment)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, r'sbatch --test-only passed: .*Job \d+ to start')


if __name__ == '__main__':
    unittest.main()
