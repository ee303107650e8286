#!/usr/bin/env python3
"""run/install with stand-ins for apt: installs what is missing once, and says what it cannot."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import scripts

# dpkg-query knows what stands in the file `installed`, apt-get adds to it and writes down its words
STAND_INS = {
    'dpkg-query': 'for last; do :; done; grep -qx "$last" "$FAKE/installed" && printf installed\n',
    'apt-cache': '[ -e "$FAKE/lists" ]\n',
    'apt-get': 'echo "$1" >>"$FAKE/calls"; [ "$1" = update ] && { touch "$FAKE/lists"; exit; }\n'
               '[ -e "$FAKE/broken" ] && exit 100\n'
               'for word; do echo "$word"; done >>"$FAKE/installed"\n',
    'sudo': 'exec "$@"\n',
}
TOOLS = ('bash', 'env', 'dirname', 'grep', 'id', 'touch', 'sh')


class InstallTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='with space ')
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / 'installed').touch()
        (self.folder / 'calls').touch()
        for tool in TOOLS:
            found = subprocess.run(['sh', '-c', f'command -v {tool}'], capture_output=True, text=True)
            (self.folder / tool).symlink_to(found.stdout.strip())

    def add_stand_ins(self):
        for name, text in STAND_INS.items():
            (self.folder / name).write_text('#!/bin/sh\n' + text)
            (self.folder / name).chmod(0o755)

    def install(self, *arguments):
        environment = {'PATH': str(self.folder), 'FAKE': str(self.folder)}
        return subprocess.run(['bash', scripts.RUN / 'install', *arguments], env=environment,
                              capture_output=True, text=True, timeout=50, cwd=os.sep)

    def calls(self):
        return (self.folder / 'calls').read_text().split()

    def test_second_run_does_nothing(self):
        self.add_stand_ins()
        first = self.install()
        self.assertEqual(first.returncode, 0, first)
        self.assertEqual(self.calls(), ['update', 'install'])
        second = self.install()
        self.assertEqual((second.returncode, second.stdout, second.stderr), (0, '', ''))
        self.assertEqual(self.calls(), ['update', 'install'])

    def test_only_what_is_missing_is_installed(self):
        self.add_stand_ins()
        (self.folder / 'lists').touch()
        self.install()
        with_ci = self.install('--ci')
        self.assertIn('clang', with_ci.stdout)
        self.assertNotIn('mpich', with_ci.stdout)
        self.assertEqual(self.calls(), ['install', 'install'])

    def test_failing_apt_is_said(self):
        self.add_stand_ins()
        (self.folder / 'broken').touch()
        done = self.install()
        self.assertEqual(done.returncode, 5)
        self.assertIn('could not install', done.stderr)

    def test_elsewhere_it_lists_what_is_missing(self):
        done = self.install()
        self.assertEqual(done.returncode, 5)
        for words in ('no Debian or Ubuntu', 'meson', 'muparser', 'libmpich-dev'):
            self.assertIn(words, done.stderr)

    def test_usage(self):
        self.assertEqual(self.install('--everything').returncode, 2)


if __name__ == '__main__':
    unittest.main()
