"""`Masked`: what `sem` returns for an output of which only some elements are written."""

from __future__ import annotations

from dataclasses import dataclass

from .scalar import Array


@dataclass(frozen=True)
class Masked:
    """New values of an output, to be stored only where `mask` is true.

    The other elements keep their bits and whether they are initialised; they are neither read nor
    written. A class of its own rather than a tuple, because a tuple means several outputs.

    Attributes: values, like any result of `sem` (float32 to be rounded, or the storage's own dtype
    to be stored bit for bit); mask, booleans of the same shape.
    """

    values: Array
    mask: Array
