"""What is told of runs: their warnings to Python's, and each to the command line if it asks."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from opennki.base.diag import Diagnostic, NkiWarning, Severity
from opennki.base.loc import user_frame
from opennki.base.render import text

from .simulate import Forms, Outcome


@dataclass(frozen=True)
class Run:
    """One call of a kernel: what was compiled, and what came of it."""

    compiled: Forms
    outcome: Outcome


_RUNS: ContextVar[list[Run] | None] = ContextVar("runs", default=None)


@contextmanager
def observed() -> Iterator[list[Run]]:
    """Collect every call of a kernel that ends well while this is entered."""
    runs: list[Run] = []
    token = _RUNS.set(runs)
    try:
        yield runs
    finally:
        _RUNS.reset(token)


def record(compiled: Forms, outcome: Outcome) -> None:
    """Tell the observer, if there is one, of a call."""
    runs = _RUNS.get()
    if runs is not None:
        runs.append(Run(compiled, outcome))


def show_warnings(diagnostics: list[Diagnostic]) -> None:
    """Give every warning to Python's `warnings`, at the line that it is about."""
    for found in diagnostics:
        if found.severity is Severity.warning:
            frame = user_frame(2)
            message = text([found]).rstrip()
            registry = frame.f_globals.setdefault("__warningregistry__", {}) if frame else {}
            warnings.warn_explicit(
                NkiWarning(message), NkiWarning, found.file, found.line, registry=registry
            )
