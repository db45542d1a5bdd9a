"""Generated integers: the patterns of iota and affine_select. No operators live here."""

from __future__ import annotations

from opennki import klr
from opennki.isa.pattern import Pattern


def data_pattern(pattern: Pattern, offset: int, channel_multiplier: int) -> klr.DataPattern:
    """The KLR pattern of ``((step, num), ...)``, outermost first.

    Pairs have an `offset` that moves an access; these are no access, so that it is 0.
    """
    pairs = [klr.APPair(step, num, 0) for step, num in pattern]
    return klr.DataPattern(offset, pairs, channel_multiplier)
