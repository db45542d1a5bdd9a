"""What the two cores of a logical core do together: barriers, and tiles that they exchange."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from opennki.base.codes import NKI2107, NKI2116, NKI2124, NKI2701, NKI2702, NKI2703, NKI6022
from opennki.base.diag import Problems, problem
from opennki.ir import (
    SBUF,
    Company,
    Inst,
    Met,
    Place,
    Read,
    Space,
    View,
    attr,
    inout,
    inp,
    instruction,
    out,
)  # fmt: skip
from opennki.ir.scalar import Array
from opennki.ir.shapes import fixed_size
from opennki.target import CAYMAN, Target

from .enums import DmaEngine, Engine

CORES: Final = (0, 1)
"""The cores of a logical core."""

SHARED: Final = frozenset({Space.shared_hbm})
"""Memory that both cores see."""

SWAP_BYTES: Final = {4: 1024, 2: 512, 1: 256}
"""Bytes per partition that GpSimd's own DMA moves, by the size of an element."""


def launch_problems(inst: Inst, cores: int) -> Problems:
    """Only a launch on both cores of a logical core has another core to work with."""
    if cores != len(CORES):
        yield problem(NKI2701, inst=inst.spec.label, cores=cores)


@instruction(
    "core_barrier", emit="core_barrier", bir="CoreBarrier", klr="CoreBarrier",
    engines=(Engine.POOL, Engine.PE, Engine.ACT, Engine.DVE, Engine.SP), since=CAYMAN,
)  # fmt: skip
class CoreBarrierOp(Inst):
    """Wait on `engine` until both cores of the logical core have come to this barrier.

    What a core did with `data`, which both share, before the barrier is complete before the other
    core touches `data` after it. Only this engine waits; instructions of others go on unless they
    touch `data`. The barriers of two cores are one if they name the same tensor, in the order in
    which each core comes to them; of two parts of it, what is in both is ordered. `cores` can only
    be (0, 1).

    Source: NKI ISA reference, core_barrier. Model: uses of other shared tensors are not ordered,
    because no instruction that touches them waits for the barrier. The `id` of the BIR
    instruction is that of a pipe, of which NKI has none to give: it is 0.
    """

    alone = False
    engine_default = Engine.POOL

    data: View = inout(SHARED, "...")
    cores: tuple[int, ...] = attr(tuple)
    id: int = attr(int, 0, surface=False)

    def prepare(self, t: Target) -> None:
        """The cores as a tuple."""
        if isinstance(self.cores, list):
            self.cores = tuple(self.cores)

    def check(self, t: Target) -> Problems:
        if self.cores != CORES:
            yield problem(
                NKI2124, name="cores", got=self.cores, allowed=CORES, inst=self.spec.label
            )

    def check_launch(self, core: int, cores: int) -> Problems:
        """Both cores are there."""
        return launch_problems(self, cores)

    def read_mode(self) -> Read:
        """Nothing is computed: every dtype will do."""
        return Read.RAW

    def reads(self) -> Iterator[View]:
        """Nothing: the contents of `data` do not matter."""
        return iter(())

    def writes(self) -> Iterator[View]:
        """Nothing."""
        return iter(())

    def orders(self) -> Iterator[View]:
        """Uses of `data` before the barrier come before those after it."""
        yield self.data

    def company(self, rank: int, core: int) -> Company:
        """The barrier of the other core on the same tensor."""
        key = (self.spec.name, self.data.tensor.name)
        return Company(key, tuple((rank, c) for c in CORES))

    def sem(self, me: Place, met: Met) -> tuple[None]:
        return (None,)


class Exchange(Inst):
    """What a transfer between the two cores is, whichever engine moves the data."""

    __slots__ = ()
    alone = False
    dma_engine: Any
    pipe_id: Any
    dst: Any

    def read_mode(self) -> Read:
        """Bits."""
        return Read.RAW

    def company(self, rank: int, core: int) -> Company:
        """The transfer of the other core on the same pipe."""
        key = ("sendrecv", self.dma_engine.name, self.pipe_id)
        return Company(key, tuple((rank, c) for c in CORES))

    def check_company(self, others: Sequence[Inst]) -> Problems:
        """What the cores send each other fits."""
        return fit_problems(self.dst, others)

    def sem(self, me: Place, met: Met) -> tuple[Array]:
        rank, core = me
        received: Array = met[rank, 1 - core][0]
        return (received,)


@instruction(
    "sendrecv", emit="sendrecv", bir="CollectiveCompute", klr="SendRecv",
    engines=(Engine.POOL,), since=CAYMAN,
)  # fmt: skip
class SendRecvOp(Exchange):
    """Send `src` to the other core and receive that core's `src` into `dst`, moving bits.

    Both cores wait for each other. The transfers of two cores are one if they have the same
    `pipe_id`, in the order in which each core comes to them. A rank is the number of a core: 0 or
    1, and never the core's own. With `gpsimd_dma` GpSimd itself moves the data, of which a
    partition may have 1024 bytes of 4-byte elements, 512 of 2-byte and 256 of 1-byte ones.

    Source: NKI ISA reference, sendrecv. A core that sends to itself is refused. Model: GpSimd
    starts both kinds and waits until the data are there, so a core that uses two pipes in the
    opposite order from the other core never gets on.
    """

    src: View = inp(SBUF, "P F")
    dst: View = out(SBUF, "P F")
    send_to_rank: int = attr(int)
    recv_from_rank: int = attr(int)
    pipe_id: int = attr(int)
    dma_engine: DmaEngine = attr(DmaEngine, DmaEngine.dma)

    def check(self, t: Target) -> Problems:
        yield from pair_problems(self, self.dst, self.src)
        for name in ("send_to_rank", "recv_from_rank"):
            if getattr(self, name) not in CORES:
                got = getattr(self, name)
                yield problem(NKI2124, name=name, got=got, allowed="0, 1", inst=self.spec.label)
        if self.pipe_id < 0:
            yield problem(
                NKI2124, name="pipe_id", got=self.pipe_id, allowed="0 or more",
                inst=self.spec.label,
            )  # fmt: skip
        if self.dma_engine is DmaEngine.gpsimd_dma:
            yield from swap_problems(self, self.src)

    def check_launch(self, core: int, cores: int) -> Problems:
        """Both cores are there, and each sends to and receives from the other."""
        yield from launch_problems(self, cores)
        if cores == len(CORES):
            for name in ("send_to_rank", "recv_from_rank"):
                if getattr(self, name) == core:
                    yield problem(NKI2702, name=name, got=core, core=core, other=1 - core)


@instruction(
    emit="gpsimd_sb2sb", bir="GPSIMDSB2SB", klr="SendRecv", engines=(Engine.POOL,), since=CAYMAN,
)  # fmt: skip
class GpSimdSwapOp(Exchange):
    """Exchange `src` with the other core through GpSimd's own DMA: what `sendrecv` is in BIR.

    The other core receives `src` into its `dst`, and this one the other's. No call makes it.

    Source: BIR data model, GPSIMDSB2SB, which has two operands and no attributes: who sends to
    whom is known, since there are two cores. Model: `pipe_id`, an attribute of ours, keeps the
    transfers of different pipes apart.
    """

    dma_engine = DmaEngine.gpsimd_dma

    src: View = inp(SBUF, "P F")
    dst: View = out(SBUF, "P F")
    pipe_id: int = attr(int, 0, bir="opennki_pipe_id")

    def check(self, t: Target) -> Problems:
        yield from pair_problems(self, self.dst, self.src)
        yield from swap_problems(self, self.src)

    def check_launch(self, core: int, cores: int) -> Problems:
        """Both cores are there."""
        return launch_problems(self, cores)


def pair_problems(inst: Inst, dst: View, src: View) -> Problems:
    """`dst` can hold what the other core sends: a tile like `src`."""
    if dst.dtype != src.dtype:
        yield problem(
            NKI2116, first="dst", first_dtype=dst.dtype, second="src", second_dtype=src.dtype,
            inst=inst.spec.label,
        )  # fmt: skip
    if dst.shape != src.shape:
        yield problem(NKI2107, inst=inst.spec.label, **fixed_size("dst", dst.shape, src.shape))


def swap_problems(inst: Inst, src: View) -> Problems:
    """GpSimd's own DMA moves a little only."""
    size, limit = src.free_size * src.dtype.itemsize, SWAP_BYTES.get(src.dtype.itemsize, 0)
    if size > limit:
        yield problem(NKI2703, operand="src", got=size, limit=limit, dtype=src.dtype)


def fit_problems(dst: View, others: Sequence[Inst]) -> Problems:
    """Every core sends what the other can receive."""
    for other in others:
        src: View = other.src  # type: ignore[attr-defined]  # only transfers meet transfers
        if (src.shape, src.dtype) != (dst.shape, dst.dtype):
            want, got = (f"{v.dtype}{list(v.shape)}" for v in (dst, src))
            yield problem(NKI6022, want=want, got=got)
