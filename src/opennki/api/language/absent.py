"""Names that `nki.language` will have here; those of earlier versions are in `target.dialect`."""

from __future__ import annotations

from typing import Final

LATER: Final = ("dynamic_range", "fori_loop", "while_loop")
"""Names of the language that need instructions which do not exist here yet."""
