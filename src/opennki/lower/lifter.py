"""From BIR back to the op table: what an instruction means, and which rules of calls it breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from opennki.base.codes import NKI9003
from opennki.base.diag import Diagnostic, NkiError, Severity, diagnostic, fail
from opennki.birpy import AccessPattern, Instruction, MemoryLocation, Module
from opennki.ir import (
    Index,
    IndirectView,
    Inst,
    Role,
    Space,
    Tensor,
    View,
    describe,
    problems,
)
from opennki.isa.registry import INSTRUCTIONS
from opennki.target import Target

from .memlocs import KINDS
from .rules import RULES
from .table import lift

_SPACES = {
    "SB": Space.sbuf, "PSUM": Space.psum, "DRAM": Space.private_hbm, "REG": Space.register,
}  # fmt: skip
_ROLES = {kind: role for role, kind in KINDS.items()}


class Lifter:
    """Lifts the instructions of one function; a memory location becomes one tensor."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._tensors: dict[str, Tensor] = {}

    def tensor(self, memloc: MemoryLocation) -> Tensor:
        """The tensor that stands for `memloc`."""
        found = self._tensors.get(memloc.name)
        if found is None:
            space = Space.shared_hbm if memloc.shared else _SPACES[memloc.type.name]
            found = self._tensors[memloc.name] = Tensor(
                memloc.name, memloc.shape, memloc.dtype, space,
                address=memloc.address, start_partition=memloc.partition,
                role=_ROLES.get(memloc.kind, Role.internal), data=memloc.data, loc=memloc.loc,
            )  # fmt: skip
        return found

    def view(self, access: AccessPattern) -> View:
        """The view that an access pattern walks."""
        shape = tuple(n for _, n in access.ap)
        strides = tuple(s for s, _ in access.ap)
        tensor, index = self.tensor(access.memloc), access.index
        if index is None:
            return View(tensor, access.offset, shape, strides, access.dtype)
        source = self.view(index.source)
        found = Index(source, index.stride, index.limit, index.vector, index.snake)
        return IndirectView(tensor, access.offset, shape, strides, access.dtype, found)

    def __call__(self, inst: Instruction) -> Inst:
        """The instruction of the op table that `inst` means.

        Raises: NKI9003 if no class of the op table has this form of the opcode.
        """
        try:
            return lift(inst, self.target, self.view, RULES)
        except KeyError:
            shown = ", ".join(f"{name}={value}" for name, value in inst.attrs.items())
            what = f"{inst.opcode} with {shown or 'no attributes'}"
            instead = "docs/reference/isa.md tells which forms of an opcode are simulated"
            raise fail(NKI9003, inst.loc, what=what, instead=instead) from None


_OF_CALLS: Final = frozenset({"NKI2303"})
"""Rules about how a call is written, of which BIR knows nothing."""

_OF_FORMS: Final = frozenset({"NKI2117"})
"""Rules that differ between instructions that BIR gives one opcode."""


def instruction_problems(module: Module, target: Target) -> Iterator[Diagnostic]:
    """Errors in single instructions of a module: those that tracing finds in what a kernel calls.

    An instruction that is none of the op table's is left to the back end.
    """
    for function in module.functions:
        lifter = Lifter(target)
        for inst in function.instructions():
            try:
                meant = lifter(inst)
            except NkiError:
                continue
            left_out = _OF_CALLS if _SHARED[inst.opcode] == 1 else _OF_CALLS | _OF_FORMS
            for found in problems(meant, target):
                if found.code.severity is Severity.error and found.code.id not in left_out:
                    shown = [(o.name, describe(v)) for o, v in meant.views()]
                    notes = [f"in `{inst.name}` of function `{function.name}`"]
                    yield diagnostic(found, inst.loc, shown, notes)


_SHARED: Final = Counter(cls.spec.bir for cls in INSTRUCTIONS)
"""Instructions of the op table that have an opcode."""
