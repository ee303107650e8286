"""A fault on one rank ends the whole job at once, with one line and the right exit code.

usage: test_fault.py MPIEXEC PROGRAM
"""
import subprocess
import sys

RANKS = "3"
FAULTS = {  # exit code, and how the line begins that the faulty rank writes
    "truncation": (1, "mpi_fault: MPI_Gather: "),
    "gather": (1, "mpi_fault: internal fault: team_gather takes at most"),
    "abort": (6, None),
}


def check(mpiexec, program, fault, code, line):
    command = [mpiexec, "-n", RANKS, program, RANKS, fault]
    done = subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, timeout=30)
    ours = [text for text in done.stderr.splitlines() if text.startswith("mpi_fault: ")]
    expected = 0 if line is None else 1
    assert done.returncode == code, f"{fault}: exit code {done.returncode}, expected {code}"
    assert len(ours) == expected, f"{fault}: {len(ours)} lines, expected {expected}: {done.stderr}"
    assert line is None or ours[0].startswith(line), f"{fault}: {ours[0]}"


for name, (exit_code, start) in FAULTS.items():
    check(sys.argv[1], sys.argv[2], name, exit_code, start)
