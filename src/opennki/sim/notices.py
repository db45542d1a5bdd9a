"""`Notices`: what a machine notices of instructions that run, told on their lines."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opennki.base.codes import NKI6001, NKI6002, NKI6008, NKI6009, NKI6010
from opennki.base.diag import (
    Code,
    Diagnostic,
    NkiError,
    Problem,
    Problems,
    Severity,
    diagnostic,
)
from opennki.base.dtypes import DType, int32, uint32
from opennki.base.loc import SrcLoc
from opennki.base.numerics import storage
from opennki.ir import Inst, Operand, Space, View, describe

from .uses import Uses

Array = NDArray[Any]

WIDE_INTS = frozenset({int32, uint32})
"""Integers that float32 does not hold all of."""

EXACT = 2.0**24
"""Below this float32 holds every integer."""


@dataclass
class Options:
    """How to simulate.

    precise: round to narrow dtypes (NKI_PRECISE_FP); strict: reading memory that nothing wrote is
    an error instead of a warning; accumulate_any: PSUM may accumulate onto what any instruction
    wrote, not only onto products; max_trips: a run-time loop that wants more trips is an error.
    """

    precise: bool = True
    strict: bool = False
    accumulate_any: bool = True
    max_trips: int = 1_000_000


@dataclass
class Notices:
    """What was noticed while instructions ran.

    Attributes: options, how to simulate; diagnostics, what was noticed.
    """

    _: KW_ONLY
    options: Options = field(default_factory=Options)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _seen: set[tuple[object, ...]] = field(default_factory=set)

    def warn(self, inst: Inst, found: Problems) -> None:
        """Warn of what was `found` on a line, each code once.

        Raises: NkiError for an error among it, together with earlier warnings of the line.
        """
        for one in found:
            if one.code.severity is Severity.error:
                told = [earlier for earlier in self.diagnostics if earlier.loc is inst.loc]
                raise NkiError([*told, diagnostic(one, inst.loc, shown(inst))])
            self.warn_once(inst, one.code, one.facts)

    def warn_once(self, inst: Inst, code: Code, facts: dict[str, object]) -> None:
        """Warn on the line of `inst`, unless it has been done, for the same tensor."""
        key = (code, inst.loc, facts.get("tensor"))
        if key not in self._seen:
            self._seen.add(key)
            self.diagnostics.append(diagnostic(Problem(code, facts), inst.loc, shown(inst)))

    def check_sums(self, inst: Inst, operands: list[Any], results: tuple[Any, ...]) -> None:
        """Warn of integers computed from integers that float32 has rounded: float64 tells."""
        outs = [o for o in inst.spec.outs if _dtype(inst, o) in WIDE_INTS]
        told = (NKI6009, inst.loc, None) in self._seen
        if told or not outs or not any(_is_int(inst, o) for o in inst.spec.ins):
            return
        large = [isinstance(r, np.ndarray) and bool((np.abs(r) >= EXACT).any()) for r in results]
        if not any(large):
            return
        with np.errstate(all="ignore"):
            wide = [o.astype(np.float64) if isinstance(o, np.ndarray) else o for o in operands]
            exact = inst.sem(*wide)  # type: ignore[attr-defined]  # as in `execute`
        for operand, one, values in zip(
            inst.spec.outs, exact if len(results) > 1 else (exact,), results, strict=True
        ):
            if operand not in outs or not isinstance(one, np.ndarray):
                continue
            top = np.iinfo(storage(getattr(inst, operand.name).dtype)).max
            lost = (one != values) & (np.abs(one) <= top) & (one == np.trunc(one))
            if lost.any():
                first = tuple(np.argwhere(lost)[0])
                facts = {
                    "inst": inst.spec.label, "operand": operand.name, "count": int(lost.sum()),
                    "value": int(one[first]), "got": int(values[first]),
                }  # fmt: skip
                self.warn_once(inst, NKI6010, facts)

    def check_exact(self, inst: Inst, operand: Operand, array: Array, values: Array) -> None:
        """Warn of integers that float32, in which the engine computes, does not hold.

        The largest of all is left out: a float that was too large has become that.
        """
        lost = (values.astype(np.float64) != array) & (array != np.iinfo(array.dtype).max)
        if lost.any():
            first = tuple(np.argwhere(lost)[0])
            facts = {
                "inst": inst.spec.label, "operand": operand.name, "count": int(lost.sum()),
                "value": int(array[first]), "got": int(values[first]),
            }  # fmt: skip
            self.warn_once(inst, NKI6009, facts)

    def warn_race(
        self, inst: Inst, does: str, did: str, view: View, count: int, element: list[int],
        uses: Uses,
    ) -> None:  # fmt: skip
        """Warn that another program of the launch did something to what this one uses.

        Once per line for all cores.
        """
        if inst.loc in uses.told:
            return
        uses.told.add(inst.loc)
        facts = {
            "inst": inst.spec.label, "does": does, "did": did, "count": count,
            "tensor": view.tensor.name, "element": element,
        }  # fmt: skip
        self.warn_once(inst, NKI6008, facts)

    def report_missing(self, inst: Inst, name: str, view: View, missing: Array) -> None:
        """Report the elements of `view` that are marked in `missing`, if there are any."""
        if missing.any():
            first, count = first_of(missing, view), int(missing.sum())
            self.report_unwritten(inst, name, view, first, count)

    def report_unwritten(
        self, inst: Inst, name: str, view: View, first: list[int], count: int
    ) -> None:
        """Warn of elements that nothing has written, or raise NKI6002."""
        facts = {
            "tensor": view.tensor.name, "element": first, "count": count, "inst": inst.spec.label,
        }  # fmt: skip
        self.unwritten(inst.loc, view.tensor, shown(inst), operand=name, **facts)

    def unwritten(
        self, loc: SrcLoc, place: Any, operands: list[tuple[str, str]], **facts: object
    ) -> None:
        """Warn that what the line `loc` reads of `place` was never written, or raise NKI6002."""
        key = (NKI6001, loc, place.name)
        if key in self._seen and not self.options.strict:
            return
        self._seen.add(key)
        how = ", with nisa.memset or by covering all of it"
        if place.space is Space.register:
            how = ", with nisa.register_load or nisa.register_move"
        code = NKI6002 if self.options.strict else NKI6001
        found = diagnostic(Problem(code, {**facts, "how": how}), loc, operands)
        self.diagnostics.append(found)
        if self.options.strict:
            raise NkiError([found])


def _dtype(inst: Inst, operand: Operand) -> DType | None:
    view = getattr(inst, operand.name)
    return view.dtype if isinstance(view, View) else None


def _is_int(inst: Inst, operand: Operand) -> bool:
    dtype = _dtype(inst, operand)
    return dtype is not None and dtype.is_int


def first_of(marked: Array, view: View) -> list[int]:
    """The first marked element of a view, as indices into its tensor."""
    steps = zip(np.argwhere(marked)[0].tolist(), view.strides, strict=True)
    place = view.const_offset + sum(i * s for i, s in steps)
    tensor = view.tensor
    place = place * view.dtype.itemsize // tensor.dtype.itemsize
    return [int(i) for i in np.unravel_index(place, tensor.shape)]


def shown(inst: Inst) -> list[tuple[str, str]]:
    """Names and types of the operands of `inst`, as diagnostics list them."""
    return [(o.name, describe(v)) for o, v in inst.views()]
