"""Element-wise arithmetic on the vector and GpSimd engines: one, two or three input tiles."""

from __future__ import annotations

import numpy as np

from opennki.base.codes import (
    NKI2102,
    NKI2106,
    NKI2107,
    NKI2113,
    NKI2121,
    NKI2122,
    NKI2123,
    NKI2124,
    NKI2125,
)
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import float32, int32, uint32
from opennki.ir import (
    ON_CHIP,
    Given,
    Inst,
    Read,
    Space,
    View,
    attr,
    fixed_size,
    inp,
    instruction,
    out,
)
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .alu import ALU, ENGINES, INT_ALU
from .enums import AluOp, Engine
from .opcheck import (
    bitvec_problems,
    both_psum_problems,
    is_bitvec,
    op_problems,
    same_kind_problems,
)

NATIVE_INTS = frozenset({int32, uint32})


@instruction(
    "tensor_tensor", emit="tensortensor", bir="TensorTensor", klr="TensorTensor",
    engines=(Engine.DVE, Engine.POOL), since=SUNDA,
)  # fmt: skip
class TensorTensorOp(Inst):
    """Element-wise operation on two tiles: ``dst[p, f] = op(data1[p, f], data2[p, f])``.

    Arithmetic runs in float32 and is rounded to the dtype of `dst`. Bitvec operators see integer
    bit patterns. When every tile is int32 or uint32 and none is in PSUM, GpSimd runs arithmetic
    exactly in 32-bit integers; ``engine=vector`` asks for float32 instead. ``power`` exists on
    GpSimd only.

    Source: NKI ISA reference, tensor_tensor.
    """

    indirect = ("dst", "data1")

    dst: View = out(ON_CHIP, "P F")
    data1: View = inp(ON_CHIP, "P F")
    data2: View = inp(ON_CHIP, "P F")
    op: AluOp = attr(AluOp)

    def default_engine(self, t: Target) -> Engine:
        """GpSimd for power and for exact 32-bit integers in SBUF, else the vector engine."""
        if self.op is AluOp.pow:
            return Engine.POOL
        if self._native_ints() and not is_bitvec(self.op) and not self._uses_psum():
            return Engine.POOL
        return Engine.DVE

    def check(self, t: Target) -> Problems:
        yield from both_psum_problems(self, "data1", "data2")
        yield from op_problems(self, self.op, t, arity=2)
        yield from bitvec_problems(self, self.op, "dst", "data1", "data2")
        if self._native_ints() and not is_bitvec(self.op) and not self._exact():
            yield problem(NKI2125, operand="data1", dtype=self.data1.dtype)

    def read_mode(self) -> Read:
        """Bits for bitvec operators and on GpSimd's integer path, float32 otherwise."""
        return Read.RAW if is_bitvec(self.op) or self._exact() else Read.F32

    def sem(self, data1: Array, data2: Array) -> Array:
        if self._exact():
            return INT_ALU[self.op].fn(data1, data2)
        return apply(self.op, data1, data2)

    def _native_ints(self) -> bool:
        return all(v.dtype in NATIVE_INTS for v in (self.dst, self.data1, self.data2))

    def _uses_psum(self) -> bool:
        return any(v.tensor.space is Space.psum for v in (self.dst, self.data1, self.data2))

    def _exact(self) -> bool:
        return self.engine is Engine.POOL and self._native_ints() and self.op in INT_ALU


def operand_problems(inst: Inst, name: str, op: AluOp, t: Target) -> Problems:
    """The per-partition operand `name` must suit `op`.

    Unary operators take none (or 0). A tile must be float32 for arithmetic, integers for bitvec.
    """
    value, row = getattr(inst, name), ALU.get(op)
    if row is None:
        return
    if row.arity == 1:
        if isinstance(value, View) or value not in (None, 0):
            got = "a tile" if isinstance(value, View) else value
            yield problem(NKI2124, name=name, got=got, allowed="None, 0", inst=inst.spec.label)
    elif value is None:
        yield problem(NKI2122, operand=name, when=f"when the operator is {row.nki}")
    elif is_bitvec(op):
        yield from bitvec_problems(inst, op, name, cast=True)
    elif isinstance(value, View) and value.dtype != float32:
        yield problem(
            NKI2106, operand=name, got=value.dtype, allowed="float32", inst=inst.spec.label,
            target=t.title,
        )  # fmt: skip


@instruction(
    "tensor_scalar", emit="tensorscalar", bir="TensorScalarPtr", klr="TensorScalar",
    engines=(Engine.DVE, Engine.ACT, Engine.POOL), since=SUNDA,
)  # fmt: skip
class TensorScalarPtrOp(Inst):
    """One or two operators between a tile and per-partition scalars.

    ``dst = op1(op0(data, operand0), operand1)``; `reverse0` and `reverse1` swap an operator's
    inputs. Operands are numbers or (P, 1) tiles, float32 for arithmetic. Both operators are of one
    kind. The scalar engine knows multiply+add, multiply, and add only; GpSimd knows rsqrt only.

    The BIR instruction has two more forms that other classes lower into: with
    `is_scalar_tensor_tensor`, `operand1` is a whole tile; with `is_tensor_tensor_scan`, `operand0`
    is the initial value and `operand1` the second tile of a scan.

    Source: NKI ISA reference, tensor_scalar; BIR data model, TensorScalarPtr.
    """

    indirect = ("dst", "data")

    dst: View = out(ON_CHIP, "P F")
    data: View = inp(ON_CHIP, "P F")
    op0: AluOp = attr(AluOp)
    operand0: View | float | None = inp(
        ON_CHIP, "P 1", number=True, optional=True, given=Given.ANYTHING
    )
    reverse0: bool = attr(bool, False)
    op1: AluOp = attr(AluOp, AluOp.bypass)
    operand1: View | float | None = inp(ON_CHIP, "P *", number=True, optional=True)
    reverse1: bool = attr(bool, False)
    is_scalar_tensor_tensor: bool = attr(bool, False, surface=False)
    is_tensor_tensor_scan: bool = attr(bool, False, surface=False)

    def default_engine(self, t: Target) -> Engine:
        """GpSimd when an operator (rsqrt, power) exists only there, else the vector engine."""
        on_vector = all(Engine.DVE in ENGINES.get(op, ()) for op in (self.op0, self.op1))
        return Engine.DVE if on_vector else Engine.POOL

    def check(self, t: Target) -> Problems:
        wrong_engine = list(self._engine_problems(t))
        yield from wrong_engine
        for op in (self.op0, self.op1):
            if not wrong_engine:  # else the same thing twice
                yield from op_problems(self, op, t)
            yield from bitvec_problems(self, op, "data", "dst")
        yield from same_kind_problems(self.op0, self.op1)
        if self.is_scalar_tensor_tensor or self.is_tensor_tensor_scan:
            yield from self._second_tile_problems()
        else:
            yield from self._operand_problems(t)

    def _operand_problems(self, t: Target) -> Problems:
        yield from operand_problems(self, "operand0", self.op0, t)
        if self.op1 is not AluOp.bypass:
            yield from operand_problems(self, "operand1", self.op1, t)
        elif self.operand1 is not None:
            yield problem(NKI2123, operand="operand1", when="when op1 is not given")
        if isinstance(self.operand1, View) and self.operand1.free_size != 1:
            want = (self.operand1.shape[0], 1)
            facts = fixed_size("operand1", self.operand1.shape, want)
            yield problem(NKI2107, inst=self.spec.label, **facts)

    def _second_tile_problems(self) -> Problems:
        tile = self.operand1
        if not isinstance(tile, View):
            yield problem(NKI2121, operand="operand1", got=tile, inst=self.spec.label)
        elif tile.free_size != self.data.free_size:
            yield problem(
                NKI2102, operand="operand1", got=tile.free_size, want=self.data.free_size,
                other="data", inst=self.spec.label,
            )  # fmt: skip

    def _engine_problems(self, t: Target) -> Problems:
        if is_bitvec(self.op0) and self.engine not in (None, Engine.DVE):
            yield problem(
                NKI2113, inst=self.spec.label, got=self.engine.nki, allowed="vector",
                why="bitvec operators exist there only",
            )  # fmt: skip
        elif self.engine is Engine.ACT:
            pair = (self.op0, self.op1)
            if not t.has("act_tensor_scalar") or pair not in _ON_ACT:
                yield problem(
                    NKI2113, inst=self.spec.label, got="scalar", allowed="vector",
                    why="the scalar engine runs multiply+add, multiply, or add, from trn2 on",
                )  # fmt: skip
        elif self.engine is Engine.POOL and not {self.op0, self.op1} & _ON_POOL:
            yield problem(
                NKI2113, inst=self.spec.label, got="gpsimd", allowed="vector",
                why="GpSimd runs tensor_scalar for rsqrt and power only",
            )  # fmt: skip

    def read_mode(self) -> Read:
        """Bits for bitvec operators, float32 otherwise."""
        return Read.RAW if is_bitvec(self.op0) else Read.F32

    def sem(self, data: Array, operand0: Array, operand1: Array) -> Array:
        if self.is_tensor_tensor_scan:
            steps = ((self.op0, self.reverse0), (self.op1, self.reverse1))
            return scan(steps, data, operand1, operand0)
        first = apply(self.op0, data, operand0, self.reverse0)
        return apply(self.op1, first, operand1, self.reverse1)


_ON_ACT = frozenset(
    {(AluOp.mult, AluOp.add), (AluOp.mult, AluOp.bypass), (AluOp.add, AluOp.bypass)}
)
_ON_POOL = frozenset({AluOp.rsqrt, AluOp.pow})


Step = tuple[AluOp, bool]
"""An operator, and whether its inputs are swapped."""


def apply(op: AluOp, left: Array, right: Array, swap: bool = False) -> Array:
    """``left op right``, or ``right op left`` when `swap`; unary operators see `left` only."""
    if op is AluOp.bypass:
        return left
    row = ALU[op]
    if row.arity == 1:
        return row.fn(left)
    if row.kind == "bitvec":
        right = _bits(right, left.dtype)
    return row.fn(right, left) if swap else row.fn(left, right)


def _bits(value: Array, like: np.dtype[np.generic]) -> Array:
    """`value` as bits of the integer dtype `like`; a number is cut to its width.

    Model: a tile of another width keeps its own, and the wider of the two holds the result.
    """
    if np.ndim(value) == 0:
        width = 8 * like.itemsize
        return np.asarray(int(value) % (1 << width), f"u{like.itemsize}").view(like)
    return value.view(like) if value.dtype.itemsize == like.itemsize else value


def scan(steps: tuple[Step, Step], data0: Array, data1: Array, initial: Array) -> Array:
    """``r[f] = op1(op0(data0[f], r[f - 1]), data1[f])`` along the free dimension, in float32.

    Args: steps, op0 and op1 with their swaps; data0 and data1, (P, F); initial, the value before
    the first: a number or (P, 1). Returns: (P, F).
    """
    (op0, swap0), (op1, swap1) = steps
    result = np.empty(data0.shape, np.float32)
    last = np.broadcast_to(np.asarray(initial, np.float32).reshape(-1, 1), (len(data0), 1))[:, 0]
    for f in range(data0.shape[1]):
        last = apply(op1, apply(op0, data0[:, f], last, swap0), data1[:, f], swap1)
        result[:, f] = last
    return result


@instruction(
    "scalar_tensor_tensor", emit="scalartensortensor", bir="TensorScalarPtr",
    klr="NcScalarTensorTensor", engines=(Engine.DVE,), since=SUNDA, owner=False,
)  # fmt: skip
class ScalarTensorTensorOp(Inst):
    """Two operators in one pass: ``dst = op1(op0(data, operand0), operand1)``.

    `operand0` is a number or a (P, 1) tile, `operand1` a tile like `data`. Arithmetic operators
    only; `data` and `operand1` cannot both be in PSUM.

    Source: NKI ISA reference, scalar_tensor_tensor.
    """

    dst: View = out(ON_CHIP, "P F")
    data: View = inp(ON_CHIP, "P F")
    op0: AluOp = attr(AluOp)
    operand0: View | float = inp(ON_CHIP, "P 1", number=True)
    op1: AluOp = attr(AluOp)
    operand1: View = inp(ON_CHIP, "P F")
    reverse0: bool = attr(bool, False)
    reverse1: bool = attr(bool, False)

    def check(self, t: Target) -> Problems:
        for op in (self.op0, self.op1):
            yield from op_problems(self, op, t, arity=2, kind="arithmetic")
        yield from both_psum_problems(self, "data", "operand1")

    def sem(self, data: Array, operand0: Array, operand1: Array) -> Array:
        first = apply(self.op0, data, operand0, self.reverse0)
        return apply(self.op1, first, operand1, self.reverse1)


@instruction(
    "reciprocal", emit="reciprocal", bir="Reciprocal", klr="Reciprocal", engines=(Engine.DVE,),
    since=SUNDA,
)  # fmt: skip
class ReciprocalOp(Inst):
    """Element-wise ``1 / data`` in float32 on the vector engine.

    Source: NKI ISA reference, reciprocal.
    """

    dst: View = out(ON_CHIP, "P F")
    data: View = inp(ON_CHIP, "P F")

    def sem(self, data: Array) -> Array:
        return ALU[AluOp.reciprocal].fn(data)
