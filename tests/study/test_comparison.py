#!/usr/bin/env python3
"""run/compare: what is larger than noise is named, what is not is not."""
import random
import subprocess
import unittest

import synthetic
from synthetic import make_record
from lab.study import comparison, summary


class CompareCase(synthetic.Case):
    def make(self, name, times, change=None, grid=(4000, 4000)):
        """A study of as many ranks as there are lists of times."""
        study = synthetic.Study(self.folder / name)
        for ranks, samples in enumerate(times, 1):
            records = [make_record(ranks, 1, sample, grid=grid) for sample in samples]
            for record in records if change else []:
                change(record)
            study.point(ranks, 1, records)
        return summary.summarise(study.write())

    def verdicts(self, *times):
        one, other = (self.make(name, lists) for name, lists in zip(('one', 'other'), times))
        rows, differ = comparison.compare(one, other)
        return [comparison.verdict_of(row, differs) for row, differs in zip(rows, differ)]


class VerdictTest(CompareCase):
    def test_slower_faster_and_noise(self):
        base = [0.0100, 0.0101, 0.0102, 0.0103, 0.0104]
        slower = [time * 1.1 for time in base]
        alike = [0.0103, 0.0101, 0.0100, 0.0105, 0.0102]
        self.assertEqual(self.verdicts([base, slower, base], [slower, base, alike]),
                         ['second slower', 'second faster', 'within noise'])

    def test_ratio_and_its_spread(self):
        one, other = self.make('one', [[1.0, 2.0, 3.0]]), self.make('other', [[4.0, 5.0, 6.0]])
        row = comparison.compare(one, other)[0][0]
        self.assertAlmostEqual(row.ratio, 2.5)
        self.assertAlmostEqual(row.least, 4 / 3)
        self.assertAlmostEqual(row.most, 6)

    def test_three_repeats_can_tell_nothing(self):
        self.assertEqual(self.verdicts([[1.0, 1.1, 1.2]], [[9.0, 9.1, 9.2]]), ['too few repeats to tell'])

    def test_chance_is_rarely_named(self):
        """Studies of one and the same distribution: hardly any of many points may be named."""
        chance, named = random.Random(5), 0
        for number in range(40):
            times = [[[chance.gauss(1, 0.03) for _ in range(5)] for _ in range(4)] for _ in range(2)]
            rows = [comparison.compare_point({}, first, second) for first, second in zip(*times)]
            named += any(comparison.arithmetic.false_discoveries([row.p for row in rows]))
        self.assertLessEqual(named, 5)


class TextTest(CompareCase):
    def text(self, one, other):
        done = subprocess.run([synthetic.RUN / 'compare', self.folder / one, self.folder / other],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_test_is_stated_and_studies_are_named(self):
        self.make('one', [[1.0, 1.1], [0.5, 0.6]])
        self.make('other', [[1.0, 1.1]], lambda record: record['build'].update(commit='a' * 40))
        text, commit = self.text('one', 'other'), synthetic.SHAPE['build']['commit'][:12]
        for words in ('Wilcoxon rank-sum', 'Benjamini-Hochberg', 'not interleaved', 'begun 2026-01-31',
                      f'the studies differ in build (commit {commit} and aaaaaaaaaaaa)',
                      'not compared: 2x1',
                      'Of 1 point the second is slower in 0, faster in 0; 1 cannot be told apart.'):
            self.assertIn(words, text)

    def test_another_grid_is_not_compared(self):
        self.make('one', [[1.0, 1.1]])
        self.make('other', [[1.0, 1.1]], grid=(100, 100))
        text = self.text('one', 'other')
        self.assertIn('1 x 1 differs in global points ([4000, 4000] and [100, 100])', text)
        self.assertIn('No point has good runs in both', text)

    def test_another_kernel_is_told(self):
        self.make('one', [[1.0, 1.1]])
        self.make('other', [[1.0, 1.1]], lambda record: record['plan'].update(kernel='temporal'))
        self.assertIn('1 x 1 differs in kernel (vector and temporal)', self.text('one', 'other'))

    def test_no_study(self):
        done = subprocess.run([synthetic.RUN / 'compare', self.folder, self.folder], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 6)
        self.assertIn('no study', done.stderr)


if __name__ == '__main__':
    unittest.main()
