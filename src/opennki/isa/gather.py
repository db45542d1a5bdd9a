"""Copies of elements chosen at run time by index, within what one GpSimd core reaches."""

from __future__ import annotations

from typing import Final

import numpy as np

from opennki.base.codes import NKI2104, NKI2116, NKI2124, NKI2451, NKI2452, NKI2453, NKI6021
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import uint16, uint32
from opennki.ir import SBUF, Inst, Read, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .enums import Engine

GROUP: Final = 16
"""Partitions that one GpSimd core reaches: 0 to 15, 16 to 31, and so on."""

RUNS: Final = (1, 2, 4, 8, 16, 32)
"""Numbers of neighbouring elements that an index may stand for."""


@instruction(
    "local_gather", emit="local_gather", bir="IndirectCopy", klr="NcLocalGather",
    engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class IndirectCopy(Inst):
    """Gather by the indices of 16 partitions: ``dst[p, k*n + e] = src_buffer[p, i[k] + e]``.

    Partitions form groups of 16 from where the views start, one group per GpSimd core, each with
    indices of its own. ``i`` is the part of `index` in the group of p, read along the partitions
    first: i[k] is ``index[g + k % 16, k // 16]`` for the group that starts at g. All 16 partitions
    of a group take the same places. An index counts elements of a partition of `src_buffer`, whose
    free dimensions count as one; it stands for n = `num_elem_per_idx` neighbours from there on,
    and need not be a multiple of n. Only the first `num_valid_indices` of each group are used,
    without it all of them. Bits are moved.

    An index that leaves `src_buffer` stops the simulation with NKI6021; on a device its result is
    undefined.

    Source: NKI ISA reference, local_gather, and its published example. Model: neighbours are those
    in the view `src_buffer`, also if it skips elements of its tensor; `dst` has exactly the
    elements that are gathered, because BIR derives `num_elem_per_idx` from them.
    """

    dst: View = out(SBUF, "P *")
    src_buffer: View = inp(SBUF, "P *")
    index: View = inp(SBUF, "P *", frozenset({uint16}))
    num_elem_per_idx: int = attr(int, 1)
    num_valid_indices: int | None = attr(int, None, optional=True)

    @property
    def available(self) -> int:
        """Indices that each group of partitions has."""
        return self.index.free_size * GROUP

    @property
    def count(self) -> int:
        """Indices that are used of each group."""
        return self.available if self.num_valid_indices is None else self.num_valid_indices

    def check(self, t: Target) -> Problems:
        yield from group_problems(self, self.dst, "dst")
        yield from dtype_problems(self, self.src_buffer, "src_buffer")
        label, each = self.spec.label, self.num_elem_per_idx
        runs = [n for n in RUNS if n <= self.src_buffer.free_size]
        if each not in runs:
            allowed = ", ".join(map(str, runs))
            yield problem(NKI2124, name="num_elem_per_idx", got=each, allowed=allowed, inst=label)
            return
        if not 1 <= self.count <= self.available:
            yield problem(
                NKI2124, name="num_valid_indices", got=self.count,
                allowed=f"1 to {self.available}, which `index` has", inst=label,
            )  # fmt: skip
            return
        if self.count > t.gather_max:
            yield problem(
                NKI2104, operand="index", dim="indices per 16 partitions", got=self.count,
                limit=t.gather_max, inst=label, target=t.title,
            )  # fmt: skip
        if self.dst.free_size != self.count * each:
            yield problem(
                NKI2452, operand="dst", got=self.dst.free_size, count=self.count, each=each,
                want=self.count * each, inst=label,
            )  # fmt: skip
        elif each > 1 and self.num_valid_indices is None:
            yield problem(NKI2453, got=each, count=self.count)

    def read_mode(self) -> Read:
        """Bits."""
        return Read.RAW

    def index_limit(self, name: str) -> int | None:
        """The places in a partition at which a run of neighbours can start."""
        return self.src_buffer.free_size - self.num_elem_per_idx + 1 if name == "index" else None

    def examined(self, name: str, src_buffer: Array, index: Array) -> Array:
        """The valid indices, and what they choose."""
        if name == "index":
            valid = self.count > np.arange(self.available).reshape(-1, GROUP).T
            return np.tile(valid, (len(index) // GROUP, 1))
        return _chosen(src_buffer, self._places(index))

    def watch(self, src_buffer: Array, index: Array) -> Problems:
        """Indices outside of `src_buffer`."""
        mask = self.examined("index", src_buffer, index)
        yield from index_problems(self, "index", "src_buffer", index, mask)

    def sem(self, src_buffer: Array, index: Array) -> Array:
        return np.take_along_axis(src_buffer, self._places(index), axis=1)

    def _places(self, index: Array) -> Array:
        """Which element of its partition each element of `dst` is."""
        groups = index.reshape(-1, GROUP, self.index.free_size).swapaxes(1, 2)
        starts = groups.reshape(len(groups), -1)[:, : self.count].astype(np.int64)
        places = (starts[:, :, None] + np.arange(self.num_elem_per_idx)).reshape(len(starts), -1)
        return np.repeat(places, GROUP, axis=0)


@instruction(
    "nc_n_gather", emit="nc_n_gather", bir="Gather", klr="NcNGather", engines=(Engine.POOL,),
    since=SUNDA,
)  # fmt: skip
class PoolGather(Inst):
    """Gather within each partition: ``dst[p, k] = data[p, indices[p, k]]``.

    The free dimensions of `data` count as one, from 0 on; so do those of `indices` and `dst`, whose
    shapes may differ. Bits are moved.

    An index that is not an element of its partition of `data` stops the simulation with NKI6021.

    Source: NKI ISA reference, nc_n_gather.
    """

    dst: View = out(SBUF, "P F")
    data: View = inp(SBUF, "P *")
    indices: View = inp(SBUF, "P F", frozenset({uint32}))

    def check(self, t: Target) -> Problems:
        yield from dtype_problems(self, self.data, "data")

    def read_mode(self) -> Read:
        """Bits."""
        return Read.RAW

    def index_limit(self, name: str) -> int | None:
        """The elements of a partition."""
        return self.data.free_size if name == "indices" else None

    def examined(self, name: str, data: Array, indices: Array) -> Array | None:
        """All indices, and what they choose."""
        if name == "indices":
            return None
        return _chosen(data, indices.astype(np.int64))

    def watch(self, data: Array, indices: Array) -> Problems:
        """Indices outside of `data`."""
        yield from index_problems(self, "indices", "data", indices)

    def sem(self, data: Array, indices: Array) -> Array:
        return np.take_along_axis(data, indices.astype(np.int64), axis=1)


def _chosen(data: Array, places: Array) -> Array:
    """Which elements of `data` are at `places`; of one beyond the end, the last element is."""
    mask: Array = np.zeros(data.shape, np.bool_)
    np.put_along_axis(mask, np.minimum(places, data.shape[1] - 1), True, axis=1)
    return mask


def group_problems(inst: Inst, view: View, name: str) -> Problems:
    """`view` has whole groups of partitions, as GpSimd's cores reach them."""
    if view.partitions % GROUP:
        yield problem(
            NKI2451, operand=name, got=view.partitions, group=GROUP, inst=inst.spec.label
        )  # fmt: skip


def dtype_problems(inst: Inst, view: View, name: str) -> Problems:
    """Bits are moved: `dst` has the dtype of what is chosen from."""
    dst: View = inst.dst  # type: ignore[attr-defined]  # both classes here have one
    if dst.dtype != view.dtype:
        yield problem(
            NKI2116, first="dst", first_dtype=dst.dtype, second=name, second_dtype=view.dtype,
            inst=inst.spec.label,
        )  # fmt: skip


def index_problems(
    inst: Inst, name: str, source: str, index: Array, mask: Array | None = None
) -> Problems:
    """The first of the unsigned `index` (where `mask` is true) that is too large, if any is."""
    limit = inst.index_limit(name)
    assert limit is not None, f"{name} of {inst.spec.label} is no index"
    wrong = index >= limit
    if mask is not None:
        wrong &= mask
    if wrong.any():
        row, column = map(int, np.argwhere(wrong)[0])
        yield problem(
            NKI6021, operand=name, source=source, count=int(wrong.sum()), partition=row,
            element=column, index=int(index[row, column]), last=limit - 1, inst=inst.spec.label,
        )  # fmt: skip
