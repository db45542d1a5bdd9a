"""core_barrier and sendrecv: worked examples on two cores, and their rules one by one."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.base.dtypes import dtype as named
from opennki.birpy import print_module
from opennki.ir import Space, Tensor, View, problems
from opennki.isa.cores import CoreBarrierOp, GpSimdSwapOp, SendRecvOp
from opennki.isa.enums import DmaEngine, Engine
from opennki.lower import BirCodeGenLoop
from opennki.target import target
from opennki.testing.programs import RUNNERS, program_of

LEVELS = tuple(RUNNERS)
T = target("trn2")


def tile(*shape, dtype="float32", space=Space.sbuf):
    return View.whole(Tensor("t", shape, named(dtype), space))


def codes(inst, on=T):
    inst.prepare(on)
    inst.engine = inst.engine or inst.default_engine(on)
    return [p.code.id for p in problems(inst, on)]


@nki.jit
def halves_swapped(x):
    """Each core writes its half of `middle` and reads the other one."""
    middle = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    core, half = nl.program_id(0), x.shape[0] // 2
    mine = slice(core * half, core * half + half)
    theirs = slice(half - core * half, 2 * half - core * half)
    nl.store(middle[mine], nl.load(x[mine]))
    nisa.core_barrier(data=middle, cores=(0, 1))
    nl.store(out[mine], nl.load(middle[theirs]))
    return out


@pytest.mark.parametrize("level", LEVELS)
def test_what_a_core_wrote_before_a_barrier_the_other_reads_after_it(level, recwarn):
    x = np.array([[1], [2], [3], [4]], np.float32)
    result = nki.simulate(halves_swapped[2], level=level, target="trn2")(x)
    assert result.tolist() == [[3], [4], [1], [2]]
    assert not list(recwarn)


def exchange(transfer_engine):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        core = nl.program_id(0)
        mine = nl.load(x[core : core + 1])
        theirs = nl.ndarray(mine.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.sendrecv(
            src=mine, dst=theirs, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=7,
            dma_engine=transfer_engine,
        )  # fmt: skip
        nl.store(out[core : core + 1], nl.subtract(mine, theirs))
        return out

    return kernel


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("engine", list(nisa.dma_engine))
def test_cores_exchange_tiles(level, engine):
    x = np.array([[1, 2], [10, 30]], np.float32)
    result = nki.simulate(exchange(engine)[2], level=level, target="trn2")(x)
    assert result.tolist() == [[-9, -28], [9, 28]]


@pytest.mark.parametrize("level", LEVELS)
def test_a_tile_may_be_sent_and_received_in_one_place(level):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        core = nl.program_id(0)
        t = nl.load(x[core : core + 1])
        nisa.sendrecv(t, t, 1 - core, 1 - core, 0)
        nl.store(out[core : core + 1], t)
        return out

    x = np.array([[1, 2], [10, 30]], np.int16)
    result = nki.simulate(kernel[2], level=level, target="trn2")(x)
    assert result.tolist() == [[10, 30], [1, 2]]


@pytest.mark.parametrize("level", LEVELS)
def test_bits_are_moved(level):
    nan = np.array([[0x7FC1], [0xFF81]], np.uint16)

    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        core = nl.program_id(0)
        t = nl.load(x[core : core + 1])
        view = t.view(nl.bfloat16)
        nisa.sendrecv(view, view, 1 - core, 1 - core, 0)
        nl.store(out[core : core + 1], t)
        return out

    assert nki.simulate(kernel[2], level=level, target="trn2")(nan).tolist() == [[0xFF81], [0x7FC1]]


@pytest.mark.parametrize("level", LEVELS)
def test_transfers_of_a_pipe_are_paired_in_their_order(level):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        core = nl.program_id(0)
        t = nl.load(x[core : core + 1])
        for column in (0, 1) if core == 0 else (1, 0):
            one = t[:, column : column + 1]
            nisa.sendrecv(one, one, 1 - core, 1 - core, 0)
        nl.store(out[core : core + 1], t)
        return out

    x = np.array([[1, 2], [10, 30]], np.float32)
    result = nki.simulate(kernel[2], level=level, target="trn2")(x)
    assert result.tolist() == [[30, 10], [2, 1]]


def barrier(*shape, space=Space.shared_hbm, cores=(0, 1), **more):
    return CoreBarrierOp(data=tile(*shape, space=space), cores=cores, **more)


def transfer(shape=(4, 8), other=None, dtype="float32", **more):
    dst = other if other is not None else tile(*shape, dtype=dtype)
    fields = {"send_to_rank": 1, "recv_from_rank": 1, "pipe_id": 0} | more
    return SendRecvOp(src=tile(*shape, dtype=dtype), dst=dst, **fields)


class TestRules:
    def test_data_are_in_shared_memory(self):
        assert codes(barrier(4, 8)) == []
        for space in (Space.sbuf, Space.psum, Space.private_hbm):
            assert codes(barrier(4, 8, space=space)) == ["NKI2105"]

    def test_both_cores_take_part(self):
        assert codes(barrier(4, cores=[0, 1])) == []
        for cores in ((0,), (1, 0), (0, 1, 2), (0, 2), ()):
            assert codes(barrier(4, cores=cores)) == ["NKI2124"]

    def test_any_engine_may_wait(self):
        for engine in (Engine.POOL, Engine.PE, Engine.ACT, Engine.DVE, Engine.SP):
            assert codes(barrier(4, engine=engine)) == []
        assert codes(barrier(4, engine=Engine.DMA)) == ["NKI2113"]

    def test_they_came_with_gen3(self):
        for inst in (barrier(4), transfer()):
            assert codes(inst, target("trn1")) == ["NKI2108"]
            assert codes(inst, target("trn2")) == codes(inst, target("trn3")) == []

    def test_a_launch_has_two_cores(self):
        for inst in (barrier(4), transfer(), GpSimdSwapOp(src=tile(4, 8), dst=tile(4, 8))):
            assert [p.code.id for p in inst.check_launch(0, 1)] == ["NKI2701"]
            assert list(inst.check_launch(0, 2)) == []

    def test_a_core_does_not_send_to_itself(self):
        assert list(transfer().check_launch(0, 2)) == []
        assert [p.code.id for p in transfer().check_launch(1, 2)] == ["NKI2702", "NKI2702"]
        only = transfer(send_to_rank=0).check_launch(0, 2)
        assert [(p.code.id, p.facts["name"]) for p in only] == [("NKI2702", "send_to_rank")]

    @pytest.mark.parametrize("name", ["send_to_rank", "recv_from_rank"])
    def test_ranks_are_cores(self, name):
        for rank in (0, 1):
            assert codes(transfer(**{name: rank})) == []
        for rank in (-1, 2):
            assert codes(transfer(**{name: rank})) == ["NKI2124"]

    def test_pipes_are_numbered_from_0(self):
        assert codes(transfer(pipe_id=0)) == codes(transfer(pipe_id=99)) == []
        assert codes(transfer(pipe_id=-1)) == ["NKI2124"]

    def test_tiles_are_in_sbuf(self):
        for space in (Space.psum, Space.shared_hbm, Space.private_hbm):
            assert codes(transfer(other=tile(4, 8, space=space))) == ["NKI2105"]

    def test_tiles_have_one_dtype(self):
        assert codes(transfer(dtype="bfloat16")) == []
        assert codes(transfer(other=tile(4, 8, dtype="int32"))) == ["NKI2116"]

    def test_tiles_have_one_shape(self):
        assert codes(transfer((4, 2, 4), other=tile(4, 2, 4))) == []
        assert codes(transfer((4, 2, 4), other=tile(4, 8))) == ["NKI2107"]
        assert codes(transfer(other=tile(4, 4))) == ["NKI2102"]
        assert codes(transfer(other=tile(2, 8))) == ["NKI2101"]

    @pytest.mark.parametrize(
        ("dtype", "most"),
        [("float32", 256), ("int32", 256), ("bfloat16", 256), ("int16", 256), ("uint8", 256)],
    )
    def test_the_dma_of_gpsimd_moves_little(self, dtype, most):
        swap = {"dtype": dtype, "dma_engine": DmaEngine.gpsimd_dma}
        assert codes(transfer((4, most), **swap)) == []
        assert codes(transfer((4, most + 1), **swap)) == ["NKI2703"]
        assert codes(transfer((4, most + 1), dtype=dtype)) == []


class TestForms:
    def lowered(self, inst):
        inst.engine = inst.default_engine(T)
        module = BirCodeGenLoop().run_on_module([program_of([inst], T)])
        lines = print_module(module).splitlines()
        return [line.strip().split("  //")[0] for line in lines if " POOL " in line]

    def test_a_barrier_reads_and_writes_its_data(self):
        assert self.lowered(barrier(4)) == [
            "I-1 = CoreBarrier POOL outs(%t.0) ins(%t.0) {cores=[0, 1]}"
        ]

    def test_a_transfer_is_a_local_collective(self):
        assert self.lowered(transfer(pipe_id=2)) == [
            'I-2 = CollectiveCompute POOL outs(%t.1) ins(%t.0) {cc_channel=["SendRecv", [], '
            '"bypass"], is_local=true, pipe_id=2, recv_from_rank=[1], send_to_rank=1, stream_id=-1}'
        ]

    def test_one_by_gpsimd_has_its_own_opcode(self):
        swap = DmaEngine.gpsimd_dma
        assert self.lowered(transfer(dma_engine=swap)) == [
            "I-2 = GPSIMDSB2SB POOL outs(%t.1) ins(%t.0)"
        ]
        assert self.lowered(transfer(dma_engine=swap, pipe_id=3)) == [
            "I-2 = GPSIMDSB2SB POOL outs(%t.1) ins(%t.0) {opennki_pipe_id=3}"
        ]
