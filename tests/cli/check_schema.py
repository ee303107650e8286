#!/usr/bin/env python3
"""Checks a JSON file against a schema, with nothing but the standard library.

Usage: check_schema.py SCHEMA.json RECORD.json   ("-" reads standard input)

Knows the part of JSON Schema (draft 2020-12) that results/schema.json uses, and refuses a schema with
any other keyword, so that nothing in a schema goes unchecked. Exits 1 with a line for each fault.
"""
import json
import re
import sys

NOTES = {"$schema", "$defs", "title", "description"}
CHECKED = {"$ref", "type", "enum", "pattern", "properties", "required", "additionalProperties", "items"}


def is_type(value, name):
    if name == "null":
        return value is None
    if name == "boolean":
        return isinstance(value, bool)
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, {"string": str, "array": list, "object": dict}[name])


def same(a, b):
    """Equality that tells true from 1."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def faults_of_object(schema, value, root, place):
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            yield f"{place}: {name} is missing"
    for name, entry in value.items():
        rule = properties.get(name, schema.get("additionalProperties", True))
        if rule is False:
            yield f"{place}: {name} is not in the schema"
        elif rule is not True:
            yield from faults(rule, entry, root, f"{place}.{name}")


def faults(schema, value, root, place="record"):
    """Yields a line for each way in which `value` breaks `schema`; `root` holds the $defs."""
    unknown = set(schema) - NOTES - CHECKED
    if unknown:
        raise ValueError(f"schema of {place}: keyword not supported here: {sorted(unknown)}")
    if "$ref" in schema:
        yield from faults(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, root, place)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        yield f"{place}: {json.dumps(value)[:60]} is no {' or '.join(types)}"
        return
    if "enum" in schema and not any(same(value, choice) for choice in schema["enum"]):
        yield f"{place}: {json.dumps(value)[:60]} is none of {schema['enum']}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{place}: {value!r} does not match {schema['pattern']}"
    if isinstance(value, dict):
        yield from faults_of_object(schema, value, root, place)
    if isinstance(value, list) and "items" in schema:
        for index, entry in enumerate(value):
            yield from faults(schema["items"], entry, root, f"{place}[{index}]")


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def load(text):
    """Strict JSON: no NaN, no Infinity, no name twice."""
    def once(pairs):
        names = [name for name, _ in pairs]
        if len(names) != len(set(names)):
            raise ValueError(f"a name stands twice among {names}")
        return dict(pairs)
    return json.loads(text, parse_constant=no_constant, object_pairs_hook=once)


def check(schema_path, text):
    """List of the faults of a record given as text; empty if it is good."""
    with open(schema_path, encoding="utf-8") as file:
        schema = load(file.read())
    try:
        record = load(text)
    except ValueError as error:
        return [f"not JSON: {error}"]
    return list(faults(schema, record, schema))


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    schema_path, record_path = arguments
    if record_path == "-":
        text = sys.stdin.read()
    else:
        with open(record_path, encoding="utf-8") as file:
            text = file.read()
    found = check(schema_path, text)
    for fault in found:
        print(f"{record_path}: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
