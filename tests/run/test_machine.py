#!/usr/bin/env python3
"""run/machine: hosts made of files, libraries made of words, and this machine itself.

usage: test_machine.py BUILD-FOLDER
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import scripts
from lab import hardware, launch, mpi

BUILD = Path(sys.argv.pop(1)).resolve()
machine = scripts.load('machine')
MPICH = 'MPICH Version:\t4.0.2\nMPICH Release date:\tThu\nMPICH Device:\tch4:ucx\nMPICH configure:\t-x\n'
UCX_WARNING = ("[1.2] [vm:1:0] ucp_context.c:1014 UCX  WARN  transport 'nosuchname' is not available, please "
               'use one or more of: cma, mm, posix, self, shm, sm, sysv, tcp\n')
UCX_INFO = ('#      Transport: self\n#         Device: memory\n#\n#      Transport: tcp\n'
            '#         Device: eth0\n#      Transport: rc_verbs\n#         Device: mlx5_0:1\n')
PROBE = '''case "$1" in
single) level=SINGLE ;;
multiple) level=SERIALIZED ;;
*) level=FUNNELED ;;
esac
printf '{\\n"asked": "", "provided": "MPI_THREAD_%s", "standard": "3.1", "headers": "MPICH 3", ' $level
printf '"library": "MPICH Version: 3.4\\\\nMPICH Device: ch3:nemesis", "host": "h", "ranks": 1\\n}\\n'
'''


class FakeHost(unittest.TestCase):
    """Eight CPUs in four cores, two core complexes, two NUMA nodes and one of memory only."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(f'{text}\n')

    def write_host(self):
        self.write('sys/devices/system/cpu/online', '0-7')
        for cpu in range(8):
            core, complex_cpus = cpu % 4, '0-1,4-5' if cpu % 4 < 2 else '2-3,6-7'
            self.write(f'sys/devices/system/cpu/cpu{cpu}/topology/core_cpus_list', f'{core},{core + 4}')
            self.write(f'sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id', '0')
            for index, level, kind, size, shared in ((0, 1, 'Data', '32K', f'{core},{core + 4}'),
                                                     (1, 1, 'Instruction', '32K', f'{core},{core + 4}'),
                                                     (2, 3, 'Unified', '16M', complex_cpus)):
                for name, text in (('level', level), ('type', kind), ('size', size),
                                   ('shared_cpu_list', shared)):
                    self.write(f'sys/devices/system/cpu/cpu{cpu}/cache/index{index}/{name}', text)

    def test_caches_and_core_complexes(self):
        self.write_host()
        self.assertEqual(hardware.caches(self.root, range(8)),
                         [{'level': 1, 'size_bytes': 32768, 'cores': 1, 'count': 4},
                          {'level': 3, 'size_bytes': 16 * 1024 ** 2, 'cores': 2, 'count': 2}])
        self.assertEqual(hardware.last_cache_groups(self.root, range(8)), [(0, 1, 4, 5), (2, 3, 6, 7)])
        self.assertEqual(hardware.packages(self.root, range(8)), 1)

    def test_numa_nodes(self):
        self.write('sys/devices/system/node/node0/cpulist', '0-3')
        self.write('sys/devices/system/node/node0/meminfo', 'Node 0 MemTotal:       1024 kB')
        self.write('sys/devices/system/node/node10/cpulist', '')
        self.assertEqual(hardware.numa_nodes(self.root),
                         [{'node': 0, 'cpus': [0, 1, 2, 3], 'memory_bytes': 1024 ** 2},
                          {'node': 10, 'cpus': [], 'memory_bytes': None}])

    def test_memory(self):
        self.write('proc/meminfo', 'MemTotal:  2048 kB\nMemAvailable: 1024 kB')
        self.write('sys/kernel/mm/transparent_hugepage/enabled', 'always [madvise] never')
        self.assertEqual(hardware.memory(self.root),
                         {'total_bytes': 2 * 1024 ** 2, 'available_bytes': 1024 ** 2,
                          'huge_pages': 'madvise', 'shared_huge_pages': None})

    def test_frequency_of_cpufreq(self):
        """C17: governor, limits, idle and loaded."""
        for cpu in 0, 1:
            folder = f'sys/devices/system/cpu/cpu{cpu}/cpufreq'
            for name, text in (('scaling_cur_freq', 1200000 + 600000 * cpu), ('cpuinfo_min_freq', 800000),
                               ('cpuinfo_max_freq', 3700000), ('scaling_governor', 'powersave')):
                self.write(f'{folder}/{name}', text)
        self.assertEqual(hardware.frequency(self.root, [0, 1]),
                         {'source': 'cpufreq', 'idle_mhz': 1500, 'load_mhz': 1500, 'min_mhz': 800,
                          'max_mhz': 3700, 'governor': 'powersave'})

    def test_frequency_of_cpuinfo(self):
        self.write('proc/cpuinfo', 'cpu MHz\t\t: 2600.5\nflags : fpu hypervisor\nmodel name\t: A  B ')
        found = hardware.frequency(self.root, [0])
        self.assertEqual((found['source'], found['idle_mhz'], found['max_mhz'], found['governor']),
                         ('cpuinfo', 2600.5, None, None))
        self.assertTrue(hardware.is_virtual(self.root))
        self.assertEqual(hardware.processor(self.root), 'A  B')

    def test_nothing_readable_is_said(self):
        facts = hardware.hardware(self.root)
        self.assertEqual((facts['caches'], facts['core_complexes'], facts['numa_nodes']), ([], [], []))
        text = '\n'.join(f'{name} {words}' for name, words in
                         (*machine.processor_lines(facts), machine.frequency_line(facts),
                          *machine.memory_lines(facts)))
        for words in ('processor unreadable', 'cache unreadable',
                      'idle unreadable, all cores busy unreadable',
                      'governor unreadable', 'memory unreadable', 'NUMA unreadable'):
            self.assertIn(words, text)


class WordsTest(unittest.TestCase):
    def test_library(self):
        self.assertEqual(mpi.describe_library(MPICH), {'name': 'MPICH 4.0.2', 'device': 'ch4:ucx'})
        self.assertEqual(mpi.describe_library('Open MPI v4.1.4, package: Debian OpenMPI, ident: 4'),
                         {'name': 'Open MPI v4.1.4', 'device': None})

    def test_what_ucx_offers(self):
        self.assertEqual(mpi.names_offered(UCX_WARNING), ['cma', 'posix', 'self', 'sysv', 'tcp'])
        self.assertEqual(mpi.names_offered("please use one or more of: 'eth0'(tcp), 'mlx5_0:1'(ib)"),
                         ['ib/mlx5_0:1', 'tcp/eth0'])
        self.assertIsNone(mpi.names_offered('nothing of the kind'))

    def test_object_among_other_lines(self):
        self.assertEqual(mpi.parse_object(f'{UCX_WARNING}{{\n"a": 1\n}}\n'), {'a': 1})
        self.assertIsNone(mpi.parse_object('garbage {'))
        self.assertIsNone(mpi.parse_object(''))

    def test_sizes(self):
        self.assertEqual([machine.size(count) for count in (512, 49152, 480 * 1024 ** 2, None)],
                         ['512 B', '48 KiB', '480 MiB', 'unreadable'])


class ScriptTest(unittest.TestCase):
    """The script with programs, launcher and tools that stand in for the real ones."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='with space ')
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / 'src/programs').mkdir(parents=True)
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith('SLURM_')}
        self.environment['PATH'] = f'{self.folder}{os.pathsep}{os.environ["PATH"]}'
        self.write('src/programs/jacobi', 'echo "MPICH 3"\n')

    def write(self, name, text):
        (self.folder / name).write_text('#!/bin/sh\n' + text)
        (self.folder / name).chmod(0o755)

    def run_machine(self, *words, build=None):
        return subprocess.run([scripts.RUN / 'machine', '--build', build or self.folder, *words],
                              env=self.environment, cwd=self.folder, capture_output=True, text=True,
                              timeout=100, stdin=subprocess.DEVNULL)

    def test_fake_library(self):
        self.write('src/programs/mpiprobe', PROBE)
        done = self.run_machine('--launcher', 'template', '--template', 'env {command}', '--json', 'm.json')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertIn('single single, funneled funneled, serialized funneled, multiple serialized',
                      done.stdout)
        self.assertIn('template: env {command} (unreadable)', done.stdout)
        self.assertIn('transports  unknown: this MPI library does not tell', done.stdout)
        facts = json.loads((self.folder / 'm.json').read_text())
        self.assertEqual(facts['mpi']['thread_levels']['multiple'], 'serialized')
        self.assertEqual(facts['mpi']['device'], 'ch3:nemesis')

    def test_library_that_does_not_start(self):
        self.write('src/programs/mpiprobe', 'echo "no such device" >&2; exit 9\n')
        done = self.run_machine('--launcher', 'template', '--template', 'env')
        self.assertEqual(done.returncode, 5)
        self.assertIn('multiple did not start', done.stdout)
        self.assertIn('mpiprobe single: exit code 9: no such device', done.stdout)
        self.assertIn('memory', done.stdout)

    def test_launcher_that_does_not_start(self):
        self.write('src/programs/mpiprobe', PROBE)
        done = self.run_machine('--launcher', 'template', '--template', './absent {command}')
        self.assertEqual((done.returncode, done.stderr), (5, ''))
        self.assertIn('mpiprobe single: exit code 127: ./absent: No such file or directory', done.stdout)

    def test_ucx_info_is_believed_where_it_is(self):
        self.write('ucx_info', f'printf "%s" "{UCX_INFO}"\n')
        os.environ['PATH'], before = self.environment['PATH'], os.environ['PATH']
        self.addCleanup(os.environ.update, PATH=before)
        found = mpi.ucx_transports(mpi.Probe(launch.template_launcher('true'), 'absent'))
        self.assertEqual(found['available'], ['rc_verbs', 'self', 'tcp'])
        self.assertEqual(found['devices'], ['rc_verbs/mlx5_0:1', 'tcp/eth0'])
        self.assertIsNone(found['between_ranks'])

    def test_hosts_of_an_allocation(self):
        self.write('scontrol', 'echo node1; echo node2\n')
        os.environ['PATH'], before = self.environment['PATH'], os.environ['PATH']
        self.addCleanup(os.environ.update, PATH=before)
        self.assertEqual(mpi.hosts({'SLURM_JOB_NODELIST': 'node[1-2]'}, 'a'), ['node1', 'node2'])
        self.write('scontrol', 'exit 1\n')
        self.assertEqual(mpi.hosts({'SLURM_JOB_NODELIST': 'node[1-2]'}, 'a'), ['node[1-2]'])
        self.assertEqual(mpi.hosts({}, 'a'), ['a'])

    def test_errors(self):
        for words, code, text in ((('--json', '/no/such/m.json'), 6, 'no folder'),
                                  (('--launcher', 'aprun'), 2, 'invalid choice'),
                                  (('more',), 2, 'unrecognized'),
                                  (('--launcher', 'template'), 2, 'needs its words')):
            done = self.run_machine(*words)
            self.assertEqual((done.returncode, done.stdout), (code, ''), words)
            self.assertRegex(done.stderr, rf'^run/machine: .*{text}.*\n$')
        done = self.run_machine(build=self.folder / 'absent')
        self.assertEqual(done.returncode, 5)
        self.assertIn('run/build', done.stderr)

    def test_this_machine(self):
        done = self.run_machine('--json', 'm.json', build=BUILD)
        self.assertEqual((done.returncode, done.stderr), (0, ''), done.stdout)
        facts = json.loads((self.folder / 'm.json').read_text())
        self.assertEqual(facts['mpi']['thread_levels'], {level: level for level in mpi.LEVELS})
        self.assertEqual(facts['cpus'], os.cpu_count())
        self.assertIn(facts['launcher']['kind'], launch.KINDS)
        if 'ucx' in (facts['mpi']['device'] or ''):
            self.assertIn('self', facts['transports']['available'])
            self.assertTrue(facts['transports']['between_ranks'], facts['transports'])
        names = {line.split()[0] for line in done.stdout.splitlines() if not line.startswith(' ')}
        self.assertLessEqual({'hosts', 'MPI', 'levels', 'launcher', 'managers', 'transports', 'processor',
                              'cores', 'cache', 'frequency', 'memory', 'NUMA'}, names)


class ProbeTest(unittest.TestCase):
    def test_usage(self):
        probe = BUILD / 'src/programs/mpiprobe'
        for words, code, text in ((['none'], 2, 'thread level none is none of'),
                                  (['single', 'multiple'], 2, 'one thread level at a time')):
            done = subprocess.run([probe, *words], capture_output=True, text=True, timeout=60,
                                  stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stdout), (code, ''))
            self.assertIn(text, done.stderr)


if __name__ == '__main__':
    unittest.main()
