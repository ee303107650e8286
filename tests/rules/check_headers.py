#!/usr/bin/env python3
"""Compiles every header alone, included twice, with the flags of the room it belongs to.

usage: check_headers.py ROOT BUILD; prints what the compiler says, exit code 1 if it complains.
"""
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

WITH_VALUE = ('-o', '-c', '-MF', '-MQ')
ALONE = ('-MD',)


def compile_flags(command):
    """The command without what concerns its own file."""
    words = iter(shlex.split(command))
    kept = []
    for word in words:
        if word in WITH_VALUE:
            next(words)
        elif word not in ALONE:
            kept.append(word)
    return kept


def room_flags(root, build):
    """Folder of a room -> (folder to compile in, flags)."""
    flags = {}
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        folder = (Path(entry['directory']) / entry['file']).resolve().parent
        flags.setdefault(folder, (entry['directory'], compile_flags(entry['command'])))
    return {folder: value for folder, value in flags.items() if root / 'src' in folder.parents}


def room_of(header):
    """The room that a public header names in its comments."""
    return re.search(r'\bRoom:\s*(\w+)', header.read_text()).group(1)


def check(header, folder, flags):
    text = f'#include "{header}"\n' * 2
    command = flags + ['-Werror', '-fsyntax-only', '-x', 'c', '-']
    done = subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True)
    return done.stderr if done.returncode != 0 else ''


def main(root, build):
    root, build = Path(root).resolve(), Path(build).resolve()
    rooms = room_flags(root, build)
    public = sorted((root / 'include/funnel').glob('*.h'))
    private = sorted((root / 'src').rglob('*.h'))
    errors = [check(header, *rooms[root / 'src' / room_of(header)]) for header in public]
    errors += [check(header, *rooms[header.parent]) for header in private]
    print(''.join(errors) or f'{len(errors)} headers compile alone')
    return 1 if any(errors) or not errors else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
