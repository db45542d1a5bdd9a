"""Numbers that generated instructions have: where conversions change, and what little is legal."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan
from typing import Final

from opennki.isa.gather import RUNS

NUMBERS: Final = (
    0, 1, -1, 3, 0.0, -0.0, 1.0, 0.5, -2.5, 0.1, 1e-45, -1.1754944e-38, 3.4028234663852886e38,
    65504.0, 255, 256, -129, 2**24 + 1, 2**31 - 1, -(2**31), 2**32 - 1, inf, -inf, nan,
)  # fmt: skip
"""Numbers at which conversions change their ways."""

LEGAL: Final[Mapping[str, tuple[int, ...]]] = {"num_elem_per_idx": RUNS, "n": (8, 9, 42, 64)}
"""Values of the attributes, by name, for which next to none of `NUMBERS` is legal."""
