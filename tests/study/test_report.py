#!/usr/bin/env python3
"""The page of a study: complete in itself, with and without figures, and in a headless Chromium right
at the width of a phone and of a screen, light and dark.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import chromium
import synthetic
from synthetic import make_record
from lab import pictures
from lab.study.palette import PHASE_COLOURS

FIGURES = {'strong': ['speedup', 'efficiency', 'time', 'phases', 'spread'],
           'weak': ['scaled-speedup', 'efficiency', 'time', 'phases', 'spread'],
           'matrix': ['time', 'phases', 'spread']}
FETCHED = ('src', 'href', 'xlink:href', 'srcset', 'data')  # attributes that name something else
EVIL = '<script>alert("x")</script> & \'more\''


def repeats(ranks, threads, time_s, **more):
    return [make_record(ranks, threads, time_s * factor, tcomm=0.12, **more) for factor in (1.02, 1.0, 0.97)]


def strong(folder):
    """With everything that can be marked, and names that are no HTML."""
    study = synthetic.Study(folder, question=EVIL)
    for count in (1, 2, 4, 8):
        study.point(count, 1, repeats(count, 1, 0.01 * (0.05 + 0.95 / count)))
    study.point(1, 2, repeats(1, 2, 0.0055))
    study.point(16, 1, [make_record(16, 1, 0.02, problems=['ranks-share-pus'])] * 3)
    study.point(32, 1, [None] * 3, exit_code=1, complaint=f'exit code 1: {EVIL}')
    other = repeats(4, 2, 0.001)
    for record in other:
        record['build'].update(commit='f' * 40, dirty=True)
    study.point(4, 2, other)
    return study.write()


def weak(folder):
    study = synthetic.Study(folder, kind='weak')
    for count in (1, 2, 4):
        study.point(count, 1, repeats(count, 1, 0.01 + 0.0003 * count, grid=(2000, 1000 * count)))
    return study.write()


def matrix(folder):
    study = synthetic.Study(folder, kind='matrix')
    for halo in ('sendrecv', 'nonblocking', 'persistent', 'neighbor', 'shared', 'overlap'):
        for ranks in (1, 2, 4):
            study.point(ranks, 4 // ranks, repeats(ranks, 4 // ranks, 0.01 + 0.001 * len(halo)),
                        axis=[('parallel.halo', halo)])
    return study.write()


REPORTED = {}
KINDS = {'strong': strong, 'weak': weak, 'matrix': matrix}


def report(folder, code=0):
    done = subprocess.run([synthetic.RUN / 'report', folder], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=110)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def columns(drawing, colour):
    """Left, top and bottom of each rectangle of this colour inside the axes, which clip it."""
    found = []
    for corners in re.findall(rf'<path d="([^"]*)" clip-path="[^"]*" style="fill: {colour}', drawing):
        numbers = [float(number) for number in re.findall(r'-?[\d.]+', corners)]
        found.append((min(numbers[::2]), min(numbers[1::2]), max(numbers[1::2])))
    return found


class References(HTMLParser):
    """Everything in a page that would be fetched, and its tags."""

    def __init__(self, text):
        super().__init__()
        self.found, self.tags = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            if name in FETCHED and not value.startswith(('#', 'data:')):
                self.found.append(value)


# Runs a script as if no Python had matplotlib.
WITHOUT_MATPLOTLIB = """
import runpy, sys
sys.path.insert(0, sys.argv[1])
from lab import pictures
pictures.plotting_python = lambda: None
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name='__main__')
"""


def setUpModule():
    """Every kind is reported once for all tests here that only look."""
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    for kind, make in KINDS.items():
        REPORTED[kind] = make(Path(folder.name) / kind)
        report(REPORTED[kind])


class PageTest(synthetic.Case):
    def page(self, kind='strong'):
        """The folder and its page, whose units do not leave their numbers."""
        return REPORTED[kind], (REPORTED[kind] / 'report.html').read_text().replace('\u00a0', ' ')

    def test_nothing_is_fetched(self):
        for kind in KINDS:
            with self.subTest(kind):
                _, text = self.page(kind)
                self.assertEqual(References(text).found, [])
                without_names = re.sub(r'xmlns(:\w+)?="[^"]*"', '', text)
                self.assertNotRegex(without_names, r'url\((?!#)|@import|https?://')
                self.assertNotIn('script', References(text).tags)

    def test_warnings_come_first_and_nothing_breaks_out(self):
        _, text = self.page()
        self.assertLess(text.index('class="warnings"'), text.index('class="answer"'))
        self.assertNotIn('<script', text)
        self.assertIn('&lt;script&gt;alert', text)
        for words in ('3 runs mis-bound: ranks-share-pus', 'mixed: 4 x 2 differs from the rest in build',
                      '3 runs failed: exit code 1'):
            self.assertIn(words, text)

    def test_answer_machine_tables_and_command_are_there(self):
        _, text = self.page()
        for words in ('times as fast as on 1 core', 'Intel(R) Xeon(R) Processor',
                      'Where ranks and threads ran', 'base: 1 x 1 (ranks x threads)',
                      'run/study configs/studies/made-up.ini',
                      'mpiexec -n 4 jacobi configs/a.ini', '95 % interval'):
            self.assertIn(words, text)

    @unittest.skipUnless(pictures.plotting_python(), 'no Python here has matplotlib')
    def test_figures_are_files_too(self):
        for kind, names in FIGURES.items():
            with self.subTest(kind):
                folder, text = self.page(kind)
                files = sorted(path.name for path in (folder / 'figures').iterdir())
                self.assertEqual(files, sorted(f'{name}.{end}' for name in names for end in ('svg', 'png')))
                self.assertEqual(re.findall(r'<svg[^>]* id="figure-([\w-]+)"', text), names)

    @unittest.skipUnless(pictures.plotting_python(), 'no Python here has matplotlib')
    def test_same_numbers_same_figures(self):
        folder = REPORTED['weak']
        text = (folder / 'report.html').read_text()
        report(folder)
        self.assertEqual((folder / 'report.html').read_text(), text)

    @unittest.skipUnless(pictures.plotting_python(), 'no Python here has matplotlib')
    def test_phases_are_columns_with_tcomm_on_top(self):
        drawing = (REPORTED['weak'] / 'figures/phases.svg').read_text()
        for words in ('>time a sweep in ms<', '>ranks x threads<', '>4 x 1<', '>Tcomm: transfer<', '>12 %<'):
            self.assertIn(words, drawing)
        sweeps, transfers = (columns(drawing, PHASE_COLOURS[phase]) for phase in ('sweep', 'transfer'))
        self.assertEqual(len(sweeps), 3)
        for (left, top, _), (left_above, _, bottom_above) in zip(sweeps, transfers, strict=True):
            self.assertAlmostEqual(left_above, left, delta=0.01)
            self.assertAlmostEqual(bottom_above, top, delta=0.01)

    def test_without_matplotlib(self):
        folder = strong(self.folder / 'strong')
        done = subprocess.run([sys.executable, '-B', '-c', WITHOUT_MATPLOTLIB, synthetic.RUN,
                               synthetic.RUN / 'report', folder], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('no figures: they need matplotlib', done.stdout)
        text = (folder / 'report.html').read_text()
        self.assertIn('No figures: they need matplotlib (package python3-matplotlib)', text)
        self.assertIn('<table>', text)
        self.assertNotIn('<svg', text)

    def test_no_good_run_at_all(self):
        study = self.study()
        study.point(1, 1, [None] * 3)
        report(study.write())
        self.assertIn('no answer yet', (study.folder / 'report.html').read_text())

    def test_no_study(self):
        self.assertIn('no study: there is no study.json', report(self.folder, code=6).stderr)

    def test_page_that_cannot_be_written(self):
        folder = weak(self.folder / 'weak')
        (folder / 'report.html').mkdir()
        self.assertRegex(report(folder, code=6).stderr, r'^run/report: .*/report\.html: Is a directory\n$')

    def test_reader_that_goes_away(self):
        folder = weak(self.folder / 'weak')
        come, go = os.pipe()
        os.close(come)
        done = subprocess.run([synthetic.RUN / 'report', folder], stdin=subprocess.DEVNULL, stdout=go,
                              stderr=subprocess.PIPE, text=True, timeout=60)
        os.close(go)
        self.assertEqual(done.returncode, 6)
        self.assertEqual(done.stderr, 'run/report: nobody reads the output any more\n')


@unittest.skipUnless(chromium.find(), 'no Chromium here')
class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = chromium.Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.script = Path(__file__).with_name('page.js').read_text()

    def test_every_kind_at_both_widths_in_both_schemes(self):
        for kind, results in REPORTED.items():
            for width, scheme in itertools.product((360, 1280), ('light', 'dark')):
                with self.subTest(kind, width=width, scheme=scheme):
                    self.look(results / 'report.html', width, scheme, FIGURES[kind])

    def test_the_check_finds_what_it_is_for(self):
        bad = ('<html><title>x</title><body style="background: white"><p style="color: #999">pale</p>'
               '<div style="width: 900px">wide</div><svg id="a"></svg><i id="a">twice</i>'
               '<script>console.error("oh"); fetch("x")</script>')
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, 'bad.html')
            path.write_text(bad)
            self.browser.open(path.as_uri(), 700)
            found = '\n'.join(self.browser.evaluate(self.script))
        for words in ('the page is 9', 'pale: contrast 2.85', 'wide: reaches from',
                      'a: no text for who cannot see it', 'an id stands twice',
                      'language or title is missing'):
            self.assertIn(words, found)
        self.assertTrue(self.browser.complaints())
        self.assertGreater(len(self.browser.requests()), 1)

    def look(self, path, width, scheme, names):
        self.browser.open(path.as_uri(), width, scheme)
        self.browser.evaluate('document.querySelectorAll("details").forEach(one => one.open = true)')
        self.assertEqual(self.browser.evaluate('innerWidth'), width)
        self.assertEqual(self.browser.evaluate(self.script), [])
        self.assertEqual(self.browser.complaints(), [])
        fetched = [url for url in self.browser.requests() if not url.startswith('data:')]
        self.assertEqual(fetched, [path.as_uri()])
        drawn = self.browser.evaluate('[...document.querySelectorAll("figure svg")].filter(one => '
                                      'one.getBoundingClientRect().height > 60).map(one => one.id)')
        self.assertEqual(drawn, [f'figure-{name}' for name in names] if pictures.plotting_python() else [])


if __name__ == '__main__':
    unittest.main()
