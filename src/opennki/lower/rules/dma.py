"""DMA: NKI's priority is BIR's class of service, `oob_mode` is `oob_is_err`.

A transpose is a copy in another mode, between patterns of four dimensions; a sum is a third mode.
"""

from __future__ import annotations

from typing import Any, Final

from opennki.birpy import Instruction
from opennki.birpy.enums import CopyMode, QosClass, TransposeOp
from opennki.ir import Inst, View, changed
from opennki.isa.dma import DMACopyOp, DMATranspose
from opennki.isa.dma_compute import DMACompute
from opennki.isa.enums import AluOp, DgeMode, OobMode
from opennki.lower.table import Attrs, Fields, Rule

CLASSES: Final = {None: QosClass.Unassigned} | {n: QosClass[f"P{n}"] for n in range(4)}
"""Class of service of each priority."""

PRIORITIES: Final = {QosClass.Unassigned: None, QosClass.Default: None} | {
    QosClass[f"P{n}"]: n for n in range(8)
}
"""Priority of each class of service; NKI has the first four, and the rules of calls say so."""


def _attrs(inst: DMACopyOp | DMATranspose) -> Attrs:
    return {
        "mode": CopyMode.Copy,
        "oob_is_err": inst.oob_mode is OobMode.error,
        "dge_type": inst.dge_mode,
        "dma_qos": CLASSES[inst.priority],
    }


def _lift(inst: Instruction, fields: Fields) -> Fields:
    attrs = inst.attrs
    qos: Any = attrs.get("dma_qos", QosClass.Unassigned)
    return fields | {
        "priority": PRIORITIES[qos],
        "oob_mode": OobMode.error if attrs.get("oob_is_err", True) else OobMode.skip,
        "dge_mode": attrs.get("dge_type", DgeMode.unknown),
    }


def _transpose_attrs(inst: DMATranspose) -> Attrs:
    return _attrs(inst) | {"mode": CopyMode.Transpose, "transpose_op": TransposeOp.XZYW}


def _four(view: View) -> View:
    """`view` with dimensions of size 1 after its first, of which XZYW keeps the place."""
    ones = (1,) * (4 - len(view.shape))
    shape = (view.shape[0], *ones, *view.shape[1:])
    strides = (view.strides[0], *ones, *view.strides[1:])
    return changed(view, shape=shape, strides=strides)


_FORMS: Final[dict[object, type[Inst]]] = {
    (CopyMode.Copy, TransposeOp.NONE): DMACopyOp,
    (CopyMode.Transpose, TransposeOp.XZYW): DMATranspose,
    (CopyMode.CCE, TransposeOp.NONE): DMACompute,
}


def _class(inst: Instruction) -> type[Inst]:
    mode = inst.attrs.get("mode", CopyMode.Copy)
    if mode is CopyMode.CCE and inst.attrs.get("cce_op") is not AluOp.add:
        raise KeyError(mode)
    return _FORMS[mode, inst.attrs.get("transpose_op", TransposeOp.NONE)]


def _compute_attrs(inst: DMACompute) -> Attrs:
    rows = any(view.index is not None for _, view in inst.views())
    return {
        "mode": CopyMode.CCE,
        "cce_op": inst.reduce_op,
        "constants": tuple(map(float, inst.scales or (1.0,) * len(inst.srcs))),
        "oob_is_err": inst.oob_mode is OobMode.error,
        "dge_type": DgeMode.swdge if rows else DgeMode.none,
    }


def _compute_lift(inst: Instruction, fields: Fields) -> Fields:
    attrs = inst.attrs
    return fields | {
        "reduce_op": attrs["cce_op"],
        "scales": attrs["constants"],
        "oob_mode": OobMode.error if attrs.get("oob_is_err", True) else OobMode.skip,
    }


RULES: Final[dict[type[Inst], Rule]] = {
    DMACopyOp: Rule(attrs=_attrs, lift=_lift, means=_class),
    DMATranspose: Rule(
        attrs=_transpose_attrs, lift=_lift,
        inputs=lambda inst: (_four(inst.src),), outputs=lambda inst: (_four(inst.dst),),
    ),
    DMACompute: Rule(
        attrs=_compute_attrs, lift=_compute_lift,
        key=lambda inst: (len(inst.srcs), any(v.index is not None for _, v in inst.views())),
    ),
}  # fmt: skip
