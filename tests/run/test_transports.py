#!/usr/bin/env python3
"""run/transports: its arithmetic, transports that fail or hang, and all of it on this machine.

usage: test_transports.py BUILD-FOLDER
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import scripts
from lab import command, comparison, crossover, network, pictures, traffic, transports

BUILD = Path(sys.argv.pop(1)).resolve()
NET_DEV = '''Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop
    lo: 1000      10    0    0    0     0          0         0    1000      10    0    0    0     0       0          0
eth0:2000000000000 6 0 0 0 0 0 0 30 3686 0 0 0 0 0 0
'''
# Stands in for mpiprobe, jacobi and pingpong; what it does depends on the transport.
PROGRAM = '''#!/usr/bin/env python3
import json, os, sys, time
from pathlib import Path
name, tls = os.path.basename(sys.argv[0]), os.environ.get('UCX_TLS', '')
if '--version' in sys.argv:
    sys.exit(print('MPICH 4'))
if name == 'mpiprobe':
    if tls.startswith('nosuch'):
        print("transport 'nosuchname' is not available, please use one or more of: cma, self, sysv, tcp")
    if tls.startswith('tcp'):
        sys.exit('no such interface: lo')
    print('ep_cfg[1]: tag(%s)' % (tls or 'sysv cma').replace(',self', '').replace(',', ' '))
    print(json.dumps({'provided': 'MPI_THREAD_FUNNELED', 'standard': '4.0', 'headers': 'MPICH 4',
                      'library': 'MPICH Version: 4\\nMPICH Device: ch4:ucx', 'ranks': 2}, indent=1))
if name == 'pingpong':
    if tls == 'sysv,self':
        Path(os.environ['HANGS']).write_text(str(os.getpid()))
        time.sleep(1000)
    if 'window' in sys.argv:
        sys.exit(3)
    sizes = [{'bytes': 2 ** power, 'time': {'median_s': 1e-6, 'probe_s': 1e-7}} for power in range(4)]
    record = {'layout': {'ranks': 2}, 'measured': {'sizes': sizes, 'fit': None},
              'binding': {'problems': [{'name': 'ranks-share-pus', 'evidence': 'ranks 0 and 1: P0'}]}}
    Path(sys.argv[sys.argv.index('--record') + 1]).write_text(json.dumps(record))
if name == 'jacobi':
    Path(sys.argv[sys.argv.index('--record') + 1]).write_text('{"layout": {"ranks": 1}}')
'''


class CrossoverTest(unittest.TestCase):
    def test_ratios_are_formed_within_a_round(self):
        """The machine's state changes between rounds: 4/2 and 40/20, never 40/2."""
        slow, fast = {1: [4, 40, 400], 2: [1, 1, 1]}, {1: [2, 20, 200], 2: [1, 1, 1], 4: [1]}
        self.assertEqual(crossover.ratios(slow, fast), {1: [2, 2, 2], 2: [1, 1, 1]})
        self.assertEqual(crossover.inverse({1: [2, 4]}), {1: [0.5, 0.25]})

    def test_noise_is_not_noteworthy(self):
        for taken, noteworthy in (([1.2], True), ([1.05], False), ([2, 2, 2, 2, 0.9], True),
                                  ([2, 2, 2, 0.9, 0.9], False), ([1.2, 1.05, 1.01], False)):
            self.assertEqual(crossover.is_noteworthy(taken), noteworthy, taken)

    def test_stretches(self):
        by_size = {1: [1.0], 2: [1.09], 4: [1.2], 8: [3], 16: [2], 32: [0.5], 64: [1.5]}
        self.assertEqual(crossover.stretches(by_size), [(4, 16, 3, 8), (64, 64, 1.5, 64)])
        self.assertEqual(crossover.stretches({}), [])

    def test_words(self):
        for by_size, expected in (
                ({1024: [1], 4096: [1.2], 16384: [3]}, 'from 4 KiB (up to 3.0 times, at 16 KiB)'),
                ({1: [1.5], 2: [2], 4: [1]}, 'from 1 B to 2 B (up to 2.0 times, at 2 B)'),
                ({1: [1], 2: [2], 4: [1]}, 'at 2 B (2.0 times)'),
                ({1: [2], 2: [1], 4: [2]}, 'at 1 B (2.0 times) and at 4 B (2.0 times)'),
                ({1: [1.05], 1048576: [0.4]}, 'nowhere clearly, up to 1 MiB'), ({}, 'not measured')):
            self.assertEqual(crossover.describe(by_size), expected)


class TransportTest(unittest.TestCase):
    def settings(self, name, device=None):
        return {row.name: row.settings for row in transports.table({'name': name, 'device': device})}

    def test_ucx(self):
        found = self.settings('MPICH 4.0.2', 'ch4:ucx')
        self.assertEqual(list(found), ['default', 'one-copy', 'two-copies', 'two-copies-posix', 'tcp',
                                       'shared-window'])
        self.assertEqual(found['tcp'], {'UCX_TLS': 'tcp,self', 'UCX_NET_DEVICES': 'lo'})
        self.assertIn('cma', found['one-copy']['UCX_TLS'])
        self.assertNotIn('cma', found['two-copies']['UCX_TLS'])

    def test_open_mpi_of_both_kinds(self):
        for version, layer in (('v4.1.4', 'vader'), ('v5.0.1', 'sm')):
            found = self.settings(f'Open MPI {version}')
            self.assertEqual(found['one-copy'][f'OMPI_MCA_btl_{layer}_single_copy_mechanism'], 'cma')
            self.assertEqual(found['two-copies'][f'OMPI_MCA_btl_{layer}_single_copy_mechanism'], 'none')

    def test_unknown_library_has_what_needs_no_setting(self):
        self.assertEqual(list(self.settings('Some MPI', 'ch3:sock')), ['default', 'shared-window'])

    def test_what_is_not_offered(self):
        """UCX only warns of a name it does not know, and takes another transport."""
        row = transports.over_ucx()[0]
        self.assertIsNone(transports.missing(row, ['cma', 'self', 'sysv']))
        self.assertIsNone(transports.missing(row, None))
        self.assertEqual(transports.missing(row, ['self', 'sysv']),
                         'cma not available here, there is self sysv')


class PairsTest(unittest.TestCase):
    def test_near_and_far(self):
        cores = [(0, 4), (1, 5), (2, 6), (3, 7)]
        self.assertEqual(network.pairs([(0, 1, 4, 5), (2, 3, 6, 7)], cores),
                         [('same core complex', [[0], [1]]), ('different core complexes', [[0], [2]])])
        self.assertEqual(network.pairs([(0, 1, 2, 3)], [(0,), (1,)]), [('same core complex', [[0], [1]])])

    def test_one_core_a_complex(self):
        self.assertEqual(network.pairs([(0,), (1,)], [(0,), (1,)]),
                         [('different core complexes', [[0], [1]])])

    def test_unreadable_caches_and_one_core(self):
        self.assertEqual(network.pairs([], [(2,), (5,)]), [('unknown distance', [[2], [5]])])
        self.assertEqual(network.pairs([(0, 1)], [(0,)]), [('one core for both ranks', None)])


class TrafficTest(unittest.TestCase):
    def test_counters(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, 'dev')
            path.write_text(NET_DEV)
            self.assertEqual(traffic.counters(path),
                             {'lo': (1000, 1000), 'eth0': (2000000000000, 30)})
            self.assertEqual(traffic.counters(Path(folder, 'absent')), {})

    def test_time_and_bytes_since_the_start(self):
        counts = iter([{'lo': (10, 20), 'eth0': (7, 7)}, {'lo': (15, 40), 'eth0': (7, 7)},
                       {'lo': (30, 60), 'eth0': (7, 7), 'new': (5, 5)}])
        clock = iter([100, 101, 103])
        watched = traffic.Traffic(lambda: next(counts), lambda: next(clock))
        watched.sample()
        watched.sample()
        self.assertEqual(watched.as_record(), [{'interface': 'lo', 'time_s': [1, 3],
                                                'received_bytes': [5, 20], 'sent_bytes': [20, 40]}])

    def test_nothing_readable(self):
        watched = traffic.Traffic(dict)
        watched.sample()
        self.assertEqual(watched.as_record(), [])


def made_up(transport, values, part='pingpong', problem=None):
    """A series with samples by size."""
    return {'part': part, 'transport': transport, 'library': 'MPICH', 'distance': 'near', 'unit': 's',
            'problem': problem, 'values': [{'of': size, **comparison.spread(samples)}
                                           for size, samples in values.items()]}


class RecordTest(unittest.TestCase):
    def record(self, *series, **more):
        rows = [{'library': one['library'], 'transport': one['transport']} for one in series]
        return {'program': 'transports', 'quick': False, 'machine': {'host': 'a'}, 'series': list(series),
                'pieces': [1], 'traffic': [], 'rows': rows, 'warnings': [], **more}

    def test_wins_compare_one_copy_with_two(self):
        record = self.record(made_up('one-copy', {1: [1, 1], 2: [1, 3]}), made_up('default', {1: [9, 9]}),
                             made_up('two-copies', {1: [1, 1], 2: [2, 6]}),
                             made_up('one-copy', {1: [1]}, 'halos'))
        found, = comparison.wins(record)
        self.assertEqual((found['part'], found['where'], found['text'], found['loses']),
                         ('pingpong', 'near', 'at 2 B (2.0 times)',
                          'nowhere clearly, up to 2 B'))
        record['series'][0]['problem'] = 'does not start'
        self.assertEqual(comparison.wins(record), [])

    def test_collectives_by_operation(self):
        values = {('bcast', 1): [2], ('bcast', 8): [1], ('alltoall', 8): [1]}
        record = self.record(made_up('one-copy', values, 'collectives'),
                             made_up('two-copies', {key: [1] for key in values}, 'collectives'))
        self.assertEqual([(found['operation'], found['text'], found['loses']) for found in
                          comparison.wins(record)],
                         [('bcast', 'nowhere clearly, up to 8 B', 'at 1 B (2.0 times)'),
                          ('alltoall', 'nowhere clearly, up to 8 B',
                           'nowhere clearly, up to 8 B')])

    def test_added_rounds(self):
        merged = comparison.merge(self.record(made_up('tcp', {1: [1], 2: [4]}), traffic=['old']),
                                  self.record(made_up('tcp', {1: [3], 4: [5]}),
                                              made_up('one-copy', {1: [2]})))
        for name in 'series', 'rows':
            self.assertEqual([one['transport'] for one in merged[name]], ['tcp', 'one-copy'])
        self.assertEqual({value['of']: value['samples'] for value in merged['series'][0]['values']},
                         {1: [1, 3], 2: [4], 4: [5]})
        self.assertEqual((merged['pieces'], merged['traffic']), ([1, 1], ['old']))

    def test_only_records_of_one_kind_are_added(self):
        comparison.check_kind(self.record(), False, 'a')
        for other in ({'quick': True}, {'machine': {'host': 'b'}}, {'machine': None}):
            with self.assertRaises(command.Problem):
                comparison.check_kind(self.record(**other), False, 'a')

    def test_keys_of_two_parts_survive_json(self):
        series = json.loads(json.dumps(made_up('tcp', {('bcast', 8): [1]}, 'collectives')))
        self.assertEqual(comparison.samples_of(series), {('bcast', 8): [1]})

    def test_columns(self):
        self.assertEqual(comparison.columns_of([4, 1, 2]), [1, 2, 4])
        chosen = comparison.columns_of(range(100))
        self.assertEqual((len(chosen), chosen[0], chosen[-1]), (comparison.COLUMNS, 0, 99))


class ScriptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='with space ')
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_transports(self, *words, build=None):
        environment = {**os.environ, 'HANGS': str(self.folder / 'hangs'), 'UCX_TLS': 'nonsense'}
        return subprocess.run([scripts.RUN / 'transports', '--build', build or self.folder, *words],
                              cwd=self.folder, env=environment, capture_output=True, text=True, timeout=250,
                              stdin=subprocess.DEVNULL)

    def write_programs(self):
        (self.folder / 'src/programs').mkdir(parents=True)
        for name in 'jacobi', 'mpiprobe', 'pingpong':
            path = self.folder / 'src/programs' / name
            path.write_text(PROGRAM)
            path.chmod(0o755)

    def test_what_fails_has_a_row_and_the_others_go_on(self):
        """F15 with a template, C07 (said before the numbers); a transport that does not exist, one
        that does not start, one that hangs, a program that fails, one that is not built, a record of single processes."""
        self.write_programs()
        done = self.run_transports('t.json', '--rounds', '2', '--limit', '2', '--launcher', 'template',
                                   '--template', 'env {command}', '--only', 'pingpong,collectives,solver')
        self.assertEqual(done.returncode, 0, done)
        for pattern in (r'two-copies-posix +posix not available here, there is cma self sysv tcp\n',
                        r'tcp +does not start: exit code 1: no such interface: lo\n',
                        r'two-copies +ended after 2 s, its time limit\n', r'shared-window +exit code 3\n',
                        r'default +collectives is not in the build folder',
                        r'default +ran on 1 ranks instead of 2\n', r'one-copy +1\.00 +1\.00 +1\.00 +1\.00\n'):
            self.assertRegex(done.stdout, pattern)
        self.assertRegex(done.stdout,
                         r'^binding problems.*\n  pingpong, 2 x 1: ranks-share-pus: ranks 0 and 1: P0')
        record = json.loads((self.folder / 't.json').read_text())
        self.assertEqual(record['rows'][1]['carried_by'], ['sysv', 'cma'])
        series = next(one for one in record['series'] if (one['part'], one['transport']) ==
                      ('pingpong', 'default'))
        self.assertEqual(series['values'][0]['samples'], [1e-6, 1e-6])
        self.assert_ended(int((self.folder / 'hangs').read_text()))

    def assert_ended(self, process):
        for _ in range(500):
            if not Path(f'/proc/{process}').exists():
                return
            time.sleep(0.01)
        self.fail('the rank that hung is still there')

    def test_errors(self):
        self.write_programs()
        (self.folder / 'old.json').write_text('{"program": "bench"}')
        for words, code, text in ((('--only', 'halo'), 2, 'halo is none of'),
                                  (('--transports', 'default,ib'), 2, 'ib is none of'),
                                  (('--rounds', '0'), 2, 'not at least 1'), (('--limit', '-1'), 2, 'no time'),
                                  (('/no/such/t.json',), 6, 'no folder'),
                                  (('old.json',), 6, 'RECORD old.json: holds something else'),
                                  (('old.json', '--add'), 6, 'RECORD old.json: holds something else'),
                                  (('t.png',), 2, 'end it in .json'),
                                  (('t.json', '--config', 'absent.ini'), 6, 'cannot be read'),
                                  (('t.json', '-n', '100000'), 5, 'add --oversubscribe'),
                                  (('t.json', '--also', 'absent'), 5, 'run/build'),
                                  (('t.json', '--launcher', 'template', '--template', './absent'), 5,
                                   'absent: No such file')):
            done = self.run_transports(*words)
            self.assertEqual((done.returncode, done.stdout), (code, ''), done)
            self.assertRegex(done.stderr, rf'^run/transports: .*{text}.*\n$')
        self.assertEqual((self.folder / 'old.json').read_text(), '{"program": "bench"}')

    def test_this_machine(self):
        """The caller's UCX_TLS is nonsense and must not count."""
        done = self.run_transports('t.json', '--quick', '--traffic', '-n', '2', '--transports', 'default,tcp',
                                   build=BUILD)
        self.assertEqual(done.returncode, 0, done)
        record = json.loads((self.folder / 't.json').read_text())
        rows = {row['transport']: row for row in record['rows']}
        self.assertIsNone(rows['default']['problem'])
        for row in rows.values():
            if row['transport'] == 'tcp' and not row['problem']:
                self.assertEqual(row['carried_by'], ['tcp/lo'])
        measured = {(one['part'], one['transport']): one for one in record['series']}
        for part in 'pingpong', 'halos', 'collectives', 'alltomany', 'solver':
            self.assertIsNone(measured[(part, 'default')]['problem'])
            for value in measured[(part, 'default')]['values']:
                self.assertGreater(value['median'], 0)
        if (self.folder / 't.png').exists() != (pictures.plotting_python() is not None):
            self.fail(done.stdout)
        carried = {taken['transport']: taken for taken in record['traffic']}
        if 'tcp' in carried:
            lo, = [one for one in carried['tcp']['interfaces'] if one['interface'] == 'lo']
            self.assertGreater(lo['sent_bytes'][-1], carried['tcp']['halo_bytes'])


if __name__ == '__main__':
    unittest.main()
