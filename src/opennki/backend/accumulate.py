"""Sets the accumulation flags of matmuls in PSUM, from what the author said about accumulating.

A matmul carries ``opennki_accumulate``: False overwrites its destination, True adds to it, absent
leaves it to the hardware (the first write of a region overwrites). The flags that follow are bits:
1 starts a group of accumulations by overwriting, 2 stops it, 4 accumulates without a group. So 3 is
a product of its own, and a sum over k is 1, 0, ..., 0, 2:

    Matmult acc {opennki_accumulate=false}  =>  accumulation_flag=1
    Matmult acc {opennki_accumulate=true}   =>  accumulation_flag=2
    TensorCopy out, acc

The last matmul before anything reads or overwrites the region is the one that stops, or the last
before a run-time loop or the end of its body. Needs allocated code without rolled loops.
``psum_zero_region`` becomes the bank of the destination (Model: its
meaning is not known; banks are the regions that accumulate independently).
Source: observed accumulate flags of compiled matmuls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from opennki.backend.schedule import Footprint, footprint, overlap
from opennki.birpy import AccessPattern, BasicBlock, Function, Instruction, Loop, MemoryType
from opennki.birpy.opcodes import OPCODES
from opennki.target import Target

START: Final = 1
STOP: Final = 2
LOOSE: Final = 4

MATMULS: Final = frozenset({"Matmult", "MatmultSparse", "MatmultMx"})


class _Groups:
    """Groups that are open: per bank, destination -> latest matmul of the group."""

    def __init__(self, flags: dict[int, int], bank_bytes: int) -> None:
        self._flags = flags
        self._bank_bytes = bank_bytes
        self._open: dict[int, dict[Footprint, int]] = {}

    def banks(self, fp: Footprint) -> range:
        """Banks that a destination lies in."""
        size = self._bank_bytes
        return range(fp.lo // size, max(fp.lo, fp.hi - 1) // size + 1)

    def close(self, fp: Footprint) -> None:
        """Something reads or overwrites `fp`: the groups that share bytes with it are complete."""
        for bank in self.banks(fp):
            groups = self._open.get(bank)
            if groups:
                for other in [o for o in groups if overlap(o, fp)]:
                    self._flags[groups.pop(other)] |= STOP

    def put(self, fp: Footprint, node: int) -> None:
        """`node` is now the latest matmul of the group with destination `fp`."""
        for bank in self.banks(fp):
            self._open.setdefault(bank, {})[fp] = node

    def close_all(self) -> None:
        """The function ends."""
        for groups in self._open.values():
            for node in groups.values():
                self._flags[node] |= STOP


def set_accumulation(function: Function, t: Target) -> None:
    """Set ``accumulation_flag`` and ``psum_zero_region`` of every matmul of `function`.

    Attributes that instructions share are not changed: instructions get new ones, shared in turn.
    """
    for block in function.blocks:
        _set_block(block, t)


def _set_block(block: BasicBlock, t: Target) -> None:
    straight: list[Instruction] = []
    for item in block.instructions:
        if isinstance(item, Instruction):
            straight.append(item)
            continue
        _set_flags(straight, t)
        straight = []
        assert not isinstance(item, Loop), "rolled loops are expanded before"
        for inner in item.blocks:
            _set_block(inner, t)
    _set_flags(straight, t)


def _set_flags(instructions: list[Instruction], t: Target) -> None:
    flags = _flags(instructions, t)
    made: dict[tuple[int, int, int], tuple[Mapping[str, object], dict[str, object]]] = {}
    for node, flag in flags.items():
        inst = instructions[node]
        out = inst.outs[0]
        bank = footprint(out).lo // t.psum_bank_bytes if isinstance(out, AccessPattern) else 0
        key = (id(inst.attrs), flag, bank)
        found = made.get(key)
        if found is None:  # the old attributes are kept, so that their id is not used again
            changed = {**inst.attrs, "accumulation_flag": flag, "psum_zero_region": bank}
            found = made[key] = inst.attrs, OPCODES[inst.opcode].canonical(changed)
        inst.attrs = found[1]


def _flags(instructions: list[Instruction], t: Target) -> dict[int, int]:
    """The flags of every matmul, by position."""
    flags: dict[int, int] = {}
    groups = _Groups(flags, t.psum_bank_bytes)
    for node, inst in enumerate(instructions):
        for arg in inst.ins:
            if isinstance(arg, AccessPattern) and arg.memloc.type is MemoryType.PSUM:
                groups.close(footprint(arg))
        matmul = inst.opcode in MATMULS
        for out in inst.outs:
            if isinstance(out, AccessPattern) and out.memloc.type is MemoryType.PSUM:
                fp = footprint(out)
                adds = inst.attrs.get("opennki_accumulate") if matmul else False
                if adds is None:
                    flags[node] = LOOSE
                    continue
                if not adds:
                    groups.close(fp)
                if matmul:
                    flags[node] = 0 if adds else START
                    groups.put(fp, node)
    groups.close_all()
    return flags
