"""`opennki stages`: what each stage of both roads does to a kernel, and one instruction of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from opennki.base.diag import NkiError
from opennki.base.text import place_text
from opennki.driver import (
    COUNTED,
    FRONTENDS,
    Chosen,
    Compiled,
    KernelLike,
    Measured,
    Request,
    StagesOfRoad,
    Watch,
    chosen,
    compile_kernel,
    imported,
    measure,
    requesting,
    require,
    split_path,
)

from .arguments import parse_arguments, parse_grid
from .terminal import console, show_pairs, show_problems

TIME: Final = "in a compilation of its own, after one that loads everything"
MEMORY: Final = (
    "bytes that Python holds more after a stage than before it, and the most during it, as "
    "tracemalloc counts them in a compilation of its own; a stage that is called by another has no "
    "peak of its own"
)
_WIDE: Final = 98
_TITLES: Final = {"beta3": "beta3, by Penguin", "beta2": "beta2, by KLR"}


@dataclass(frozen=True)
class StagesOptions:
    """Options of ``opennki stages``, as they are written; frontend None means both."""

    arg: Sequence[str] = ()
    grid: str | None = None
    target: str | None = None
    frontend: str | None = None
    inst: str | None = None
    json: bool = False


def stages(where: str, options: StagesOptions) -> None:
    """Print the stages of a kernel's roads, and one instruction at every level."""
    Request(target=options.target, frontend=options.frontend).resolve()
    path, name = split_path(where)
    values, grid = parse_arguments(options.arg), parse_grid(options.grid)
    roads = [options.frontend] if options.frontend else list(reversed(FRONTENDS))
    with redirect_stdout(sys.stderr), imported(path) as file:
        kernel = file.kernel(name)
        require(kernel, (), values)
        made: list[StagesOfRoad] = []
        for road in roads:
            made.append(_measured(kernel, values, road, options.target, grid, bool(made)))
        found = chosen([road.compiled for road in made], options.inst)
    first = made[0].compiled
    show_problems(first.problems)
    if options.json:
        print(json.dumps(_document(first, made, found), indent=2))
        return
    out = console()
    _show_title(out, first)
    for one in made:
        out.print()
        out.print(_table(one, out.width))
    if found is not None:
        _show_instruction(out, found, len(first.traces))


def _measured(
    kernel: KernelLike, values: dict[str, Any], road: str, target: str | None,
    grid: tuple[int, ...] | None, later: bool,
) -> StagesOfRoad:  # fmt: skip
    """The stages of one road; `later`, whether the other one has taken the kernel."""
    one = requesting(kernel, target=target, grid=grid, frontend=road)
    try:
        return measure(road, partial(_compile, one, values))
    except NkiError as error:
        if later:
            for found in error.diagnostics:
                found.notes.append(f"only the road of {road} refuses it")
        raise


def _compile(kernel: KernelLike, values: dict[str, Any], watch: Watch) -> Compiled:
    return compile_kernel(kernel.fn, (), values, kernel.request.resolve(), watch)


def _show_title(out: Console, compiled: Compiled) -> None:
    options = compiled.options
    grid = f", grid {'x'.join(map(str, options.grid))}" if options.grid else ""
    where = f" on {options.target.aliases[0]}{grid}"
    out.print(Text.assemble((compiled.kernel, "bold cyan"), where))
    counts = "instructions are statements in KLR and commands in the program, tensors are storages "
    show_pairs(out, [("counts", counts + "in BIR"), ("ms", TIME), ("held, peak", MEMORY)])


def _table(road: StagesOfRoad, width: int) -> Table:
    wide = width >= _WIDE
    table = Table(
        title=_TITLES[road.frontend], title_justify="left", title_style="bold", box=None,
        pad_edge=False, padding=(0, 2 if wide else 1, 0, 0), header_style="dim",
    )  # fmt: skip
    table.add_column("stage", no_wrap=True)
    if wide:
        table.add_column("class", style="cyan", no_wrap=True)
    for title in ("inst", "tensors", "blocks", "loops", "ms", "held", "peak"):
        table.add_column(title, justify="right", no_wrap=True)
    for stage, owner in road.stages:
        cells = _cells(stage)
        head = [stage.name, owner] if wide else [Text(f"{stage.name}\n  {owner}")]
        table.add_row(*head, *cells)
    return table


def _cells(stage: Measured) -> list[str]:
    counts = stage.counts
    instructions = counts.get("commands", counts.get("instructions"))
    tensors = counts.get("storages", counts.get("tensors"))
    shown = [instructions, tensors, counts.get("blocks"), counts.get("loops")]
    return [
        *("" if n is None else str(n) for n in shown),
        f"{stage.seconds * 1000:.2f}",
        _size(stage.held),
        "-" if stage.peak is None else _size(stage.peak),
    ]


def _size(count: int) -> str:
    if abs(count) < 1000:
        return f"{count} B"
    kib = count / 1024
    if abs(kib) < 1000:
        return f"{kib:.1f} KiB" if abs(kib) < 100 else f"{kib:.0f} KiB"
    return f"{kib / 1024:.2f} MiB"


def _show_instruction(out: Console, found: Chosen, programs: int) -> None:
    out.print()
    first = " of the first program" if programs > 1 else ""
    head = f"instruction {found.number} of {found.count}{first}, counted from 0: "
    out.print(Text.assemble((head, "bold"), f"{found.kind} at {place_text(found.loc)}"))
    roads = {road for level in found.levels for road in level.roads}
    pairs = []
    for level in found.levels:
        all_roads = not level.roads or len(roads) == 1 or level.name in ("penguin", "klr")
        label = _LEVELS[level.name]
        if not all_roads:
            label += " (both)" if len(level.roads) == len(roads) else f" ({level.roads[0]})"
        pairs.append((label, level.text))
    show_pairs(out, pairs)


_LEVELS: Final = {
    "source": "source", "penguin": "Penguin", "klr": "KLR", "bir": "BIR",
    "allocated": "allocated", "program": "program",
}  # fmt: skip


def _document(
    compiled: Compiled, roads: list[StagesOfRoad], found: Chosen | None
) -> dict[str, Any]:
    options = compiled.options
    return {
        "kernel": compiled.kernel,
        "target": options.target.name,
        "grid": list(options.grid),
        "time": TIME,
        "memory": MEMORY,
        "roads": [
            {
                "frontend": road.frontend,
                "stages": [_stage_document(stage, owner) for stage, owner in road.stages],
            }
            for road in roads
        ],
        "instruction": None if found is None else _instruction_document(found),
    }


def _instruction_document(found: Chosen) -> dict[str, Any]:
    return {
        "number": found.number,
        "count": found.count,
        "kind": found.kind,
        "file": found.loc.file,
        "line": found.loc.line,
        "levels": [
            {"level": one.name, "roads": list(one.roads), "text": one.text} for one in found.levels
        ],
    }


def _stage_document(stage: Measured, owner: str) -> dict[str, Any]:
    counts: dict[str, Any] = {w: stage.counts[w] for w in COUNTED if w in stage.counts}
    measured = {"ms": round(stage.seconds * 1000, 4), "held": stage.held, "peak": stage.peak}
    return {"stage": stage.name, "class": owner, **counts, **measured}
