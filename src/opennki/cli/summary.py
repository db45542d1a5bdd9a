"""What ran, for people: results, and per kernel its instructions, memory, time and warnings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

from opennki.backend.alloc import occupancy
from opennki.backend.program import Program
from opennki.base.diag import Diagnostic, Severity
from opennki.driver import Run, distinct
from opennki.isa.enums import Engine
from opennki.target import Target

Array = NDArray[Any]

_ENGINES = (Engine.PE, Engine.ACT, Engine.DVE, Engine.POOL, Engine.SP)


def warnings_of(runs: Iterable[Run]) -> list[Diagnostic]:
    """Every different warning and note of `runs`, in source order."""
    return distinct(d for r in runs for d in r.compiled.problems + r.outcome.diagnostics)


def show_results(out: Console, named: Sequence[tuple[str, str, Array]]) -> None:
    """A table with one row per array: name, role, shape, dtype, extremes, mean, number of NaN."""
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    for title in ("array", "role", "shape", "dtype"):
        table.add_column(title)
    for title in ("min", "mean", "max", "nan"):
        table.add_column(title, justify="right")
    for name, role, array in named:
        values = array.astype(np.float64)
        nans = int(np.isnan(values).sum())
        numbers = [f"{f(values):.6g}" for f in (np.min, np.mean, np.max)]
        style = "red" if nans else ""
        shape = "x".join(map(str, array.shape))
        table.add_row(name, role, shape, str(array.dtype), *numbers, Text(str(nans), style))
    out.print(table)


def show_runs(out: Console, runs: Sequence[Run]) -> None:
    """One paragraph per different kernel, in order of its first run."""
    groups: dict[tuple[object, ...], list[Run]] = {}
    for run in runs:
        options = run.compiled.options
        program = run.compiled.scheduled
        counts = None if program is None else tuple(program.counts().items())
        shape = (
            options.target.name,
            options.grid,
            options.frontend,
            options.level,
            options.step,
            counts,
        )
        groups.setdefault((run.compiled.kernel, *shape), []).append(run)
    for group in groups.values():
        out.print()
        out.print(paragraph(group), end="")


def paragraph(group: Sequence[Run]) -> Text:
    """The paragraph of runs that did the same instructions."""
    first = group[0]
    options = first.compiled.options
    grid = f", grid {'x'.join(map(str, options.grid))}" if options.grid else ""
    road = "" if options.frontend == "beta3" else f", front end {options.frontend}"
    how = "step by step" if options.step else f"level {options.level}"
    times = f", {len(group)} runs" if len(group) > 1 else ""
    text = Text()
    text.append(first.compiled.kernel, "bold cyan")
    text.append(f" on {options.target.aliases[0]}{grid}{road}, {how}{times}\n")
    program = first.compiled.scheduled
    if program is not None:
        _scheduled(text, program, options.target)
    else:
        counts = [
            sum(fn.counts().values()) for fn in (trace.function for trace in first.compiled.traces)
        ]
        _row(text, "instructions", f"{sum(counts)}, loops counted once, not scheduled")
    seconds = sum(run.outcome.seconds for run in group)
    each = f", {_time(seconds / len(group))} each" if len(group) > 1 else ""
    _row(text, "simulated in", _time(seconds) + each)
    warnings = sum(d.severity is Severity.warning for d in warnings_of(group))
    _row(text, "warnings", str(warnings), "yellow" if warnings else "")
    return text


def _scheduled(text: Text, program: Program, target: Target) -> None:
    counts = program.counts()
    engines = [(e.nki, counts[e.name]) for e in _ENGINES if e.name in counts]
    total = sum(n for _, n in engines)
    parts = ", ".join(f"{name} {n}" for name, n in engines)
    _row(text, "instructions", f"{total} ({parts})" if parts else "0")
    _row(text, "DMA transfers", str(counts["dmas"]))
    _row(text, "waits", str(counts["waits"]))
    reports = [occupancy(core.function, target) for core in program.cores]
    for name in ("sbuf", "psum"):
        use = max((getattr(report, name) for report in reports), key=lambda use: use.peak)
        percent = 100 * use.peak / use.capacity
        size = f"{_size(use.peak)} of {_size(use.capacity)} per partition ({percent:.1f} %)"
        _row(text, f"{use.space} peak", size)


def _row(text: Text, label: str, value: str, style: str = "") -> None:
    text.append(f"  {label:<13}  ", "dim")
    text.append(value, style)
    text.append("\n")


def _size(count: int) -> str:
    return f"{count} B" if count < 1024 else f"{count / 1024:.4g} KiB"


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
