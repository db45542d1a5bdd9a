"""The first generation of the language (`neuronxcc.nki`): not available yet, and says so."""

from __future__ import annotations

from typing import NoReturn

_MISSING = (
    "neuronxcc.nki.{} belongs to the first generation of NKI, which opennki does not run yet: "
    "symbolic loops, nl.arange and masks, tiles as return values. Kernels of the present "
    "generation import nki, nki.language and nki.isa."
)


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(_MISSING.format(name))
