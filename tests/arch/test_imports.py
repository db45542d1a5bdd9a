"""What `import opennki` costs: no optional package is loaded, and no more time than NumPy takes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

OPTIONAL = ("torch", "jax", "llvmlite", "pytest", "hypothesis")
ROUNDS = 5

TIMED = """
from time import process_time
start = process_time()
import numpy
between = process_time()
import opennki
print((process_time() - between) / (between - start))
"""


def run(code: str) -> str:
    """What a fresh interpreter prints for `code`; it sees the same packages as this one."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("COV_", "PYTEST_"))}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling every module would be timed too
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["opennki", "nki", "neuronxcc.nki"])
def test_no_optional_package_is_loaded(root: Path, name: str):
    if not (root / "src" / name.replace(".", "/") / "__init__.py").exists():
        pytest.skip(f"{name} does not exist yet")
    loaded = run(f"import sys, {name}; print(*sys.modules)").split()
    assert name in loaded
    assert set(OPTIONAL) & set(loaded) == set()


def test_what_lies_below_tracing_is_loaded_when_it_is_needed():
    loaded = run("import sys, nki, nki.language, nki.isa; print(*sys.modules)").split()
    below = ("opennki.backend", "opennki.birpy", "opennki.lower", "opennki.sim.ref.bir")
    assert [name for name in loaded if name.startswith(below)] == []


def test_import_is_no_dearer_than_numpy():
    run("import opennki")  # writes bytecode, fills the file cache
    ratios = [float(run(TIMED)) for _ in range(ROUNDS)]
    assert statistics.median(ratios) <= 1.0, f"times import numpy, on top of it: {ratios}"
