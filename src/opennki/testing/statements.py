"""Single statements of the second road, for tests: KLR of one instruction, BIR of one operator."""

from __future__ import annotations

from opennki import klr
from opennki.base.dtypes import DType, float32
from opennki.base.loc import UNKNOWN
from opennki.birpy.printer import print_instruction
from opennki.builder.klr_emit import EMITTERS
from opennki.builder.klr_places import Places
from opennki.ir import Inst, Space, Tensor, View, row_major
from opennki.lower.beta2.rules import RULES
from opennki.lower.beta2.site import Site, Storages
from opennki.target import target


def tile(name: str, *dims: int, dtype: DType = float32, space: Space = Space.sbuf) -> View:
    """All elements of a tensor of its own."""
    return View(Tensor(name, dims, dtype, space, loc=UNKNOWN), 0, dims, row_major(dims), dtype)


def whole(name: str, *dims: int, dtype: DType = float32) -> klr.TensorRef:
    """All elements of a tensor of its own in SBUF, as an operand of KLR."""
    return Places().view(tile(name, *dims, dtype=dtype))


def number(value: float) -> klr.Operand:
    """A float as an operand of KLR."""
    return klr.Imm(klr.FloatImm(value))


def lowered(kind: str, args: klr.Node, on: str = "trn3") -> str:
    """The text of the instruction that an operator becomes on a target. Raises: as its rule."""
    site = Site(Storages({}, {}), target(on), 0, 1)
    site.name = "I-0"
    op = klr.Operator(kind, args)
    site.check_dtype(op)
    return print_instruction(RULES[kind](op.args, site))


def emitted(inst: Inst, on: str = "trn3") -> klr.Operator:
    """The operator of an instruction that is complete but for its engine."""
    inst.prepare(target(on))
    if inst.engine is None:
        inst.engine = inst.default_engine(target(on))
    return EMITTERS[type(inst)](inst, Places())
