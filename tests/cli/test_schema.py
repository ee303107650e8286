#!/usr/bin/env python3
"""Records keep to results/schema.json, and the checker notices where one does not.

Usage: test_schema.py SCHEMA RECORD_SAMPLE JACOBI BINDREPORT
"""
import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest

import check_schema

SCHEMA, RECORD_SAMPLE, JACOBI, BINDREPORT = sys.argv[1:5]
CONFIG = """
[grid]
nx = 12
ny = 9
[problem]
source = 2*_pi^2*sin(_pi*x)*sin(_pi*y)
exact = sin(_pi*x)*sin(_pi*y)
[solver]
rtol = 1e-4
"""


def output_of(command):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=60, check=True, env=environment)
    return done.stdout.decode()


def real_record():
    """A record of jacobi, as text."""
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "small.ini")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG)
        return output_of([JACOBI, config, "--quiet", "--record", "-"])


def objects(value):
    """Every object inside a JSON value, itself included."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for entry in value if isinstance(value, list) else []:
        yield from objects(entry)


def fixed_objects(record):
    """Every object of a record whose names the schema fixes."""
    yield record
    for name in set(record) - {"config", "environment"}:
        yield from objects(record[name])


class Records(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = real_record()
        cls.record = json.loads(cls.text)

    def check(self, record):
        return check_schema.check(SCHEMA, record if isinstance(record, str) else json.dumps(record))

    def test_a_run_of_jacobi(self):
        self.assertEqual(self.check(self.text), [])
        self.assertEqual(self.record["reason"], "converged")
        self.assertEqual(self.record["layout"]["ranks"], 1)
        self.assertEqual(self.record["grid"]["points"], [12, 9])
        self.assertLess(self.record["error_max"], 0.1)
        self.assertEqual(self.record["config"]["grid"]["nx"], "12")

    def test_a_run_of_bindreport(self):
        text = output_of([BINDREPORT, "--record", "-"])
        self.assertEqual(self.check(text), [])
        self.assertEqual(len(json.loads(text)["binding"]["ranks"]), 1)

    def test_a_program_that_knows_nothing(self):
        empty = output_of([RECORD_SAMPLE])
        self.assertEqual(self.check(empty), [])
        self.assertEqual(set(json.loads(empty)), set(self.record))

    def test_every_missing_name_is_noticed(self):
        broken = copy.deepcopy(self.record)
        for target in list(fixed_objects(broken)):
            for name in list(target):
                value = target.pop(name)
                self.assertIn(f"{name} is missing", " ".join(self.check(broken)))
                target[name] = value
        self.assertEqual(self.check(broken), [])

    def test_every_new_name_is_noticed(self):
        broken = copy.deepcopy(self.record)
        for target in list(fixed_objects(broken)):
            target["new"] = 1
            self.assertIn("new is not in the schema", " ".join(self.check(broken)))
            del target["new"]
        self.assertEqual(self.check(broken), [])

    def test_wrong_values_are_noticed(self):
        for name, value in (("sweeps", 1.5), ("sweeps", True), ("sweeps", "12"), ("program", None),
                            ("schema_version", 2), ("schema_version", True), ("reason", "tired"),
                            ("exit_code", 9), ("field_checksum", "xyz"), ("layout", None),
                            ("argv", [1]), ("environment", {"OMP_NUM_THREADS": 2}), ("phases", {}),
                            ("config", {"grid": {"nx": 12}})):
            with self.subTest(name=name, value=value):
                self.assertNotEqual(self.check({**self.record, name: value}), [])

    def test_what_is_not_json_is_noticed(self):
        for text in ("", "{", '{"total_s": NaN}', '{"a": 1, "a": 1}', self.text + "x"):
            with self.subTest(text=text[-20:]):
                self.assertIn("not JSON", self.check(text)[0])

    def test_a_keyword_that_is_not_checked_is_refused(self):
        with self.assertRaises(ValueError):
            list(check_schema.faults({"minimum": 1}, 1, {}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
