"""The first generation of the language: symbolic loops, index expressions, masks, tile values."""

from .index import IndexExpr, Mask, arange, mgrid
from .loops import SymbolicLoops, affine_range, sequential_range
from .tiles import ClassicTensor, Window, covering

__all__ = [
    "ClassicTensor", "IndexExpr", "Mask", "SymbolicLoops", "Window", "affine_range", "arange",
    "covering", "mgrid", "sequential_range",
]  # fmt: skip
