"""Expands loops into straight-line code, for scheduling. Code without loops passes uncopied.

Run-time loops stay, with the loops in them expanded.

    loop L i = 0..2 {                    =>  I-1.0 = Memset DVE outs(%t[0; 8*128, 1*4])
      I-1 = Memset DVE outs(%t[4*i; …])      I-1.1 = Memset DVE outs(%t[4; 8*128, 1*4])
    }

A copy is named after the number of its trip in every loop around it, outermost first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from opennki.base.codes import NKI9003
from opennki.base.diag import fail
from opennki.birpy import (
    AccessPattern,
    BasicBlock,
    BirAffineExpr,
    DynamicLoop,
    EdgeKind,
    Function,
    Instruction,
    Loop,
    Module,
    While,
)
from opennki.birpy.module import Item

Copy = Callable[[dict[str, int], tuple[int, ...]], Instruction]
"""Makes the copy of an instruction for values of the loop variables, and numbers of the trips."""


@dataclass(frozen=True)
class Flatten:
    """Options: limit, instructions that one function may have when its loops are expanded."""

    limit: int = 4_000_000

    def module(self, module: Module) -> Module:
        """`module` with straight-line functions; functions without loops are the same objects.

        Raises: NKI9003 if the code becomes longer than the limit.
        """
        functions = [self.function(f) for f in module.functions]
        if all(a is b for a, b in zip(functions, module.functions, strict=True)):
            return module
        return replace(module, functions=functions)

    def function(self, function: Function) -> Function:
        """`function` with its instructions in one block. Raises: as `module`."""
        blocks = function.blocks
        if len(blocks) == 1 and not _rolled(blocks):
            return function
        count = _count(blocks)
        if count > self.limit:
            what = f"loops that expand to {count} instructions (the limit is {self.limit})"
            raise fail(NKI9003, _first_loop(blocks).loc, what=what)
        made: list[Item] = []
        _Expansion(function).run(blocks, {}, (), made)
        name = blocks[0].name if blocks else "Block1"
        return replace(function, blocks=[BasicBlock(name, made)])


def _count(blocks: Sequence[BasicBlock]) -> int:
    """Instructions after expansion."""
    return sum(
        1 if isinstance(item, Instruction)
        else _count(item.blocks) * (item.axis.trips if isinstance(item, Loop) else 1)
        for block in blocks
        for item in block.instructions
    )  # fmt: skip


def _rolled(blocks: Sequence[BasicBlock]) -> bool:
    """Whether there is a loop that can be expanded."""
    return any(
        isinstance(item, Loop) or (not isinstance(item, Instruction) and _rolled(item.blocks))
        for block in blocks
        for item in block.instructions
    )


def _first_loop(blocks: Sequence[BasicBlock]) -> Loop | DynamicLoop | While:
    return next(i for b in blocks for i in b.instructions if not isinstance(i, Instruction))


class _Expansion:
    """Expands one function."""

    def __init__(self, function: Function) -> None:
        self._nests: dict[str, tuple[Loop, ...]] = {}
        self._copies: dict[int, Copy] = {}
        for block in function.blocks:
            self._prepare(block, ())

    def _prepare(self, block: BasicBlock, nest: tuple[Loop, ...]) -> None:
        """Note the loops around every instruction, and how to copy it."""
        for item in block.instructions:
            if isinstance(item, Loop):
                for inner in item.blocks:
                    self._prepare(inner, (*nest, item))
            elif not isinstance(item, Instruction):
                for inner in item.blocks:
                    self._prepare(inner, nest)
            elif nest:
                self._nests[item.name] = nest
                self._copies[id(item)] = self._copier(item, nest)
            elif item.dependencies:
                self._copies[id(item)] = self._copier(item, nest)

    def run(
        self, blocks: Sequence[BasicBlock], values: dict[str, int], trips: tuple[int, ...],
        made: list[Item],
    ) -> None:  # fmt: skip
        """Append to `made` the code of `blocks` for one choice of the loop variables around."""
        copies = self._copies
        for block in blocks:
            for item in block.instructions:
                if isinstance(item, Loop):
                    var = item.axis.name
                    for trip, value in enumerate(item.axis.values()):
                        values[var] = value
                        self.run(item.blocks, values, (*trips, trip), made)
                    values.pop(var, None)
                elif isinstance(item, Instruction):
                    copy = copies.get(id(item))
                    made.append(item if copy is None else copy(values, trips))
                else:
                    inner: list[Item] = []
                    self.run(item.blocks, values, trips, inner)
                    name = _named(item.name, trips)
                    made.append(replace(item, name=name, blocks=[BasicBlock("block0", inner)]))

    def _copier(self, inst: Instruction, nest: tuple[Loop, ...]) -> Copy:
        ins = [_arg(a) for a in inst.ins]
        outs = [_arg(a) for a in inst.outs]
        varies = any(a.__class__ is BirAffineExpr for a in _leaves(inst.attrs))

        def copy(values: dict[str, int], trips: tuple[int, ...]) -> Instruction:
            return Instruction(
                inst.opcode, inst.engine, _named(inst.name, trips),
                tuple([a(values) for a in ins]), tuple([a(values) for a in outs]),
                _attrs(inst.attrs, values) if varies else inst.attrs, inst.loc,
                self._edges(inst, nest, trips) if inst.dependencies else (),
            )  # fmt: skip

        return copy

    def _edges(
        self, inst: Instruction, nest: tuple[Loop, ...], trips: tuple[int, ...]
    ) -> tuple[tuple[str, EdgeKind], ...]:
        """Edges of a copy: to the same trip of loops that both are in, to the last of others.

        All copies of an instruction run on one engine, so the last one completes last.
        """
        found = []
        for name, kind in inst.dependencies:
            around = self._nests.get(name, ())
            shared = 0
            while shared < min(len(around), len(nest)) and around[shared] is nest[shared]:
                shared += 1
            last = tuple(loop.axis.trips - 1 for loop in around[shared:])
            if min(last, default=0) >= 0:
                found.append((_named(name, trips[:shared] + last), kind))
        return tuple(found)


def _named(name: str, trips: tuple[int, ...]) -> str:
    return ".".join([name, *map(str, trips)]) if trips else name


def _arg(arg: Any) -> Callable[[Mapping[str, int]], Any]:
    """How an operand looks for values of the loop variables: the same object unless it varies."""
    if arg.__class__ is not AccessPattern:
        return lambda values: arg
    loc, offset, ap, dtype, index = arg.memloc, arg.offset, arg.ap, arg.dtype, arg.index
    if index is not None:
        source = _arg(index.source)
        direct = _arg(AccessPattern(loc, offset, ap, dtype))
        return lambda values: AccessPattern(
            loc, direct(values).offset, ap, dtype, replace(index, source=source(values))
        )
    if isinstance(offset, BirAffineExpr):
        return lambda values: AccessPattern(loc, offset.evaluate(values), ap, dtype)
    return lambda values: arg


def _leaves(attrs: Mapping[str, object]) -> list[object]:
    found: list[object] = []
    for value in attrs.values():
        found.extend(value if isinstance(value, tuple) else (value,))
    return found


def _attrs(attrs: Mapping[str, object], values: Mapping[str, int]) -> dict[str, object]:
    return {key: _value(value, values) for key, value in attrs.items()}


def _value(value: object, values: Mapping[str, int]) -> object:
    if isinstance(value, BirAffineExpr):
        return value.evaluate(values)
    if isinstance(value, tuple):
        return tuple([_value(item, values) for item in value])
    return value
