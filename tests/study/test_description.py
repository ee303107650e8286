#!/usr/bin/env python3
"""Study files: every wrong line is refused with its place and a remedy; points follow from good ones."""
import unittest

import synthetic
from lab.study import description, launching, points

GOOD = """[study]
question = Does it scale?
kind = strong
config = a.ini
"""
BASE = {'nx': '100', 'ny': '50', 'length_x': '2', 'length_y': '1', 'process_grid': 'auto'}


class StudyCase(synthetic.Case):
    def setUp(self):
        super().setUp()
        (self.folder / 'a.ini').write_text('[grid]\nnx = 4\n')

    def read(self, text, name='a-study.ini'):
        (self.folder / name).write_text(text)
        return description.read_study(self.folder / name)

    def refused(self, words, text, code=2):
        self.assert_problem(code, words, self.read, text)


class ReadTest(StudyCase):
    def test_defaults(self):
        study = self.read(GOOD)
        self.assertEqual((study.name, study.kind, study.layouts, study.repeats, study.order, study.launcher),
                         ('a-study', 'strong', ('all',), 5, 'interleaved', 'auto'))
        self.assertEqual(study.config, self.folder / 'a.ini')

    def test_everything(self):
        study = self.read('\ufeff' + GOOD.replace('strong', 'weak') + """layouts = 1x1 Nx1  # some
repeats = 2
warmup = 0
order = grouped
launcher = template
template = "my run {ranks} {command}"
time_limit_s = 1.5
grow = both
[overrides]
solver.max_sweeps = 7 ; few
[axis]
parallel.halo = sendrecv shared
""")
        self.assertEqual(study.layouts, ('1x1', 'Nx1'))
        self.assertEqual((study.repeats, study.warmup, study.order, study.time_limit_s, study.grow),
                         (2, 0, 'grouped', 1.5, 'both'))
        self.assertEqual(study.template, 'my run {ranks} {command}')
        self.assertEqual(study.overrides, (('solver.max_sweeps', '7'),))
        self.assertEqual(study.axes, (('parallel.halo', ('sendrecv', 'shared')),))

    def test_values(self):
        for line, words in (
                ('repeats = 0', "a-study.ini:5: study.repeats: '0' is not a whole number from 1"),
                ('repeats = -1', "'-1' is not a whole number"),
                ('repeats = 3.5', "'3.5' is not a whole number"),
                ('repeats = 10000000', "'10000000' is not a whole number"),
                ('warmup = x', "study.warmup: 'x' is not a whole number from 0"),
                ('time_limit_s = 0', "study.time_limit_s: '0' is not a time above 0"),
                ('time_limit_s = nan', "'nan' is not a time"),
                ('order = random', "study.order: 'random' is none of interleaved, grouped"),
                ('launcher = mpirun', "'mpirun' is none of auto, hydra, srun, openmpi, template"),
                ('layouts =', 'study.layouts: names no layout; all takes everything that fits'),
                ('layouts = 1x1 all', "'all' is no layout"),
                ('layouts = 2', "'2' is no layout; write RANKSxTHREADS"),
                ('layouts = 0x1', "'0x1': ranks and threads begin at 1"),
                ('layouts = 1x00', "'1x00': ranks and threads begin at 1"),
                ('layouts = 1x1 1x1', 'names a layout twice'),
                ('repeat = 3', 'study.repeat: unknown key; did you mean repeats?'),
                ('colour = red', 'study.colour: unknown key; known are question, kind, config'),
                ('kind = weak', 'a-study.ini:5: kind: given again, first in line 3'),
                ('machine = none.json', 'there is no file'),
                ('grow = both', 'only a weak study grows its grid'),
                ('template = x', 'study.template: belongs to launcher = template'),
                ('launcher = template', 'study.template: belongs to launcher = template')):
            with self.subTest(line):
                self.refused(words, GOOD + line + '\n')

    def test_structure(self):
        for text, words in (
                ('', 'study.question: missing; a study has question, kind, config'),
                ('kind = weak\n', 'a-study.ini:1: kind stands before any section, such as [study]'),
                ('[study\n', "a-study.ini:1: '[study' is no section"),
                ('[studdy]\nkind = weak\n', 'unknown section [studdy]; did you mean study?'),
                ('[study]\nkind\n', "a-study.ini:2: 'kind' should be KEY = VALUE"),
                ('[study]\nquestion =\n', 'study.question: is empty'),
                ('[study]\nkind = both\n', "study.kind: 'both' is none of strong, weak, matrix"),
                (GOOD.replace('a.ini', 'b.ini'), 'b.ini; the name is relative to the study file'),
                (GOOD + '[overrides]\nmax_sweeps = 3\n', 'max_sweeps is no option of the solver'),
                (GOOD + '[overrides]\noutput.record = x\n', 'records go to the folder of the study'),
                (GOOD + '[axis]\nparallel.halo =\n', 'needs different values'),
                (GOOD + '[axis]\nparallel.halo = a a\n', 'needs different values'),
                (GOOD + '[overrides]\nparallel.halo = a\n[axis]\nparallel.halo = a b\n',
                 'parallel.halo stands in [overrides] and in [axis]')):
            with self.subTest(text):
                self.refused(words, text)

    def test_no_such_file(self):
        self.assert_problem(6, 'No such file', description.read_study, self.folder / 'none.ini')

    def test_no_text_file(self):
        (self.folder / 'b.ini').write_bytes(b'[study]\xff\n')
        self.assert_problem(2, 'no text file', description.read_study, self.folder / 'b.ini')

    def test_every_shipped_study(self):
        shipped = sorted((synthetic.ROOT / 'configs/studies').glob('*.ini'))
        self.assertTrue(shipped)
        for path in shipped:
            with self.subTest(path.name):
                self.assertTrue(description.read_study(path).question.endswith('?'))


class PointsTest(StudyCase):
    def make(self, lines='', cores=4, base=BASE, sections='', **options):
        return points.make_points(self.read(GOOD + lines + sections), base, cores, **options)

    def names(self, *arguments, **keywords):
        return [point.name for point in self.make(*arguments, **keywords)]

    def test_all_that_fit(self):
        self.assertEqual(self.names(cores=3), ['1x1', '1x2', '2x1', '1x3', '3x1'])

    def test_all_of_a_matrix_fill_the_cores(self):
        text = GOOD.replace('strong', 'matrix')
        study = self.read(text)
        self.assertEqual([point.name for point in points.make_points(study, BASE, 6)],
                         ['1x6', '2x3', '3x2', '6x1'])

    def test_all_cores_by_letter(self):
        self.assertEqual(self.names('layouts = 1xN Nx1 1x1\n'), ['1x1', '1x4', '4x1'])
        self.assertEqual(self.names('layouts = 1xN Nx1 1x1\n', cores=1), ['1x1'])

    def test_matrix_of_different_products(self):
        study = self.read(GOOD.replace('strong', 'matrix') + 'layouts = 1x1 2x1\n')
        self.assert_problem(2, 'have 1 and 2; kind = strong compares them',
                            points.make_points, study, BASE, 4)

    def test_too_many_cores(self):
        self.assert_problem(5, '4x2 needs 8 cores, but 4 may be used; leave it out, or add --oversubscribe',
                            self.make, 'layouts = 1x1 4x2\n')
        self.assertEqual(self.names('layouts = 1x1 4x2\n', oversubscribe=True), ['1x1', '4x2'])

    def test_axes_multiply(self):
        sections = '[axis]\nparallel.halo = sendrecv shared\nparallel.halo_depth = 1 2\n'
        self.assertEqual(self.names('layouts = 2x1\n', sections=sections),
                         ['2x1-halo-sendrecv-halo_depth-1', '2x1-halo-sendrecv-halo_depth-2',
                          '2x1-halo-shared-halo_depth-1', '2x1-halo-shared-halo_depth-2'])

    def test_names_that_would_be_the_same_file(self):
        self.assert_problem(2, 'two points have the same name', self.make, 'layouts = 1x1\n',
                            sections='[axis]\nproblem.west = a:b a;b\n'.replace(';', '%'))

    def test_too_many_points(self):
        self.assert_problem(2, 'points are more than 1000', self.make, cores=1000)


class WeakTest(StudyCase):
    def grids(self, lines='', base=BASE, cores=4, sections=''):
        study = self.read(GOOD.replace('strong', 'weak') + lines + sections)
        return {point.name: dict(point.overrides) for point in points.make_points(study, base, cores)}

    def test_grows_in_y_at_the_same_spacing(self):
        found = self.grids('layouts = 1x1 2x2 4x1\n')
        self.assertEqual(found['1x1'], {})
        self.assertEqual(found['2x2'], {'grid.ny': '200', 'grid.length_y': '4.0'})
        self.assertEqual(found['4x1'], found['2x2'])

    def test_grows_both_ways_with_the_process_grid(self):
        found = self.grids('layouts = 4x1 2x3\ngrow = both\n', cores=6)
        self.assertEqual(found['4x1'], {'grid.nx': '200', 'grid.length_x': '4.0', 'grid.ny': '100',
                                        'grid.length_y': '2.0', 'parallel.process_grid': '2x2'})
        self.assertEqual(found['2x3'], {'grid.ny': '300', 'grid.length_y': '6.0',
                                        'parallel.process_grid': '1x2'})

    def test_grows_with_a_process_grid_that_is_given(self):
        found = self.grids('layouts = 4x1\ngrow = both\n', base={**BASE, 'process_grid': '1d-x'})
        self.assertEqual(found['4x1']['grid.nx'], '400')
        self.assertNotIn('grid.ny', found['4x1'])

    def test_a_line_grows_along_itself(self):
        found = self.grids('layouts = 2x2\n', base={'nx': '10', 'length_x': '1', 'process_grid': 'auto'})
        self.assertEqual(found['2x2'], {'grid.nx': '40', 'grid.length_x': '4.0'})

    def test_points_a_core_stay_equal(self):
        for cores in range(1, 13):
            for lines in ('', 'grow = both\n'):
                for name, changes in self.grids(lines, cores=cores).items():
                    ranks, threads = map(int, name.split('x'))
                    area = int(changes.get('grid.nx', 100)) * int(changes.get('grid.ny', 50))
                    self.assertEqual(area, 5000 * ranks * threads, name)

    def test_a_grid_beyond_the_solver(self):
        self.assert_problem(2, 'would grow grid.ny to 4000000000, more than 2147483647', self.grids,
                            'layouts = 4x1\n', base={**BASE, 'ny': '1000000000'})

    def test_the_grid_is_no_axis(self):
        self.assert_problem(2, 'grid.nx is no axis of a weak study', self.grids,
                            sections='[axis]\ngrid.nx = 5 6\n')


class HostsTest(StudyCase):
    """A28: cores of other hosts are never guessed from this one."""

    def check(self, layouts, kind, **environment):
        launching.check_hosts(self.read(GOOD + f'layouts = {layouts}\n'), kind, environment)

    def test_nodes_that_differ(self):
        for layouts in ('all', '1x1 Nx1'):
            self.assert_problem(5, 'differ in cores (4,2)', self.check, layouts, 'srun',
                                SLURM_JOB_CPUS_PER_NODE='4,2')
        self.check('1x1 2x1', 'srun', SLURM_JOB_CPUS_PER_NODE='4,2')
        self.check('all', 'srun', SLURM_JOB_CPUS_PER_NODE='4(x2)')

    def test_host_file(self):
        """F05: hydra reads it, so the study need not, but it has to be told of the cores."""
        self.assert_problem(5, 'say how many there are in all with --cores', self.check, '1x1', 'hydra',
                            HYDRA_HOST_FILE='hosts')


class OrderTest(StudyCase):
    def order(self, lines):
        study = self.read(GOOD + 'layouts = 1x1 2x1\nrepeats = 2\n' + lines)
        return [run.name for run in points.make_runs(study, points.make_points(study, BASE, 4))]

    def test_interleaved_rounds_turn_round(self):
        self.assertEqual(self.order(''), ['warmup1-2x1', 'warmup1-1x1', 'round1-1x1', 'round1-2x1',
                                          'round2-2x1', 'round2-1x1'])

    def test_grouped(self):
        self.assertEqual(self.order('order = grouped\nwarmup = 0\n'),
                         ['round1-1x1', 'round2-1x1', 'round1-2x1', 'round2-2x1'])


if __name__ == '__main__':
    unittest.main()
