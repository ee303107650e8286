#!/usr/bin/env python3
"""The model beside the measurement: test_prediction.py PREDICT"""
import json
import subprocess
import sys
import unittest
from pathlib import Path

import synthetic
from synthetic import make_record
from lab.study import page, prediction, summary, table

PREDICT = Path(sys.argv.pop(1)).resolve()
MACHINE = {'machine_version': 1, 'name': 'made up', 'cores': 2,
           'kernels': [{'name': 'vector', 'rates': [
               {'where': 'memory', 'up_to_bytes': None, 'sweeps_in_pass': 1, 'cores': 1, 'lups': 1e9},
               {'where': 'memory', 'up_to_bytes': None, 'sweeps_in_pass': 1, 'cores': 2, 'lups': 1.5e9}]}],
           'network': [{'distance': 'same-node', 'transport': 'made up', 'segments': [
               {'from_bytes': 0, 'alpha_s': 1e-3, 'beta_s_per_byte': 0.0, 'error': 0.0}]}]}
CONFIG = '[grid]\nnx = 4000\nny = 4000\n[solver]\nrtol = 0\natol = 0\nmax_sweeps = 101\n' \
         '[parallel]\nkernel = vector\nhalo_depth = 1\n'


class PredictionTest(synthetic.Case):
    def setUp(self):
        super().setUp()
        (self.folder / 'machine.json').write_text(json.dumps(MACHINE))
        (self.folder / 'a.ini').write_text(CONFIG)
        self.made = self.study(repeats=1, config_file=str(self.folder / 'a.ini'))
        self.made.point(1, 1, [make_record(1, 1, 0.02)])
        self.made.point(1, 2, [make_record(1, 2, 0.02)])
        self.made.point(2, 1, [make_record(2, 1, 0.01, tcomm=0.1)])
        self.made.write()

    def report(self, *options, code=0):
        words = [synthetic.RUN / 'report', self.made.folder, '--predict', PREDICT, *options]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=110)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def predict(self, machine='machine.json'):
        """Predictions without a page; the points that have one."""
        prediction.predict_all(self.made.folder, self.made.plan, PREDICT, self.folder / machine)
        return self.found()

    def summary(self):
        found = summary.summarise(self.made.folder)
        prediction.add_predictions(self.made.folder, found)
        return found

    def found(self):
        return {point['name']: point['predicted'] for point in self.summary()['points'] if 'predicted' in point}

    def test_each_point_has_prediction_and_error(self):
        found = self.predict()
        self.assertAlmostEqual(found['1x1']['sweep_s'], 0.016, delta=0.001)
        self.assertAlmostEqual(found['1x1']['sweep_error'], -0.2, delta=0.05)
        self.assertAlmostEqual(found['1x2']['sweep_s'], 16 / 1500, delta=0.001)
        self.assertGreater(found['2x1']['tcomm_fraction'], 0.05)

    def test_on_the_page_and_kept_for_later_reports(self):
        self.report('--machine', self.folder / 'machine.json')
        text = (self.made.folder / 'report.html').read_text()
        self.assertIn('error: predicted over measured time a sweep, less 1', text)
        self.assertIn('data-name="Tcomm predicted"', text)
        self.assertIn('predicted', json.loads((self.made.folder / 'summary.json').read_text())['points'][0])
        (self.folder / 'machine.json').unlink()
        self.assertEqual(len(self.found()), 3)

    def test_without_a_machine_file_there_is_none_and_it_is_said(self):
        self.assertEqual(self.found(), {})
        self.assertIn('No prediction: it needs a machine file', page.prediction_section(self.summary()))

    def test_machine_file_that_is_not_there(self):
        self.assertIn('no such machine file', self.report('--machine', self.folder / 'x', code=6).stderr)

    def test_machine_file_that_is_wrong_is_told_in_its_own_words(self):
        """And nothing is kept of it; where it was the study's own, the report does without."""
        machine = self.folder / 'machine.json'
        for text, words in (('{}', 'machine_version is not 1'), ('x', 'not JSON')):
            machine.write_text(text)
            self.assertIn(words, self.report('--machine', machine, code=2).stderr)
        self.made.plan['machine_file'] = str(machine)
        self.made.write()
        self.assertIn('warning: no prediction: predict: ', self.report().stdout)
        self.assertFalse((self.made.folder / prediction.FILE).exists())

    def test_columns(self):
        self.predict()
        found = self.summary()
        names, rows = table.make_rows(table.predicted_columns(found), found['points'])
        self.assertEqual(names, ['ranks', 'threads', 'measured', 'predicted', 'error', 'Tcomm measured',
                                 'Tcomm predicted'])
        self.assertEqual(rows[0][2], '20 ms')
        self.assertRegex(rows[0][3], r'^16[.\d]* ms$')


if __name__ == '__main__':
    unittest.main()
