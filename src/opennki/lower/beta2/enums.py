"""Enumerations of KLR as those of BIR. Source: KLR lowering, "Enum maps KLR -> BIR".

Two maps differ from what is published, so that both roads say the same: `Accumulate` becomes BIR's
Accumulate, not AddAccumulate, and LoadAccumulate is not refused, because NKI has it (see
docs/design/roads.md).
"""

from __future__ import annotations

from typing import Final

from opennki import klr
from opennki.birpy.enums import BranchCompareOp
from opennki.isa import enums as isa

ENGINES: Final = {
    klr.Engine.unassigned: isa.Engine.UNASSIGNED, klr.Engine.act: isa.Engine.ACT,
    klr.Engine.dma: isa.Engine.DMA, klr.Engine.dve: isa.Engine.DVE, klr.Engine.pe: isa.Engine.PE,
    klr.Engine.pool: isa.Engine.POOL, klr.Engine.sp: isa.Engine.SP,
}  # fmt: skip

ALU: Final = {op: isa.AluOp[op.klr] for op in klr.AluOp}
"""By name."""

ACCUMULATE: Final = {
    klr.AccumCmd.Idle: isa.ReduceCmd.Idle, klr.AccumCmd.Zero: isa.ReduceCmd.Zero,
    klr.AccumCmd.Accumulate: isa.ReduceCmd.Accumulate,
    klr.AccumCmd.ZeroAccumulate: isa.ReduceCmd.ZeroAccumulate,
    klr.AccumCmd.LoadAccumulate: isa.ReduceCmd.LoadAccumulate,
}  # fmt: skip

AXES: Final = (isa.AxisList.X, isa.AxisList.XY, isa.AxisList.XYZ, isa.AxisList.XYZW)
"""Of a `TensorSubDim`, by its number."""

DGE: Final = (isa.DgeMode.unknown, isa.DgeMode.swdge, isa.DgeMode.hwdge, isa.DgeMode.none)
"""Of the number `dgeMode`."""

PERF: Final = {
    klr.MatmulPerfMode.None_: isa.MatmulPerfMode.NONE,
    klr.MatmulPerfMode.DoubleRow: isa.MatmulPerfMode.DOUBLE_ROW,
}  # fmt: skip

BRANCHES: Final = dict(zip(list(klr.BrCmpOp)[1:], BranchCompareOp, strict=True))
"""All but `always`, in the same order."""

REVERSED: Final = {
    klr.TensorScalarReverseOps.none: (False, False),
    klr.TensorScalarReverseOps.first: (True, False),
    klr.TensorScalarReverseOps.second: (False, True),
    klr.TensorScalarReverseOps.both: (True, True),
}
"""Which of the two operators have their operands exchanged."""

_FUNCTIONS: Final = {"log": "Ln", "silu_dx": "Derivative_silu"}


def _function(func: klr.ActivationFunc) -> isa.ActFunc:
    """``exp`` -> Exp, ``erf_dx`` -> Derivative_Erf; two have names of their own."""
    name = func.klr
    if name in isa.ActFunc.__members__:
        return isa.ActFunc[name]
    if name.endswith("_dx"):
        return isa.ActFunc[_FUNCTIONS.get(name, f"Derivative_{_first_up(name[:-3])}")]
    return isa.ActFunc[_FUNCTIONS.get(name, _first_up(name))]


def _first_up(name: str) -> str:
    return name[:1].upper() + name[1:]


FUNCTIONS: Final = {func: _function(func) for func in klr.ActivationFunc}
