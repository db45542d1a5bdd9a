"""What the programs of one launch are together: their traces, and what must hold across them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from opennki.base.codes import NKI1013, NKI1016, NKI3006
from opennki.base.diag import Diagnostic, NkiError, diagnostic, fail, problem
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.ir import Role, Space, Tensor
from opennki.penguin import Function

from .arguments import ResultTree


@dataclass
class Traced:
    """What tracing one program gives.

    Attributes: function; arrays, argument tensors and the caller's arrays; results, their nesting;
    diagnostics; loc, where the kernel is defined.
    """

    function: Function
    arrays: list[tuple[Tensor, Any]] = field(default_factory=list)
    results: ResultTree | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    loc: SrcLoc = UNKNOWN


def check_launch(traces: Sequence[Traced]) -> None:
    """What must hold across the programs of a launch.

    Raises: NKI3006 if they make different tensors of one name in shared HBM; NKI1016, NKI1013 for
    what none of them writes.
    """
    _same_shared(traces)
    found = list(unwritten(traces))
    if found:
        raise NkiError(found)


def unwritten(traces: Sequence[Traced]) -> Iterator[Diagnostic]:
    """Results that no program writes (NKI1016), or that nothing at all comes of it (NKI1013)."""
    first = traces[0]
    if first.results is None:
        if not any(tensor.written for traced in traces for tensor, _ in traced.arrays):
            yield diagnostic(problem(NKI1013), first.loc)
        return
    seen: set[str] = set()
    for view in first.results.leaves:
        tensor = view.tensor
        if tensor.role is Role.output and tensor.name not in seen:
            seen.add(tensor.name)
            if not any(_writes(traced, tensor) for traced in traces):
                yield diagnostic(problem(NKI1016, name=tensor.name), tensor.loc)


def _writes(traced: Traced, tensor: Tensor) -> bool:
    """Whether a program writes `tensor` of the first one: the same one if it is shared."""
    mine = traced.function.tensors.get(tensor.name)
    if mine is None or (mine is not tensor and tensor.space is not Space.shared_hbm):
        return False
    return mine.written


def _same_shared(traces: Sequence[Traced]) -> None:
    first: dict[str, Tensor] = {}
    for traced in traces:
        for name, tensor in traced.function.tensors.items():
            made = first.setdefault(name, tensor) if tensor.space is Space.shared_hbm else tensor
            if (made.shape, made.dtype) != (tensor.shape, tensor.dtype):
                other = f"{made.loc!r} as {made.dtype}{list(made.shape)} in another program"
                raise fail(NKI3006, tensor.loc, name=name, other=other)
