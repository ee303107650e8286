"""The same run on other ranks, threads, kernels and halos: every printed bit is the same.

The MPI tests go through many sizes and layouts; here stands what a person types.
"""

import json
import re

import funnel_cli
from funnel_cli import Case

FIXED = "solver.rtol=0", "solver.max_sweeps=60", "solver.check_every=20"
LOPSIDED = "problem.initial=x*x*x+3*y*y+x*y", "problem.source=x-y*y", "problem.exact=x+y"
PERIODIC_X = "problem.west=periodic", "problem.east=periodic"
PERIODIC_XY = (*PERIODIC_X, "problem.south=periodic", "problem.north=periodic", "problem.reaction=1")
HALOS = "sendrecv", "nonblocking", "persistent", "neighbor", "shared", "overlap"


def process_grid(text):
    """Options and ranks of a process grid."""
    across, up = map(int, text.split("x"))
    return f"parallel.process_grid={text}", across * up


class Layouts(Case):
    def check_same(self, problem, grids, *options, threads=1):
        expected = self.result(*FIXED, *problem, "parallel.kernel=reference")
        for text in grids:
            wish, ranks = process_grid(text)
            with self.subTest(problem=problem, grid=text, options=options):
                self.assertEqual(self.result(*FIXED, *problem, wish, *options, ranks=ranks,
                                             threads=threads), expected)

    def test_process_grids(self):
        """B32: the number of ranks and their arrangement change nothing."""
        self.check_same(LOPSIDED, ("2x1", "1x2", "1x3", "2x2", "4x1"))

    def test_stopping(self):
        """B32: nor do they change when a run stops."""
        expected = self.result(*LOPSIDED)
        self.assertEqual(expected["reason"], "converged")
        for ranks in 2, 3, 4:
            self.assertEqual(self.result(*LOPSIDED, ranks=ranks), expected)

    def test_periodic(self):
        """B01, B02: periodic axes of one and two ranks, with every halo variant, deep or not."""
        for halo in HALOS:
            for depth in 1, 3:
                self.check_same((*LOPSIDED, *PERIODIC_XY), ("1x1", "2x1", "2x2"), f"parallel.halo={halo}",
                                f"parallel.halo_depth={depth}", threads=depth)
        self.check_same((*LOPSIDED, *PERIODIC_X), ("1x2", "3x1"))

    def test_synchronous_sends(self):
        """B03: no variant needs messages to be buffered, however long they are."""
        for halo in HALOS[:3]:
            self.check_same((*LOPSIDED, *PERIODIC_XY, "grid.nx=6000", "grid.ny=4"), ("1x2",),
                            f"parallel.halo={halo}", "parallel.synchronous_sends=on")

    def test_deep_halos(self):
        """As deep as the narrowest part at most, and the header says what became of the depth."""
        for halo in HALOS:
            self.check_same(LOPSIDED, ("1x1", "1x2", "2x2"), f"parallel.halo={halo}",
                            "parallel.halo_depth=16", threads=2)
        run = self.jacobi(*FIXED, "grid.nx=11", "grid.ny=40", "parallel.process_grid=2x1",
                          "parallel.halo_depth=16", ranks=2)
        self.assertIn("of depth 5, ", run.out)
        self.assertIn("depth 16 reduced to 5: the narrowest part is 5 points wide", run.out)

    def test_redundant_points(self):
        """What deep halos cost is told as a share: 3 + 2 + 1 columns of 12 points a rank and block of 4."""
        for depth, share in (4, 2 * 6 * 12 / (4 * 16 * 12)), (1, 0):
            run = self.jacobi(*FIXED, "parallel.process_grid=2x1", f"parallel.halo_depth={depth}", ranks=2)
            told = re.findall(r"redundant +(\S+) % of the updates were done twice", run.out)
            self.assertEqual(told, [f"{100 * share:.2f}"] if share else [])

    def test_tiles_and_schedules(self):
        """The tile in use and the schedule stand in the header and the record, and change no bit."""
        temporal = "parallel.kernel=temporal", "parallel.halo_depth=4", "parallel.threads=2"
        large = (*LOPSIDED, "grid.nx=150", "grid.ny=70")
        for tile in "auto", "20x3", "70x32":
            for schedule in "static", "dynamic":
                options = *temporal, f"parallel.kernel_tile={tile}", f"parallel.schedule={schedule}"
                self.check_same(large, ("2x1",), *options, threads=2)
                run = self.jacobi(*FIXED, *large, *options, "--record", "tile.json",
                                  "output.overwrite=on", threads=2)
                record = json.loads(self.read("tile.json"))
                used = record["plan"]["kernel_tile"]
                self.assertIn(f" in tiles of {used}", run.out)
                self.assertEqual("as threads come free" in run.out, schedule == "dynamic")
                self.assertEqual(record["config"]["parallel"]["schedule"], schedule)
                width, rows = map(int, used.split("x"))
                if tile != "auto":
                    self.assertGreaterEqual(width, int(tile.split("x")[0]))
                    self.assertEqual(rows, int(tile.split("x")[1]))
        run = self.jacobi(*FIXED, "parallel.kernel=vector", "parallel.kernel_tile=64x8")
        self.assertIn("kernel vector has no tiles: kernel_tile does not count", run.out)

    def test_threads(self):
        """As many threads sweep as are asked for and there are, and the header says so."""
        for asked, used in (1, 1), (2, 2), (3, 3), (9, 3):
            options = *FIXED, *LOPSIDED, f"parallel.threads={asked}"
            self.assertEqual(self.record(*options, threads=3)["layout"]["sweeping_threads"], used)
            self.assertEqual(f"{used} of 3 threads" in self.jacobi(*options, threads=3).out, used < 3)
            self.check_same(LOPSIDED, ("1x1", "2x1"), f"parallel.threads={asked}", threads=3)

    def test_denormals(self):
        """The problem says what becomes of them: the same bits for every kernel, thread and rank."""
        tiny = ("problem.initial=1e-307*(1+x)*y", "problem.north=dirichlet 0", "problem.west=neumann 0",
                "solver.check_every=60")
        checksums = set()
        for denormals in "keep", "flush":
            problem = *tiny, f"problem.denormals={denormals}"
            run = self.jacobi(*FIXED, *problem)
            self.assertEqual("values are denormal" in run.out, denormals == "keep")
            record = self.record(*FIXED, *problem)
            self.assertEqual(record["denormal_points"] > 0, denormals == "keep")
            self.assertEqual(record["config"]["problem"]["denormals"], denormals)
            checksums.add(record["field_checksum"])
            for depth, kernel, *others in (
                    (1, "reference"), (1, "vector"), (5, "streaming"), (5, "tiled"), (5, "temporal"),
                    (5, "tiled", "parallel.halo=overlap"), (5, "temporal", "parallel.schedule=dynamic")):
                self.check_same(problem, ("2x2",), f"parallel.kernel={kernel}", *others,
                                f"parallel.halo_depth={depth}", "parallel.threads=2", threads=2)
        self.assertEqual(len(checksums), 2)

    def test_overlap_with_one_thread(self):
        """Nobody is left to sweep meanwhile: the header says so, and nothing is hidden."""
        for threads, alone in (1, True), (2, False):
            run = self.jacobi(*FIXED, "parallel.halo=overlap", ranks=2, threads=threads)
            self.assertEqual("overlap needs a second thread" in run.out, alone)
            self.assertEqual("hidden" in run.out, not alone)

    def test_threads_and_kernels(self):
        """B25: norms of any number of threads are the same bits, again and again."""
        for kernel, depth, threads in (("reference", 1, 2), ("vector", 1, 1), ("vector", 2, 3),
                                       ("streaming", 3, 7), ("temporal", 8, 1), ("temporal", 8, 2),
                                       ("temporal", 5, 3), ("temporal", 8, 5), ("temporal", 8, 7)):
            self.check_same(LOPSIDED, ("1x1", "2x1"), f"parallel.kernel={kernel}",
                            f"parallel.halo_depth={depth}", f"parallel.threads={threads}",
                            threads=threads)

    def test_thin_parts(self):
        """B10, B27: parts one point wide, and grids of one row or one column."""
        self.check_same((*LOPSIDED, "grid.nx=4", "grid.ny=100"), ("4x1",))
        self.check_same((*LOPSIDED, "grid.nx=3", "grid.ny=100"), ("2x1", "2x2"))
        self.check_same((*LOPSIDED, "grid.nx=1", "grid.ny=20"), ("1x4",))
        self.check_same((*LOPSIDED, "grid.nx=20", "grid.ny=1"), ("4x1",))
        self.check_same((*LOPSIDED, *PERIODIC_XY, "grid.nx=2", "grid.ny=2"), ("2x2",))

    def test_sizes_that_do_not_divide(self):
        """B13, B14: sizes beside the round ones."""
        for size, grids in (500, ["1x3"]), (501, ["1x3", "2x2"]), (997, ["2x2"]):
            problem = *LOPSIDED, f"grid.nx={size}", f"grid.ny={size}", "solver.max_sweeps=20"
            self.check_same(problem, grids, "parallel.halo_depth=1")
            self.check_same(problem, grids, "parallel.kernel=temporal", "parallel.halo_depth=7")

    def test_waiting_apart_from_transfer(self):
        self.check_same(LOPSIDED, ("2x2",), "timing.split=on")

    def test_line(self):
        self.write("plate.ini", "[grid]\nnx = 101\n[problem]\nwest = dirichlet 1\n")
        problem = "problem.initial=x*x*x", "problem.exact=1-x"
        self.check_same(problem, ("1x1", "3x1", "4x1"))
        self.check_same(problem, ("2x1",), threads=2)


if __name__ == "__main__":
    funnel_cli.main()
