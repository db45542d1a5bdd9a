"""Operators of KLR that are not lowered, and why. Those of every other kind have a rule.

Source: KLR lowering, section 5, "rejects kinds". They are the machine's own forms of operators that
kernels do call, or exchanges for which no call and no opcode is published.
"""

from __future__ import annotations

from typing import Final

_MACHINE: Final = "it is the machine's form of {}, which has the same as operands"
_EXCHANGE: Final = "no call makes it, and BIR has no opcode for it; {}"

REFUSED: Final[dict[str, str]] = {
    "activate": _MACHINE.format("ncActivate"),
    "affineSelect": _MACHINE.format("ncAffineSelect"),
    "copy": _MACHINE.format("ncCopy"),
    "dmaCopy": _MACHINE.format("ncDmaCopy"),
    "loadMaskRegister": "it sets a register of the vector engine that no operator here reads",
    "loadStationary": "it is half of ncMatMul, which has both operands",
    "localGather": _MACHINE.format("ncLocalGather"),
    "matMul": "it is half of ncMatMul, which has both operands",
    "matchValueLoad": "findIndex8 and matchReplace8 have the values that it loads as an operand",
    "rangeSelect": _MACHINE.format("ncRangeSelect"),
    "scalarTensorTensor": _MACHINE.format("ncScalarTensorTensor"),
    "sendRecvCompute": _EXCHANGE.format("sendRecv brings the tensors, and dmaCompute adds them up"),
    "broadcast": _EXCHANGE.format("allGather gives every rank the tensors of all"),
    "send": _EXCHANGE.format("sendRecv sends and receives"),
    "recv": _EXCHANGE.format("sendRecv sends and receives"),
    "extendedInst": "its words are those of the machine, and nothing says what they do",
}
"""Operator -> why it is refused (NKI4501)."""
