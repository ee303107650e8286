#!/usr/bin/env python3
"""run/solve: layouts, launchers' words and refusals, on this machine and on made-up ones."""
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import scripts
from lab import command, cores, launch

solve = scripts.load('solve')


def machine(core_count=8, numa_nodes=1, siblings=False, whole=True, quota=float('inf')):
    cpus = [(cpu, cpu + core_count) if siblings else (cpu,) for cpu in range(core_count)]
    return cores.Machine(cpus, numa_nodes, whole, siblings, quota)


class FakeSystem(unittest.TestCase):
    """Machines made of files as Linux shows them under /sys."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.system = Path(folder.name)

    def write(self, path, text):
        (self.system / path).parent.mkdir(parents=True, exist_ok=True)
        (self.system / path).write_text(text + '\n')

    def write_cpus(self, cpus_of_cores, nodes):
        for core in cpus_of_cores:
            for cpu in core:
                self.write(f'devices/system/cpu/cpu{cpu}/topology/core_cpus_list',
                           ','.join(map(str, core)))
        for number, cpus in enumerate(nodes):
            self.write(f'devices/system/node/node{number}/cpulist', cpus)
        self.write('devices/system/cpu/online', f'0-{sum(map(len, cpus_of_cores)) - 1}')

    def test_siblings_and_memory_only_node(self):
        self.write_cpus([(0, 4), (1, 5), (2, 6), (3, 7)], ['0-1,4-5', '2-3,6-7', ''])
        found = cores.read_machine(set(range(8)), self.system)
        self.assertEqual(found.cores, [(0, 4), (1, 5), (2, 6), (3, 7)])
        self.assertEqual((found.numa_nodes, found.whole, found.siblings), (2, True, True))

    def test_part_of_a_core_is_a_core(self):
        self.write_cpus([(0, 2), (1, 3)], ['0-3'])
        found = cores.read_machine({2, 3}, self.system)
        self.assertEqual((found.cores, found.whole), ([(2,), (3,)], False))

    def test_cores_are_ordered_by_numa_node(self):
        self.write_cpus([(0,), (1,), (2,), (3,)], ['0,2', '1,3'])
        found = cores.read_machine({0, 1, 2, 3}, self.system)
        self.assertEqual(found.cores, [(0,), (2,), (1,), (3,)])

    def test_nothing_readable(self):
        found = cores.read_machine({0, 5}, self.system)
        self.assertEqual(found, cores.Machine([(0,), (5,)], 1, True, False, float('inf')))

    def test_quota_is_the_least_on_the_way_up(self):
        self.write('fs/cgroup/a/b/cpu.max', 'max 100000')
        self.write('fs/cgroup/a/cpu.max', '150000 100000')
        self.assertEqual(cores.read_quota(self.system, '1:cpu:/x\n0::/a/b\n'), 1.5)
        self.assertEqual(cores.read_quota(self.system, '0::/\n'), float('inf'))


class LayoutTest(unittest.TestCase):
    def choose(self, ranks=None, threads=None, core_count=8, nodes=2, quota=float('inf')):
        return solve.choose_layout(ranks, threads, core_count, nodes, quota)

    def test_nothing_asked_is_a_rank_a_numa_node_and_all_cores(self):
        self.assertEqual(self.choose(), (2, 4))
        self.assertEqual(self.choose(core_count=1, nodes=1), (1, 1))

    def test_the_other_number_is_filled_in(self):
        self.assertEqual(self.choose(ranks=4), (4, 2))
        self.assertEqual(self.choose(threads=3), (2, 3))
        self.assertEqual(self.choose(ranks=16), (16, 1))
        self.assertEqual(self.choose(threads=16), (1, 16))

    def test_a_quota_counts(self):
        self.assertEqual(self.choose(quota=2.5), (2, 1))
        self.assertEqual(self.choose(quota=0.5), (1, 1))

    def test_too_much_is_refused_unless_asked_for(self):
        with self.assertRaises(command.Problem) as refused:
            launch.check_layout(3, 3, 8, False)
        self.assertEqual(refused.exception.exit_code, 5)
        self.assertIn('need 9 cores, but 8', str(refused.exception))
        self.assertEqual(launch.check_layout(3, 3, 8, True), (3, 3, True))
        self.assertEqual(launch.check_layout(2, 4, 8, True), (2, 4, False))

    def test_slurm_allocation(self):
        environment = {'SLURM_JOB_CPUS_PER_NODE': '4(x2),3'}
        self.assertEqual(launch.count_slurm_cpus(environment), (11, 3))
        self.assertEqual(launch.count_cores(machine(), 'srun', environment), (11, 3))
        self.assertEqual(launch.count_cores(machine(siblings=True), 'srun', environment), (5, 3))
        self.assertEqual(launch.count_cores(machine(), 'hydra', environment), (8, 1))


class CommandTest(unittest.TestCase):
    def build(self, kind, made_up, layout, environment=None):
        return ' '.join(launch.build_command(launch.Launcher(kind, [kind]), made_up,
                                             launch.Layout(*layout), environment or {},
                                             ['jacobi', 'a.ini']))

    def test_hydra(self):
        self.assertEqual(self.build('hydra', machine(), (2, 4, False)),
                         'env OMP_NUM_THREADS=4 OMP_PLACES=cores OMP_PROC_BIND=close '
                         'hydra -n 2 -bind-to core:4 jacobi a.ini')

    def test_hydra_names_cpus_where_only_some_are_allowed(self):
        command = self.build('hydra', machine(4, siblings=True, whole=False), (2, 2, False))
        self.assertIn('-bind-to user:0+4+1+5,2+6+3+7 ', command)

    def test_srun(self):
        self.assertIn('srun --mpi=pmi2 -n 2 --cpus-per-task=4 --cpu-bind=cores jacobi',
                      self.build('srun', machine(), (2, 4, False)))
        self.assertIn('--threads-per-core=1 --cpus-per-task=4',
                      self.build('srun', machine(siblings=True), (2, 4, False)))

    def test_open_mpi(self):
        command = self.build('openmpi', machine(), (2, 4, False))
        self.assertIn('-n 2 --map-by slot:PE=4 --bind-to core -x OMP_NUM_THREADS', command)

    def test_oversubscribed_is_unbound_and_passive(self):
        for kind, words in (('hydra', '-bind-to none'), ('srun', '--cpu-bind=none'),
                            ('openmpi', '--bind-to none')):
            command = self.build(kind, machine(), (9, 2, True))
            for expected in (words, 'OMP_PROC_BIND=false', 'OMP_WAIT_POLICY=passive'):
                self.assertIn(expected, command)

    def test_callers_affinity_is_forgotten(self):
        environment = {'GOMP_CPU_AFFINITY': '0', 'OMP_PLACES': '{0}', 'OMP_SCHEDULE': 'dynamic'}
        bound = self.build('hydra', machine(), (1, 8, False), environment)
        self.assertTrue(bound.startswith('env -u GOMP_CPU_AFFINITY OMP_NUM_THREADS=8 '), bound)
        free = self.build('hydra', machine(), (9, 1, True), environment)
        self.assertIn('-u GOMP_CPU_AFFINITY -u OMP_PLACES ', free)


class ScriptTest(unittest.TestCase):
    """The script itself, with a program that stands in for jacobi in a folder with a space."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='with space ')
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.write('jacobi', '[ "$1" = --version ] && { echo "MPICH 4"; exit; }\n'
                                            'printf "%s|" "$OMP_NUM_THREADS" "$@"; exit 5\n')
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(('SLURM_', 'OMP_'))}

    def write(self, name, text):
        path = self.folder / name
        path.write_text('#!/bin/sh\n' + text)
        path.chmod(0o755)
        return path

    def fake_launcher(self, name, text):
        self.write(name, text)
        self.environment['PATH'] = f'{self.folder}{os.pathsep}{os.environ["PATH"]}'

    def run_solve(self, *arguments):
        return subprocess.run([scripts.RUN / 'solve', '--program', self.program, *arguments],
                              env=self.environment, cwd=self.folder, capture_output=True,
                              text=True, timeout=50, stdin=subprocess.DEVNULL)

    def test_runs_what_it_prints_and_passes_the_exit_code_on(self):
        done = self.run_solve('my plate.ini', '-n', '1', '-t', '1', 'grid.nx=3', '--quiet')
        self.assertEqual(done.returncode, 5, done)
        command, result = done.stdout.split('\n')
        self.assertEqual(result, '1|my plate.ini|grid.nx=3|--quiet|')
        again = subprocess.run(command, shell=True, cwd=self.folder, env=self.environment,
                               capture_output=True, text=True, timeout=50,
                               stdin=subprocess.DEVNULL)
        self.assertEqual((again.returncode, again.stdout), (5, result))

    def test_exit_code_of_two_ranks(self):
        done = self.run_solve('a.ini', '-n', '2', '-t', '1', '--oversubscribe')
        self.assertEqual(done.returncode, 5, done)

    def test_result_on_standard_output_stands_alone(self):
        for words in ('--record', '-'), ('output.history=-',):
            done = self.run_solve('a.ini', '-n', '1', '-t', '1', *words)
            self.assertNotIn('-bind-to', done.stdout)
            self.assertIn('-n 1 -bind-to ', done.stderr)

    def test_dry_run_runs_nothing(self):
        done = self.run_solve('a.ini', '-n', '1', '-t', '1', '--dry-run')
        self.assertEqual((done.returncode, done.stdout.count('\n')), (0, 1), done)
        self.assertIn('-n 1 -bind-to ', done.stdout)

    def test_too_many_cores_are_refused(self):
        done = self.run_solve('a.ini', '-n', '100000', '-t', '1')
        self.assertEqual((done.returncode, done.stdout), (5, ''))
        self.assertIn('may be used; take fewer, or add --oversubscribe', done.stderr)

    def test_srun_is_taken_inside_an_allocation(self):
        self.fake_launcher('srun', 'printf "%s\\n" "$@"\n')
        self.environment.update(SLURM_JOB_ID='7', SLURM_JOB_CPUS_PER_NODE='1024(x2)')
        done = self.run_solve('a.ini', '-n', '2', '-t', '3')
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(done.stdout.split('\n')[1:4], ['--mpi=pmi2', '-n', '2'])

    def test_open_mpi_is_taken_if_the_program_says_so(self):
        self.write('jacobi', 'echo "Open MPI v4.1.4"\n')
        self.fake_launcher('mpiexec.openmpi', 'exit 9\n')
        done = self.run_solve('a.ini', '-n', '1', '-t', '1')
        self.assertEqual(done.returncode, 9, done)
        self.assertIn('mpiexec.openmpi', done.stdout)

    def test_usage_errors(self):
        for arguments in ((), ('a.ini', '-n', '0'), ('a.ini', '-t', '-1'), ('a.ini', '-n', 'two')):
            self.assertEqual(self.run_solve(*arguments).returncode, 2, arguments)

    def test_program_that_is_not_built(self):
        self.program = self.folder / 'absent'
        done = self.run_solve('a.ini')
        self.assertEqual(done.returncode, 5)
        self.assertIn('run/build', done.stderr)

    def test_signal_reaches_the_rank(self):
        """Seen by a file: hydra hands on the exit code of MPI programs only, once it got a signal."""
        self.write('jacobi', '[ "$1" = --version ] && { echo "MPICH 4"; exit; }\n'
                             'trap "touch stopped; exit" TERM; echo ready\n'
                             'while :; do sleep 0.05; done\n')
        words = [scripts.RUN / 'solve', '--program', self.program, 'a.ini', '-n', '1', '-t', '1']
        with subprocess.Popen(words, env=self.environment, cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as running:
            self.addCleanup(running.kill)
            while running.stdout.readline() != 'ready\n':
                self.assertIsNone(running.poll())
            running.send_signal(signal.SIGTERM)
            running.wait(timeout=30)
        self.assertTrue((self.folder / 'stopped').exists())


if __name__ == '__main__':
    unittest.main()
