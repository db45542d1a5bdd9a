"""The alphabet of every level: tensors, views, and the declaration of instructions."""

from .inst import PARTITIONS, Company, Inst, Met, Place, instruction
from .masked import Masked
from .scalar import ScalarFn
from .shapes import fixed_size, problems, signature
from .spec import (
    Access,
    Attribute,
    Given,
    InstrSpec,
    Operand,
    Read,
    Register,
    attr,
    inout,
    inp,
    out,
    state,
)
from .tensor import ANYWHERE, HBM, ON_CHIP, PSUM, SBUF, Role, Space, Tensor
from .view import View, compact, describe, distinct, row_major

__all__ = [
    "ANYWHERE", "HBM", "ON_CHIP", "PARTITIONS", "PSUM", "SBUF", "Access", "Attribute",
    "Company", "Given", "Inst", "InstrSpec", "Masked", "Met", "Operand", "Place", "Read",
    "Register", "Role", "ScalarFn", "Space", "Tensor", "View", "attr", "compact", "describe",
    "distinct", "fixed_size", "inout", "inp", "instruction", "out", "problems", "row_major",
    "signature", "state",
]  # fmt: skip
