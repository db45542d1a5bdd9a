"""Places the storages that the program itself needs in DRAM: intermediates and constants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from opennki.base.codes import NKI5009
from opennki.base.diag import Diagnostic, amount, diagnostic, problem
from opennki.birpy import MemoryLocation, MemoryType, Module, TensorKind
from opennki.target import Target

ALIGN: Final = 64
"""Bytes. Model: one DRAM burst; nothing shorter is transferred anyway."""

_OURS: Final = frozenset({TensorKind.Internal, TensorKind.Const})


def place_dram(module: Module, t: Target) -> Iterator[Diagnostic]:
    """Set `address` of internal and constant DRAM storages, one after the other.

    A shared storage has one address in all functions: those come first, in order of appearance.
    Behind them every function has its own. Arguments and results get their addresses at run time.
    Yields NKI5009 for a function whose storages, arguments and results together exceed the device
    memory of its cores.
    """
    shared: dict[str, int] = {}
    private: list[list[MemoryLocation]] = []
    top = 0
    for function in module.functions:
        mine = [
            m for m in function.memlocs.values() if m.type is MemoryType.DRAM and m.kind in _OURS
        ]
        private.append([m for m in mine if not m.shared and m.address is None])
        for loc in mine:
            if loc.address is not None:
                if loc.shared:
                    shared.setdefault(loc.name, loc.address)
                top = max(top, _round(loc.address + loc.size_bytes))
    for function in module.functions:
        for loc in function.memlocs.values():
            if loc.shared and loc.type is MemoryType.DRAM and loc.kind in _OURS:
                if loc.name not in shared:
                    shared[loc.name] = top
                    top += _round(loc.size_bytes)
                loc.address = shared[loc.name]
    for locs in private:
        end = top
        for loc in locs:
            loc.address = end
            end += _round(loc.size_bytes)
    yield from _too_large(module, t)


def _too_large(module: Module, t: Target) -> Iterator[Diagnostic]:
    capacity = t.hbm_bytes * len(module.functions)
    unique: dict[object, MemoryLocation] = {}
    for index, function in enumerate(module.functions):
        for loc in function.memlocs.values():
            if loc.type is MemoryType.DRAM:
                unique[loc.name if loc.shared else (index, loc.name)] = loc
    need = sum(loc.size_bytes for loc in unique.values())
    if need > capacity:
        largest = max(unique.values(), key=lambda loc: loc.size_bytes)
        found = problem(
            NKI5009, need=amount(need), capacity=amount(capacity), target=t.title,
            largest=largest.name, bytes=amount(largest.size_bytes),
        )  # fmt: skip
        yield diagnostic(found, largest.loc)


def _round(size: int) -> int:
    return -(-size // ALIGN) * ALIGN
