"""Passes over Penguin, one a file."""

from typing import Any, Final

from opennki.base.passes import Pass

from .simplify_indices import SimplifyIndices
from .unroll_loops import UnrollLoops

PASSES: Final[tuple[type[Pass[Any]], ...]] = (SimplifyIndices, UnrollLoops)
"""Every pass over Penguin, by name in texts."""

__all__ = ["PASSES", "SimplifyIndices", "UnrollLoops"]
