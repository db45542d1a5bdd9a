"""Fixtures and fixed randomness for all tests: golden files, seeds, the hypothesis profile."""

from __future__ import annotations

import difflib
import random
import re
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent

# One profile everywhere: the same examples on a laptop and in CI, and no verdict from the clock.
# `pytest --hypothesis-profile=explore` looks further, with new examples in every run.
settings.register_profile(
    "ci",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("explore", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("ci")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite golden files instead of comparing"
    )


class Golden:
    """The recorded text of one test; equal to a string that is the same text.

    The file ends with exactly one newline, so a final newline in the compared text does not matter.
    With ``update`` a comparison records the text and holds.
    """

    def __init__(self, path: Path, update: bool) -> None:
        self.path = path
        self.update = update

    @property
    def text(self) -> str | None:
        """What is recorded; None if nothing is."""
        return self.path.read_text(encoding="utf-8") if self.path.exists() else None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return NotImplemented
        if self.update:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(_one_final_newline(other), encoding="utf-8")
        return self.text == _one_final_newline(other)

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"golden({self.path.name})"

    def explain(self, actual: str) -> list[str]:
        """Lines for a failed comparison: a diff, or that nothing is recorded yet."""
        name = self.path.relative_to(TESTS.parent) if TESTS in self.path.parents else self.path
        if self.text is None:
            return [f"no golden file {name}", "run pytest --update-golden and review what it wrote"]
        recorded, new = self.text.splitlines(), actual.splitlines()
        diff = difflib.unified_diff(recorded, new, f"{name}", "this run", lineterm="")
        return ["text differs from the golden file (--update-golden accepts it)", *diff]


def _one_final_newline(text: str) -> str:
    return text.rstrip("\n") + "\n"


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    if op == "==" and isinstance(left, Golden) and isinstance(right, str):
        return left.explain(right)
    if op == "==" and isinstance(left, str) and isinstance(right, Golden):
        return right.explain(left)
    return None


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Text recorded for this test: ``assert golden == printed``.

    Kept in ``tests/golden/<test file>/<test>.txt``; ``--update-golden`` rewrites it.
    """
    file = request.path.relative_to(TESTS).with_suffix("")
    test = re.sub(r"[^\w.-]+", "-", request.node.name).strip("-")
    return Golden(
        TESTS / "golden" / file / f"{test}.txt", request.config.getoption("--update-golden")
    )


@pytest.fixture(autouse=True)
def _fixed_seeds() -> None:
    """Start every test from the same global random state, whichever tests ran before."""
    random.seed(0)
    np.random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random generator whose seed is a function of the test's own name."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))
