"""Transposes of on-chip tiles; those that a matmul with the identity spells out are in `matmul`."""

from __future__ import annotations

import numpy as np

from opennki.base.codes import NKI2103, NKI2116, NKI2212, NKI2213
from opennki.base.diag import Problems, problem
from opennki.ir import ON_CHIP, Inst, Read, Space, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .enums import Engine
from .matmul import product, spreading


@instruction(
    "nc_transpose", emit="transpose", bir="StreamTranspose", klr="Transpose",
    engines=(Engine.PE, Engine.DVE), since=SUNDA,
)  # fmt: skip
class TransposeOp(Inst):
    """Exchange partitions and free elements: ``dst[f, p] = data[p, f]``, moving bits.

    All free dimensions of `data` count as one. The vector engine takes up to 32 x 32 from and to
    SBUF or PSUM; BIR calls that StreamTranspose. The tensor engine takes up to 128 x 128 from SBUF
    to PSUM and runs it as a Matmult with the identity matrix. On gen2 such a product of floats lets
    NaN and infinity spread to other elements (and loses the sign of zero); then `bit_accurate` is
    False, which the target and the engine decide (`prepare`). The simulator warns with NKI2214 when
    it sees such data.

    Source: NKI ISA reference, nc_transpose.
    """

    dst: View = out(ON_CHIP, "...")
    data: View = inp(ON_CHIP, "...")
    bit_accurate: bool = attr(bool, True, bir="", surface=False)

    def default_engine(self, t: Target) -> Engine:
        """The vector engine for what it can hold and for memories only it can reach."""
        small = max(self.data.partitions, self.data.free_size) <= t.transpose_block
        return Engine.DVE if small or not self._pe_memories() else Engine.PE

    def prepare(self, t: Target) -> None:
        """The target and the engine say whether the transpose moves bits."""
        engine = self.engine or self.default_engine(t)
        product_of_floats = engine is Engine.PE and self.data.dtype.is_float
        self.bit_accurate = t.has("bit_accurate_transpose") or not product_of_floats

    def check(self, t: Target) -> Problems:
        engine = self.engine or self.default_engine(t)
        limit = t.pe_rows if engine is Engine.PE else t.transpose_block
        rows, cols = self.data.partitions, self.data.free_size
        if max(rows, cols) > limit:
            yield problem(
                NKI2212, operand="data", rows=rows, cols=cols, engine=engine.nki, limit=limit
            )
        for dim, got, want in (
            ("partitions", self.dst.partitions, cols),
            ("elements per partition", self.dst.free_size, rows),
        ):
            if got != want and max(rows, cols) <= limit:  # else no dst could be right
                yield problem(
                    NKI2103, operand="dst", dim=dim, got=got, want=want, other="data",
                    inst=self.spec.label,
                )  # fmt: skip
        if self.dst.dtype != self.data.dtype:
            yield problem(
                NKI2116, first="dst", first_dtype=self.dst.dtype, second="data",
                second_dtype=self.data.dtype, inst=self.spec.label,
            )  # fmt: skip
        if engine is Engine.PE:
            yield from self._memory_problems()

    def read_mode(self) -> Read:
        """Bits, except for the product that gen2 forms."""
        return Read.RAW if self.bit_accurate else Read.F32

    def watch(self, data: Array) -> Problems:
        """What a product does to NaN and infinity, on gen2."""
        return spreading(self.bit_accurate, data)

    def sem(self, data: Array) -> Array:
        rows = data.reshape(len(data), -1)
        if self.bit_accurate:
            return rows.T
        return product(rows, np.eye(len(rows), dtype=np.float32))

    def _pe_memories(self) -> bool:
        return self.data.space is Space.sbuf and self.dst.space is Space.psum

    def _memory_problems(self) -> Problems:
        for operand, view, want in (("data", self.data, Space.sbuf), ("dst", self.dst, Space.psum)):
            if view.space is not want:
                yield problem(
                    NKI2213, operand=operand, engine=Engine.PE.nki, want="sbuf to psum",
                    got=view.space,
                )  # fmt: skip
