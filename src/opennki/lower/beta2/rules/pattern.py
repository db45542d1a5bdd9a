"""Generated integers, which iota writes and affine_select compares. No rules live here."""

from __future__ import annotations

from opennki import klr


def generated(pattern: klr.DataPattern) -> dict[str, object]:
    """The attributes of a pattern; the pairs' own offsets, which move accesses, mean nothing."""
    return {
        "base": pattern.offset,
        "pattern": tuple((pair.step, pair.num) for pair in pattern.pattern),
        "channel_multiplier": pattern.channelMultiplier,
    }
