#!/usr/bin/env python3
"""Checks the rules that keep MPI and OpenMP apart and the rooms in order.

usage: check_rules.py ROOT; prints one line a violation, exit code 1 if there is any.
"""
import re
import sys
from pathlib import Path

import source

# A room may include headers of the rooms before it.
ROOMS = ('base', 'domain', 'model', 'config', 'exchange', 'sweep', 'binding', 'solver', 'store',
         'programs')
MPI_HOMES = ('src/exchange/', 'src/store/', 'include/funnel/team_mpi.h', 'src/programs/pingpong_loops',
             'src/programs/alltomany_loops', 'src/programs/collectives_loops')
OPENMP_HOMES = ('src/sweep/', 'src/binding/probe.c', 'src/solver/overlap.c')
BOTH_HOME = 'src/solver/overlap.c'  # the step whose main thread communicates in a parallel region
CLOCK_HOME = 'src/base/'
LONGEST_FUNCTION = 80

MPI = re.compile(r'\bP?MPI[XT]?_\w+|#\s*include\s*<mpi\.h>')
OPENMP = re.compile(r'#\s*pragma\s+omp\b')
CLOCK = re.compile(r'\bclock_gettime\b')
ROOM = re.compile(r'\bRoom:\s*(\w+)')
OPEN_END = re.compile(r'\b(?:TODO|FIXME|XXX)\b(?!\s*\(?#\d+)')


def find(pattern, text, path, complaint):
    for match in pattern.finditer(text):
        yield f'{path}:{source.line_of(text, match.start())}: {match.group().strip()}: {complaint}'


def check_homes(path, text):
    if not path.startswith(MPI_HOMES):
        yield from find(MPI, text, path, 'MPI is used in src/exchange, src/store and the loops of benchmarks only')
    if not path.startswith(OPENMP_HOMES):
        yield from find(OPENMP, text, path, 'OpenMP is used in src/sweep and the probe only')
    if not path.startswith(CLOCK_HOME):
        yield from find(CLOCK, text, path, 'the clock is clock_now_s of src/base')
    yield from find(re.compile(r'\bMPI_Wtime\b'), text, path, 'the clock is clock_now_s')


def check_functions(path, text):
    for function in source.functions(text):
        place = f'{path}:{function.line}: {function.name}'
        if function.lines > LONGEST_FUNCTION:
            yield f'{place}: {function.lines} lines, more than {LONGEST_FUNCTION}'
        if path != BOTH_HOME and MPI.search(function.text) and OPENMP.search(function.text):
            yield f'{place}: both MPI and OpenMP in one function'


def room_of_source(path):
    """The room of src/ROOM/..., by its folder."""
    return path.split('/')[1]


def room_of_header(root, name):
    """The room that a public header names in its comments, or None."""
    match = ROOM.search((root / 'include' / name).read_text())
    return match.group(1) if match else None


def check_include(root, path, room, line, name):
    if not name.startswith('funnel/'):
        folder = (root / path).parent
        namesakes = list((root / 'src').glob(f'*/{Path(name).name}'))
        if namesakes and folder / name not in namesakes:
            yield f'{path}:{line}: {name} is private to {namesakes[0].parent.name}'
        return
    if not (root / 'include' / name).is_file():
        yield f'{path}:{line}: there is no include/{name}'
        return
    other = room_of_header(root, name)
    if other in ROOMS and ROOMS.index(other) > ROOMS.index(room):
        yield f'{path}:{line}: {name} belongs to {other}, which {room} knows nothing of'


def check_room(root, path, text):
    is_public = path.startswith('include/')
    room = (room_of_header(root, path.removeprefix('include/')) if is_public
            else room_of_source(path))
    if room not in ROOMS:
        yield f'{path}:1: names no room; rooms are {", ".join(ROOMS)}'
        return
    for line, quoted, name in source.includes(text):
        if quoted:
            yield from check_include(root, path, room, line, name)


def files(root, folders, endings):
    found = (path for folder in folders for path in (root / folder).rglob('*'))
    return sorted(path.relative_to(root).as_posix() for path in found
                  if path.is_file() and path.suffix in endings)


def violations(root):
    for path in files(root, ('src', 'include/funnel'), ('.c', '.h')):
        text = (root / path).read_text()
        stripped = source.strip(text)
        yield from check_homes(path, stripped)
        yield from check_functions(path, stripped)
        yield from check_room(root, path, text)
    for path in files(root, ('src', 'include', 'tests', 'toolchain'), ('.c', '.h', '.build')):
        yield from find(OPEN_END, (root / path).read_text(), path, 'open end without its issue')


def main(root):
    found = list(violations(Path(root)))
    print('\n'.join(found) if found else 'all rules hold')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
