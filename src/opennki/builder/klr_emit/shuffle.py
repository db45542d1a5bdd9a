"""Copies between partitions of a group of 32. A mask's entries are int immediates."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, Places
from opennki.isa.shuffle import StreamShuffleInst


def _shuffle(inst: StreamShuffleInst, at: Places) -> klr.Operator:
    mask: list[klr.Immediate] = [klr.IntImm(entry) for entry in inst.shuffle_mask]
    args = klr.Shuffle(at.view(inst.dst), at.view(inst.src), mask, DTYPES[inst.dst.dtype])
    return klr.Operator("shuffle", args)


EMITTERS: Final[dict[type, Any]] = {StreamShuffleInst: _shuffle}
