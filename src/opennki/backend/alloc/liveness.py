"""When each storage is in use: from its first write to its last use, in program order.

Positions number the instructions of a function in text order, loop bodies once. A storage that is
used in a loop is live over the whole loop, unless every trip writes what it reads of it before it
reads it; over all loops around an access when another access lies outside of them. A loop in whose
trips a storage begins anew counts as a use of it if there is another one outside of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from opennki.birpy import (
    AccessPattern,
    BasicBlock,
    Function,
    Instruction,
    Loop,
    MemoryLocation,
)

Life = tuple[int, int]
"""First and last position at which a storage is in use, inclusive."""


@dataclass(frozen=True)
class Liveness:
    """Lives of the storages of one function, in order of their first use."""

    function: Function
    lives: Mapping[MemoryLocation, Life]

    def at(self, position: int) -> Instruction:
        """The instruction at a position."""
        return next(islice(self.function.instructions(), position, None))

    def together(self, position: int) -> Iterator[MemoryLocation]:
        """The storages that are live at a position."""
        return (m for m, (start, end) in self.lives.items() if start <= position <= end)


class _Frame:
    """A loop around an access: positions of its body."""

    __slots__ = ("end", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start


_Path = tuple[_Frame, ...]


class _Looped:
    """How a storage is used by loops.

    Attributes: common, loops around all its accesses; around, loops that some access is inside of
    and another one outside; written, what each trip has written so far; carried, whether a trip
    may read what an earlier one wrote.
    """

    __slots__ = ("around", "carried", "common", "written")

    def __init__(self, path: _Path) -> None:
        self.common = path
        self.around: set[_Frame] = set()
        self.written: set[tuple[object, ...]] = set()
        self.carried = False


class _Walk:
    """One pass over a function."""

    def __init__(self) -> None:
        self.position = 0
        self.lives: dict[MemoryLocation, list[int]] = {}
        self.looped: dict[MemoryLocation, _Looped] = {}
        self.renewing: list[tuple[_Frame, MemoryLocation]] = []  # where storages begin anew

    def blocks(self, blocks: Sequence[BasicBlock], path: _Path) -> None:
        for block in blocks:
            for item in block.instructions:
                if not isinstance(item, Instruction):
                    frame = _Frame(self.position)
                    self.blocks(item.blocks, (*path, frame))
                    frame.end = max(frame.start, self.position - 1)
                    if not isinstance(item, Loop):
                        self.renewing += [(frame, loc) for loc in item.new]
                elif path or self.looped:
                    self.in_loops(item, path)
                else:
                    self.straight(item)

    def straight(self, inst: Instruction) -> None:
        """Count an instruction outside of loops while no storage has been used in one."""
        position, lives = self.position, self.lives
        for args in (inst.ins, inst.outs):
            for arg in args:
                if arg.__class__ is AccessPattern:
                    life = lives.get(arg.memloc)
                    if life is None:
                        lives[arg.memloc] = [position, position]
                    else:
                        life[1] = position
                    if arg.index is not None:
                        lives.setdefault(arg.index.source.memloc, [position, 0])[1] = position
        self.position = position + 1

    def in_loops(self, inst: Instruction, path: _Path) -> None:
        """Count an instruction and note how its storages are used by loops."""
        partial = inst.opcode == "CopyPredicated" or inst.attrs.get("opennki_accumulate") is True
        sources = tuple(inst.indices())
        for args, reads in ((inst.ins, True), (sources, True), (inst.outs, partial)):
            for arg in args:
                if isinstance(arg, AccessPattern):
                    loc = arg.memloc
                    new = loc not in self.lives
                    life = self.lives.setdefault(loc, [self.position, self.position])
                    life[1] = self.position
                    use = self.looped.get(loc)
                    if use is None:
                        use = self.looped[loc] = _Looped(path if new else ())
                    _narrow(use, path)
                    key = (arg.offset, arg.ap, arg.dtype)
                    if not reads:
                        if arg.index is not None:  # one never knows which part
                            continue
                        use.written.add(key)
                        if _covers(arg):
                            use.written.add(())
                    elif arg.index is not None or key not in use.written:
                        use.carried = use.carried or () not in use.written
        self.position += 1


def _narrow(use: _Looped, path: _Path) -> None:
    """Account for an access inside of the loops `path`."""
    common = use.common
    if path == common:
        return
    depth = 0
    while depth < min(len(common), len(path)) and common[depth] is path[depth]:
        depth += 1
    for one in (common, path):
        if len(one) > depth:
            use.around.add(one[depth])
    use.common = common[:depth]


def _covers(arg: AccessPattern) -> bool:
    """Whether an access is a plain walk over all of its storage."""
    step = arg.memloc.dtype.itemsize // arg.dtype.itemsize or 1
    for size, (stride, count) in zip(reversed(arg.memloc.shape), reversed(arg.ap), strict=False):
        if (stride, count) != (step, size) and size * count != 1:
            return False
        step *= size
    return arg.index is None and arg.offset == 0 and len(arg.ap) == len(arg.memloc.shape)


def liveness(function: Function) -> Liveness:
    """When the storages of `function` are in use. A storage that nothing uses has no life."""
    walk = _Walk()
    walk.blocks(function.blocks, ())
    for loc, use in walk.looped.items():
        life = walk.lives[loc]
        frames = [*use.around, *(use.common[:1] if use.carried else ())]
        for frame in frames:
            life[0] = min(life[0], frame.start)
            life[1] = max(life[1], frame.end)
    for frame, loc in walk.renewing:
        bounds = walk.lives.get(loc)
        if bounds is not None and not frame.start <= bounds[0] <= bounds[1] <= frame.end:
            bounds[:] = min(bounds[0], frame.start), max(bounds[1], frame.end)
    return Liveness(function, {loc: (a, b) for loc, (a, b) in walk.lives.items()})


def forget_unused(live: Liveness) -> None:
    """Let no trip of a loop begin with storages that nothing uses: they share others' places."""
    _forget(live.function.blocks, live)


def _forget(blocks: Sequence[BasicBlock], live: Liveness) -> None:
    for block in blocks:
        for item in block.instructions:
            if not isinstance(item, Instruction):
                if not isinstance(item, Loop) and item.new:
                    item.new = [loc for loc in item.new if loc in live.lives]
                _forget(item.blocks, live)
