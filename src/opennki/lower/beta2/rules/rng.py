"""Random numbers: BIR has a memset for those of the vector engine, and Rng for GpSimd's."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.birpy.enums import MemsetMode
from opennki.isa.enums import Engine
from opennki.lower.beta2.enums import ENGINES
from opennki.lower.beta2.site import Site


def _rng(op: klr.Rng, at: Site) -> Instruction:
    engine, dst = ENGINES[op.engine], at.view(op.dst)
    if engine is Engine.POOL:
        return at.make("Rng", engine, [], [dst], {})
    return at.make("Memset", engine, [], [dst], {"mode": MemsetMode.Random, "constant": 0})


def _rand2(op: klr.Rand2, at: Site) -> Instruction:
    ends = [at.operand(op.min), at.operand(op.max)]
    return at.make("Rand2", Engine.DVE, ends, [at.view(op.dst)], {})


def _dropout(op: klr.Dropout, at: Site) -> Instruction:
    attrs = {"is_keep_threshold": op.thresholdType is klr.DropoutThresholdType.KeepRate}
    ins = [at.view(op.src), at.operand(op.threshold)]
    return at.make("Dropout", Engine.DVE, ins, [at.view(op.dst)], attrs)


def _seed(op: klr.SetRngSeed, at: Site) -> Instruction:
    return at.make("SetRandState", Engine.DVE, [at.view(op.src)], [], {})


def _set_state(op: klr.RandSetState, at: Site) -> Instruction:
    return at.make("RandSetState", ENGINES[op.engine], [at.view(op.src)], [], {})


def _get_state(op: klr.RandGetState, at: Site) -> Instruction:
    return at.make("RandGetState", ENGINES[op.engine], [], [at.view(op.dst)], {})


RULES: Final[dict[str, Any]] = {
    "rng": _rng, "rand2": _rand2, "dropout": _dropout, "setRngSeed": _seed,
    "randSetState": _set_state, "randGetState": _get_state,
}  # fmt: skip
