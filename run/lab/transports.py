"""What can carry messages, and the settings that select it, by MPI library.

UCX: https://openucx.readthedocs.io/en/master/faq.html (UCX_TLS, UCX_NET_DEVICES); Open MPI 4 and 5:
the parameters of the byte transfer layers, `ompi_info --param btl all --level 9`.
"""
from typing import NamedTuple

WINDOW = "shared-window"
ONE_COPY, TWO_COPIES, POSIX, TCP = "one-copy", "two-copies", "two-copies-posix", "tcp"
NAMES = ("default", ONE_COPY, TWO_COPIES, POSIX, TCP, WINDOW)


class Transport(NamedTuple):
    name: str
    what: str
    settings: dict
    needs: tuple = ()  # names that the library must offer; others would only draw a warning


DEFAULT = Transport("default", "what the library chooses by itself", {})
WINDOW_ROW = Transport(WINDOW, "MPI-3 shared-memory window, read by the receiver itself", {})


def over_ucx():
    return [Transport(ONE_COPY, "shared memory, large messages copied once by the kernel (CMA)",
                      {"UCX_TLS": "sysv,cma,self"}, ("sysv", "cma")),
            Transport(TWO_COPIES, "shared memory (System V), copied in and out by the ranks",
                      {"UCX_TLS": "sysv,self"}, ("sysv",)),
            Transport(POSIX, "the same in POSIX shared memory",
                      {"UCX_TLS": "posix,self"}, ("posix",)),
            Transport(TCP, "TCP over the loopback interface",
                      {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}, ("tcp",))]


def open_mpi(name):
    """Its shared-memory layer is called vader up to version 4, sm from 5 on."""
    shared = "vader" if any(f"v{version}." in name for version in (2, 3, 4)) else "sm"
    copies = f"OMPI_MCA_btl_{shared}_single_copy_mechanism"
    own = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": f"{shared},self"}
    return [Transport(ONE_COPY, "shared memory, large messages copied once by the kernel (CMA)",
                      {**own, copies: "cma"}),
            Transport(TWO_COPIES, "shared memory, copied in and out by the ranks",
                      {**own, copies: "none"}),
            Transport(TCP, "TCP over the loopback interface",
                      {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self",
                       "OMPI_MCA_btl_tcp_if_include": "lo"})]


def table(library):
    """Rows for a library as lab.mpi.facts_of describes it; of one that is not known here only what
    needs no setting."""
    name, device = library["name"] or "", library["device"] or ""
    chosen = []
    if "ucx" in device:
        chosen = over_ucx()
    elif "Open MPI" in name:
        chosen = open_mpi(name)
    return [DEFAULT, *chosen, WINDOW_ROW]


def missing(transport, offered):
    """Why the library cannot use it, None if it can or does not tell what it has."""
    absent = [name for name in transport.needs if offered is not None and name not in offered]
    return f"{', '.join(absent)} not available here, there is {' '.join(offered)}" if absent else None
