"""Windows at one run-time index: equal in every form, and to NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.ir import Index, IndirectView, View, register
from opennki.isa.enums import Engine
from opennki.isa.registers import RegisterMove
from opennki.isa.registry import INSTRUCTIONS
from opennki.penguin import view_problems
from opennki.penguin.substitute import copy_of, put
from opennki.target import target
from opennki.testing.instances import instances
from opennki.testing.programs import RUNNERS, differences, inputs_of, program_of
from opennki.testing.programs import run as run_function

from .forms import ROWS, SKIP, WIDTH, check, result, tile, trap

# ---- one index ---------------------------------------------------------------------------------

ONE = {
    "x[r]": (lambda x, r: x[r], lambda x, i: x[i]),
    "x[:, r]": (lambda x, r: x[:, r], lambda x, i: x[:, i]),
    "x[1:3, r, 1:]": (lambda x, r: x[1:3, r, 1:], lambda x, i: x[1:3, i, 1:]),
    "x[..., ds]": (lambda x, r: x[..., nl.ds(r, 2)], lambda x, i: x[..., i : i + 2]),
    "x[ds]": (lambda x, r: x[nl.ds(r, 2)], lambda x, i: x[i : i + 2]),
    "select": (lambda x, r: x.select(2, r), lambda x, i: x[:, :, i]),
    "select, slice": (lambda x, r: x.select(0, r)[1:, ::2], lambda x, i: x[i][1:, ::2]),
    "select, permute": (lambda x, r: x.select(1, r).permute((1, 0)), lambda x, i: x[:, i].T),
    "select, reshape": (lambda x, r: x[r].reshape((12,)), lambda x, i: x[i].reshape(12)),
    "slice, select": (lambda x, r: x[1:].select(0, r), lambda x, i: x[1:][i]),
    "ap": (
        lambda x, r: x.ap([[12, 2], [1, 4]], scalar_offset=r, indirect_dim=1),
        lambda x, i: x.reshape(-1, 12)[:2, 4 * i : 4 * i + 4],
    ),
    "ap with offset": (
        lambda x, r: x.ap([[1, 4]], offset=12, scalar_offset=r, indirect_dim=1),
        lambda x, i: x.reshape(-1)[12 + 4 * i : 16 + 4 * i],
    ),
    "dtype": (lambda x, r: x.view(nl.uint16)[r], lambda x, i: x[i].view(np.uint16)),
}


@pytest.mark.parametrize(("view", "numpy"), ONE.values(), ids=ONE)
@pytest.mark.parametrize("kind", ["register", "tile"])
def test_one_index_in_hbm(view, numpy, kind, rng):
    @nki.jit
    def kernel(x, i):
        index = tile(i)
        if kind == "register":
            index = nisa.register_alloc()
            nisa.register_load(index, i)
        return result(view(x, index))

    x = rng.integers(-9, 9, (5, 3, 4)).astype(np.int32)
    for i in (0, 1, 2):
        check(kernel, [x, np.array([[i]], np.int32)], numpy(x, i))
    for i in (-1, 7):
        for level in RUNNERS:
            assert trap(kernel, [x, np.array([[i]], np.int32)], level).code.id == "NKI6020"


def test_an_index_counts_from_the_start_of_the_view_it_is_of(rng):
    @nki.jit
    def kernel(x, i):
        return result(x[2:5].select(0, tile(i)))

    x = rng.standard_normal((6, 3)).astype(np.float32)
    check(kernel, [x, np.array([[2]], np.int32)], x[4])
    found = trap(kernel, [x, np.array([[3]], np.int32)], "program")
    assert "0 to 2 are allowed" in found.message


@pytest.mark.parametrize("buffer", [nl.sbuf, nl.psum])
def test_one_index_on_chip_moves_all_partitions_alike(buffer, rng):
    @nki.jit
    def kernel(x, i):
        index = tile(i)
        source = nl.ndarray(x.shape, dtype=nl.float32, buffer=buffer)
        nisa.tensor_copy(source, tile(x))
        out = nl.ndarray((6, 5), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(out, 0.0)
        nisa.tensor_scalar(out[:, 0:2], source[:, nl.ds(index, 2)], op0=nl.add, operand0=1.0)
        nisa.tensor_scalar(
            source[:, nl.ds(index, 1)], source[:, index], op0=nl.multiply, operand0=2.0
        )
        nisa.tensor_copy(out[:, 2:3], source[:, index])
        nisa.tensor_reduce(out[:, 3:4], op=nl.add, data=source[:, nl.ds(index, 2)], axis=1)
        nisa.activation(out[:, nl.ds(index, 1)], op=nl.square, data=source[:, 0:1])
        return result(out)

    x = rng.integers(-9, 9, (6, 5)).astype(np.float32)
    for i in (0, 3):
        a = x.copy()
        want = np.zeros((6, 5), np.float32)
        want[:, 0:2] = a[:, i : i + 2] + 1
        a[:, i] *= 2
        want[:, 2] = a[:, i]
        want[:, 3] = a[:, i : i + 2].sum(1)
        want[:, i] = a[:, 0] ** 2
        check(kernel, [x, np.array([[i]], np.int32)], want)
    for i in (-1, 4):
        assert trap(kernel, [x, np.array([[i]], np.int32)], "program").code.id == "NKI6020"


def test_products_take_and_make_windows_that_are_found_at_run_time(rng):
    @nki.jit
    def kernel(x, y, count):
        a, b = tile(x), tile(y)
        out = nl.ndarray((8, 12), dtype=nl.float32, buffer=nl.sbuf)
        acc = nl.ndarray((8, 12), dtype=nl.float32, buffer=nl.psum)
        trips = nisa.register_alloc()
        nisa.register_load(trips, count)
        for i in nl.dynamic_range(0, trips, 4):
            nisa.nc_matmul(acc[:, nl.ds(i, 4)], a, b[:, nl.ds(i, 4)])
            nisa.nc_matmul(acc[:, nl.ds(i, 4)], a, b[:, nl.ds(i, 4)])
        nisa.tensor_copy(out, acc)
        return result(out)

    x = rng.integers(-3, 3, (16, 8)).astype(np.float32)
    y = rng.integers(-3, 3, (16, 12)).astype(np.float32)
    check(kernel, [x, y, np.array([[12]], np.int32)], 2 * x.T @ y)


def test_a_part_of_a_window_may_lie_outside(rng):
    """Elements beyond a partition's row, or the tensor's end, are neither read nor written."""

    @nki.jit
    def kernel(x, pad, i):
        index, t = tile(i), tile(x)
        into = t.ap([[WIDTH, ROWS], [1, 3]], scalar_offset=index, indirect_dim=1)
        nisa.dma_copy(into, tile(pad)[:, 0:3], oob_mode=SKIP)
        out = tile(pad)
        source = x.ap([[1, 16]], offset=0, scalar_offset=index, indirect_dim=0)
        nisa.dma_copy(out[0:1, :].reshape((1, 16)), source, oob_mode=SKIP)
        return result(t), result(out)

    x = rng.integers(-99, 99, (ROWS, WIDTH)).astype(np.int32)
    pad = rng.integers(-99, 99, (ROWS, 16)).astype(np.int32)
    for i in (0, 3, 4, 5, 6, -1):
        t, out = x.copy(), pad.copy()
        if 0 <= i < WIDTH:
            t[:, i : i + 3] = pad[:, : min(3, WIDTH - i)]
        if 0 <= i < ROWS:
            found = x.reshape(-1)[i * WIDTH :][:16]
            out[0, : len(found)] = found
        check(kernel, [x, pad, np.array([[i]], np.int32)], t, out)


MOVABLE = [
    c
    for c in INSTRUCTIONS
    if c.spec.operands and c.alone and not c.spec.label.startswith("register")
    if c.spec.label != "dma_compute"  # indices of its operands select rows
]


@pytest.mark.parametrize("cls", MOVABLE, ids=lambda cls: cls.spec.label)
@given(data=st.data())
@settings(max_examples=8, phases=[Phase.generate])
def test_an_operand_at_a_run_time_index_is_the_operand_there(cls, texts, data):
    having = [n for n in ("trn2", "trn3") if target(n).order >= cls.spec.since]
    t = target(data.draw(st.sampled_from(having)))
    function = program_of([data.draw(instances(t, cls))], t)
    arrays = inputs_of(function, np.random.default_rng(3))
    want = run_function(function, arrays, "penguin")
    (at,) = [n for n, inst in enumerate(function.body) if not carries(inst)]
    place, steps, fields = register("place"), None, {}
    for operand, view in function.body[at].views():
        made = next(filter(None, (moved(view, place, k) for k in (3, 2, 1, 0))), None)
        if made is not None and (steps is None or data.draw(st.booleans())):
            fields = {name: getattr(function.body[at], name) for name in cls.spec.order}
            put(fields, operand.name, made)
            steps = made.index.limit - 1
    assume(steps is not None)
    function.tensors["place"] = place
    function.body[at] = copy_of(function.body[at], fields)
    move: Any = RegisterMove
    function.body.insert(0, move(dst=View.whole(place), src=steps, engine=Engine.ALL))
    texts([function])
    for level in RUNNERS:
        assert differences(want, run_function(function, arrays, level)) == [], level


def carries(inst: Any) -> bool:
    """Whether an instruction only fills or drains what the one under test uses."""
    ends = (".in", ".out", ".from", ".to")
    return any(view.tensor.name.endswith(ends) for _, view in inst.views())


def moved(view: View, place: Any, steps: int) -> IndirectView | None:
    """`view` as an earlier window that an index moves to it; None if there is none."""
    index = Index(View.whole(place), 1, steps + 1)
    found = IndirectView(
        view.tensor, view.offset - steps, view.shape, view.strides, view.dtype, index
    )
    if view.space.on_chip and found.start_partition != view.start_partition:
        return None
    return None if list(view_problems(found)) else found
