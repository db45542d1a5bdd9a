"""Everything that can be known to be wrong with a kernel without running it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from opennki.backend.pipeline import build
from opennki.base.diag import Diagnostic, NkiError
from opennki.base.render import in_order

from .compiled import compile_kernel
from .options import Options


def diagnose(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], options: Options
) -> list[Diagnostic]:
    """Problems on the road of one kernel up to allocation, in source order, each once.

    Arrays may be anything with `shape` and `dtype`.
    """
    try:
        compiled = compile_kernel(fn, args, kwargs, options)
        _, found = build(compiled.bir, options.target, until="ALLOCATED")
    except NkiError as error:
        return distinct(error.diagnostics)
    return distinct(compiled.problems + found)


def distinct(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """In source order; of those with equal code, place and message only the first."""
    first: dict[tuple[object, ...], Diagnostic] = {}
    for found in in_order(diagnostics):
        first.setdefault((found.code.id, found.file, found.loc.key, found.message), found)
    return list(first.values())
