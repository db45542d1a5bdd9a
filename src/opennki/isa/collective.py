"""Collectives: what the ranks of a launch, each a logical core, do together.

Ranks work in groups. A group is a list of ranks, and its order is that of its parts: of what is
gathered, of what is scattered, and of the ring. Core k of a rank works with core k of the others.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, ClassVar, Final

import numpy as np

from opennki.base.codes import NKI2107, NKI2116, NKI2117, NKI2124, NKI2704, NKI2706, NKI2707
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import ALL, PACKED
from opennki.ir import (
    HBM,
    SBUF,
    Company,
    Inst,
    Met,
    Place,
    Read,
    View,
    attr,
    fixed_size,
    inp,
    instruction,
    out,
)  # fmt: skip
from opennki.ir.scalar import Array
from opennki.target import COREV4, SUNDA, Target

from .alu import ALU
from .dma import PRIORITIES
from .enums import AluOp, Engine

Groups = tuple[tuple[int, ...], ...]

MEMORIES: Final = HBM | SBUF
SUMMED: Final = frozenset(d for d in ALL if d not in PACKED and d.itemsize < 8)
OPERATORS: Final = {AluOp.add: "nl.add", AluOp.min: "nl.minimum", AluOp.max: "nl.maximum"}
SINCE: Final = dict.fromkeys(PRIORITIES, COREV4)


class Collective(Inst):
    """What all collectives have in common: their ranks, and the rules of their operands."""

    __slots__ = ()
    alone = False
    module = "nki.collectives"
    moves: ClassVar[bool] = True

    def groups(self) -> Groups:
        """The groups of ranks that work with each other."""
        made: Groups = self.replica_groups  # type: ignore[attr-defined]  # declared by subclasses
        return made

    def check_ranks(self, ranks: int) -> Problems:
        """Every rank of the launch is in one group, and every group has only such ranks."""
        named = sorted(rank for group in self.groups() for rank in group)
        if named != list(range(ranks)):
            yield problem(
                NKI2707, groups=shown_groups(self.groups()), why=what_is_wrong(named, ranks)
            )

    def ranks_with(self, rank: int) -> tuple[int, ...]:
        """The group of a rank."""
        return next((group for group in self.groups() if rank in group), (rank,))

    def company(self, rank: int, core: int) -> Company:
        """The same collective of all ranks of the group."""
        places = tuple((r, core) for r in self.ranks_with(rank))
        return Company((self.spec.label, self.key()), places)

    def key(self) -> object:
        """What collectives that belong together have in common, besides their kind."""
        return self.groups()

    def read_mode(self) -> Read:
        """Bits where data are moved only, integers where only the largest or smallest is sought."""
        if self.moves:
            return Read.RAW
        picks = getattr(self, "op", AluOp.add) in (AluOp.max, AluOp.min)
        return Read.INT if picks and next(self.views())[1].dtype.is_int else Read.F32

    def parts(self, me: Place, met: Met) -> list[Any]:
        """The first operand of every rank of the group, in its order."""
        rank, core = me
        return [met[r, core][0] for r in self.ranks_with(rank)]


def shown_groups(groups: Groups) -> str:
    """Lists of ranks as kernels write them."""
    return str([list(group) for group in groups])


def what_is_wrong(named: list[int], ranks: int) -> str:
    """Why `named` are not all `ranks` of a launch."""
    extra = [rank for rank in named if rank not in range(ranks)]
    missing = [rank for rank in range(ranks) if rank not in named]
    count = f"the launch has {ranks} rank{'s' if ranks > 1 else ''}"
    if extra:
        return f"{count}, and rank {extra[0]} is none of them"
    return f"{count}, and rank {missing[0]} is in no group"


def group_problems(groups: Groups) -> Problems:
    """Groups do not overlap, are not empty, and have one size."""
    ranks = [rank for group in groups for rank in group]
    why = ""
    if not groups or not all(groups):
        why = "there is no rank in it"
    elif min(ranks) < 0:
        why = f"{min(ranks)} is no rank"
    elif len(set(ranks)) < len(ranks):
        twice = next(rank for rank in ranks if ranks.count(rank) > 1)
        why = f"rank {twice} is in it twice"
    elif len({len(group) for group in groups}) > 1:
        why = "its groups have different sizes"
    if why:
        yield problem(NKI2707, groups=shown_groups(groups), why=why)


def memory_problems(inst: Inst) -> Problems:
    """All operands are in HBM or all in SBUF, where they are tiles of two dimensions."""
    (first, one), *others = list(inst.views())
    for operand, view in others:
        if view.space.on_chip != one.space.on_chip:
            yield problem(
                NKI2704, operand=operand.name, got=view.space, other=first.name, want=one.space,
                inst=inst.spec.label,
            )  # fmt: skip
            return
    for operand, view in inst.views():
        if view.space.on_chip and len(view.shape) != 2:
            yield problem(NKI2706, operand=operand.name, got=len(view.shape))


def pair_problems(inst: Inst, dst: View, src: View, want: tuple[int, ...]) -> Problems:
    """`dst` has the dtype of `src` and the shape `want`."""
    if dst.dtype != src.dtype:
        yield problem(
            NKI2116, first="dst", first_dtype=dst.dtype, second="src", second_dtype=src.dtype,
            inst=inst.spec.label,
        )  # fmt: skip
    if dst.shape != want:
        yield problem(NKI2107, inst=inst.spec.label, **fixed_size("dst", dst.shape, want))


def operator_problems(inst: Inst, op: AluOp) -> Problems:
    """Ranks add, or take the smallest or the largest."""
    if op not in OPERATORS:
        row = ALU.get(op)
        name = f"nl.{row.nki}" if row is not None and row.nki else op.name
        yield problem(NKI2117, op=name, inst=inst.spec.label, allowed=", ".join(OPERATORS.values()))


def service_problems(inst: Inst, priority: int | None) -> Problems:
    """There are four priorities."""
    if priority is not None and priority not in PRIORITIES:
        yield problem(
            NKI2124, name="priority", got=priority, allowed="0, 1, 2, 3", inst=inst.spec.label,
        )  # fmt: skip


def dim_problems(inst: Inst, dim: int, allowed: tuple[int, ...], where: str) -> Problems:
    """The dimension is one along which the collective can work."""
    if dim not in allowed:
        yield problem(
            NKI2124, name="collective_dim", got=dim, allowed=", ".join(map(str, allowed)),
            inst=f"{inst.spec.label} in {where}",
        )  # fmt: skip


def combined(op: AluOp, parts: list[Array]) -> Array:
    """Parts combined from the first on. `op` is one of `OPERATORS`."""
    return reduce(ALU[op].fn, parts)


@instruction(
    emit="all_reduce", bir="CollectiveCompute", klr="AllReduce", owner=False,
    engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class TiledAllReduceOp(Collective):
    """Combine `src` of every rank of the group with `op`, and give all of them the result.

    Operands are in HBM, or tiles of two dimensions in SBUF. A lower `priority` is served first.

    Source: NKI collectives reference, all_reduce. Model: parts are added in float32 in the order of
    the group; the largest or smallest of integers is exact, as it is one of them.
    """

    moves = False

    src: View = inp(MEMORIES, "...", SUMMED)
    dst: View = out(MEMORIES, "...", SUMMED)
    op: AluOp = attr(AluOp, AluOp.add, bir="cc_channel")
    replica_groups: Groups = attr(tuple, bir="cc_channel")
    priority: int | None = attr(int, None, optional=True, since=SINCE)

    def check(self, t: Target) -> Problems:
        yield from memory_problems(self)
        yield from group_problems(self.replica_groups)
        yield from pair_problems(self, self.dst, self.src, self.src.shape)
        yield from operator_problems(self, self.op)
        yield from service_problems(self, self.priority)

    def key(self) -> object:
        """Ranks and operator."""
        return self.replica_groups, self.op

    def sem(self, me: Place, met: Met) -> tuple[Array]:
        return (combined(self.op, self.parts(me, met)),)


@instruction(
    emit="all_gather", bir="CollectiveCompute", klr="AllGather", owner=False,
    engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class TiledAllGatherOp(Collective):
    """Give every rank of the group all their `src`, one behind the other along a dimension.

    `collective_dim` is 0 in HBM. In SBUF, where operands are tiles of two dimensions, it may be 1.

    Source: NKI collectives reference, all_gather. Bits are moved.
    """

    src: View = inp(MEMORIES, "...")
    dst: View = out(MEMORIES, "...")
    replica_groups: Groups = attr(tuple, bir="cc_channel")
    collective_dim: int = attr(int, 0, bir="cc_dim")
    priority: int | None = attr(int, None, optional=True, since=SINCE)

    def check(self, t: Target) -> Problems:
        yield from memory_problems(self)
        yield from group_problems(self.replica_groups)
        on_chip = self.src.space.on_chip
        dims = list(
            dim_problems(self, self.collective_dim, (0, 1), "SBUF") if on_chip
            else dim_problems(self, self.collective_dim, (0,), "HBM")
        )  # fmt: skip
        yield from dims
        if not dims and self.replica_groups and len(self.src.shape) > self.collective_dim:
            want = _scaled(self.src.shape, self.collective_dim, len(self.replica_groups[0]))
            yield from pair_problems(self, self.dst, self.src, want)
        yield from service_problems(self, self.priority)

    def key(self) -> object:
        """Ranks and dimension."""
        return self.replica_groups, self.collective_dim

    def sem(self, me: Place, met: Met) -> tuple[Array]:
        return (np.concatenate(self.parts(me, met), axis=self.collective_dim),)


def _scaled(shape: tuple[int, ...], dim: int, times: int) -> tuple[int, ...]:
    return (*shape[:dim], shape[dim] * times, *shape[dim + 1 :])


def split_problems(inst: Inst, src: View, parts: int) -> Problems:
    """`src` can be split into equal parts along its first dimension."""
    if src.shape[0] % parts:
        want = (-(-src.shape[0] // parts) * parts, *src.shape[1:])
        yield problem(NKI2107, inst=inst.spec.label, **fixed_size("src", src.shape, want))


@instruction(
    emit="reduce_scatter", bir="CollectiveCompute", klr="ReduceScatter", owner=False,
    engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class TiledReduceScatterOp(Collective):
    """Combine `src` of every rank of the group with `op`, and give each its part of the result.

    The result is split along `collective_dim`, which is 0, into as many parts as there are ranks.

    Source: NKI collectives reference, reduce_scatter. Model: as all_reduce.
    """

    moves = False

    src: View = inp(MEMORIES, "...", SUMMED)
    dst: View = out(MEMORIES, "...", SUMMED)
    op: AluOp = attr(AluOp, AluOp.add, bir="cc_channel")
    replica_groups: Groups = attr(tuple, bir="cc_channel")
    collective_dim: int = attr(int, 0, bir="cc_dim")
    priority: int | None = attr(int, None, optional=True, since=SINCE)

    def check(self, t: Target) -> Problems:
        yield from memory_problems(self)
        wrong = list(group_problems(self.replica_groups))
        yield from wrong
        yield from dim_problems(self, self.collective_dim, (0,), "any memory")
        if not wrong:
            size = len(self.replica_groups[0])
            split = list(split_problems(self, self.src, size))
            yield from split
            if not split:
                want = (self.src.shape[0] // size, *self.src.shape[1:])
                yield from pair_problems(self, self.dst, self.src, want)
        yield from operator_problems(self, self.op)
        yield from service_problems(self, self.priority)

    def key(self) -> object:
        """Ranks and operator."""
        return self.replica_groups, self.op

    def sem(self, me: Place, met: Met) -> tuple[Array]:
        whole = combined(self.op, self.parts(me, met))
        ranks = self.ranks_with(me[0])
        return (np.split(whole, len(ranks))[ranks.index(me[0])],)


@instruction(
    emit="all_to_all", bir="CollectiveCompute", klr="AllToAll", owner=False,
    engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class TiledAlltoAllOp(Collective):
    """Give each rank of the group its part of every rank's `src`, in the order of the group.

    Operands are in HBM. They are split along `collective_dim`, which is 0.

    Source: NKI collectives reference, all_to_all. Bits are moved.
    """

    src: View = inp(HBM, "...")
    dst: View = out(HBM, "...")
    replica_groups: Groups = attr(tuple, bir="cc_channel")
    collective_dim: int = attr(int, 0, bir="cc_dim")
    priority: int | None = attr(int, None, optional=True, since=SINCE)

    def check(self, t: Target) -> Problems:
        wrong = list(group_problems(self.replica_groups))
        yield from wrong
        yield from dim_problems(self, self.collective_dim, (0,), "HBM")
        if not wrong:
            yield from split_problems(self, self.src, len(self.replica_groups[0]))
        yield from pair_problems(self, self.dst, self.src, self.src.shape)
        yield from service_problems(self, self.priority)

    def sem(self, me: Place, met: Met) -> tuple[Array]:
        ranks = self.ranks_with(me[0])
        mine = ranks.index(me[0])
        return (np.concatenate([np.split(p, len(ranks))[mine] for p in self.parts(me, met)]),)
