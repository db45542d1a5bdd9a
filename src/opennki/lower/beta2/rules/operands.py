"""Operands and commands that rules of several families refuse. No rules live here."""

from __future__ import annotations

from opennki import klr
from opennki.birpy import AccessPattern
from opennki.isa.enums import ReduceCmd
from opennki.lower.beta2.enums import ACCUMULATE
from opennki.lower.beta2.site import Site


def single(at: Site, *refs: klr.TensorRef | None) -> list[AccessPattern]:
    """The accesses of those operands that are there, each at one place, known before or not.

    Raises: NKI4501 for one with an index for every row or element. Source: NKI ISA reference,
    tensor indirection: few instructions have those.
    """
    return [at.single(ref) for ref in refs if ref is not None]


def command(cmd: klr.AccumCmd, at: Site) -> ReduceCmd:
    """What an instruction that has nothing to load does to the accumulators.

    Raises: NKI4501 for LoadAccumulate.
    """
    if cmd is klr.AccumCmd.LoadAccumulate:
        raise at.unsupported("accumulation command", cmd.klr)
    return ACCUMULATE[cmd]
