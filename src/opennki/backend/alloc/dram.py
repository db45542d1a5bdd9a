"""Places the storages that the program itself needs in DRAM: intermediates and constants."""

from __future__ import annotations

from typing import Final

from opennki.birpy import MemoryLocation, Module, TensorKind

ALIGN: Final = 64
"""Bytes. Model: one DRAM burst; nothing shorter is transferred anyway."""

_OURS: Final = frozenset({TensorKind.Internal, TensorKind.Const})


def place_dram(module: Module) -> None:
    """Set `address` of internal and constant DRAM storages, one after the other.

    A shared storage has one address in all functions: those come first, in order of appearance.
    Behind them every function has its own. Arguments and results get their addresses at run time.
    """
    shared: dict[str, int] = {}
    private: list[list[MemoryLocation]] = []
    top = 0
    for function in module.functions:
        mine = [m for m in function.memlocs.values() if not m.on_chip and m.kind in _OURS]
        private.append([m for m in mine if not m.shared and m.address is None])
        for loc in mine:
            if loc.address is not None:
                if loc.shared:
                    shared.setdefault(loc.name, loc.address)
                top = max(top, _round(loc.address + loc.size_bytes))
    for function in module.functions:
        for loc in function.memlocs.values():
            if loc.shared and not loc.on_chip and loc.kind in _OURS:
                if loc.name not in shared:
                    shared[loc.name] = top
                    top += _round(loc.size_bytes)
                loc.address = shared[loc.name]
    for locs in private:
        end = top
        for loc in locs:
            loc.address = end
            end += _round(loc.size_bytes)


def _round(size: int) -> int:
    return -(-size // ALIGN) * ALIGN
