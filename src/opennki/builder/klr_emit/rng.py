"""Random numbers. Which generator an engine has is not said: the target decides."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, ENGINES, Places
from opennki.isa.rng import (
    DropoutMaskInst,
    Rand2Op,
    RandGetState,
    RandSetState,
    RngOp,
    SundaSetRandState,
)


def _rng(inst: RngOp, at: Places) -> klr.Operator:
    return klr.Operator("rng", klr.Rng(at.view(inst.dst), ENGINES[inst.engine]))


def _rand2(inst: Rand2Op, at: Places) -> klr.Operator:
    args = klr.Rand2(at.view(inst.dst), at.operand(inst.min), at.operand(inst.max))
    return klr.Operator("rand2", args)


def _dropout(inst: DropoutMaskInst, at: Places) -> klr.Operator:
    kind = klr.DropoutThresholdType
    args = klr.Dropout(
        at.view(inst.dst), at.view(inst.data),
        kind.KeepRate if inst.is_keep_threshold else kind.DropRate, at.operand(inst.prob),
        DTYPES[inst.dst.dtype],
    )  # fmt: skip
    return klr.Operator("dropout", args)


def _seed(inst: SundaSetRandState, at: Places) -> klr.Operator:
    return klr.Operator("setRngSeed", klr.SetRngSeed(at.view(inst.src_seeds)))


def _set_state(inst: RandSetState, at: Places) -> klr.Operator:
    args = klr.RandSetState(at.view(inst.src_seeds), ENGINES[inst.engine])
    return klr.Operator("randSetState", args)


def _get_state(inst: RandGetState, at: Places) -> klr.Operator:
    return klr.Operator("randGetState", klr.RandGetState(at.view(inst.dst), ENGINES[inst.engine]))


EMITTERS: Final[dict[type, Any]] = {
    RngOp: _rng, Rand2Op: _rand2, DropoutMaskInst: _dropout, SundaSetRandState: _seed,
    RandSetState: _set_state, RandGetState: _get_state,
}  # fmt: skip
