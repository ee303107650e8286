"""Scaling studies: from a study file to runs, from runs to a summary, from a summary to a report.

A reader starts at `description` (what a study is), `points` (what will run), `runner` (running it),
`summary` (what came out). `arithmetic` is pure; only `charts` needs matplotlib.
"""
