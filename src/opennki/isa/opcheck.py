"""Rules about operators that several families share: kinds, engines, targets, dtypes."""

from __future__ import annotations

from math import isfinite

import numpy as np

from opennki.base.codes import (
    NKI2115,
    NKI2116,
    NKI2117,
    NKI2118,
    NKI2119,
    NKI2120,
    NKI2124,
    NKI2606,
)
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import PACKED, DType
from opennki.base.numerics import FLOAT32_END
from opennki.ir import Inst, Space, View
from opennki.target import Target

from .alu import ALU, ENGINES, SINCE
from .enums import AluOp, ReduceCmd


def by_element(view: View) -> bool:
    """Whether `view` has a run-time index for every element."""
    return view.index is not None and view.index.snake


def same_index(one: View, other: View) -> bool:
    """Whether two views have one run-time index, or none."""
    if one.index is None or other.index is None:
        return one.index is other.index
    return View.__eq__(one.index.source, other.index.source)  # kernels' tensors refuse ==


def is_bitvec(op: AluOp) -> bool:
    """Whether `op` works on bit patterns rather than on float32 values."""
    row = ALU.get(op)
    return row is not None and row.kind == "bitvec"


def op_problems(
    inst: Inst, op: AluOp, t: Target, *, arity: int | None = None, kind: str = ""
) -> Problems:
    """`op` must have `arity`, be of `kind`, and exist on the instruction's engine and target."""
    row = ALU.get(op)
    label = inst.spec.label
    if row is None or (arity is not None and row.arity != arity) or (kind and row.kind != kind):
        fits = [
            r.nki for r in ALU.values()
            if r.nki and (arity is None or r.arity == arity) and (not kind or r.kind == kind)
            and _exists(r.key, inst, t)
        ]  # fmt: skip
        yield problem(NKI2117, op=_nki(op), inst=label, allowed=", ".join(sorted(set(fits))))
        return
    if not _exists(op, inst, t):
        yield problem(NKI2118, op=row.nki, engine=getattr(inst.engine, "nki", ""), target=t.title)


def _exists(op: AluOp, inst: Inst, t: Target) -> bool:
    """Whether the target has the operator, on the instruction's engine if it is known."""
    first = SINCE[op] if inst.engine is None else ENGINES[op].get(inst.engine)
    return first is not None and t.order >= first


def bitvec_problems(inst: Inst, op: AluOp, *operands: str, cast: bool = False) -> Problems:
    """A bitvec operator takes integers, and never casts: tiles have the dtype of `dst`.

    With `cast`, as for operands that are vectors, any integer dtype will do.
    """
    if not is_bitvec(op):
        return
    dst: DType = inst.dst.dtype  # type: ignore[attr-defined]  # those with operators have a `dst`
    for name in operands:
        value = getattr(inst, name)
        if isinstance(value, View):
            if not value.dtype.is_int:
                yield problem(NKI2119, operand=name, op=ALU[op].nki, dtype=value.dtype)
            elif value.dtype != dst and dst.is_int and not cast:
                yield problem(
                    NKI2116, first="dst", first_dtype=dst, second=name, second_dtype=value.dtype,
                    inst=f"{inst.spec.label} with {ALU[op].nki}",
                )  # fmt: skip
        elif isinstance(value, float) and not value.is_integer():
            yield problem(NKI2119, operand=name, op=ALU[op].nki, dtype=f"the number {value}")
        elif isinstance(value, int | float) and not -(1 << 31) <= value < 1 << 32:
            yield problem(NKI2606, operand=name, value=value, dtype="an integer of 32 bits")


def same_kind_problems(op0: AluOp, op1: AluOp) -> Problems:
    """Two chained operators must both be bitvec or both arithmetic."""
    if AluOp.bypass not in (op0, op1) and is_bitvec(op0) != is_bitvec(op1):
        yield problem(NKI2120, op0=_nki(op0), op1=_nki(op1))


def both_psum_problems(inst: Inst, first: str, second: str) -> Problems:
    """The two streaming inputs cannot both come from PSUM."""
    a, b = getattr(inst, first), getattr(inst, second)
    if (
        isinstance(a, View)
        and isinstance(b, View)
        and a.tensor.space is Space.psum
        and b.tensor.space is Space.psum
    ):
        yield problem(NKI2115, first=first, second=second, inst=inst.spec.label)


def packed_problems(inst: Inst, name: str) -> Problems:
    """Packed MX dtypes are copied bit for bit: `name` and the destination must have the same."""
    dst, src = inst.dst, getattr(inst, name)  # type: ignore[attr-defined]  # copies have a `dst`
    if dst.dtype != src.dtype and (dst.dtype in PACKED or src.dtype in PACKED):
        yield problem(
            NKI2116, first="dst", first_dtype=dst.dtype, second=name, second_dtype=src.dtype,
            inst=inst.spec.label,
        )  # fmt: skip


def command_problems(inst: Inst, command: ReduceCmd, allowed: tuple[ReduceCmd, ...]) -> Problems:
    """What `inst` does to the accumulation registers is one of `allowed`."""
    if command not in allowed:
        yield problem(
            NKI2124, name="reduce_cmd", got=command.nki, inst=inst.spec.label,
            allowed=", ".join(member.nki for member in allowed),
        )  # fmt: skip


def is_float32(value: object) -> bool:
    """Whether `value` is a number (no boolean) and infinite, NaN, or finite in float32."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < FLOAT32_END
    if not isinstance(value, float | np.integer | np.floating):
        return False
    number = float(value)
    return abs(number) < FLOAT32_END or not isfinite(number)


def _nki(op: AluOp) -> str:
    row = ALU.get(op)
    return row.nki if row is not None else op.name
