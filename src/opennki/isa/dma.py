"""DMA transfers between memories: the copy of whole tensors and tiles, and the transpose."""

from __future__ import annotations

from typing import Final

from opennki.base.codes import (
    NKI2106,
    NKI2108,
    NKI2113,
    NKI2116,
    NKI2124,
    NKI2126,
    NKI2301,
    NKI2302,
    NKI2303,
    NKI2304,
    NKI2305,
    NKI2306,
    NKI2307,
    NKI2308,
    NKI2311,
)
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import ALL, names, uint32
from opennki.ir import ANYWHERE, SBUF, Index, Inst, Read, Space, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import CAYMAN, COREV4, SUNDA, Target

from .enums import DgeMode, Engine, OobMode
from .opcheck import packed_problems

PRIORITIES = range(4)
"""Levels of service; 0 is served first."""


@instruction(
    "dma_copy", emit="dma_copy", bir="DMACopy", klr="NcDmaCopy",
    engines=(Engine.SP, Engine.ACT, Engine.POOL), since=SUNDA,
)  # fmt: skip
class DMACopyOp(Inst):
    """Copy `src` to `dst` element by element in row-major order; the shapes may differ.

    Bits are kept when the dtypes are equal; otherwise every element goes through float32. Either
    side is in HBM or SBUF. The engine is the one whose queue starts the transfer: descriptors of
    `hwdge` are made by the sync or scalar engine's hardware, those of `swdge` by GpSimd. A lower
    `priority` is served first.

    A view on either side may have a run-time index. A vector of them gathers rows of `src`, or
    scatters to rows of `dst`, by descriptors that GpSimd makes. With `oob_mode` skip what lies
    outside of a tensor is neither read nor written; otherwise it stops the run.

    `engine_given` says that the author named the engine, which only `hwdge` allows.

    Source: NKI ISA reference, dma_copy; guide to descriptor generation. Model: an element is
    outside when its index or its address is; of two rows scattered to one place the later stays.
    """

    dst: View = out(ANYWHERE, "...")
    src: View = inp(ANYWHERE, "...")
    priority: int | None = attr(int, None, optional=True, since=dict.fromkeys(PRIORITIES, COREV4))
    oob_mode: OobMode = attr(OobMode, OobMode.error)
    dge_mode: DgeMode = attr(DgeMode, DgeMode.unknown, since={DgeMode.hwdge: CAYMAN})
    engine_given: bool = attr(bool, False, bir="", surface=False)

    def default_engine(self, t: Target) -> Engine:
        """GpSimd for software descriptors, the sync engine for all others."""
        gathers = any(view.index is not None and view.index.vector for view in (self.dst, self.src))
        gathers &= self.dge_mode is DgeMode.unknown  # what else there is, software cannot make
        return Engine.POOL if self.dge_mode is DgeMode.swdge or gathers else Engine.SP

    def prepare(self, t: Target) -> None:
        """Remember whether the author chose the engine."""
        self.engine_given = self.engine is not None

    def check(self, t: Target) -> Problems:
        for name, view in (("dst", self.dst), ("src", self.src)):
            if view.tensor.space is Space.psum:
                yield problem(NKI2301, operand=name)
        if self.dst.size != self.src.size:
            yield problem(NKI2126, dst=self.dst.size, src=self.src.size)
        yield from packed_problems(self, "src")
        yield from self._descriptor_problems()
        yield from service_problems(self, self.oob_mode, self.priority)
        yield from gather_problems(self, (self.dst, self.src), self.dge_mode, t)

    def _descriptor_problems(self) -> Problems:
        mode, engine = self.dge_mode, self.engine
        if mode is not DgeMode.hwdge and self.engine_given:
            yield problem(NKI2303, engine=engine.nki, mode=mode)
            return
        if mode is DgeMode.hwdge and self.dst.dtype != self.src.dtype:
            yield problem(NKI2302, src_dtype=self.src.dtype, dst_dtype=self.dst.dtype)
        allowed = _QUEUES.get(mode)
        if allowed is not None and engine is not None and engine not in allowed:
            yield problem(
                NKI2113, inst=self.spec.label, got=engine.nki,
                allowed=", ".join(e.nki for e in allowed), why=f"dge_mode is {mode}",
            )  # fmt: skip

    def read_mode(self) -> Read:
        """Bits when the dtypes are equal, float32 otherwise."""
        return Read.RAW if self.dst.dtype == self.src.dtype else Read.F32

    def placed(self, valid: Array) -> Array:
        """Which elements of `dst` receive the elements of `src` that are marked."""
        return valid.reshape(self.dst.shape)

    def sem(self, src: Array) -> Array:
        return src


_QUEUES = {DgeMode.hwdge: (Engine.SP, Engine.ACT), DgeMode.swdge: (Engine.POOL,)}


PERMUTATIONS: Final = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}
"""The transpose of each rank: the first dimension and the last are exchanged."""

_BLOCK: Final = 16
"""Rows that the hardware transposes at a time."""

_WIDEST: Final = 128
"""Elements of the last dimension, and partitions of indices, that a gather can have."""

_HARDWARE_ROWS: Final = (1, 2, 4, 8, 16)
"""Sizes of dimension 0 with which whole blocks can be made."""

_TWO_BYTES: Final = frozenset(d for d in ALL if d.itemsize == 2)


@instruction(
    "dma_transpose", emit="dma_transpose", bir="DMACopy", klr="DmaTranspose", owner=False,
    engines=(Engine.POOL,), since=SUNDA,
)  # fmt: skip
class DMATranspose(Inst):
    """Exchange the first dimension and the last of `src` on the way to SBUF, moving bits.

    ``dst[j, i] = src[i, j]`` of two dimensions, ``dst[k, j, i] = src[i, j, k]`` of three and
    ``dst[l, j, k, i] = src[i, j, k, l]`` of four. `axes` may only say so: (1, 0), (2, 1, 0) or
    (3, 1, 2, 0). `src` is in HBM or SBUF. With `hwdge` hardware makes the descriptors, for dtypes
    of 2 bytes and blocks of 16 rows: 16 rows of two dimensions; of more, 1, 2, 4, 8 or 16 rows
    that with the size of the last dimension but one make a multiple of 16. A lower `priority` is
    served first.

    `src` may select its rows in HBM by a vector of run-time indices (uint32): GpSimd then makes the
    descriptors (`swdge`), for dtypes of 2 bytes, multiples of 16 rows and at most 128 elements in
    the last dimension. With `oob_mode` skip rows outside of the tensor leave `dst` as it is.

    Source: NKI ISA reference, dma_transpose. GpSimd's queue starts it, and in BIR both sides have
    four dimensions: those missing have size 1. Model: its queue is the same with `hwdge`.
    """

    dst: View = out(SBUF, "...")
    src: View = inp(ANYWHERE, "...")
    axes: tuple[int, ...] | None = attr(tuple, None, optional=True, bir="")
    priority: int | None = attr(int, None, optional=True, since=dict.fromkeys(PRIORITIES, COREV4))
    dge_mode: DgeMode = attr(DgeMode, DgeMode.unknown, since={DgeMode.hwdge: CAYMAN})
    oob_mode: OobMode = attr(OobMode, OobMode.error)

    def check(self, t: Target) -> Problems:
        if self.src.tensor.space is Space.psum:
            yield problem(NKI2301, operand="src")
        if self.dst.dtype != self.src.dtype:
            yield problem(
                NKI2116, first="dst", first_dtype=self.dst.dtype, second="src",
                second_dtype=self.src.dtype, inst=self.spec.label,
            )  # fmt: skip
        yield from self._shape_problems()
        yield from service_problems(self, self.oob_mode, self.priority, refuses=True)
        yield from gather_problems(self, (self.src,), self.dge_mode, t)
        index = self.src.index
        if index is not None and index.vector:
            yield from self._rows_problems(index)
        elif self.dge_mode is DgeMode.hwdge:
            yield from self._hardware_problems(t)
        elif self.dge_mode is DgeMode.swdge and index is None:
            yield problem(
                NKI2124, name="dge_mode", got=self.dge_mode, allowed="unknown, none, hwdge",
                inst=f"{self.spec.label} without run-time indices",
            )  # fmt: skip

    def _rows_problems(self, index: Index) -> Problems:
        """A gather: what its rows and its indices look like."""
        shape, source = self.src.shape, index.source
        rows = source.shape[0]
        why = ""
        if self.src.dtype not in _TWO_BYTES:
            why = f"elements of {self.src.dtype} do not have 2 bytes"
        elif shape[0] % _BLOCK:
            why = f"{shape[0]} rows are no multiple of {_BLOCK}"
        elif shape[-1] > _WIDEST:
            why = f"the last dimension has {shape[-1]} elements, more than {_WIDEST}"
        elif len(shape) == 4 and 1 not in shape[1:3]:
            why = f"neither of the middle dimensions {shape[1]} and {shape[2]} is 1"
        elif source.dtype is not uint32:
            why = f"the indices are {source.dtype}, not uint32"
        elif len(source.shape) != 2:
            why = f"the indices have {len(source.shape)} dimensions, not 2"
        elif rows % _BLOCK or not _BLOCK <= rows <= _WIDEST:
            why = f"the indices are on {rows} partitions, no multiple of {_BLOCK} up to {_WIDEST}"
        elif source.size != rows and rows != _WIDEST:
            why = f"several columns of indices need all {_WIDEST} partitions, and are on {rows}"
        if why:
            yield problem(NKI2308, why=why)

    def _shape_problems(self) -> Problems:
        shape, order = self.src.shape, PERMUTATIONS.get(len(self.src.shape))
        if order is None:
            yield problem(NKI2305, operand="src", got=len(shape))
            return
        if self.axes is not None and tuple(self.axes) != order:
            yield problem(
                NKI2124, name="axes", got=self.axes, allowed=order,
                inst=f"{self.spec.label} of {len(order)} dimensions",
            )  # fmt: skip
        want = tuple(shape[axis] for axis in order)
        if self.dst.shape != want:
            yield problem(
                NKI2306, operand="dst", got=list(self.dst.shape), want=list(want),
                shape=list(shape),
            )  # fmt: skip

    def _hardware_problems(self, t: Target) -> Problems:
        """The last dimension has at most 128 elements: `dst` has no more partitions."""
        if self.src.dtype not in _TWO_BYTES:
            yield problem(
                NKI2106, operand="src", got=self.src.dtype, target=t.title,
                allowed=names(_TWO_BYTES), inst=f"{self.spec.label} with dge_mode hwdge",
            )  # fmt: skip
        rows, *between, _ = self.src.shape
        if rows not in _HARDWARE_ROWS or rows * (between or [1])[-1] % _BLOCK:
            yield problem(NKI2307, operand="src", shape=list(self.src.shape))

    def read_mode(self) -> Read:
        """Bits: the dtypes are equal."""
        return Read.RAW

    def placed(self, valid: Array) -> Array:
        """Which elements of `dst` receive the elements of `src` that are marked."""
        return valid.transpose(PERMUTATIONS[valid.ndim])

    def sem(self, src: Array) -> Array:
        return src.transpose(PERMUTATIONS[src.ndim])


def gather_problems(inst: Inst, views: tuple[View, ...], mode: DgeMode, t: Target) -> Problems:
    """Vectors of indices need descriptors that GpSimd makes, which it can from gen3 on."""
    if not any(view.index is not None and view.index.vector for view in views):
        return
    if not t.has("gather"):
        what = "a vector of run-time indices"
        yield problem(NKI2108, what=what, since=t.title_of(CAYMAN), target=t.title)
    if mode not in (DgeMode.unknown, DgeMode.swdge):
        yield problem(
            NKI2124, name="dge_mode", got=mode, allowed="unknown, swdge",
            inst=f"{inst.spec.label} with a vector of run-time indices",
        )  # fmt: skip


def service_problems(
    inst: Inst, oob_mode: OobMode, priority: int | None, refuses: bool = False
) -> Problems:
    """Only run-time indices can be outside, and there are four priorities.

    Args: refuses, whether skipping without an index is an error, not just without effect.
    """
    if oob_mode is OobMode.skip and not any(True for _ in inst.index_views()):
        yield problem(NKI2304) if refuses else problem(NKI2311, inst=inst.spec.label)
    if priority is not None and priority not in PRIORITIES:
        yield problem(
            NKI2124, name="priority", got=priority, allowed="0, 1, 2, 3", inst=inst.spec.label,
        )  # fmt: skip
