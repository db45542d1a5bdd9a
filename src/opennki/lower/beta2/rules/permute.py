"""Permutes: collectives whose ranks are named in pairs, or follow each other in a ring."""

from __future__ import annotations

from typing import Any, Final

from .collective import Kind

RULES: Final[dict[str, Any]] = {
    "collectivePermute": Kind("Permute", pairs=True),
    "collectivePermuteImplicit": Kind("PermuteImplicit", channel=True),
    "collectivePermuteImplicitReduce": Kind(
        "PermuteReduceImplicit", reduces=True, channel=True, srcs=2
    ),
}
