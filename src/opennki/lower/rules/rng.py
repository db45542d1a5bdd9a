"""Random numbers: BIR has two opcodes for rng, and says whose generator is seeded."""

from __future__ import annotations

from typing import Final

from opennki.birpy import Instruction
from opennki.birpy.enums import MemsetMode
from opennki.ir import Inst
from opennki.isa.enums import Engine
from opennki.isa.fill import MemsetOp
from opennki.isa.rng import RngOp, SundaSetRandState
from opennki.lower.table import Attrs, Rule


def _opcode(inst: RngOp) -> str:
    """Source: KLR lowering, rng, for the Memset; BIR data model, Rng: it is GpSimd's."""
    return RngOp.spec.bir if inst.engine is Engine.POOL else MemsetOp.spec.bir


def _attrs(inst: RngOp) -> Attrs:
    if inst.engine is Engine.POOL:
        return {}
    return {"mode": MemsetMode.Random, "constant": 0}


def _key(inst: RngOp) -> object:
    return inst.engine


def _seeded(inst: Instruction) -> type[Inst]:
    """Raises: KeyError unless the generator is that of the engine that runs the instruction."""
    of = inst.attrs.get("rng_engine", Engine.UNASSIGNED)
    known: dict[object, type[Inst]] = {
        engine: SundaSetRandState for engine in (Engine.UNASSIGNED, inst.engine)
    }
    return known[of]


def _no_attrs(inst: SundaSetRandState) -> Attrs:
    return {}


RULES: Final[dict[type[Inst], Rule]] = {
    RngOp: Rule(opcode=_opcode, attrs=_attrs, key=_key),
    SundaSetRandState: Rule(attrs=_no_attrs, means=_seeded),
}
