"""Run-time loops while they are traced: which are open, and what may not cross their borders.

A body is traced once, between `LoopStack.enter` and `LoopStack.leave`. ``for i in dynamic_range``
and ``while reg:`` are Python's own statements; that one of them was left early shows only later.
"""

from __future__ import annotations

import ast
import dis
import linecache
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from opennki.base.codes import NKI1042, NKI1043, NKI1044, NKI1045, NKI1062
from opennki.base.diag import NkiError, problem
from opennki.base.loc import UNKNOWN, SrcLoc, position, user_frame
from opennki.ir import DynamicLoop, Inst, RunTimeLoop, Space, Tensor, While

from .fault import also, fault
from .nki_ctx import nki_ctx_or_none

if TYPE_CHECKING:
    from .context import TraceContext
    from .registers import VirtualRegister


LEFT: Final = "its body is left early (`break`, `return`, or an exception that is caught outside)"


LOAD: Final = (
    "load bounds and conditions with nisa.register_load from an int32 tensor of one element"
)


@dataclass(frozen=True)
class Test:
    """A test of the condition of a ``while``: in which run of which code, and by which bytecode."""

    frame: FrameType
    node: ast.While
    bytecode: int


@dataclass
class Open:
    """A loop whose body is being traced.

    Attributes: loop; test, of a ``while`` statement; resume, what the builder goes back to.
    """

    loop: RunTimeLoop
    test: Test | None
    resume: Any


@dataclass
class LoopStack:
    """The run-time loops of one trace.

    Attributes: open, innermost last; born, tensors made in a loop and that loop; left, where loops
    are whose body Python left early.
    """

    ctx: TraceContext
    open: list[Open] = field(default_factory=list)
    born: dict[Tensor, RunTimeLoop] = field(default_factory=dict)
    left: list[SrcLoc] = field(default_factory=list)

    def enter(self, loop: RunTimeLoop, test: Test | None = None) -> Open:
        """Begin the body of `loop`. Raises: NKI1043 inside of no_reorder."""
        builder = self.ctx.builder
        if builder.ordered:
            raise self.ctx.refusal(
                NKI1043, what="it is inside of nl.no_reorder, which is for straight-line code",
                instead="put `with nl.no_reorder():` into the body of the loop",
            )  # fmt: skip
        if loop.loc is UNKNOWN:
            loop.loc = self.ctx.loc()
        made = Open(loop, test, builder.open_loop(loop))
        self.open.append(made)
        return made

    def leave(self, opened: Open) -> None:
        """End the body of `opened`, and of what is still open inside of it: Python left that."""
        while self.open:
            last = self.open.pop()
            self.ctx.builder.close_loop(last.loop, last.resume)
            if last is opened:
                return
            self.left.append(last.loop.loc)

    def observe(self, observer: Any) -> None:
        """Tell `observer` of the outermost loop when it is complete, and of what follows it."""
        scope, _, *rest = self.open[0].resume
        self.open[0].resume = (scope, observer, *rest)

    def made(self, tensor: Tensor) -> None:
        """A tensor is made in the innermost loop."""
        loop = self.open[-1].loop
        self.born[tensor] = loop
        if tensor.space is Space.psum:
            loop.new.append(tensor)
        self.ctx.builder.psum_writes.own.add(tensor)

    def condition(self, register: VirtualRegister) -> bool:
        """What Python gets when it tests `register`: True once, then False, in ``while``.

        Raises: NKI1042 in any other condition; NKI1043 if it is another register than at first.
        """
        frame = user_frame(2)
        test = None if frame is None else while_test(frame)
        if test is None:
            raise self._no_condition(register, frame)
        for opened in reversed(self.open):
            if self._ends(opened, test):
                if opened.loop.registers() != [register.tensor]:
                    raise self.ctx.refusal(
                        NKI1043, what="its condition is another register after the body",
                        instead="write the register that the loop began with: "
                        "nisa.register_load or nisa.register_move",
                    )  # fmt: skip
                self.leave(opened)
                return False
        self.integer("while", "condition", register)
        self.enter(While(register.tensor), test)
        return True

    def _no_condition(self, register: VirtualRegister, frame: FrameType | None) -> NkiError:
        instead = "use `while reg:` with nothing but the register, or nl.while_loop; choose "
        instead += "elements with nisa.tensor_copy_predicated"
        if frame is not None and not source_text(frame.f_code.co_filename):
            instead = "use nl.while_loop: `while reg:` needs the kernel's source text"
        found = self.ctx.refusal(
            NKI1042, what="a condition (`if`, `and`, `or`, `not`, bool())",
            register=register.name, instead=instead,
        )  # fmt: skip
        return also(TypeError, found)

    def _ends(self, opened: Open, test: Test) -> bool:
        """Whether `test` is the one after the body of `opened`.

        The same loop may also begin again, in a Python loop around it, if its body was left early.
        Python tests before the first trip and after the body by bytecode of its own; only
        `continue` goes to the first one.
        """
        first = opened.test
        if first is None or (first.frame, first.node) != (test.frame, test.node):
            return False
        if first.bytecode != test.bytecode:
            return True
        jumps = _jumps(test.node)
        if ast.Continue not in jumps and _tests_twice():
            return False
        if ast.Break in jumps:
            raise self.ctx.refusal(NKI1043, what=LEFT, instead=_INSTEAD)
        return True

    def integer(self, fn: str, name: str, value: VirtualRegister) -> Tensor:
        """The register `value` of this trace, which must not have been loaded from float32.

        Raises: NKI1044, NKI1062.
        """
        if value.tensor.retired:
            raise self.ctx.refusal(NKI1062, name=value.name, thing="register")
        if value.floating:
            got = f"the register {value.name}, which was loaded from float32"
            raise self.ctx.refusal(
                NKI1044, name=name, fn=fn, expected="an integer", got=got, instead=LOAD
            )
        return value.tensor

    # ---- after the kernel's Python has run ---------------------------------------------------

    def finish(self) -> None:
        """Report what crosses the borders of loops: early exits and tensors."""
        while self.open:
            opened = self.open[0]
            self.left.append(opened.loop.loc)
            self.leave(opened)
        for loc in self.left:
            self.ctx.report(problem(NKI1043, what=LEFT, instead=_INSTEAD), loc)
        if self.left:  # what else would be reported follows from that
            return
        if self.born:
            self._tensors(self.ctx.function.body, ())
            self._results()

    def _tensors(self, body: list[Any], around: tuple[RunTimeLoop, ...]) -> None:
        for item in body:
            if isinstance(item, Inst):
                for view in (*(v for _, v in item.views()), *item.index_views()):
                    home = self.born.get(view.tensor)
                    if home is not None and all(loop is not home for loop in around):
                        self._outside(view.tensor, item.spec.label, item.loc, item)
            else:
                inner = (*around, item) if isinstance(item, RunTimeLoop) else around
                self._tensors(item.body, inner)

    def _results(self) -> None:
        for name in self.ctx.function.results:
            tensor = self.ctx.function.tensors[name]
            if tensor in self.born:
                self._outside(tensor, "the kernel's return", tensor.loc)

    def _outside(self, tensor: Tensor, label: str, loc: SrcLoc, inst: Inst | None = None) -> None:
        del self.born[tensor]  # once is enough
        found = problem(NKI1045, tensor=tensor.name, inst=label)
        self.ctx.report(found, loc, inst)


class DynamicRange:
    """What ``for i in nl.dynamic_range(...)`` iterates over: the index, once.

    Args: make, makes the index and the loop that it counts.
    """

    def __init__(
        self, stack: LoopStack, make: Callable[[], tuple[VirtualRegister, DynamicLoop]]
    ) -> None:
        self._stack = stack
        self._make = make
        self._loc = stack.ctx.loc()

    def __iter__(self) -> Iterator[VirtualRegister]:
        """An iterator that builds one loop. Raises: NKI1043 outside of a ``for`` statement."""
        frame = sys._getframe(1)
        if nki_ctx_or_none() is not self._stack.ctx:
            raise fault(
                NKI1043, what="nl.dynamic_range was called in another launch",
                instead="call it in the kernel that iterates over it",
            )  # fmt: skip
        if dis.opname[frame.f_code.co_code[frame.f_lasti]] != "GET_ITER":  # list(), zip(), ...
            raise self._stack.ctx.refusal(
                NKI1043, what="nl.dynamic_range is not what a `for` statement iterates over",
                instead="write `for i in nl.dynamic_range(...)`; one trip of it is traced, so "
                "zip, enumerate or a list of its indices cannot be made",
            )  # fmt: skip
        return self._build()

    def _build(self) -> Iterator[VirtualRegister]:
        stack = self._stack
        index, loop = self._make()
        index.frozen = True
        loop.loc = self._loc
        opened = stack.enter(loop)
        ended = False
        try:
            yield index
            ended = True
        finally:
            if opened in stack.open:
                if not ended:
                    stack.left.append(loop.loc)
                stack.leave(opened)


_INSTEAD: Final = "let the loop's condition or bounds say when it ends"


def while_test(frame: FrameType) -> Test | None:
    """The ``while`` whose whole condition `frame` is evaluating; None if it is something else.

    Pythons differ in what they say is being evaluated: the condition, or the whole statement.
    """
    code = frame.f_code
    line, end_line, col, end_col = position(code, frame.f_lasti)
    for node in _whiles(source_text(code.co_filename)):
        for part in (node.test, node):
            span = part.lineno, part.end_lineno, part.col_offset, part.end_col_offset
            if span == (line, end_line, col, end_col) or (not end_col and part.lineno == line):
                return Test(frame, node, frame.f_lasti)
    return None


def source_text(file: str) -> str:
    """The text that code of `file` comes from; "" if it is not known.

    Code that is made of strings all has the same file, of which Python may know another text.
    """
    return "" if file == "<string>" else "".join(linecache.getlines(file))


@lru_cache(maxsize=64)
def _whiles(text: str) -> tuple[ast.While, ...]:
    """The ``while`` statements of a file with this text whose condition is a plain value."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple(
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.While)
        and isinstance(node.test, ast.Name | ast.Attribute | ast.Subscript)
    )


@lru_cache(maxsize=256)
def _jumps(loop: ast.While) -> frozenset[type[ast.stmt]]:
    """Which of `break` and `continue` the body has for this loop."""
    found: set[type[ast.stmt]] = set()
    left: list[ast.AST] = list(loop.body)
    while left:
        node = left.pop()
        if isinstance(node, ast.Break | ast.Continue):
            found.add(type(node))
        elif isinstance(node, ast.For | ast.While):  # those of its body are its own
            left += node.orelse
        elif not isinstance(node, ast.FunctionDef | ast.ClassDef):
            left += ast.iter_child_nodes(node)
    return frozenset(found)


@lru_cache(maxsize=1)
def _tests_twice() -> bool:
    """Whether this Python tests conditions of ``while`` by two pieces of bytecode."""
    code = compile("while again: pass", "<while>", "exec")
    return [i.argval for i in dis.get_instructions(code)].count("again") > 1
