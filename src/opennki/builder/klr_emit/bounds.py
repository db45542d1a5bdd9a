"""Where segments of a row of ids begin and end."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, Places
from opennki.isa.bounds import GetSequenceBounds


def _bounds(inst: GetSequenceBounds, at: Places) -> klr.Operator:
    dtype = DTYPES[inst.dst.dtype]
    args = klr.SequenceBounds(at.view(inst.dst), at.view(inst.segment_ids), dtype)
    return klr.Operator("sequenceBounds", args)


EMITTERS: Final[dict[type, Any]] = {GetSequenceBounds: _bounds}
