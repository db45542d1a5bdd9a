"""Order that the author asks for: `kernel.with_schedule` and `depends_on` of an instruction.

Source: NKI guide, "How to use the NKI scheduling APIs".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opennki.base.codes import NKI1046, NKI5101, NKI5104, NKI5105
from opennki.base.diag import Diagnostic, diagnostic, fail, problem
from opennki.base.loc import SrcLoc, short_path
from opennki.base.text import nearest
from opennki.ir import Contradiction, Inst, Record, crossing, keep_edges, strangers

from .plain import shown


@dataclass(frozen=True)
class Edge:
    """That the instruction named `later` runs after the one named `earlier`; loc, who asks."""

    later: str
    earlier: str
    loc: SrcLoc


def edges_of(pairs: Any, loc: SrcLoc) -> tuple[Edge, ...]:
    """The edges of ``[(later, earlier or [earlier, ...]), ...]``, in order.

    Raises: NKI5104 for anything else, NKI5105 for an instruction that is to follow itself.
    """
    if not isinstance(pairs, list | tuple):
        raise fail(NKI5104, loc, got=shown(pairs))
    return tuple(edge for pair in pairs for edge in _edges(pair, loc))


def _edges(pair: Any, loc: SrcLoc) -> Iterator[Edge]:
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise fail(NKI5104, loc, got=f"the element {pair!r:.60}")
    later, several = pair
    for earlier in several if isinstance(several, list | tuple) else (several,):
        if not (isinstance(later, str) and later and isinstance(earlier, str) and earlier):
            raise fail(NKI5104, loc, got=f"the element {pair!r:.60}")
        if later == earlier:
            why = "an instruction cannot follow itself"
            raise fail(NKI5105, loc, later=later, earlier=earlier, why=why)
        yield Edge(later, earlier, loc)


def attach(edges: Sequence[Edge], named: Mapping[str, Inst]) -> list[Edge]:
    """Give the instructions of one program the edges of a schedule.

    Returns: edges that name an instruction that the program does not have.
    """
    missing = []
    for edge in edges:
        later, earlier = named.get(edge.later), named.get(edge.earlier)
        if later is None or earlier is None:
            missing.append(edge)
        elif all(producer is not earlier for producer in later.after):
            later.depends_on(earlier)
    return missing


def unknown_names(edges: Sequence[Edge], known: Sequence[str]) -> list[Diagnostic]:
    """An NKI5101 for every name in `edges` that no instruction has, once per line."""
    found = {
        (name, edge.loc): problem(NKI5101, name=name, close=nearest(name, known))
        for edge in edges
        for name in (edge.later, edge.earlier)
        if name not in known
    }
    return [diagnostic(one, loc) for (_, loc), one in found.items()]


def settle(function: Record[Any], edges: Sequence[Edge]) -> list[Diagnostic]:
    """Order the instructions of `function` by their explicit edges.

    Returns: an NKI5101 for every edge to an instruction of another kernel, an NKI1046 for every
        one into a run-time loop, an NKI5105 for every edge that cannot be kept; at the line of the
        schedule in `edges` that asks for it, or of the instruction.
    """
    asked = {(edge.later, edge.earlier): edge.loc for edge in edges}
    found = []
    for inst, other in strangers(function):
        one = problem(NKI5101, name=_shown(other), close="")
        found.append(diagnostic(one, inst.loc, notes=["the handle is one of another kernel"]))
    for inst, other in [] if found else crossing(function):
        facts = {"consumer": inst.name or inst.spec.label, "name": other.name or other.spec.label}
        loc = asked.get((inst.name or "", other.name or ""), inst.loc)
        found.append(diagnostic(problem(NKI1046, **facts), loc))
    for wrong in [] if found else keep_edges(function):
        facts = {"later": _shown(wrong.later), "earlier": _shown(wrong.earlier)}
        one = problem(NKI5105, why=_why(wrong), **facts)
        names = (wrong.later.name or "", wrong.earlier.name or "")
        found.append(diagnostic(one, asked.get(names, wrong.later.loc)))
    return found


def _shown(inst: Inst) -> str:
    if inst.name:
        return inst.name
    return f"{inst.spec.label} at {short_path(inst.loc.file)}:{inst.loc.line}"


def _why(wrong: Contradiction) -> str:
    """The chain in words, from the instruction that cannot be later to the one that asks."""
    names = [f"`{_shown(inst)}`" for inst in wrong.chain]
    return ", and ".join(
        f"{later} must follow {earlier}"
        for later, earlier in zip(names[:0:-1], names[-2::-1], strict=True)
    )
