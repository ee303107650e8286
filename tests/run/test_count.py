#!/usr/bin/env python3
"""run/count.py: what counts as passed and failed."""
import json
import tempfile
import unittest
from pathlib import Path

import scripts

count = scripts.load('count.py')


class CountTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def log(self, name, *results):
        path = self.folder / name
        path.write_text(''.join(json.dumps({'result': result}) + '\n' for result in results))
        return path

    def test_results(self):
        log = self.log('a', 'OK', 'OK', 'FAIL', 'TIMEOUT', 'ERROR', 'SKIP', 'EXPECTEDFAIL',
                       'UNEXPECTEDPASS', 'INTERRUPT')
        self.assertEqual(count.count([log]), (3, 5))

    def test_several_logs(self):
        self.assertEqual(count.count([self.log('a', 'OK'), self.log('b', 'OK', 'FAIL')]), (2, 1))

    def test_tests_that_did_not_run_are_a_failure(self):
        self.assertEqual(count.count([self.folder / 'absent']), (0, 1))
        self.assertEqual(count.count([self.log('empty')]), (0, 1))


if __name__ == '__main__':
    unittest.main()
