#!/usr/bin/env python3
"""Shows that the rule test can fail: each rule is broken once in a temporary tree."""
import tempfile
import unittest
from pathlib import Path

import check_rules

HEADER = '/* A header. Room: {room}. */\nint f(void);\n'
CLEAN = '/* MPI_Send and #pragma omp in words. */\nstatic const char *s = "MPI_Send";\n'


class RuleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write('include/funnel/status.h', HEADER.format(room='base'))
        self.write('include/funnel/solver.h', HEADER.format(room='solver'))
        self.write('src/base/clock.c', '#include "funnel/status.h"\nint c = clock_gettime(1, 0);\n')
        self.write('src/exchange/halo.c', '#include <mpi.h>\nint f(void) {\n    MPI_Send();\n}\n')
        self.write('src/sweep/sweep.c', 'void g(void) {\n#pragma omp parallel\n    h();\n}\n')
        self.write('src/solver/solver.c', CLEAN + '#include "funnel/status.h"\n')

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def assert_broken(self, path, text, *expected):
        """Exactly one violation, with these words in it."""
        self.write(path, text)
        found = list(check_rules.violations(self.root))
        self.assertEqual(len(found), 1, found)
        for words in (path,) + expected:
            self.assertIn(words, found[0])

    def test_clean_tree_passes(self):
        self.assertEqual(list(check_rules.violations(self.root)), [])

    def test_mpi_outside_its_wing(self):
        self.assert_broken('src/sweep/norm.c', 'int f(void) {\n    return MPI_Allreduce();\n}\n',
                           ':2:', 'MPI_Allreduce')

    def test_mpi_type_in_a_header(self):
        self.assert_broken('include/funnel/status.h',
                           HEADER.format(room='base') + 'MPI_Comm comm(void);\n', 'MPI_Comm')

    def test_mpi_header_outside_its_wing(self):
        self.assert_broken('src/programs/jacobi.c', '#include <mpi.h>\n', 'mpi.h')

    def test_mpi_in_the_loops_of_a_benchmark_alone(self):
        self.write('src/programs/pingpong_loops.c', '#include <mpi.h>\n')
        self.assert_broken('src/programs/pingpong.c', '#include <mpi.h>\n', 'mpi.h')

    def test_profiling_interface_is_mpi_too(self):
        self.assert_broken('src/domain/grid.c', 'int x = PMPI_Barrier();\n', 'PMPI_Barrier')

    def test_openmp_outside_its_wing(self):
        self.assert_broken('src/domain/grid.c', 'void f(void) {\n#  pragma omp for\n    g();\n}\n',
                           ':2:', 'OpenMP')

    def test_openmp_operator(self):
        self.assert_broken('src/domain/grid.c', 'void f(void) {\n    _Pragma("omp for") g();\n}\n',
                           ':2:', 'OpenMP')

    def test_openmp_in_the_rest_of_binding(self):
        self.assert_broken('src/binding/report.c', 'void f(void) {\n#pragma omp single\n}\n', 'OpenMP')

    def test_openmp_in_the_probe_is_allowed(self):
        self.write('src/binding/probe.c', 'void f(void) {\n#pragma omp parallel\n}\n')
        self.assertEqual(list(check_rules.violations(self.root)), [])

    def test_both_in_one_function(self):
        self.write('src/solver/overlap.c', 'void f(void) {\n#pragma omp master\n    g();\n}\n')
        found = list(check_rules.check_functions(
            'src/sweep/x.c', 'static int f(int (*g)(int)) {\n#pragma omp parallel\n MPI_Wait();\n}\n'))
        self.assertEqual(found, ['src/sweep/x.c:1: f: both MPI and OpenMP in one function'])
        self.assertEqual(list(check_rules.violations(self.root)), [])

    def test_both_in_one_file_but_not_one_function(self):
        text = 'void f(void) {\n#pragma omp parallel\n    h();\n}\nvoid g(void) {\n    MPI_Wait();\n}\n'
        self.assertEqual(list(check_rules.check_functions('src/sweep/x.c', text)), [])

    def test_lower_room_included(self):
        self.assert_broken('src/domain/grid.c', '#include "funnel/solver.h"\n', 'solver', 'domain')

    def test_lower_room_included_by_a_header(self):
        self.assert_broken('include/funnel/status.h',
                           '/* Room: base. */\n#include "funnel/solver.h"\n', 'solver', 'base')

    def test_private_header_of_another_room(self):
        self.write('src/base/inner.h', 'int f(void);\n')
        self.write('src/base/clock.c', '#include "inner.h"\n#include "generated.h"\n')
        self.assert_broken('src/domain/grid.c', '#include "../base/inner.h"\n', 'private to base')

    def test_header_without_a_room(self):
        self.assert_broken('include/funnel/lost.h', '/* A header. */\nint f(void);\n', 'no room')

    def test_long_function(self):
        body = '    g();\n' * 79
        self.assert_broken('src/domain/grid.c',
                           'int first(void) {\n    return 1;\n}\n\n'
                           '__attribute__((noinline)) static void\nlong_one(int a[static 3]) {\n'
                           + body + '}\n', ':5:', 'long_one', '82 lines')

    def test_function_of_the_greatest_length(self):
        self.write('src/domain/grid.c', 'void f(void) {\n' + '    g();\n' * 78 + '}\n')
        self.assertEqual(list(check_rules.violations(self.root)), [])

    def test_clock_outside_base(self):
        self.assert_broken('src/solver/timing.c', 'int c = clock_gettime(1, 0);\n', 'clock_now_s')

    def test_clock_of_mpi(self):
        self.assert_broken('src/exchange/team.c', 'double t = MPI_Wtime();\n', 'MPI_Wtime')

    def test_open_end(self):
        mark = 'TO' + 'DO'
        self.write('src/domain/a.c', f'/* {mark}(#12): known. */\n')
        self.assert_broken('src/domain/grid.c', f'/* {mark}: later */\n', mark)


if __name__ == '__main__':
    unittest.main()
