"""Random numbers through every level: the same bits, in loops, from a seed, and read from BIR."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.diag import NkiError
from opennki.birpy import parse_module, print_module
from opennki.isa.generator import INITIAL_SEED, draw, seeded, uniform
from opennki.penguin import parse_function
from opennki.sim.machine import Machine
from opennki.sim.memory import Memory
from opennki.sim.ref import bir
from opennki.target import target
from opennki.testing.programs import run

LEVELS = ("penguin", "bir", "program")
TARGETS = ("trn1", "trn2", "trn3")
WORDS = {"trn1": 1, "trn2": 1, "trn3": 24}
"""Words of the vector engine's state."""


# --- kernels, at every level ----------------------------------------------------------------------


def ran(kernel, *arrays, on: str = "trn2", **more: Any):
    """Results of a kernel, which must be the same bits at every level."""
    first = None
    for level in LEVELS:
        found = nki.simulate(kernel, target=on, level=level)(*arrays, **more)
        found = [np.asarray(one) for one in (found if isinstance(found, tuple) else (found,))]
        if first is not None:
            for a, b in zip(first, found, strict=True):
                assert np.array_equal(a.view(np.uint8), b.view(np.uint8)), level
        first = found
    return first


def hbm(t):
    """The tile `t` in HBM."""
    out = nl.ndarray(t.shape, t.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def three_draws(seeds, columns, dtype, engine):
    """Two tiles, and after the seed of the first again a third."""
    t = nl.load(seeds)
    made = [nl.ndarray((128, columns), dtype, buffer=nl.sbuf) for _ in range(3)]
    nisa.set_rng_seed(t)
    nisa.rng(made[0], engine=engine)
    nisa.rng(made[1], engine=engine)
    nisa.set_rng_seed(t)
    nisa.rng(made[2], engine=engine)
    return tuple(hbm(m) for m in made)


@pytest.mark.parametrize("on", TARGETS)
@pytest.mark.parametrize("dtype", [np.uint32, np.int8])
def test_the_vector_engine_draws_what_follows_from_its_seed(on: str, dtype: type) -> None:
    seed = np.array([[1234]], np.int32)
    got = ran(three_draws, seed, 10, np.dtype(dtype), nisa.engine.vector, on=on)
    first, states = draw(seeded(1234, 128, WORDS[on]), 10)
    second, _ = draw(states, 10)
    assert np.array_equal(got[0], first.astype(f"u{got[0].itemsize}").view(dtype))
    assert np.array_equal(got[1], second.astype(f"u{got[0].itemsize}").view(dtype))
    assert np.array_equal(got[2], got[0])


def test_each_engine_has_a_generator_of_its_own() -> None:
    seed = np.array([[1234]], np.int32)
    got = ran(three_draws, seed, 8, np.dtype(np.uint32), nisa.engine.gpsimd)
    numbers, _ = draw(seeded(INITIAL_SEED, 128, 6), 24)
    assert np.array_equal(np.hstack(got), numbers)


@nki.jit
def unseeded(x):
    t = nl.ndarray((32, 6), nl.uint32, buffer=nl.psum)
    late = nl.ndarray((128, 6), nl.uint32, buffer=nl.sbuf)
    nisa.rng(t)
    nisa.rng(late[64:96])
    copied = nl.ndarray((32, 6), nl.uint32, buffer=nl.sbuf)
    nisa.tensor_copy(copied, t)
    return hbm(copied), hbm(late[64:96])


@pytest.mark.parametrize("on", TARGETS)
def test_without_a_seed_every_kernel_starts_alike_and_lanes_follow_partitions(on: str) -> None:
    states = seeded(INITIAL_SEED, 128, WORDS[on])
    low, late = ran(unseeded, np.zeros((1, 1), np.float32), on=on)
    assert np.array_equal(low, draw(states[0:32], 6)[0])
    assert np.array_equal(late, draw(states[64:96], 6)[0])


@nki.jit
def replayed(states, engine):
    """Set a state, read it back, draw, read it again, set what was read, draw again."""
    t = nl.load(states)
    seen = [nl.ndarray(states.shape, nl.uint32, buffer=nl.sbuf) for _ in range(2)]
    made = [nl.ndarray((states.shape[0], 9), nl.uint32, buffer=nl.sbuf) for _ in range(3)]
    nisa.rand_set_state(t, engine=engine)
    nisa.rand_get_state(seen[0], engine=engine)
    nisa.rng(made[0], engine=engine)
    nisa.rand_get_state(seen[1], engine=engine)
    nisa.rng(made[1], engine=engine)
    nisa.rand_set_state(seen[1], engine=engine)
    nisa.rng(made[2], engine=engine)
    return tuple(hbm(m) for m in (*seen, *made))


@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize(
    ("on", "engine", "count"),
    [("trn2", "gpsimd", 6), ("trn3", "gpsimd", 6), ("trn3", "vector", 24)],
)
def test_a_state_is_read_as_it_was_set_and_replays(rng, on, engine, count, zero) -> None:
    states = np.zeros((64, count), np.uint32)
    if not zero:
        states = rng.integers(0, 2**32, (64, count), np.uint32)
    got = ran(replayed, states, getattr(nisa.engine, engine), on=on)
    first, after = draw(states, 9)
    second, _ = draw(after, 9)
    assert np.array_equal(got[0], states)
    assert np.array_equal(got[1], after)
    assert np.array_equal(got[2], first)
    assert np.array_equal(got[3], second)
    assert np.array_equal(got[4], second)


@nki.jit
def in_a_loop(seed, rolled):
    """Eight draws of one tile each in a loop, which leaves them in one tensor."""
    nisa.set_rng_seed(nl.load(seed))
    out = nl.ndarray((8, 128, 4), nl.uint32, buffer=nl.shared_hbm)
    for i in nl.sequential_range(8) if rolled else nl.static_range(8):
        t = nl.ndarray((128, 4), nl.uint32, buffer=nl.sbuf)
        nisa.rng(t)
        nisa.dma_copy(dst=out[i], src=t)
    return out


@pytest.mark.parametrize("rolled", [False, True])
def test_every_trip_of_a_loop_draws_new_numbers(rolled: bool) -> None:
    (got,) = ran(in_a_loop, np.array([[5]], np.uint32), rolled)
    numbers, _ = draw(seeded(5, 128, 1), 32)
    assert np.array_equal(got.transpose(1, 0, 2).reshape(128, 32), numbers)


PENGUIN = """penguin.function @f target=cayman args=[] results=[y] {
  tensor %y: uint32[8, 128, 4] private_hbm output
  tensor %t: uint32[128, 4] sbuf
  for i in sequential(0, 8, 1) {
    rng.vector dst=%t
    dma_copy.sync dst=%y[512*i; 4*128, 1*4], src=%t
  }
}
"""


def test_a_symbolic_loop_draws_new_numbers_in_every_trip() -> None:
    for level in LEVELS:
        got = run(parse_function(PENGUIN), {}, level)["y"]
        numbers, _ = draw(seeded(INITIAL_SEED, 128, 1), 32)
        assert np.array_equal(got.transpose(1, 0, 2).reshape(128, 32), numbers), level


@nki.jit
def uniforms(low, high, dtype, buffer):
    made = nl.ndarray((128, 64), dtype, buffer=buffer)
    nisa.rand2(made, nl.load(low), 5.0)
    whole = nl.ndarray((128, 64), dtype, buffer=nl.sbuf)
    nisa.rand2(whole, -3, nl.load(high))
    copied = nl.ndarray((128, 64), dtype, buffer=nl.sbuf)
    nisa.tensor_copy(copied, made)
    return hbm(copied), hbm(whole)


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int16])
@pytest.mark.parametrize("buffer", [nl.sbuf, nl.psum])
def test_uniform_numbers_at_every_level(rng, dtype, buffer) -> None:
    low = -rng.random((128, 1)).astype(np.float32)
    high = rng.random((128, 1)).astype(np.float32) * 9
    one, other = ran(uniforms, low, high, np.dtype(dtype), buffer, on="trn3")
    first, states = draw(seeded(INITIAL_SEED, 128, 24), 64)
    second, _ = draw(states, 64)
    want = low + (np.float32(5) - low) * uniform(first)
    also = np.float32(-3) + (high - np.float32(-3)) * uniform(second)
    if np.dtype(dtype).kind == "i":
        want, also = np.rint(want), np.rint(also)
    assert np.array_equal(one, want.astype(dtype))
    assert np.array_equal(other, also.astype(dtype))


@nki.jit
def dropped(x, prob):
    t = nl.load(x)
    made = [nl.ndarray(x.shape, x.dtype, buffer=nl.sbuf) for _ in range(2)]
    nisa.dropout(made[0], t, prob=nl.load(prob))
    nisa.dropout(dst=made[1], data=t, prob=0.2)
    return hbm(made[0]), hbm(made[1])


@pytest.mark.parametrize("on", TARGETS)
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int32, np.uint8])
def test_elements_are_dropped_by_the_numbers_of_the_engine(rng, on, dtype) -> None:
    x = (rng.random((128, 96)) * 100 + 1).astype(dtype)
    prob = rng.random((128, 1)).astype(np.float32)
    one, other = ran(dropped, x, prob, on=on)
    first, states = draw(seeded(INITIAL_SEED, 128, WORDS[on]), 96)
    second, _ = draw(states, 96)
    zero = np.zeros((), dtype)
    assert np.array_equal(one, np.where(first < prob.astype(np.float64) * 2**32, zero, x))
    assert np.array_equal(other, np.where(second < float(np.float32(0.2)) * 2**32, zero, x))
    assert abs((other != 0).mean() - 0.8) < 5 * np.sqrt(0.8 * 0.2 / other.size)


def test_cores_of_a_launch_start_alike() -> None:
    @nki.jit
    def kernel(x):
        out = nl.ndarray((2, 128, 4), nl.uint32, buffer=nl.shared_hbm)
        t = nl.ndarray((128, 4), nl.uint32, buffer=nl.sbuf)
        nisa.rng(t)
        nisa.dma_copy(dst=out[nl.program_id(0)], src=t)
        return out

    got = np.asarray(nki.simulate(kernel[2], target="trn2")(np.zeros((1, 1), np.float32)))
    assert np.array_equal(got[0], got[1])
    assert np.array_equal(got[0], draw(seeded(INITIAL_SEED, 128, 1), 4)[0])


# --- BIR ------------------------------------------------------------------------------------------


def lowered(kernel, *arrays, on: str = "trn3") -> str:
    return print_module(opennki.compile(kernel, *arrays, target=on).bir)


@nki.jit
def every_call(x, seed):
    bits, more = (nl.ndarray((128, 4), nl.uint32, buffer=nl.sbuf) for _ in range(2))
    made, kept = (nl.ndarray((128, 4), nl.float32, buffer=nl.sbuf) for _ in range(2))
    words = nl.ndarray((128, 24), nl.uint32, buffer=nl.sbuf)
    nisa.set_rng_seed(nl.load(seed))
    nisa.rng(bits)
    nisa.rng(more, engine=nisa.engine.gpsimd)
    nisa.rand2(made, 0.0, 2.0)
    nisa.dropout(kept, made, 0.5)
    nisa.rand_get_state(words, engine=nisa.engine.vector)
    nisa.rand_set_state(words, engine=nisa.engine.vector)
    return hbm(bits), hbm(more), hbm(kept)


def test_opcodes_of_bir() -> None:
    text = lowered(every_call, np.zeros((1, 1), np.float32), np.zeros((1, 1), np.int32))
    lines = [line.split(" = ")[1].split(" //")[0] for line in text.splitlines() if " = " in line]
    made = [line for line in lines if not line.startswith("DMACopy")]
    assert [line.split()[:2] for line in made] == [
        ["SetRandState", "DVE"], ["Memset", "DVE"], ["Rng", "POOL"], ["Rand2", "DVE"],
        ["Dropout", "DVE"], ["RandGetState", "DVE"], ["RandSetState", "DVE"],
    ]  # fmt: skip
    assert "constant=0, mode=Random" in made[1]
    assert "ins(" in made[0]
    assert "outs()" in made[0]


BIR = """bir.module arch=core_v4 version=2 {{
  function @k inputs=[x] outputs=[y] {{
    memloc %x: {dtype}[128, 4] DRAM ExternalInput
    memloc %y: {dtype}[128, 4] DRAM ExternalOutput
    memloc %t: {dtype}[128, 4] SB Internal
    memloc %s: uint32[1, 1] SB Internal
    block Block1 {{
      I-0 = DMACopy SP outs(%t) ins(%x) {{mode=Copy}}
      I-1 = Memset DVE outs(%s) ins() {{constant=9, mode=Const}}
      I-2 = {inst}
      I-3 = DMACopy SP outs(%y) ins(%t) {{mode=Copy}}
    }}
  }}
}}"""


def simulated(inst: str, dtype: str) -> np.ndarray[Any, Any]:
    module = parse_module(BIR.format(inst=inst, dtype=dtype))
    function, memory = module.functions[0], Memory()
    loc = function.memlocs["x"]
    memory.find(loc).fill(np.ones((128, 4), loc.dtype.np))
    bir.run(function, target("trn3"), Machine(memory.find))
    return memory.find(function.memlocs["y"]).values()


def test_forms_that_only_bir_has() -> None:
    numbers, _ = draw(seeded(INITIAL_SEED, 128, 24), 4)
    kept = simulated(
        "Dropout DVE outs(%t) ins(%t, 0.25:float32) {is_keep_threshold=true}", "float32"
    )
    assert np.array_equal(kept, (numbers < 2.0**30).astype(np.float32))
    assert np.array_equal(simulated("Rng DVE outs(%t) ins() {}", "uint32"), numbers)
    pool, _ = draw(seeded(INITIAL_SEED, 128, 6), 4)
    random = "Memset POOL outs(%t) ins() {constant=0, mode=Random}"
    assert np.array_equal(simulated(random, "uint32"), pool)
    simulated("SetRandState DVE outs() ins(%s) {rng_engine=DVE}", "uint32")


@pytest.mark.parametrize(
    "inst",
    [
        "SetRandState DVE outs() ins(%s) {rng_engine=POOL}",
        "Memset DVE outs(%t) ins() {constant=1, mode=Random}",
        "GetRandState DVE outs(%t) ins() {}",
    ],
)
def test_forms_of_bir_without_a_meaning(inst: str) -> None:
    with pytest.raises(NkiError) as caught:
        simulated(inst, "uint32")
    assert [d.code.id for d in caught.value.diagnostics] == ["NKI9003"]
