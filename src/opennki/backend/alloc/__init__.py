"""Allocation: lives of storages, addresses in SBUF, PSUM and DRAM, and the occupancy report.

Works on the module it is given: `address` and `bank` of its storages are set in place, `new` of
its loops becomes a list without those that nothing uses, and nothing else changes. Who wants
to see the module as it was keeps its text.
"""

from .dram import place_dram
from .liveness import Liveness, forget_unused, liveness
from .psum import place_psum
from .report import Occupancy, Report, occupancy
from .sbuf import place_sbuf

__all__ = [
    "Liveness", "Occupancy", "Report", "forget_unused", "liveness", "occupancy", "place_dram",
    "place_psum", "place_sbuf",
]  # fmt: skip
