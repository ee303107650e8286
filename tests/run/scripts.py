"""Where the scripts under test are, and how a script without an ending is imported; `lab`, which they
share, can be imported after this.
"""
import importlib.machinery
import importlib.util
import sys
from pathlib import Path

RUN = Path(__file__).resolve().parents[2] / 'run'
sys.path.insert(0, str(RUN))


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, str(RUN / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
