"""Launch grids of the first generation: any number of programs, some of them on other cores.

A number in a grid counts programs that one core runs one after another; `nl.nc(n)` counts physical
cores, which run side by side. An axis may be a product of both, ``nl.nc(2) * 4``, whose first
factor counts slowest. Source: NKI 0.1 language reference, nc and spmd_dim.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from opennki.base.codes import NKI1020, NKI1120, NKI1121
from opennki.base.dtypes import DType
from opennki.ir import Space, Tensor
from opennki.trace.arguments import Refuse, ResultTree
from opennki.trace.fault import fault
from opennki.trace.plain import plain_int, shown

Ids = tuple[int, ...]


class Axis:
    """One axis of a grid: factors, each a number of programs or of physical cores."""

    __slots__ = ("factors",)

    def __init__(self, *factors: tuple[int, bool]) -> None:
        """Args: factors, each a size and whether it counts cores; the first counts slowest."""
        self.factors = factors

    @property
    def size(self) -> int:
        """Programs along the axis."""
        return prod(size for size, _ in self.factors)

    @property
    def cores(self) -> int:
        """Physical cores that they are on."""
        return prod(size for size, physical in self.factors if physical)

    def __mul__(self, other: Any) -> Axis:
        return Axis(*self.factors, *axis(other).factors)

    def __rmul__(self, other: Any) -> Axis:
        return Axis(*axis(other).factors, *self.factors)

    def places(self) -> list[tuple[int, int]]:
        """Core and index of every program of the axis, in order."""
        found = []
        for index, digits in enumerate(product(*(range(size) for size, _ in self.factors))):
            core = 0
            for digit, (size, physical) in zip(digits, self.factors, strict=True):
                core = core * size + digit if physical else core
            found.append((core, index))
        return found

    def __repr__(self) -> str:
        texts = [f"nl.nc({size})" if physical else str(size) for size, physical in self.factors]
        return " * ".join(texts)


def axis(value: Any) -> Axis:
    """`value`, an entry of a grid, as an axis. Raises: NKI1020 for what is no positive integer."""
    if isinstance(value, Axis):
        return value
    return Axis((_positive(value), False))


def nc(cores: Any) -> Axis:
    """``nl.nc(2)``: an axis of physical cores, in ``kernel[nl.nc(2)]``. Raises: NKI1020."""
    return Axis((_positive(cores), True))


def spmd_dim(*factors: Any) -> Axis:
    """``nl.spmd_dim(nl.nc(2), 4)``: an axis that is a product, here ``nl.nc(2) * 4``."""
    found = [axis(value) for value in factors]
    return Axis(*(factor for one in found for factor in one.factors))


def _positive(value: Any) -> int:
    size = plain_int(value)
    if size is None or size < 1:
        raise fault(NKI1020, grid=[value], why=f"{shown(value)} is not a positive integer")
    return size


@dataclass(frozen=True)
class Spmd:
    """The grid of a launch. Attributes: axes; cores, how many it is spread over."""

    axes: tuple[Axis, ...]

    @property
    def cores(self) -> int:
        """Physical cores of the launch."""
        return prod(one.cores for one in self.axes)

    @property
    def cores_grid(self) -> Ids:
        """The grid of cores; none for one core."""
        return (self.cores,) if self.cores > 1 else ()

    @property
    def sizes(self) -> Ids:
        """Programs along each axis."""
        return tuple(one.size for one in self.axes)

    def on(self, ids: Ids) -> Programs:
        """The programs of the core that has the index `ids` in `cores_grid`."""
        return Programs(self.sizes, self.programs(ids[0] if ids else 0))

    def programs(self, core: int) -> list[Ids]:
        """The programs that `core` runs, in order."""
        found = []
        for places in product(*(one.places() for one in self.axes)):
            at = 0
            for one, (place, _) in zip(self.axes, places, strict=True):
                at = at * one.cores + place
            if at == core:
                found.append(tuple(index for _, index in places))
        return found


def spmd(grid: Any) -> Spmd:
    """The grid that ``kernel[grid]`` means. Raises: NKI1020."""
    entries = grid if isinstance(grid, tuple | list) else () if grid is None else (grid,)
    return Spmd(tuple(axis(entry) for entry in entries))


@dataclass
class Programs:
    """The programs that one core runs as one function, and what they share.

    A program's k-th tensor in HBM is the k-th of the first program: there is one output of the
    launch, of which each program writes its part.

    Attributes: sizes, of the grid; todo, the programs; ids, of the one that is being traced.
    """

    sizes: Ids
    todo: Sequence[Ids]
    ids: Ids = ()
    _made: list[Tensor] = field(default_factory=list)
    _count: int = 0

    def again(self, shape: Ids, dtype: DType, space: Space) -> Tensor | None:
        """The tensor that this one is in the first program; None in that program itself.

        Raises: NKI1120 if it is another one there.
        """
        if self.ids == self.todo[0]:
            return None
        found = self._made[self._count] if self._count < len(self._made) else None
        self._count += 1
        mine = f"{dtype}{list(shape)} in {space}"
        theirs = "none" if found is None else f"{found.dtype}{list(found.shape)} in {found.space}"
        if mine != theirs:
            facts = {"ids": self.ids, "first": self.todo[0], "mine": mine, "theirs": theirs}
            raise fault(NKI1120, number=self._count, **facts)
        return found

    def note(self, tensor: Tensor) -> None:
        """Remember a tensor in HBM that the first program makes."""
        self._made.append(tensor)

    def run(self, call: Callable[[], Any], refuse: Refuse) -> Any:
        """Call the kernel for every program; what it returns, which is the same for all.

        Raises: NKI1121 if it is not; what `refuse` makes of what a kernel cannot return.
        """
        first: list[Tensor] = []
        returned = None
        for ids in self.todo:
            self.ids, self._count = ids, 0
            value = call()
            leaves = [] if value is None else ResultTree(value, refuse).leaves
            mine = [view.tensor for view in leaves]
            if ids == self.todo[0]:
                first, returned = mine, value
            if mine != first:
                texts = [", ".join(t.name for t in one) or "nothing" for one in (mine, first)]
                raise fault(NKI1121, ids=ids, mine=texts[0], theirs=texts[1])
        return returned
