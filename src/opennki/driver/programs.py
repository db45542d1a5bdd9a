"""The programs of a launch grid, and which of them a problem comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from math import prod

from opennki.base.diag import Diagnostic, NkiError
from opennki.sim.cores import Steps

Grid = tuple[int, ...]


def programs(grid: Grid) -> list[Grid]:
    """Indices of every program of a grid, in order; one empty index without a grid."""
    return list(product(*(range(n) for n in grid)))


@contextmanager
def of_program(ids: Grid, grid: Grid) -> Iterator[None]:
    """Say of every error that is raised meanwhile that it comes from the program `ids`."""
    try:
        yield
    except NkiError as error:
        _say(error.diagnostics, ids, grid)
        NkiError.__init__(error, error.diagnostics)  # its text, with the notes; not its class
        raise


def on_rank(steps: Steps, rank: int, ranks: int) -> Steps:
    """`steps` of a rank, whose errors say so if there are several."""
    try:
        yield from steps
    except NkiError as error:
        if ranks > 1:
            _note(error.diagnostics, f"on rank {rank}")
            NkiError.__init__(error, error.diagnostics)
        raise


def tell_ranks_apart(found: Sequence[Sequence[Diagnostic]]) -> None:
    """Say which rank a diagnostic comes from, unless every rank has one at the same place.

    Args: found, what there is of each rank, in order.
    """
    counts = Counter(key for one in found for key in {(d.code.id, d.loc.key) for d in one})
    for rank, one in enumerate(found):
        alone = [d for d in one if counts[d.code.id, d.loc.key] < len(found)]
        _note(alone, f"on rank {rank}")


def in_program(steps: Steps, ids: Grid, grid: Grid) -> Steps:
    """`steps` of the program `ids`, whose errors say so."""
    with of_program(ids, grid):
        yield from steps


def tell_apart(found: Sequence[Sequence[Diagnostic]], grid: Grid) -> None:
    """Say which program a diagnostic comes from, unless every program has one like it.

    Args: found, what there is of each program, in order.
    """
    counts = Counter(key for one in found for key in {_key(d) for d in one})
    for ids, one in zip(programs(grid), found, strict=True):
        _say([d for d in one if counts[_key(d)] < len(found)], ids, grid)


def _say(diagnostics: Sequence[Diagnostic], ids: Grid, grid: Grid) -> None:
    if prod(grid) > 1:
        _note(diagnostics, f"in program {ids} of the grid {grid}")


def _note(diagnostics: Sequence[Diagnostic], note: str) -> None:
    for found in diagnostics:
        if note not in found.notes:
            found.notes.append(note)


def _key(found: Diagnostic) -> tuple[object, ...]:
    return found.code.id, found.loc.key, found.message
