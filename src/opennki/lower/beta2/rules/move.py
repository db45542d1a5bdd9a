"""Copies on chip, and printing from the device."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.birpy.enums import DeviceBuffer
from opennki.isa.enums import Engine
from opennki.lower.beta2.enums import ENGINES
from opennki.lower.beta2.site import Site

_BUFFERS: Final = {
    klr.PrintOutputBuffer.stdout: DeviceBuffer.stdout,
    klr.PrintOutputBuffer.stderr: DeviceBuffer.stderr,
}  # fmt: skip


def _copy(op: klr.NcCopy, at: Site) -> Instruction:
    """A copy whose place is known at run time stays a TensorCopy, as on the other road."""
    return at.make("TensorCopy", ENGINES[op.engine], [at.view(op.src)], [at.view(op.dst)], {})


def _print(op: klr.DevicePrint, at: Site) -> Instruction:
    attrs = {"prefix": op.printPrefix, "output_buffer": _BUFFERS[op.buffer]}
    return at.make("DevicePrint", Engine.SP, [at.view(op.src)], [], attrs)


RULES: Final[dict[str, Any]] = {"ncCopy": _copy, "devicePrint": _print}
