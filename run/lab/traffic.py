"""Byte counters of the network interfaces while a job runs."""
import re
import time
from pathlib import Path

FORMAT = re.compile(r"^\s*([^\s:]+):\s*(\d+)(?:\s+\d+){7}\s+(\d+)", re.MULTILINE)


def counters(path=Path("/proc/net/dev")):
    """{interface: (bytes received, bytes sent)} since the host started; {} if unreadable."""
    try:
        text = path.read_text()
    except OSError:
        return {}
    return {name: (int(received), int(sent)) for name, received, sent in FORMAT.findall(text)}


class Traffic:
    """Call sample() now and then; times and bytes count from the first call."""

    def __init__(self, read=counters, clock=time.monotonic):
        self.read, self.clock = read, clock
        self.start_s = clock()
        self.first = read()
        self.samples = []  # (seconds, {interface: (received, sent)})

    def sample(self):
        now = self.read()
        since = {name: tuple(value - before for value, before in zip(now[name], self.first[name]))
                 for name in now if name in self.first}
        self.samples.append((self.clock() - self.start_s, since))

    def as_record(self):
        """A list an interface that carried anything; the total is that of the last sample."""
        last = self.samples[-1][1] if self.samples else {}
        return [{"interface": name, "time_s": [taken[0] for taken in self.samples],
                 "received_bytes": [taken[1].get(name, (0, 0))[0] for taken in self.samples],
                 "sent_bytes": [taken[1].get(name, (0, 0))[1] for taken in self.samples]}
                for name in sorted(last) if any(last[name])]
