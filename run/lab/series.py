"""Things to measure, each once a round, so that a change of the machine's state meets all alike; every
other round goes backwards, so that a steady drift does too.
"""
from lab.records import spread


class Series:
    """Samples of one or several values that come from the same run, and why there are none if so.

    take() returns ({key: value} or None, problem or None); the keys are message sizes, for example.
    After a problem it is not tried again.
    """

    def __init__(self, name, unit, take):
        self.name = name  # a dictionary: {"what": "copy", "cores": 2}
        self.unit = unit
        self.take = take
        self.samples = {}
        self.problem = None

    def sample(self):
        if self.problem:
            return
        values, self.problem = self.take()
        for key, value in (values or {}).items():
            self.samples.setdefault(key, []).append(value)

    def median(self, key=None):
        """None without samples, or after a failure."""
        taken = None if self.problem else self.samples.get(key)
        return spread(taken)["median"] if taken else None

    def as_record(self):
        values = [{"of": key, **spread(taken)} for key, taken in self.samples.items()]
        return {**self.name, "unit": self.unit, "problem": self.problem, "values": values}


def take_rounds(rounds, all_series, tell):
    for number in range(rounds):
        tell(f"round {number + 1} of {rounds}")
        for series in all_series if number % 2 == 0 else reversed(all_series):
            series.sample()
