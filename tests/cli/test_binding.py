"""Launch commands on this machine: what bindreport says about them must be what the kernel does.

usage: test_binding.py BINDREPORT JACOBI MPIEXEC
Where a test needs PUs that this process may not use, it is skipped and says so.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BINDREPORT, JACOBI, MPIEXEC = sys.argv[1:4]
CPUS = sorted(os.sched_getaffinity(0))
TASKSET = shutil.which("taskset")
CHOSEN_BY_TESTS = ("OMP_", "GOMP_", "KMP_", "HWLOC_", "HYDRA_", "SLURM_", "PMI")


def environment(**changes):
    """The caller's environment without what would change a binding, and with these changes."""
    kept = {k: v for k, v in os.environ.items()
            if k == "HWLOC_PLUGINS_PATH" or not k.startswith(CHOSEN_BY_TESTS)}
    kept.update(OMP_WAIT_POLICY="passive", MPIEXEC_TIMEOUT="20")
    kept.update({k: str(v) for k, v in changes.items()})
    return kept


def run(command, **changes):
    return subprocess.run(command, env=environment(**changes), capture_output=True, text=True,
                          timeout=30, check=False)


def report(*options, launch=(), cpus=None, **changes):
    """Runs bindreport under `launch`, within `cpus`; returns its record and its words."""
    within = ["taskset", "-c", cpus] if cpus is not None else []
    done = run([*within, *launch, BINDREPORT, "--threads", *options, "--record", "-"], **changes)
    if done.returncode not in (0, 5):
        raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
    return json.loads(done.stdout), done.stderr, done.returncode


def names(record):
    return [problem["name"] for problem in record["binding"]["problems"]]


def masks(record):
    return [rank["allowed"] for rank in record["binding"]["ranks"]]


def has_two_openmp_libraries():
    """Built with libomp, while another library brings libgomp, which binds main before libomp looks."""
    libraries = run(["ldd", BINDREPORT]).stdout
    return "libomp" in libraries and "libgomp" in libraries


def mpi(*options, ranks):
    return [MPIEXEC, "-n", str(ranks), *options]


two_cpus = unittest.skipIf(CPUS[:2] != [0, 1], "needs PUs 0 and 1")
two_cpus_only = unittest.skipIf(CPUS != [0, 1], "needs a machine with exactly PUs 0 and 1")
with_taskset = unittest.skipIf(TASKSET is None, "needs taskset")


@two_cpus
class Faults(unittest.TestCase):
    @with_taskset
    def test_threads_on_one_pu(self):
        record, words, _ = report(launch=mpi(ranks=1), cpus="0", OMP_NUM_THREADS=4)
        self.assertIn("threads-exceed-pus", names(record))
        self.assertIn("4 threads, 1 PU", record["binding"]["problems"][0]["evidence"])
        self.assertEqual(len(re.findall(r"thread \d on core L0 P0", words)), 4)

    @with_taskset
    def test_wait_policy(self):
        """C14: it is recorded as it is set, and threads that spin on too few PUs are told of."""
        for policy in "active", "ACTIVE", "passive":
            record, _, _ = report(cpus="0", OMP_NUM_THREADS=3, OMP_WAIT_POLICY=policy)
            cost = record["binding"]["problems"][0]["cost"]
            self.assertEqual("OMP_WAIT_POLICY=active lets those spin" in cost, policy != "passive")
            self.assertEqual(record["environment"]["OMP_WAIT_POLICY"], policy)
            self.assertEqual(record["environment"]["OMP_NUM_THREADS"], "3")

    def test_invalid_value_of_a_variable(self):
        """E16: what the OpenMP library made of a variable counts, not what it says."""
        record, _, _ = report(OMP_NUM_THREADS=2, OMP_PROC_BIND="cores")
        self.assertEqual(record["environment"]["OMP_PROC_BIND"], "cores")
        self.assertFalse(record["binding"]["ranks"][0]["threads_bound"])
        self.assertEqual(masks(record), [cpu_list(CPUS)])

    def test_one_core_for_two_threads(self):
        record, _, _ = report(launch=mpi("-bind-to", "core", ranks=1), OMP_NUM_THREADS=2)
        problem = record["binding"]["problems"][0]
        self.assertEqual(problem["name"], "threads-exceed-pus")
        self.assertIn("-bind-to core:2", problem["remedy"])
        self.assertNotIn("--map-by", problem["remedy"])

    @two_cpus_only
    def test_remedy_mends(self):
        record, _, _ = report(launch=mpi("-bind-to", "core", ranks=1), OMP_NUM_THREADS=2)
        command = record["binding"]["problems"][0]["remedy"].replace("PROGRAM", "").split()
        settings = dict(word.split("=") for word in command if word.startswith("OMP_"))
        launch = [MPIEXEC, *[word for word in command if not word.startswith("OMP_")][1:]]
        if has_two_openmp_libraries():
            self.skipTest("libgomp and libomp in one program")
        mended, _, _ = report(launch=launch, **settings)
        self.assertEqual(names(mended), [])

    @two_cpus_only
    def test_launcher_form_even_if_the_node_is_too_small(self):
        record, _, _ = report(launch=mpi("-bind-to", "core", ranks=2), OMP_NUM_THREADS=2)
        self.assertEqual(names(record), ["threads-exceed-pus", "node-oversubscribed"])
        self.assertIn("-bind-to core:2", record["binding"]["problems"][0]["remedy"])

    @with_taskset
    def test_places_dropped_by_the_library(self):
        record, _, _ = report(cpus="0", OMP_NUM_THREADS=4, OMP_PLACES="{0},{1},{2},{3}")
        self.assertIn("threads-exceed-pus", names(record))

    @with_taskset
    def test_ranks_in_one_mask(self):
        record, _, _ = report(launch=mpi(ranks=2), cpus="0", OMP_NUM_THREADS=1)
        self.assertIn("ranks-share-pus", names(record))

    def test_ranks_sent_to_one_pu(self):
        record, words, _ = report(launch=mpi("-bind-to", "user:0,0", ranks=2), OMP_NUM_THREADS=1)
        self.assertEqual(names(record), ["ranks-share-pus"])
        self.assertIn("ranks 0 and 1 share PU P0", words)

    def test_first_threads_of_unbound_ranks_meet(self):
        record, _, _ = report(launch=mpi(ranks=2), OMP_NUM_THREADS=1, OMP_PLACES="cores",
                              OMP_PROC_BIND="close")
        self.assertEqual(names(record), ["ranks-share-pus"])

    def test_unbound_ranks(self):
        record, words, _ = report(launch=mpi(ranks=2), OMP_NUM_THREADS=1)
        self.assertEqual(names(record), ["unbound"])
        self.assertIn("unbound", words)

    @two_cpus_only
    def test_more_ranks_than_pus(self):
        record, _, _ = report(launch=mpi(ranks=3), OMP_NUM_THREADS=1)
        self.assertEqual(names(record), ["node-oversubscribed"])

    def test_strict_is_an_exit_code(self):
        for options, code in (((), 0), (("--strict",), 5)):
            _, _, found = report(*options, launch=mpi("-bind-to", "user:0,0", ranks=2),
                                 OMP_NUM_THREADS=1)
            self.assertEqual(found, code)


@two_cpus
class NoFalseAlarm(unittest.TestCase):
    def test_ranks_bound_to_a_core_each(self):
        record, _, code = report("--strict", launch=mpi("-bind-to", "core", ranks=2),
                                 OMP_NUM_THREADS=1)
        self.assertEqual((names(record), code), ([], 0))

    @two_cpus_only
    def test_alone_on_the_machine(self):
        for threads in 1, 2:
            record, words, _ = report(OMP_NUM_THREADS=threads)
            self.assertEqual(names(record), [])
            self.assertIn("unbound", words)

    def test_openmp_binds_the_initial_thread_before_main(self):
        if has_two_openmp_libraries():
            self.skipTest("libgomp and libomp in one program")
        for threads in 1, 2:
            record, _, _ = report(OMP_NUM_THREADS=threads, OMP_PLACES="cores",
                                  OMP_PROC_BIND="close")
            self.assertEqual(names(record), [])
            self.assertEqual(masks(record), [cpu_list(CPUS)])
            self.assertEqual(record["binding"]["ranks"][0]["process_cpus"], len(CPUS))

    @with_taskset
    def test_thread_count_follows_the_mask(self):
        if has_two_openmp_libraries():
            self.skipTest("libgomp and libomp in one program")
        for cpus, expected in (("0", 1), ("0,1", 2)):
            record, _, _ = report(cpus=cpus, OMP_PLACES="threads", OMP_PROC_BIND="close")
            self.assertEqual(record["binding"]["ranks"][0]["threads"], expected)

    @two_cpus_only
    def test_variables_of_an_allocation_are_not_ranks(self):
        record, _, _ = report(SLURM_NTASKS=64, SLURM_TASKS_PER_NODE=64, OMP_NUM_THREADS=2)
        self.assertEqual(names(record), [])


def cpu_list(cpus):
    """Consecutive PUs as bindreport writes them."""
    return f"{cpus[0]}-{cpus[-1]}" if len(cpus) > 1 else str(cpus[0])


@two_cpus
class Places(unittest.TestCase):
    def test_logical_and_kernel_numbers(self):
        record, words, _ = report(launch=mpi("-bind-to", "user:1,0", ranks=2), OMP_NUM_THREADS=1)
        self.assertEqual(masks(record), ["1", "0"])
        self.assertRegex(words, r"rank 0 \S+ package 0 core L\d+( partly)?, NUMA 0, PU P1")
        self.assertRegex(words, r"rank 1 \S+ package 0 core L0( partly)?, NUMA 0, PU P0")

    @with_taskset
    def test_the_given_mask_is_kept(self):
        record, _, _ = report(cpus="1", OMP_NUM_THREADS=1)
        self.assertEqual(masks(record), ["1"])
        self.assertEqual(record["binding"]["ranks"][0]["thread_places"],
                         [{"thread": 0, "cpu": 1, "allowed": "1"}])

    @with_taskset
    def test_part_of_a_core(self):
        record, words, _ = report(cpus="0", OMP_NUM_THREADS=1, HWLOC_SYNTHETIC="core:1 pu:2",
                                  HWLOC_THISSYSTEM=1)
        self.assertIn("core L0 partly", words)
        self.assertEqual(names(record), [])

    def test_picture(self):
        _, words, _ = report("--picture", launch=mpi("-bind-to", "user:1,0", ranks=2),
                             OMP_NUM_THREADS=1)
        self.assertRegex(words, r"rank    0 \|\.0[.:|]*\|?\n")
        self.assertRegex(words, r"rank    1 \|0\.[.:|]*\|?\n")


class CommandLine(unittest.TestCase):
    def test_ranks_with_different_command_lines(self):
        """What rank 0 is asked for counts, a fault of any rank ends all, and nobody waits."""
        for theirs, code in (["--help"], 0), (["--strict"], 0), (["--wrong"], 2), (["--record"], 2):
            done = run([MPIEXEC, "-n", "1", BINDREPORT, ":", "-n", "1", BINDREPORT, *theirs])
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1 if code else 0)

    def test_records_it_does_not_write(self):
        """An empty name, and a file that is no record of bindreport."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "old")
            with open(path, "w", encoding="utf-8") as file:
                file.write("kept")
            for name, code, why in (
                    ("", 2, "command line: --record: an empty name; give FILE"),
                    (path, 6, f"--record: {path} exists and is no record of bindreport; choose another "
                              "name or remove it")):
                done = run([BINDREPORT, "--record", name])
                self.assertEqual((done.returncode, done.stdout), (code, ""))
                self.assertEqual(done.stderr, f"bindreport: {why}\n")
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "kept")

    def test_threads_that_no_node_has(self):
        for program in BINDREPORT, JACOBI:
            done = run([program] if program == BINDREPORT else [program, "/dev/null", "grid.nx=9"],
                       OMP_NUM_THREADS=100000)
            self.assertEqual(done.returncode, 5, done.stderr)
            # a sanitizer build says first what it is
            self.assertRegex(done.stderr.splitlines()[-1],
                             r"\A\w+: OMP_NUM_THREADS: 100000 threads a rank, ")


@two_cpus
class Topologies(unittest.TestCase):
    def test_unreadable(self):
        record, words, _ = report(OMP_NUM_THREADS=1, HWLOC_COMPONENTS="stop")
        self.assertEqual(names(record), ["topology-unreadable"])
        self.assertIn("topology not readable", words)
        self.assertEqual(masks(record), [cpu_list(CPUS)])

    @two_cpus_only
    def test_foreign(self):
        record, words, _ = report(OMP_NUM_THREADS=2, HWLOC_SYNTHETIC="core:4 pu:2")
        self.assertEqual(names(record), ["topology-foreign"])
        self.assertIn("the topology is not this machine", words)

    def test_both_versions_of_hwloc(self):
        words = run([BINDREPORT, "--version"]).stdout
        running, headers = re.search(r"hwloc +(\d+)\.\S+ \(headers (\d+)\.", words).groups()
        self.assertEqual(running, headers)


class Nodes(unittest.TestCase):
    """MPICH can be told that ranks of one host do not share memory: each group is then a node."""

    def test_each_different_machine_is_described(self):
        shapes = "core:2 pu:1", "core:4 pu:2", "core:2 pu:1"
        launch = [MPIEXEC]
        for i, shape in enumerate(shapes):
            launch += [":"] * (i > 0) + ["-n", "1", "-env", "HWLOC_SYNTHETIC", shape, BINDREPORT]
        done = run(launch, OMP_NUM_THREADS=1, MPIR_CVAR_NOLOCAL=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        machines = re.findall(r"^machine .*, (\d+) cores, (\d+) PUs", done.stdout, re.MULTILINE)
        self.assertEqual(machines, [("2", "2"), ("4", "8")])
        self.assertIn("binding problem topology-foreign (3 ranks)", done.stdout)

    @two_cpus_only
    def test_remedy_speaks_of_the_whole_job(self):
        record, words, _ = report(launch=mpi(ranks=4), OMP_NUM_THREADS=1, MPIR_CVAR_NUM_CLIQUES=2)
        self.assertEqual(names(record), ["unbound"])
        self.assertEqual(record["binding"]["problems"][0]["ranks"], 4)
        self.assertIn("-n 4 -ppn 2 -bind-to core:1", words)


class HydraOnAnotherMachine(unittest.TestCase):
    """Hydra prints where it would bind on a described machine: the remedies' words must hold there."""

    MACHINE = "pack:2 [numa] l3:8 core:8 pu:2"
    PACKAGE_CORES, SIBLINGS = 64, 2

    def cores_of_ranks(self, *options, ranks):
        done = run([*mpi(*options, ranks=ranks), "true"], HYDRA_TOPO_DEBUG=1,
                   HWLOC_SYNTHETIC=self.MACHINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.findall(r"process (\d+) binding: ([01]+)", done.stdout + done.stderr)
        self.assertEqual(len(found), ranks, done.stdout)
        return [{pu // self.SIBLINGS for pu, bit in enumerate(bits) if bit == "1"}
                for _, bits in sorted(found, key=lambda item: int(item[0]))]

    def check(self, *options, ranks, threads):
        cores = self.cores_of_ranks(*options, ranks=ranks)
        self.assertEqual([len(one) for one in cores], [threads] * ranks)
        self.assertEqual(len(set().union(*cores)), threads * ranks, "ranks share cores")
        return [len({core // self.PACKAGE_CORES for core in one}) for one in cores]

    def test_cores_of_its_own_for_each_rank(self):
        self.assertEqual(self.check("-bind-to", "core:2", ranks=2, threads=2), [1, 1])
        self.assertEqual(self.check("-bind-to", "core:64", ranks=2, threads=64), [1, 1])

    def test_consecutive_cores_cross_packages(self):
        self.assertEqual(max(self.check("-bind-to", "core:24", ranks=4, threads=24)), 2)

    def test_dealing_out_to_domains_does_not(self):
        for domain in "numa", "socket":
            self.assertEqual(
                self.check("-bind-to", "core:24", "-map-by", domain, ranks=4, threads=24), [1] * 4)


CONFIG = """[grid]
nx = 300
ny = 200
[problem]
west = dirichlet 1
[solver]
rtol = 0
"""


class Solver(unittest.TestCase):
    """The report in the head and at the end of a jacobi run."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.config = os.path.join(folder.name, "plate.ini")
        self.record = os.path.join(folder.name, "record.json")
        with open(self.config, "w", encoding="ascii") as file:
            file.write(CONFIG)

    def command(self, *options):
        return [JACOBI, self.config, "--quiet", "--record", self.record,
                "output.overwrite=on", *options]

    def read_record(self):
        with open(self.record, encoding="utf-8") as file:
            return json.load(file)

    def start(self, **changes):
        """A run of about two seconds, past its start."""
        process = subprocess.Popen(
            self.command("solver.max_sweeps=1000000000", "solver.time_limit_s=2"),
            env=environment(**changes), stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        for line in process.stdout:
            if line.startswith("rank 0 "):
                break
        return process

    def test_a_topology_changes_no_bit(self):
        checksums = set()
        for changes in {}, {"HWLOC_COMPONENTS": "stop"}, {"HWLOC_SYNTHETIC": "core:4 pu:2"}:
            done = run(self.command("solver.max_sweeps=50"), **changes)
            self.assertEqual(done.returncode, 0, done.stderr)
            checksums.add(self.read_record()["field_checksum"])
        self.assertEqual(len(checksums), 1)

    @two_cpus
    def test_strict_stops_before_the_solve(self):
        done = run([*mpi("-bind-to", "user:0,0", ranks=2),
                    *self.command("solver.max_sweeps=50", "binding.policy=strict")],
                   OMP_NUM_THREADS=1)
        self.assertEqual(done.returncode, 5)
        self.assertIn("ranks 0 and 1 share PU P0", done.stderr)
        self.assertFalse(os.path.exists(self.record))

    @two_cpus
    def test_masks_are_those_of_the_kernel(self):
        process = self.start(OMP_NUM_THREADS=2, OMP_PLACES="threads", OMP_PROC_BIND="close")
        kernel = set()
        for thread in os.listdir(f"/proc/{process.pid}/task"):
            with open(f"/proc/{process.pid}/task/{thread}/status", encoding="ascii") as file:
                kernel.add(re.search(r"Cpus_allowed_list:\s*(\S+)", file.read()).group(1))
        process.communicate(timeout=30)
        threads = self.read_record()["binding"]["ranks"][0]["thread_places"]
        self.assertEqual(len(threads), 2)
        self.assertLessEqual({thread["allowed"] for thread in threads}, kernel)

    @two_cpus
    @with_taskset
    def test_a_change_during_the_run_is_said(self):
        process = self.start(OMP_NUM_THREADS=2)
        subprocess.run([TASKSET, "-a", "-p", "-c", "0", str(process.pid)], check=True,
                       stdout=subprocess.DEVNULL)
        words, _ = process.communicate(timeout=30)
        self.assertRegex(words, r"rank 0 \S+ moved during the run: .*core L0")
        self.assertEqual(self.read_record()["binding"]["ranks_changed"], 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
