"""Registers of the sequencers: setting, loading and storing them. Loops over them are statements.

A register is a tensor of one int32 in a memory of its own (`ir.register`); it holds 32 bits.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from opennki.base.codes import NKI2124
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import float32, int8, int16, int32, uint8, uint16, uint32
from opennki.ir import HBM, REGISTER, SBUF, Inst, Read, View, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .enums import Engine

HELD: Final = frozenset({uint8, int8, uint16, int16, uint32, int32, float32})
"""Dtypes that registers hold. Source: NKI language guide, registers."""

WORD: Final = frozenset({int32})
"""What a register is declared as."""

_LOWEST: Final = -(2**31)
_HIGHEST: Final = 2**32 - 1


def held(value: Any) -> Array:
    """An integer as a register holds it."""
    return np.reshape(np.asarray(value, np.int32), (1, 1))


@instruction(
    "register_move", emit="register_move", bir="RegisterMove", klr="RegisterMove",
    engines=(Engine.ALL,), since=SUNDA,
)  # fmt: skip
class RegisterMove(Inst):
    """Set the register `dst` to the integer `src`, or to what the register `src` holds.

    Source: NKI ISA reference, register_move.
    """

    dst: View = out(REGISTER, "1 1", WORD)
    src: View | int = inp(REGISTER, "1 1", WORD, number=True)

    def prepare(self, t: Target) -> None:
        """An unsigned number becomes the int32 with the same bits."""
        value = self.src
        if isinstance(value, int) and 2**31 <= value <= _HIGHEST:
            self.src = value - 2**32

    def check(self, t: Target) -> Problems:
        value = self.src
        if isinstance(value, View):
            return
        if not isinstance(value, int) or not _LOWEST <= value <= _HIGHEST:
            yield problem(
                NKI2124, name="src", got=value, inst=self.spec.label,
                allowed="a register or an integer of 32 bits",
            )  # fmt: skip

    def read_mode(self) -> Read:
        """Bits."""
        return Read.RAW

    def sem(self, src: Any) -> Array:
        return held(src)


@instruction(
    "register_load", emit="register_load", bir="TensorLoad", klr="TensorLoad",
    engines=(Engine.ALL,), since=SUNDA,
)  # fmt: skip
class RegisterLoad(Inst):
    """Load the one element of `src` into the register `dst`.

    Integers of fewer than 32 bits are extended by their sign, or by zeros if they have none; of
    float32 the bits are kept.

    Source: NKI ISA reference, register_load; NKI language guide for the dtypes.
    """

    dst: View = out(REGISTER, "1 1", WORD)
    src: View = inp(SBUF | HBM, "1 1", HELD)

    def read_mode(self) -> Read:
        """Bits."""
        return Read.RAW

    def sem(self, src: Array) -> Array:
        bits = src.view(np.int32) if src.itemsize == 4 else src.astype(np.int32)
        return bits.reshape(1, 1)


@instruction(
    "register_store", emit="register_store", bir="TensorSave", klr="TensorStore",
    engines=(Engine.ALL,), since=SUNDA,
)  # fmt: skip
class RegisterStore(Inst):
    """Store what the register `src` holds into the one element of `dst`, its lowest bits.

    Source: NKI ISA reference, register_store. Model: an element of fewer than 32 bits receives
    the lowest ones, and one of float32 all of them unchanged.
    """

    dst: View = out(SBUF | HBM, "1 1", HELD)
    src: View = inp(REGISTER, "1 1", WORD)

    def read_mode(self) -> Read:
        """Bits."""
        return Read.RAW

    def sem(self, src: Array) -> Array:
        width = self.dst.dtype.itemsize
        return np.ascontiguousarray(src).view(f"u{width}").reshape(-1)[:1].view(self.dst.dtype.np)
