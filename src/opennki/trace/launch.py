"""What the programs of one launch are together: their traces, and what must hold across them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from opennki.base.codes import NKI1013, NKI1016, NKI1038
from opennki.base.diag import Diagnostic, NkiError, diagnostic, problem
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.ir import Record, Role, Space, Tensor, View

from .arguments import ResultTree
from .schedule import Edge, unknown_names


@dataclass
class Traced:
    """What tracing one program gives.

    Attributes: function; arrays, argument tensors and the caller's arrays; results, their nesting;
    diagnostics; loc, where the kernel is defined; names, those of named instructions; unscheduled,
    edges of the schedule that name others; idle, loops of the first generation that have no trip:
    their variables and where they are; built, what the builder built besides the function,
    which is the record of it.
    """

    function: Record[Any]
    arrays: list[tuple[Tensor, Any]] = field(default_factory=list)
    results: ResultTree | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    loc: SrcLoc = UNKNOWN
    names: tuple[str, ...] = ()
    unscheduled: list[Edge] = field(default_factory=list)
    idle: tuple[tuple[str, SrcLoc], ...] = ()
    built: Any = None


def check_launch(traces: Sequence[Traced]) -> None:
    """What must hold across the programs of a launch.

    Raises: NKI1038 if they make different tensors of one name in shared HBM, or return different
    ones; NKI1016, NKI1013 for what none of them writes; NKI5101 for a name in the schedule that no
    instruction of any of them has.
    """
    found = [*_different_tensors(traces), *_different_results(traces)]
    found = found or [*unwritten(traces), *unscheduled(traces)]
    if found:
        raise NkiError(found)


def unwritten(traces: Sequence[Traced]) -> Iterator[Diagnostic]:
    """Results that no program writes (NKI1016), or that nothing comes of what is done (NKI1013)."""
    first = traces[0]
    if first.results is None:
        work = any(traced.function.body for traced in traces)
        if work and not any(tensor.written for traced in traces for tensor, _ in traced.arrays):
            yield diagnostic(problem(NKI1013), first.loc)
        return
    seen: set[str] = set()
    idle = dict.fromkeys(one for traced in traces for one in traced.idle)
    for view in first.results.leaves:
        tensor = view.tensor
        if tensor.role is Role.output and tensor.name not in seen:
            seen.add(tensor.name)
            if not any(_writes(traced, tensor) for traced in traces):
                notes = [
                    f"the loop over `{name}` on line {loc.line} has 0 trips" for name, loc in idle
                ]
                yield diagnostic(problem(NKI1016, name=tensor.name), tensor.loc, notes=notes)


def unscheduled(traces: Sequence[Traced]) -> list[Diagnostic]:
    """NKI5101 for names in the schedule that no instruction of any program has."""
    known = dict.fromkeys(name for traced in traces for name in traced.names)
    return unknown_names([edge for t in traces for edge in t.unscheduled], list(known))


def _writes(traced: Traced, tensor: Tensor) -> bool:
    """Whether a program writes `tensor` of the first one: the same one if it is shared."""
    mine = traced.function.tensors.get(tensor.name)
    if mine is None or (mine is not tensor and tensor.space is not Space.shared_hbm):
        return False
    return mine.written


def _different_tensors(traces: Sequence[Traced]) -> Iterator[Diagnostic]:
    first: dict[str, Tensor] = {}
    for core, traced in enumerate(traces):
        for name, tensor in traced.function.tensors.items():
            if tensor.space is Space.shared_hbm:
                made = first.setdefault(name, tensor)
                here, there = _described(tensor), _described(made)
                if here == there and not _same_contents(tensor, made):
                    here, there = f"{here} with other contents", f"{there}"
                if here != there:
                    does, other = f"makes `{name}` as {here}", f"makes it as {there}"
                    found = problem(NKI1038, core=core, does=does, first=other)
                    yield diagnostic(found, tensor.loc)


def _described(tensor: Tensor) -> str:
    constant = "a constant " if tensor.role is Role.const else ""
    return f"{constant}{tensor.dtype}{list(tensor.shape)}"


def _same_contents(one: Tensor, other: Tensor) -> bool:
    """Whether two constants hold the same bits; of other tensors nothing is known yet."""
    if one.data is None or one is other:
        return True
    return np.asarray(one.data).tobytes() == np.asarray(other.data).tobytes()


def _different_results(traces: Sequence[Traced]) -> Iterator[Diagnostic]:
    texts = [_returned(traced) for traced in traces]
    for core, text in enumerate(texts):
        if text != texts[0]:
            does, other = f"returns {text}", f"returns {texts[0]}"
            found = problem(NKI1038, core=core, does=does, first=other)
            yield diagnostic(found, traces[core].loc)


def _returned(traced: Traced) -> str:
    """What a program returns, by the names of shared tensors; private ones are each core's own."""
    if traced.results is None:
        return "nothing"
    own: dict[Tensor, int] = {}
    return str(traced.results.rebuild(lambda view: _Named(view, own)))


class _Named:
    """How a result reads in a message; `own`, numbers of private ones that were returned so far."""

    def __init__(self, view: View, own: dict[Tensor, int]) -> None:
        tensor = view.tensor
        self.text = f"`{tensor.name}`"
        if tensor.space is Space.private_hbm and tensor.role is not Role.input:
            again = f" (result {own[tensor]} again)" if tensor in own else ""
            own.setdefault(tensor, len(own))
            self.text = f"{tensor.dtype}{list(tensor.shape)} of {tensor.space}{again}"

    def __repr__(self) -> str:
        return self.text
