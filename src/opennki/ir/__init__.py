"""The alphabet of every level: tensors, views, and the declaration of instructions."""

from .inst import PARTITIONS, Company, Inst, Met, Place, instruction
from .masked import Masked
from .scalar import ScalarFn
from .shapes import fixed_size, problems, signature, snake_group
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
    inputs,
    out,
    state,
)
from .tensor import ANYWHERE, HBM, ON_CHIP, PSUM, REGISTER, SBUF, Role, Space, Tensor, register
from .view import (
    INDICES,
    Index,
    IndirectView,
    View,
    changed,
    compact,
    describe,
    distinct,
    row_major,
)

__all__ = [
    "ANYWHERE", "HBM", "INDICES", "ON_CHIP", "PARTITIONS", "PSUM", "REGISTER", "SBUF", "Access",
    "Attribute", "Company", "Given", "Index", "IndirectView", "Inst", "InstrSpec", "Masked",
    "Met", "Operand", "Place", "Read", "Register", "Role", "ScalarFn", "Space", "Tensor",
    "View", "attr", "changed", "compact", "describe", "distinct", "fixed_size", "inout", "inp",
    "inputs", "instruction", "out", "problems", "register", "row_major", "signature", "snake_group",
    "state",
]  # fmt: skip
