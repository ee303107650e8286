"""Made-up studies with known answers: folders as run/study leaves them, of records whose times the
test chooses. The record of a real run, record.json, lends its shape.
"""
import copy
import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / 'run'
sys.path.insert(0, str(RUN))
SHAPE = json.loads(Path(__file__).with_name('record.json').read_text())
SWEEPS, FIRST_BLOCK = 101, 1


def make_binding(ranks, threads, problems=(), bound=True, pus_a_thread=1):
    """Each thread on a processor of its own."""
    return {'problems': [{'name': name, 'rank': 0, 'ranks': 1, 'evidence': 'seen', 'cost': 'much',
                          'remedy': 'mend'} for name in problems],
            'ranks_changed': 0, 'topology_load_s': 0.001,
            'ranks': [make_rank(rank, threads, bound, int(threads * pus_a_thread)) for rank in range(ranks)]}


def make_rank(rank, threads, bound, process_cpus):
    cpus = range(rank * threads, (rank + 1) * threads)
    return {'rank': rank, 'host': 'vm', 'node': 0, 'node_rank': rank, 'threads': threads,
            'threads_asked': threads, 'threads_bound': bound, 'waits_actively': True,
            'process_cpus': process_cpus, 'cpu_quota': 0.0, 'place': f'core L{rank}', 'allowed': str(cpus[0]),
            'thread_places': [{'thread': thread, 'cpu': cpu, 'allowed': str(cpu)}
                              for thread, cpu in enumerate(cpus)]}


def make_times(total_s, tcomm, slowest=1.0):
    """Phases in which `tcomm` of the time is transfer; the slowest rank sweeps `slowest` times the mean."""
    def times(seconds, most=1.0):
        return {'min_s': seconds, 'mean_s': seconds, 'max_s': seconds * most, 'min_rank': 0, 'max_rank': 0}
    phases = {name: times(0.0) for name in ('pack', 'reduce', 'other')}
    wait = {'min_s': None, 'mean_s': None, 'max_s': None, 'min_rank': None, 'max_rank': None}
    return {**phases, 'wait': wait, 'transfer': times(total_s * tcomm),
            'sweep': times(total_s * (1 - tcomm), slowest)}


def make_record(ranks=1, threads=1, sweep_s=0.01, grid=(4000, 4000), tcomm=0.0, slowest=1.0,
                memory_bytes=2**28, checksum='00000000000000aa', **binding):
    """A record whose time a sweep is `sweep_s`; other parts can be changed afterwards."""
    record = copy.deepcopy(SHAPE)
    total_s = sweep_s * (SWEEPS - FIRST_BLOCK)
    points = grid[0] * grid[1]
    record.update(
        sweeps=SWEEPS, first_block_sweeps=FIRST_BLOCK, total_s=total_s, rate_lups=points / sweep_s,
        field_checksum=checksum, phases=make_times(total_s, tcomm, slowest), tcomm_fraction=tcomm,
        tcomm_fraction_of_rank={'min': tcomm, 'mean': tcomm, 'max': tcomm, 'min_rank': 0, 'max_rank': 0},
        imbalance=slowest - 1, binding=make_binding(ranks, threads, **binding))
    record['layout'].update(ranks=ranks, threads=threads, ranks_per_node=ranks, process_grid=f'1x{ranks}')
    record['grid'].update(points=list(grid), points_total=points)
    record['parts'] = [{'begin': [0, rank * grid[1] // ranks],
                        'points': [grid[0], (rank + 1) * grid[1] // ranks - rank * grid[1] // ranks]}
                       for rank in range(ranks)]
    record['plan']['memory_bytes'] = memory_bytes // ranks
    return record


class Study:
    """A folder of results in the making."""

    def __init__(self, folder, kind='strong', repeats=3, cores=64, name='made-up', **more):
        self.folder = Path(folder)
        self.plan = {'schema_version': 1, 'name': name, 'question': 'How does it scale?', 'kind': kind,
                     'study_file': f'configs/studies/{name}.ini', 'config_file': 'configs/a.ini',
                     'repeats': repeats, 'warmup': 0, 'order': 'interleaved', 'time_limit_s': 60,
                     'cores': cores, 'nodes': None, 'launcher': 'hydra', 'launcher_version': '4.0.2',
                     'started_at': '2026-01-31T10:00:00Z', 'machine_file': None,
                     'repeat': f'run/study configs/studies/{name}.ini', 'points': [], 'runs': [], **more}
        (self.folder / 'runs').mkdir(parents=True)
        self.lines = []

    def point(self, ranks, threads, records, axis=(), **entry):
        """Adds a point with a run for each record; None is a run that left none."""
        words = [f'{ranks}x{threads}', *(f"{option.rpartition('.')[2]}-{value}" for option, value in axis)]
        name = '-'.join(words)
        self.plan['points'].append({'name': name, 'ranks': ranks, 'threads': threads,
                                    'axis': [list(pair) for pair in axis], 'overrides': [],
                                    'command': f'mpiexec -n {ranks} jacobi configs/a.ini'})
        for number, record in enumerate(records, 1):
            self.run(name, number, record, **entry)
        return name

    def run(self, point, number, record, exit_code=0, timed_out=False, complaint='', warmup=False):
        name = f'round{number}-{point}'
        self.plan['runs'].append(name)
        self.lines.append({'run': name, 'point': point, 'round': number, 'warmup': warmup,
                           'started_at': '2026-01-31T10:00:00Z', 'elapsed_s': 1.0, 'exit_code': exit_code,
                           'timed_out': timed_out, 'complaint': complaint})
        if record is not None:
            (self.folder / 'runs' / f'{name}.json').write_text(json.dumps(record))

    def write(self):
        (self.folder / 'study.json').write_text(json.dumps(self.plan))
        (self.folder / 'log.jsonl').write_text(''.join(json.dumps(line) + '\n' for line in self.lines))
        return self.folder


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='study ')
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def study(self, **plan):
        return Study(self.folder / 'results', **plan)

    def assert_problem(self, code, words, function, *arguments, **keywords):
        from lab.command import Problem
        with self.assertRaises(Problem) as refused:
            function(*arguments, **keywords)
        self.assertIn(words, str(refused.exception))
        self.assertEqual(refused.exception.exit_code, code)
