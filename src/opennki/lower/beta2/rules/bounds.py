"""Where segments of a row of ids begin and end: BIR's GetSequenceBounds."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.site import Site


def _bounds(op: klr.SequenceBounds, at: Site) -> Instruction:
    ids, dst = at.view(op.segmentIds), at.view(op.dst)
    return at.make("GetSequenceBounds", Engine.POOL, [ids], [dst], {})


RULES: Final[dict[str, Any]] = {"sequenceBounds": _bounds}
