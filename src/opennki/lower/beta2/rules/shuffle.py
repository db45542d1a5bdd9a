"""Copies between partitions of a group of 32: BIR's StreamShuffle."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.site import Site


def _shuffle(op: klr.Shuffle, at: Site) -> Instruction:
    attrs = {"mask": tuple(at.integer(entry, "shuffleMask") for entry in op.shuffleMask)}
    return at.make("StreamShuffle", Engine.DVE, [at.view(op.src)], [at.view(op.dst)], attrs)


RULES: Final[dict[str, Any]] = {"shuffle": _shuffle}
