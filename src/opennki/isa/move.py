"""Copies between tiles on chip, and printing a tensor from the device."""

from __future__ import annotations

from opennki.base.codes import NKI2113
from opennki.base.diag import Problems, problem
from opennki.ir import ANYWHERE, ON_CHIP, Inst, Read, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .enums import Engine
from .opcheck import by_element, packed_problems


@instruction(
    "tensor_copy", emit="tensor_copy", bir="TensorCopy", klr="NcCopy",
    engines=(Engine.DVE, Engine.ACT, Engine.POOL), since=SUNDA,
)  # fmt: skip
class TensorCopyOp(Inst):
    """Copy a tile on chip: ``dst[p, f] = src[p, f]``.

    Bits are kept when the dtypes are equal; otherwise every element goes through float32. The
    scalar engine copies from trn2 on.

    Source: NKI ISA reference, tensor_copy.
    """

    indirect = ("dst", "src")

    dst: View = out(ON_CHIP, "P F")
    src: View = inp(ON_CHIP, "P F")

    def check(self, t: Target) -> Problems:
        if self.engine is Engine.ACT and not t.has("act_copy"):
            yield problem(
                NKI2113, inst=self.spec.label, got="scalar", allowed="vector, gpsimd",
                why="the scalar engine copies tiles from trn2 on; use activation(op=nl.copy)",
            )  # fmt: skip
        if self.engine is Engine.POOL and any(by_element(v) for v in (self.dst, self.src)):
            yield problem(
                NKI2113, inst=self.spec.label, got="gpsimd", allowed="vector, scalar",
                why="an operand has a run-time index for every element",
            )  # fmt: skip
        yield from packed_problems(self, "src")

    def read_mode(self) -> Read:
        """Bits when the dtypes are equal, float32 otherwise."""
        return Read.RAW if self.dst.dtype == self.src.dtype else Read.F32

    def sem(self, src: Array) -> Array:
        return src


@instruction(emit="device_print", bir="DevicePrint", klr="DevicePrint", engines=(Engine.SP,))
class NeuronPrintInst(Inst):
    """Print `src` under the heading `prefix` while the kernel runs; nothing is written.

    Source: BIR data model, DevicePrint; NKI language reference, device_print.
    """

    src: View = inp(ANYWHERE, "...", read=Read.RAW)
    prefix: str = attr(str)

    def sem(self, src: Array) -> None:
        return None
