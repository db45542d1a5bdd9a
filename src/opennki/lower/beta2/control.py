"""Loops as blocks and branches, and back: the two forms that run-time control flow has in BIR.

KLR has blocks only; the back end and the simulators want loops. `structured` finds the loops that
`builder.klr_layout` describes, and `branched` is its reverse: the blocks of a function with loops.
The roads are compared in both forms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from opennki.base.codes import NKI4502
from opennki.base.diag import NkiError, fail
from opennki.base.dtypes import int32
from opennki.base.loc import UNKNOWN
from opennki.birpy import (
    AccessPattern,
    BasicBlock,
    DynamicLoop,
    Function,
    Immediate,
    Instruction,
    Loop,
    MemoryLocation,
    MemoryType,
    TensorKind,
    While,
)
from opennki.birpy.enums import BranchCompareOp
from opennki.birpy.module import Item
from opennki.isa.enums import AluOp, Engine

BRANCH: Final = "CompareAndBranch"
JUMP: Final = "UnconditionalBranch"
LABELS: Final = ("on_true", "on_false", "target")
"""Attributes that name blocks."""
MAX_DEPTH: Final = 100
"""Loops around a loop. Model: bounds the recursion over what files hold; kernels nest a few."""

_WHOLE: Final = ((1, 1), (1, 1))


def by_name(function: Function) -> dict[str, BasicBlock]:
    """The blocks of a function. Raises: NKI4502 if two have one name."""
    made: dict[str, BasicBlock] = {}
    for block in function.blocks:
        if block.name in made:
            loc = block.instructions[0].loc if block.instructions else UNKNOWN
            why = "another block has its name"
            raise fail(NKI4502, loc, block=block.name, function=function.name, why=why)
        made[block.name] = block
    return made


def structured(function: Function) -> list[Item]:
    """The instructions and loops of a function that consists of blocks and branches.

    Raises: NKI4502 for control flow that is none of these loops.
    """
    return _Structure(function).items()


class _Structure:
    """Finds the loops of one function; registers that only counted them are removed from it."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._blocks = by_name(function)
        self._seen: set[str] = set()
        self._depth = 0
        self._loops = count()
        self._named = {inst.name for inst in function.instructions()}
        self._own: dict[MemoryLocation, str] = {}

    def items(self) -> list[Item]:
        """The body of the function."""
        self._check_blocks()
        first = self._function.blocks[0].name if self._function.blocks else None
        made = self._until(first, None)
        unused = [name for name in self._blocks if name not in self._seen]
        if unused:
            raise self._refused(unused[0], "nothing leads to it")
        self._check_counters(made)
        self._forget(made)
        return made

    def _check_blocks(self) -> None:
        """Blocks branch at their ends only."""
        for block in self._function.blocks:
            for inst in block.instructions[:-1]:
                if isinstance(inst, Instruction) and inst.opcode in (BRANCH, JUMP):
                    raise self._refused(block.name, "it branches before its end")

    def _check_counters(self, items: list[Item]) -> None:
        """Registers that are no longer there are not used."""
        for register in _registers(items) if self._own else ():
            if register in self._own:
                raise self._refused(
                    self._own[register], f"its register `{register.name}` is used elsewhere"
                )

    def _forget(self, items: list[Item]) -> None:
        """Remove counters, and dependences on instructions that are no longer there."""
        for register in self._own:
            self._function.memlocs.pop(register.name, None)
        if len(self._blocks) == 1:
            return
        made = list(_instructions(items))
        here = {inst.name for inst in made}
        for inst in made:
            if any(name not in here for name, _ in inst.dependencies):
                inst.dependencies = tuple(d for d in inst.dependencies if d[0] in here)

    def _until(self, name: str | None, stop: str | None) -> list[Item]:
        """What runs from block `name` on until block `stop`, which is not part of it."""
        made: list[Item] = []
        while name != stop:
            if name not in self._blocks:
                raise self._refused(name or "", "there is no such block")
            if name in self._seen:
                raise self._refused(name, "it is come to from several places")
            self._seen.add(name)
            body = self._blocks[name].instructions
            last = body[-1] if body else None
            if isinstance(last, Instruction) and last.opcode == BRANCH:
                loop, name = self._loop(name, made, last)
                made.append(loop)
                continue
            if not isinstance(last, Instruction) or last.opcode != JUMP:
                made += body
                if stop is not None:
                    raise self._refused(name, "the kernel ends in a loop")
                return made
            made += body[:-1]
            name = str(last.attrs["target"])
        return made

    def _loop(self, head: str, before: list[Item], test: Instruction) -> tuple[Item, str]:
        """The loop that begins with the test in block `head`, and where it leads.

        What sets its registers at the end of `before` is taken from there.
        """
        if len(self._blocks[head].instructions) > 1:
            raise self._refused(head, "it computes before it tests")
        after, inside = str(test.attrs["on_true"]), str(test.attrs["on_false"])
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._refused(head, f"it is the head of a loop in {MAX_DEPTH} others")
        body = self._until(inside, head)
        self._depth -= 1
        begins: tuple[str, ...] = test.attrs.get("opennki_begins", ())  # type: ignore[assignment]  # its kind
        new = [self._function.memlocs[storage] for storage in begins]
        name = next(n for k in self._loops if (n := f"Loop-{k}") not in self._named)
        blocks = [BasicBlock("block0", body)]
        register = _register(test.ins[0])
        if register is None:
            raise self._refused(head, "it tests what is no register")
        op = test.attrs["comp_op"]
        if op is BranchCompareOp.IS_EQIMM and _number(test.ins[1]) == 0:
            return While(name, register, blocks, test.loc, new), after
        counted = _Counted.found(register, op, test, before, body)
        if counted is None:
            raise self._refused(head, "it tests neither a counter nor a condition")
        self._own |= dict.fromkeys(counted.own, head)
        blocks[0].instructions = counted.body
        made = DynamicLoop(
            name, counted.index, counted.start, counted.stop, counted.step, blocks, test.loc, new
        )
        del before[len(before) - counted.sets :]
        return made, after

    def _refused(self, block: str, why: str) -> NkiError:
        inside = self._blocks[block].instructions if block in self._blocks else []
        loc = inside[0].loc if inside else UNKNOWN
        return fail(NKI4502, loc, block=block, function=self._function.name, why=why)


@dataclass
class _Counted:
    """A loop that counts: what it is in BIR, without the registers that are its `own`.

    `sets` instructions before it set these.
    """

    index: MemoryLocation
    start: int | MemoryLocation
    stop: int | MemoryLocation
    step: int
    sets: int
    body: list[Item]
    own: list[MemoryLocation] = field(default_factory=list)

    @classmethod
    def found(
        cls, counter: MemoryLocation, op: object, test: Instruction, before: list[Item],
        body: list[Item],
    ) -> _Counted | None:  # fmt: skip
        """The loop, or None if it does not count as these loops do."""
        index = _copied(body[0], counter) if len(body) >= 2 else None
        step = _added(body[-1], counter) if len(body) >= 2 else None
        if index is None or step is None or step < 1:
            return None
        sets, own = 1, [counter]
        stop: int | MemoryLocation | None
        if op is BranchCompareOp.IS_GEIMM:
            stop = _number(test.ins[1])
        elif op is BranchCompareOp.IS_GEREG:
            limit = _register(test.ins[1])
            stop = None if limit is None or not before else _set(before[-1], limit)
            own += [] if limit is None else [limit]
            sets = 2
        else:
            return None
        start = _set(before[-sets], counter) if len(before) >= sets else None
        if start is None or stop is None:
            return None
        return cls(index, start, stop, step, sets, body[1:-1], own)


def _instructions(items: list[Item]) -> Iterator[Instruction]:
    return Function("", {}, [BasicBlock("", items)]).instructions()


def _registers(items: list[Item]) -> Iterator[MemoryLocation]:
    """The registers that instructions and loops use."""
    for item in items:
        if isinstance(item, Instruction):
            for arg in (*item.ins, *item.outs):
                if isinstance(arg, AccessPattern):
                    yield from (at.memloc for at in (arg, arg.index and arg.index.source) if at)
            continue
        if isinstance(item, DynamicLoop | While):
            yield from item.registers()
        for block in item.blocks:
            yield from _registers(block.instructions)


def _register(arg: object) -> MemoryLocation | None:
    if isinstance(arg, AccessPattern) and arg.memloc.type is MemoryType.REG:
        return arg.memloc
    return None


def _number(arg: object) -> int | None:
    return int(arg.value) if isinstance(arg, Immediate) else None


def _set(item: Item, register: MemoryLocation) -> int | MemoryLocation | None:
    """What an instruction that sets `register` sets it to: a number, or another register."""
    if not isinstance(item, Instruction) or item.opcode != "RegisterMove":
        return None
    if _register(item.outs[0]) is not register:
        return None
    number = _number(item.ins[0])
    return _register(item.ins[0]) if number is None else number


def _copied(item: Item, counter: MemoryLocation) -> MemoryLocation | None:
    """The register that an instruction copies `counter` to."""
    if not isinstance(item, Instruction) or item.opcode != "RegisterMove":
        return None
    return _register(item.outs[0]) if _register(item.ins[0]) is counter else None


def _added(item: Item, counter: MemoryLocation) -> int | None:
    """What an instruction adds to `counter`."""
    if not isinstance(item, Instruction) or item.opcode != "RegisterAlu":
        return None
    if item.attrs.get("op") is not AluOp.add or _register(item.outs[0]) is not counter:
        return None
    return _number(item.ins[1]) if _register(item.ins[0]) is counter else None


# ---- blocks that only follow another -----------------------------------------------------------


def join(function: Function) -> None:
    """Append every block that only an unconditional branch leads to, and only one, to its origin.

    Regions are such blocks: what keeps their order are dependences, not blocks.

    Raises: NKI4502 if two blocks have one name.
    """
    blocks = by_name(function)
    ways = Counter(to for block in function.blocks for to in _ways(block))
    ways.update(block.name for block in function.blocks[:1])  # where the function begins
    for block in function.blocks:
        if block.name not in blocks:
            continue
        while (name := _only(block)) in blocks and ways[name] == 1 and name != block.name:
            block.instructions[-1:] = blocks.pop(name).instructions
    function.blocks = list(blocks.values())


def _only(block: BasicBlock) -> str:
    """Where an unconditional branch at the end of a block leads; empty if there is none."""
    last = block.instructions[-1] if block.instructions else None
    jumps = isinstance(last, Instruction) and last.opcode == JUMP
    return str(last.attrs["target"]) if jumps else ""  # type: ignore[union-attr]  # it jumps


def _ways(block: BasicBlock) -> Iterator[str]:
    """The blocks that a block leads to."""
    last = block.instructions[-1] if block.instructions else None
    if isinstance(last, Instruction):
        yield from (str(last.attrs[key]) for key in LABELS if key in last.attrs)


# ---- and back --------------------------------------------------------------------------------


def branched(function: Function) -> Function:
    """`function` with blocks and branches in place of its run-time loops; others stay.

    Raises: NKI4502 if it has several blocks already.
    """
    return _Branches(function).run()


class _Branches:
    """Lays one function out in blocks, as `builder.klr_layout` does."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._memlocs = dict(function.memlocs)
        self._labels = count(1)
        self._names = count()
        self._taken = {*function.memlocs, *(inst.name for inst in function.instructions())}
        self._blocks: list[BasicBlock] = []
        self._open(self._label())

    def run(self) -> Function:
        """The new function."""
        function = self._function
        if len(function.blocks) != 1:
            raise fail(
                NKI4502, UNKNOWN, block=function.blocks[0].name if function.blocks else "",
                function=function.name, why="it is one of several",
            )  # fmt: skip
        self._lay(function.blocks[0].instructions)
        return Function(
            function.name, self._memlocs, self._blocks, list(function.inputs),
            list(function.outputs), list(function.attributes),
        )  # fmt: skip

    def _label(self) -> str:
        return f"Block{next(self._labels)}"

    def _open(self, label: str) -> None:
        self._block = BasicBlock(label)
        self._blocks.append(self._block)

    def _name(self, stem: str) -> str:
        """A name that no author gave."""
        return next(n for k in self._names if (n := f".{stem}.{k}") not in self._taken)

    def _add(
        self, opcode: str, ins: tuple[object, ...], outs: tuple[object, ...],
        attrs: Mapping[str, object], like: DynamicLoop | While,
    ) -> None:  # fmt: skip
        name = self._name("branch")
        made = Instruction(opcode, Engine.ALL, name, ins, outs, attrs, like.loc)  # type: ignore[arg-type]  # operands, just made
        self._block.instructions.append(made)

    def _own(self, stem: str) -> AccessPattern:
        name = self._name(stem)
        made = MemoryLocation(name, MemoryType.REG, TensorKind.Internal, int32, (1, 1))
        self._memlocs[name] = made
        return AccessPattern(made, 0, _WHOLE, int32)

    def _lay(self, items: list[Item]) -> None:
        for item in items:
            if isinstance(item, DynamicLoop):
                self._counted(item)
            elif isinstance(item, While):
                self._while(item)
            else:
                assert isinstance(item, Instruction | Loop)
                self._block.instructions.append(item)

    def _counted(self, loop: DynamicLoop) -> None:
        counter = self._own("counter")
        self._add("RegisterMove", (_value(loop.start),), (counter,), {}, loop)
        stop: object = _value(loop.stop)
        op = BranchCompareOp.IS_GEIMM
        if isinstance(loop.stop, MemoryLocation):
            limit = self._own("limit")
            self._add("RegisterMove", (stop,), (limit,), {}, loop)
            stop, op = limit, BranchCompareOp.IS_GEREG
        head, inside, after = self._label(), self._label(), self._label()
        self._add(JUMP, (), (), {"target": head}, loop)
        self._open(head)
        self._test(counter, stop, op, (after, inside), loop)
        self._open(inside)
        index = AccessPattern(loop.register, 0, _WHOLE, int32)
        self._add("RegisterMove", (counter,), (index,), {}, loop)
        self._lay(loop.blocks[0].instructions)
        step = Immediate(int32, loop.step)
        self._add("RegisterAlu", (counter, step), (counter,), {"op": AluOp.add}, loop)
        self._add(JUMP, (), (), {"target": head}, loop)
        self._open(after)

    def _while(self, loop: While) -> None:
        head, inside, after = self._label(), self._label(), self._label()
        self._add(JUMP, (), (), {"target": head}, loop)
        self._open(head)
        condition = AccessPattern(loop.condition, 0, _WHOLE, int32)
        zero = Immediate(int32, 0)
        self._test(condition, zero, BranchCompareOp.IS_EQIMM, (after, inside), loop)
        self._open(inside)
        self._lay(loop.blocks[0].instructions)
        self._add(JUMP, (), (), {"target": head}, loop)
        self._open(after)

    def _test(
        self, left: object, right: object, op: BranchCompareOp, to: tuple[str, str],
        loop: DynamicLoop | While,
    ) -> None:  # fmt: skip
        attrs: dict[str, object] = {"comp_op": op, "on_true": to[0], "on_false": to[1]}
        if loop.new:
            attrs["opennki_begins"] = tuple(m.name for m in loop.new)
        self._add(BRANCH, (left, right), (), attrs, loop)


def _value(end: int | MemoryLocation) -> object:
    if isinstance(end, MemoryLocation):
        return AccessPattern(end, 0, _WHOLE, int32)
    return Immediate(int32, end)
