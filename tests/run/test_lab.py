#!/usr/bin/env python3
"""run/lab: launchers by kind and by template, jobs that end with all their processes, records."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import scripts
from lab import command, cores, job, launch, pictures, records

HYDRA_VERSION = 'HYDRA build details:\n    Version:    4.0.2\n'
MARK = ('program', 'lab')
OPEN_MPI_VERSION = 'mpiexec (OpenRTE) 4.1.4\n'


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_problem(self, code, words, function, *arguments, **keywords):
        with self.assertRaises(command.Problem) as refused:
            function(*arguments, **keywords)
        self.assertEqual(refused.exception.exit_code, code)
        self.assertIn(words, str(refused.exception))


class ShownTest(Folder):
    def test_temporary_folders_are_not_shown(self):
        """What a record keeps of a command names no folder that is gone."""
        self.assertEqual(command.without_temporary(f"jacobi {self.folder}/case.ini --quiet"),
                         "jacobi case.ini --quiet")
        self.assertEqual(command.without_temporary("jacobi configs/case.ini"), "jacobi configs/case.ini")


class LauncherTest(Folder):
    def setUp(self):
        super().setUp()
        path = os.environ['PATH']
        self.addCleanup(os.environ.update, PATH=path)
        os.environ['PATH'] = str(self.folder)

    def add(self, name, version):
        file = self.folder / name
        file.write_text(f'#!/bin/sh\nprintf "%s" "{version}"\n')
        file.chmod(0o755)

    def test_plain_name_is_taken_from_the_right_library_only(self):
        """F15: mpiexec of the other library would start single processes."""
        self.add('mpiexec', OPEN_MPI_VERSION)
        self.assertEqual(launch.find_launcher('Open MPI v4', {}).words, ['mpiexec'])
        self.assert_problem(5, 'no launcher of kind hydra', launch.find_launcher, 'MPICH 4', {})
        self.add('mpiexec', HYDRA_VERSION)
        self.assertEqual(launch.find_launcher('MPICH 4', {}), ('hydra', ['mpiexec']))
        self.assert_problem(5, 'kind openmpi', launch.find_launcher, 'Open MPI v4', {})

    def test_names_with_an_ending_come_first(self):
        self.add('mpiexec', HYDRA_VERSION)
        self.add('mpiexec.mpich', HYDRA_VERSION)
        self.add('mpiexec.openmpi', OPEN_MPI_VERSION)
        self.assertEqual(launch.find_launcher('MPICH 4', {}).words, ['mpiexec.mpich'])
        self.assertEqual(launch.find_launcher('Open MPI v4', {}).words, ['mpiexec.openmpi'])

    def test_asked_for_by_kind(self):
        self.add('mpiexec.openmpi', OPEN_MPI_VERSION)
        self.assertEqual(launch.find_launcher('MPICH 4', {}, 'openmpi').kind, 'openmpi')
        self.assert_problem(5, 'kind srun', launch.find_launcher, 'MPICH 4', {}, 'srun')
        self.add('srun', 'slurm-wlm 22.05.8')
        self.assert_problem(5, 'needs an allocation', launch.find_launcher, 'MPICH 4', {}, 'srun')
        self.assertEqual(launch.find_launcher('MPICH 4', {'SLURM_JOB_ID': '7'}, 'srun').kind, 'srun')
        self.assert_problem(2, 'aprun is none of auto, hydra', launch.find_launcher, '', {}, 'aprun')

    def test_version_is_one_line(self):
        self.add('mpiexec.mpich', HYDRA_VERSION)
        self.add('mpiexec.openmpi', OPEN_MPI_VERSION)
        self.assertEqual(launch.launcher_version(launch.find_by_kind('hydra')), 'hydra 4.0.2')
        self.assertEqual(launch.launcher_version(launch.find_by_kind('openmpi')),
                         'mpiexec (OpenRTE) 4.1.4')
        self.assertIsNone(launch.launcher_version(launch.template_launcher('sh')))


class CommandTest(Folder):
    machine = cores.Machine([(0,), (1,), (2,), (3,)], 1, True, False, float('inf'))

    def build(self, launcher, **keywords):
        return launch.build_command(launcher, self.machine, launch.Layout(2, 1, False), {},
                                    ['jacobi', 'a.ini'], **keywords)

    def build_text(self, kind, **keywords):
        return ' '.join(self.build(launch.Launcher(kind, [kind]), **keywords))

    def test_template(self):
        """Settings stand before the program: what such a launcher hands on is not known."""
        settings = 'env OMP_NUM_THREADS=1 OMP_PLACES=cores OMP_PROC_BIND=close UCX_TLS=tcp'
        for template in ('aprun -n {ranks} -d{threads} {command}', 'aprun -n {ranks} -d{threads}'):
            built = self.build(launch.template_launcher(template), settings={'UCX_TLS': 'tcp'})
            self.assertEqual(' '.join(built), f'aprun -n 2 -d1 {settings} jacobi a.ini')

    def test_wrong_templates(self):
        for template, words in ((None, 'needs its words'), ('run -n {nodes}', '{nodes} is none of'),
                                ('run {ranks', 'expected'), ('run {command}x', 'word of its own')):
            self.assert_problem(2, words, launch.find_launcher, '', {}, 'template', template)

    def test_places_of_each_rank(self):
        places = [[3], [0]]
        self.assertIn('-bind-to user:3,0 ', self.build_text('hydra', places=places))
        self.assertIn('--cpu-bind=mask_cpu:0x8,0x1 ', self.build_text('srun', places=places))
        self.assertIn('--cpu-list 3,0 --bind-to cpu-list:ordered',
                      self.build_text('openmpi', places=places))
        self.assertIn('user:0+1,2', self.build_text('hydra', places=[[0, 1], [2]]))

    def test_settings_reach_the_ranks(self):
        settings = {'UCX_TLS': 'posix,self', 'OMP_PLACES': 'threads'}
        self.assertIn('OMP_PLACES=threads OMP_PROC_BIND=close UCX_TLS=posix,self hydra',
                      self.build_text('hydra', settings=settings))
        self.assertIn('-x UCX_TLS', self.build_text('openmpi', settings=settings))


class JobTest(Folder):
    def run_python(self, text, limit_s=30, **keywords):
        return job.run_job([sys.executable, '-c', text], limit_s, **keywords)

    def alive(self, name):
        """A process that wrote its number into a file; a zombie has ended."""
        status = cores.read_text(f'/proc/{(self.folder / name).read_text()}/stat')
        return bool(status) and status.rpartition(')')[2].split()[0] != 'Z'

    def assert_ends(self, name):
        for _ in range(500):
            if not self.alive(name):
                return
            time.sleep(0.01)
        self.fail(f'{name} is still there')

    def test_what_a_command_leaves(self):
        outcome = self.run_python('import sys; print("out"); print("first\\nlast", file=sys.stderr);'
                                  'sys.exit(3)')
        self.assertEqual((outcome.exit_code, outcome.timed_out, outcome.good), (3, False, False))
        self.assertEqual((outcome.stdout, outcome.stderr), ('out\n', 'first\nlast\n'))
        self.assertEqual(outcome.complaint(), 'exit code 3: last')
        self.assertTrue(self.run_python('').good)
        self.assertEqual(self.run_python('import os; os.kill(os.getpid(), 11)').complaint(), 'signal 11')

    def test_folder_environment_and_bytes_that_are_no_text(self):
        outcome = self.run_python('import os; os.write(1, os.getcwd().encode() + b"\\xff"'
                                  '+ os.environ["WORD"].encode())',
                                  folder=self.folder, environment={'WORD': 'x'})
        self.assertEqual(outcome.stdout, f'{self.folder}\ufffdx')

    def test_missing_program(self):
        outcome = job.run_job([self.folder / 'absent'], 1)
        self.assertEqual(outcome.complaint(), f'exit code 127: {self.folder}/absent: No such file or directory')

    def test_time_limit_ends_those_that_hide_in_other_sessions(self):
        """Also one that ignores TERM; its parent would wait for ever."""
        hidden = ('import os, signal, time; from pathlib import Path\n'
                  'signal.signal(signal.SIGTERM, signal.SIG_IGN)\n'
                  'Path("child").write_text(str(os.getpid()))\n'
                  'while True: time.sleep(1)')
        outcome = self.run_python('import subprocess, sys; subprocess.run('
                                  f'[sys.executable, "-c", {hidden!r}], start_new_session=True)',
                                  limit_s=2, folder=self.folder)
        self.assertTrue(outcome.timed_out)
        self.assertFalse(outcome.good)
        self.assertIn('its time limit', outcome.complaint())
        self.assert_ends('child')

    def test_what_a_good_command_leaves_behind_is_ended(self):
        outcome = self.run_python('import subprocess; from pathlib import Path\n'
                                  'child = subprocess.Popen(["sleep", "1000"])\n'
                                  'Path("child").write_text(str(child.pid))', folder=self.folder)
        self.assertTrue(outcome.good)
        self.assert_ends('child')

    def test_ranks_are_ended_at_the_limit(self):
        """Under the launcher there is."""
        text = 'echo $$ >rank-$PMI_RANK; sleep 1000'
        outcome = job.run_job(['mpiexec.mpich', '-n', '2', 'sh', '-c', text], 3, folder=self.folder)
        self.assertTrue(outcome.timed_out)
        for name in 'rank-0', 'rank-1':
            self.assert_ends(name)

    def test_terminated_script_ends_its_job(self):
        script = ('import sys; sys.path.insert(0, sys.argv[1])\nfrom lab import command, job\n'
                  'def script(words):\n    with job.stoppable():\n'
                  '        job.run_job(["sh", "-c", "echo $$ >child; sleep 1000"], 100)\n'
                  'sys.exit(command.run_script("run/x", script, []))')
        with subprocess.Popen([sys.executable, '-B', '-c', script, scripts.RUN], cwd=self.folder,
                              text=True, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as running:
            self.addCleanup(running.kill)
            while not (self.folder / 'child').exists() or not (self.folder / 'child').read_text():
                self.assertIsNone(running.poll())
                time.sleep(0.01)
            running.send_signal(signal.SIGTERM)
            _, err = running.communicate(timeout=30)
        self.assertEqual((running.returncode, err), (7, 'run/x: stopped\n'))
        self.assert_ends('child')

    def test_sampling(self):
        taken = []
        self.run_python('import time; time.sleep(0.3)', sample=lambda: taken.append(1),
                        sample_every_s=0.01)
        self.assertGreater(len(taken), 3)


class RecordTest(Folder):
    def test_there_and_back(self):
        path = self.folder / 'a.json'
        records.write_record(path, {'name': 'é', 'values': [1, 2.5, None]})
        self.assertEqual(records.read_record(path), {'name': 'é', 'values': [1, 2.5, None]})
        self.assertEqual(list(self.folder.iterdir()), [path])

    def test_bad_files(self):
        path = self.folder / 'a.json'
        self.assert_problem(6, 'No such file', records.read_record, path)
        for text, words in (('{"a": 1', 'no JSON record'), ('', 'no JSON record'), ('[]', 'no JSON object')):
            path.write_text(text)
            self.assert_problem(6, words, records.read_record, path)
        self.assert_problem(6, 'No such file', records.write_record, self.folder / 'x/a.json', {})
        self.assert_problem(6, 'no folder', records.check_writable, '--json', '/no/such/a.json', MARK)
        self.assert_problem(6, 'is a folder', records.check_writable, '--json', self.folder, MARK)

    def test_only_records_of_the_same_kind_are_written_over(self):
        path = self.folder / 'a.json'
        for text in '{"program": "bench"}', '[1]', 'a picture':
            path.write_text(text)
            self.assert_problem(6, 'holds something else', records.check_writable, 'RECORD', path, MARK)
        for text in '{"program": "lab", "more": 1}', '':
            path.write_text(text)
            records.check_writable('RECORD', path, MARK)
            self.assertEqual(path.read_text(), text)

    def test_only_regular_files_are_replaced(self):
        pipe = self.folder / 'pipe'
        os.mkfifo(pipe)
        self.assert_problem(6, 'a device or a pipe', records.check_writable, '--json', pipe, MARK)
        self.assert_problem(6, 'a device or a pipe', records.write_record, pipe, {})
        self.assertTrue(pipe.is_fifo())
        picture = self.folder / 'a.png'
        pipe.rename(picture)
        self.assert_problem(6, 'a.png: is a device', records.check_record_of_picture, 'RECORD',
                            self.folder / 'a.json', MARK)

    def test_link_is_followed(self):
        link, target = self.folder / 'link', self.folder / 'target'
        link.symlink_to(target)
        for value in 1, 2:
            records.check_writable('--json', link, MARK)
            records.write_record(link, {'program': 'lab', 'value': value})
            self.assertTrue(link.is_symlink())
            self.assertEqual(records.read_record(target)['value'], value)
        link.unlink()
        link.symlink_to('absent/target')
        self.assert_problem(6, 'is no folder', records.check_writable, '--json', link, MARK)

    def test_standard_output_is_no_record(self):
        self.assert_problem(2, 'name a file', records.check_writable, '--json', '-', MARK)

    def test_spread(self):
        self.assertEqual(records.spread(iter([3, 1, 2])),
                         {'median': 2, 'min': 1, 'max': 3, 'samples': [3, 1, 2]})
        self.assertIsNone(records.spread([]))


class PictureTest(Folder):
    def test_without_matplotlib_a_line_says_what_it_needs(self):
        keep = pictures.plotting_python
        self.addCleanup(setattr, pictures, 'plotting_python', keep)
        pictures.plotting_python = lambda: None
        self.assertIn('python3-matplotlib', pictures.draw('any', 'a.json', 'a.png'))

    def test_failing_picture_is_said(self):
        if pictures.plotting_python() is None:
            self.skipTest('no Python has matplotlib')
        self.assertIn('no picture: ', pictures.draw('absent', 'a.json', 'a.png'))


if __name__ == '__main__':
    unittest.main()
