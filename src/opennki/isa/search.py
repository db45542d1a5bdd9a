"""The eight largest values of each partition, where given values are, and replacing them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from opennki.base.codes import NKI2124, NKI2412, NKI2413
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import uint16, uint32
from opennki.ir import ON_CHIP, Inst, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .enums import Engine
from .opcheck import is_float32

SLOTS: Final = 8
"""Values per partition that the vector engine holds for a search."""

INDICES: Final = frozenset({uint16, uint32})
"""Dtypes of positions; all ones in either means that there is none."""

ABSENT: Final = np.uint32(0xFFFF_FFFF)
"""The position of a value that is not there; its low half in uint16."""


@instruction("max8", emit="max8", bir="Max", klr="Max8", engines=(Engine.DVE,), since=SUNDA)
class SundaMax8(Inst):
    """The 8 largest values of each partition, descending: ``dst[p] = sorted(src[p])[::-1][:8]``.

    A value that occurs more than once counts as often. Comparison is in float32, so that integers
    beyond 2**24 may be equal to their neighbours; results are rounded to the dtype of `dst`.

    Source: NKI ISA reference, max8. Each element is inserted before the first of the values so far
    that it is strictly greater than: of zeros with different signs the earlier one is first.
    Model: a NaN is greater than nothing and nothing is greater than it, so that it takes the next
    free place while there are fewer than 8 values, and moves down as others do.
    """

    dst: View = out(ON_CHIP, "P 8")
    src: View = inp(ON_CHIP, "P F", F="search_max")

    def check(self, t: Target) -> Problems:
        yield from _enough_problems(self, self.src, "src")
        yield from _walk_problems(self, dst=1, src=2)

    def sem(self, src: Array) -> Array:
        order = np.argsort(-src, axis=1, kind="stable")[:, :SLOTS]
        found = np.take_along_axis(src, order, axis=1)
        for row in np.flatnonzero(np.isnan(src).any(axis=1)):
            found[row] = _inserted(src[row])
        return found


def _inserted(row: Array) -> list[np.float32]:
    """The first 8 of the elements of `row`, each inserted before the first that it exceeds."""
    held: list[np.float32] = []
    for value in row:
        place = next((k for k, other in enumerate(held) if value > other), len(held))
        held.insert(place, value)
        del held[SLOTS:]
    return held


@instruction(
    "nc_find_index8", emit="nc_find_index8", bir="MaxIndex", klr="FindIndex8",
    engines=(Engine.DVE,), since=SUNDA,
)  # fmt: skip
class SundaMaxIndex8(Inst):
    """Where each of 8 values first occurs in `data`: ``data[p, dst[p, k]] == vals[p, k]``.

    Positions count from 0 in the order in which `data` is walked. A value that is in `vals` more
    than once gets its successive occurrences, in ascending order of the slots. Where there is none
    (left), the position is all ones: 0xFFFFFFFF in uint32, 0xFFFF in uint16. Comparison is in
    float32: zeros of both signs are equal, and a NaN equals nothing.

    Source: NKI ISA reference, nc_find_index8.
    """

    dst: View = out(ON_CHIP, "P 8", INDICES)
    data: View = inp(ON_CHIP, "P F", F="search_max")
    vals: View = inp(ON_CHIP, "P 8")

    def check(self, t: Target) -> Problems:
        yield from _enough_problems(self, self.data, "data")
        yield from _walk_problems(self, dst=1, data=2, vals=2)

    def sem(self, data: Array, vals: Array) -> Array:
        return _positions(data, vals, range(SLOTS))


@instruction(
    "nc_match_replace8", emit="nc_match_replace8", bir="MatchReplace", klr="MatchReplace8",
    engines=(Engine.DVE,), since=SUNDA,
)  # fmt: skip
class SundaMatchReplace8(Inst):
    """Replace the first occurrence of each of 8 values in `data` by the number `imm`.

    All other elements are copied; they and `imm` are rounded to the dtype of `dst`, which may be
    `data` itself. A value that is in `vals` n times is replaced in n places. `dst_idx` receives the
    positions, of a value that is in `vals` more than once in descending order of the slots: the
    first occurrence belongs to the highest slot, the other way around than in nc_find_index8.
    Comparison is in float32: zeros of both signs are equal, and a NaN equals nothing.

    With `dst_idx` it is BIR's MaxIndexAndMatchReplace.

    Source: NKI ISA reference, nc_match_replace8. Model: a place is replaced at most once, whatever
    `imm` is; `dst_idx` has the dtypes of nc_find_index8, and is all ones where a value is absent.
    """

    dst: View = out(ON_CHIP, "P F")
    data: View = inp(ON_CHIP, "P F", F="search_max")
    vals: View = inp(ON_CHIP, "P 8")
    imm: float = attr(float, bir="imm_value")
    dst_idx: View | None = out(ON_CHIP, "P 8", INDICES, optional=True)

    def check(self, t: Target) -> Problems:
        yield from _replace_problems(self, self.data, self.imm)

    def sem(self, data: Array, vals: Array) -> tuple[Array, Array]:
        return _replaced(data, vals, self.imm)


@instruction(
    emit="nc_match_replace_indices8", bir="MaxIndexAndMatchReplace", klr="MatchReplace8",
    engines=(Engine.DVE,), since=SUNDA,
)  # fmt: skip
class MaxIndexAndMatchReplace(Inst):
    """What BIR's opcode of this name means when it is read: nc_match_replace8 with `dst_idx`.

    Source: BIR data model, MaxIndexAndMatchReplace.
    """

    dst: View = out(ON_CHIP, "P F")
    dst_idx: View = out(ON_CHIP, "P 8", INDICES)
    data: View = inp(ON_CHIP, "P F", F="search_max")
    vals: View = inp(ON_CHIP, "P 8")
    imm: float = attr(float, bir="imm_value")

    def check(self, t: Target) -> Problems:
        yield from _replace_problems(self, self.data, self.imm)

    def sem(self, data: Array, vals: Array) -> tuple[Array, Array]:
        return _replaced(data, vals, self.imm)


def _replace_problems(inst: Inst, data: View, imm: float) -> Problems:
    yield from _enough_problems(inst, data, "data")
    if not is_float32(imm):
        yield problem(
            NKI2124, name="imm", got=imm, allowed="numbers that float32 can hold",
            inst=inst.spec.label,
        )  # fmt: skip


def _enough_problems(inst: Inst, view: View, name: str) -> Problems:
    """A search needs as many elements as it has slots."""
    if view.free_size < SLOTS:
        yield problem(
            NKI2412, operand=name, got=view.free_size, want=SLOTS, inst=inst.spec.label,
        )  # fmt: skip


def _walk_problems(inst: Inst, **limits: int) -> Problems:
    """Operands walk at most so many free dimensions; those of size 1 do not count."""
    for name, limit in limits.items():
        walked = sum(size > 1 for size in getattr(inst, name).shape[1:])
        if walked > limit:
            yield problem(
                NKI2413, operand=name, got=walked, limit=limit, inst=inst.spec.label,
            )  # fmt: skip


def _replaced(data: Array, vals: Array, imm: float) -> tuple[Array, Array]:
    """`data` with the matches of `vals` replaced, and their positions."""
    indices = _positions(data, vals, reversed(range(SLOTS)))
    rows, slots = np.nonzero(indices != ABSENT)
    replaced = data.copy()
    replaced[rows, indices[rows, slots]] = np.float32(imm)
    return replaced, indices


def _positions(data: Array, vals: Array, order: Iterable[int]) -> Array:
    """Position in `data` of each of `vals`, as uint32; slots choose in `order`, each another."""
    rows = np.arange(len(data))
    indices = np.full(vals.shape, ABSENT)
    free: Array = np.ones(data.shape, np.bool_)
    for slot in order:
        hits = free & (data == vals[:, slot : slot + 1])
        first = hits.argmax(axis=1)
        found = hits[rows, first]
        indices[found, slot] = first[found]
        free[rows[found], first[found]] = False
    return indices
