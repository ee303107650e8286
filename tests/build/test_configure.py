#!/usr/bin/env python3
"""meson setup where something is wrong: it must stop with a message that names what, and how.

usage: test_configure.py ROOT
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
MPICH_CFLAGS = subprocess.run(['pkg-config', '--cflags', 'mpich'], capture_output=True,
                              text=True).stdout.strip()
FOREIGN_LIBRARY = '''
int MPI_Get_library_version(char *text, int *length) {
    static const char name[] = "Open MPI v4.1.4";
    for (*length = 0; (text[*length] = name[*length]) != 0; ++*length) {
    }
    return 0;
}
int MPI_Init(int *c, char ***v) { return c && v; }
int MPI_Comm_rank(int comm, int *rank) { *rank = 0; return comm == 0; }
int MPI_Comm_size(int comm, int *size) { *size = 1; return comm == 0; }
int MPI_Finalize(void) { return 0; }
'''


class ConfigureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='with space ')
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def setup(self, *arguments, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(('CFLAGS', 'LDFLAGS', 'PKG_CONFIG', 'MESON'))}
        environment.update(variables)
        done = subprocess.run(['meson', 'setup', *arguments, self.folder / 'build', ROOT],
                              env=environment, capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL)
        return done.returncode, ' '.join(done.stdout.split())

    def assert_refused(self, answer, *expected):
        code, text = answer
        self.assertNotEqual(code, 0, text)
        for words in ('ERROR', *expected):
            self.assertIn(words, text)

    def write_program(self, name, text):
        folder = self.folder / 'bin'
        folder.mkdir(exist_ok=True)
        (folder / name).write_text('#!/bin/sh\n' + text)
        (folder / name).chmod(0o755)
        return f'{folder}{os.pathsep}{os.environ["PATH"]}'

    def write_package(self, cflags, libraries):
        (self.folder / 'mpich.pc').write_text(
            f'Name: mpich\nDescription: made up\nVersion: 4.0\nCflags: {cflags}\nLibs: {libraries}\n')
        return str(self.folder)

    def test_plain_setup_is_optimised_and_says_what_it_found(self):
        code, text = self.setup()
        self.assertEqual(code, 0, text)
        options = json.loads((self.folder / 'build/meson-info/intro-buildoptions.json').read_text())
        values = {option['name']: option['value'] for option in options}
        self.assertEqual((values['buildtype'], values['optimization']), ('release', '3'))
        for words in ('header : MPICH ', 'library : MPICH ', 'launcher : hydra ', 'hwloc : ',
                      'OpenMP : ', 'compiler : '):
            self.assertIn(words, text)

    def test_flags_that_forget_nan(self):
        self.assert_refused(self.setup(CFLAGS='-Ofast'), '-Ofast', '__FINITE_MATH_ONLY__')

    def test_flags_that_change_sums(self):
        flags = '-fassociative-math -fno-signed-zeros -fno-trapping-math'
        self.assert_refused(self.setup(CFLAGS=flags), flags, 'sums are rearranged')

    def test_start_up_code_that_flushes_to_zero(self):
        self.assert_refused(self.setup(LDFLAGS='-ffast-math'), '-ffast-math')

    def test_header_of_another_mpi(self):
        (self.folder / 'mpi.h').write_text('#define OMPI_MAJOR_VERSION 4\n')
        packages = self.write_package(f'"-I{self.folder}"', '')
        self.assert_refused(self.setup(PKG_CONFIG_PATH=packages), 'pkg-config mpich', 'Open MPI 4')

    def test_open_mpi_that_is_not_there(self):
        """And MPICH in its place is not taken for it."""
        for name in ('mpicc.openmpi', 'mpicc'):
            path = self.write_program(name, 'exit 1\n')
        answer = self.setup('-Dmpi=openmpi', PATH=path, PKG_CONFIG_LIBDIR=str(self.folder))
        self.assert_refused(answer, 'mpicc.openmpi')
        (self.folder / 'ompi-c.pc').write_text(
            f'Name: ompi-c\nDescription: made up\nVersion: 4.0\nCflags: {MPICH_CFLAGS}\nLibs:\n')
        answer = self.setup('-Dmpi=openmpi', PKG_CONFIG_PATH=str(self.folder))
        self.assert_refused(answer, 'the mpi.h found by pkg-config ompi-c is MPICH ', '-Dmpi')

    def test_library_of_another_mpi(self):
        (self.folder / 'foreign.c').write_text(FOREIGN_LIBRARY)
        archive = self.folder / 'libforeign.a'
        subprocess.run(['cc', '-c', 'foreign.c'], cwd=self.folder, check=True)
        subprocess.run(['ar', 'rc', archive, 'foreign.o'], cwd=self.folder, check=True)
        packages = self.write_package(MPICH_CFLAGS, f'"-L{self.folder}" -lforeign')
        self.assert_refused(self.setup(PKG_CONFIG_PATH=packages), 'mpi.h is MPICH ',
                            'Open MPI v4.1.4')

    def test_launcher_of_another_mpi(self):
        path = self.write_program('mpiexec.mpich', 'echo "mpiexec (OpenRTE) 4.1.4"\n')
        self.assert_refused(self.setup(PATH=path), 'OpenRTE', 'mpi.h is MPICH ')

    def test_launcher_that_starts_single_processes(self):
        path = self.write_program(
            'mpiexec.mpich',
            '[ "$1" = --version ] && { echo HYDRA; exit; }\nshift 2; "$@"; "$@"; exit 0\n')
        self.assert_refused(self.setup(PATH=path), 'does not start 2 ranks', 'rank 0 of 1')

    def test_no_mpi_at_all(self):
        for name in ('mpicc.mpich', 'mpicc'):
            path = self.write_program(name, 'exit 1\n')
        answer = self.setup(PATH=path, PKG_CONFIG_LIBDIR=str(self.folder))
        self.assert_refused(answer, name)


if __name__ == '__main__':
    unittest.main()
