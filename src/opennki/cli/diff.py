"""`opennki diff`: whether two roads make the same of one kernel, and if not, where they part."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import typer

from opennki.base.codes import NKI7012
from opennki.base.diag import NkiError, fail
from opennki.base.loc import UNKNOWN
from opennki.driver import (
    FRONTENDS,
    Compared,
    Compiled,
    KernelLike,
    Request,
    compare_roads,
    compile_kernel,
    imported,
    requesting,
    require,
    split_path,
)
from opennki.target import TARGETS, Target

from .arguments import parse_arguments, parse_grid
from .terminal import FAILED, show_problems

EVERY: Final = "all"
"""As a target: every one that NKI has."""

_SAME: Final = {"bir": "BIR", "cfg": "blocks of BIR", "program": "program"}


@dataclass(frozen=True)
class DiffOptions:
    """Options of ``opennki diff``, as they are written."""

    arg: Sequence[str] = ()
    grid: str | None = None
    target: str | None = None
    frontend: str = ",".join(FRONTENDS)
    level: str = "bir"


def diff(where: str, options: DiffOptions) -> None:
    """Compare two roads on one target or on all.

    Raises: typer.Exit with 1 if they differ; NkiError if no target has the kernel.
    """
    names = _roads(options.frontend)
    path, name = split_path(where)
    values = parse_arguments(options.arg)
    targets = _targets(options.target)
    grid = parse_grid(options.grid)
    found: list[Compared] = []
    with redirect_stdout(sys.stderr), imported(path) as file:
        kernel = file.kernel(name)
        require(kernel, (), values)
        for target in targets:
            left, right = (
                partial(_compile, requesting(kernel, target=target, grid=grid, frontend=n), values)
                for n in names
            )
            found.append(compare_roads((left, right), names, options.level))
    if all(one.refused for one in found):
        raise NkiError(found[-1].refused)
    title = getattr(kernel.fn, "__name__", "kernel")
    for target, one in zip(targets, found, strict=True):
        _show(f"{title} on {target.aliases[0]}", one, names, options.level)
    if any(one.problems for one in found):
        raise typer.Exit(FAILED)


def _roads(text: str) -> tuple[str, str]:
    names = tuple(word.strip() for word in text.split(","))
    if len(names) != 2 or not set(names) <= set(FRONTENDS):
        kind = f"two of {' and '.join(FRONTENDS)}, as in {','.join(FRONTENDS)}"
        raise fail(NKI7012, UNKNOWN, option="--frontend", got=text, kind=kind)
    return names[0], names[1]


def _targets(given: str | None) -> list[Target]:
    if given == EVERY:
        return [target for target in TARGETS if target.has("nki")]
    return [Request(target=given).resolve().target]


def _compile(kernel: KernelLike, values: dict[str, Any]) -> Compiled:
    return compile_kernel(kernel.fn, (), values, kernel.request.resolve())


def _show(title: str, found: Compared, names: tuple[str, str], level: str) -> None:
    """Print what comparing on one target gave."""
    if found.problems:
        show_problems(found.problems, sys.stdout)
        return
    head = f"{title}: {names[0]} and {names[1]}"
    if found.refused:
        codes = ", ".join(dict.fromkeys(d.code.id for d in found.refused))
        print(f"{head} refuse it, both with {codes}")
        return
    counts = ", ".join(
        f"{count} {what if count != 1 else what[:-1]}"
        for what, count in (
            ("functions", found.functions), ("instructions", found.instructions),
            ("storages", found.storages),
        )
    )  # fmt: skip
    print(f"{head} give the same {_SAME[level]} ({counts})")
