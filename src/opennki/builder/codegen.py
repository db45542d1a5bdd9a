"""`Codegen`: the forward builder that both roads share. Appends to a record; checks nothing.

There is one method per instruction, named by the table's `emit`. Plain ones are generated here;
those where one call means more than one append are written by hand in `emit/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, ClassVar

from opennki.base.loc import current
from opennki.ir import Access, Inst, Record, Recorded, Region
from opennki.isa.registry import INSTRUCTIONS
from opennki.target import Target

from .emit.cores import CoresEmit
from .emit.matmul import MatmulEmit, PsumWrites


class Codegen(MatmulEmit, CoresEmit):
    """Builds one `Record`.

    Attributes: function, the record; scope, the statement list that is appended to; kernel_code,
    code object of the kernel, where the call chain of a location ends; observer, called with every
    instruction after it was appended, and with every run-time loop after its body was (step mode),
    or None; ordered, how many no_reorder regions are open. Of the class: penguin, whether what it
    builds is Penguin; rolled, whether that may have loops of known trip count.
    """

    penguin: ClassVar[bool]
    rolled: ClassVar[bool] = False

    def __init__(self, function: Record[Any], kernel_code: CodeType | None = None) -> None:
        self.function = function
        self.kernel_code = kernel_code
        self.observer: Callable[[Recorded], None] | None = None
        self.ordered = 0
        self.named: dict[str, Inst] = {}
        self.psum_writes = PsumWrites()
        self._enter(function.body)

    @classmethod
    def begin(
        cls, name: str, target: Target, place: tuple[int, int], kernel_code: CodeType | None
    ) -> Codegen:
        """A builder of a new kernel; `place` is its core and how many there are."""
        raise NotImplementedError

    def finish(self) -> Any:
        """What was built besides the record; called once, when the record is complete."""
        return None

    def add_named_instruction(self, inst: Inst) -> Inst:
        """Append `inst` with the user's current location; returns it."""
        inst.loc = current(self.kernel_code, 2)
        self._append(inst)
        if inst.name is not None:
            self.named.setdefault(inst.name, inst)
        if self.observer is not None:
            self.observer(inst)
        return inst

    @contextmanager
    def no_reorder(self) -> Iterator[None]:
        """A region whose instructions keep their program order."""
        region = Region(loc=current(self.kernel_code, 3))
        self._append(region)
        outer = self.scope
        self._enter(region.body)
        self.ordered += 1
        try:
            yield
        finally:
            self.ordered -= 1
            self._enter(outer)

    def open_loop(self, loop: Any, *, known: bool = False) -> Resume:
        """Append a loop; what is appended from here on becomes its body.

        Args: known, whether it is one of known trip count, which runs at least once, so that what
            was written before is known in its first trip.
        Returns: what `close_loop` needs to go on after it.
        """
        self._append(loop)
        resume = self.scope, self.observer, self.ordered, self.psum_writes
        self.observer, self.ordered = None, 0
        if not known:
            self.psum_writes = self.psum_writes.inner()
        self._enter(loop.body)
        return resume

    def close_loop(self, loop: Any, resume: Resume) -> None:
        """The body is complete: go on after the loop."""
        inner = self.psum_writes
        scope, self.observer, self.ordered, self.psum_writes = resume
        if inner is not self.psum_writes:
            self.psum_writes.absorb(inner)
        self._enter(scope)
        if self.observer is not None:
            self.observer(loop)

    def _enter(self, scope: list[Any]) -> None:
        self.scope = scope
        self._append = scope.append


Resume = tuple[list[Any], Callable[[Recorded], None] | None, int, PsumWrites]
"""What a builder goes back to after a loop."""

_MARK = """\
    if {0} is not None:
        {0}.tensor.written = True
"""


def _plain(cls: type[Inst]) -> Callable[..., Inst]:
    """Method that constructs `cls` from its fields, engine and name, and appends it."""
    spec = cls.spec
    fields = ", ".join(spec.order)
    marks = []
    for operand in spec.operands:
        if operand.access in (Access.OUT, Access.INOUT):
            marks.append(_MARK.format(operand.name))
    source = (
        f"def {spec.emit}(self, {fields}, engine, name=None):\n{''.join(marks)}"
        f"    return self.add_named_instruction(cls({fields}, engine, name))\n"
    )
    scope: dict[str, Any] = {"cls": cls}
    exec(compile(source, "<opennki builder>", "exec"), scope)
    method: Callable[..., Inst] = scope[spec.emit]
    method.__doc__ = f"Append a `{cls.__name__}`; arguments are its fields, the engine, the name."
    method.__module__ = __name__
    return method


for _cls in INSTRUCTIONS:
    if not hasattr(Codegen, _cls.spec.emit):
        setattr(Codegen, _cls.spec.emit, _plain(_cls))
