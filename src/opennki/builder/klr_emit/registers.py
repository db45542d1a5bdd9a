"""Registers. KLR has no copy from register to register: adding 0 is one."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import Places
from opennki.ir import View
from opennki.isa.registers import RegisterLoad, RegisterMove, RegisterStore


def _move(inst: RegisterMove, at: Places) -> klr.Operator:
    dst, src = at.register(inst.dst), inst.src
    if isinstance(src, View):
        copy = klr.RegisterAluOp(dst, at.register(src), 0, klr.AluOp.add)
        return klr.Operator("registerAluOp", copy)
    return klr.Operator("registerMove", klr.RegisterMove(dst, src))


def _load(inst: RegisterLoad, at: Places) -> klr.Operator:
    return klr.Operator("tensorLoad", klr.TensorLoad(at.register(inst.dst), at.view(inst.src)))


def _store(inst: RegisterStore, at: Places) -> klr.Operator:
    return klr.Operator("tensorStore", klr.TensorStore(at.view(inst.dst), at.register(inst.src)))


EMITTERS: Final[dict[type, Any]] = {
    RegisterMove: _move, RegisterLoad: _load, RegisterStore: _store,
}  # fmt: skip
