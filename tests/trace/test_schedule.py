"""Explicit order between instructions: `depends_on`, `with_schedule` and `no_reorder`."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.diag import NkiError

X = np.arange(32, dtype=np.float32).reshape(4, 8) / 8
LEVELS = ("penguin", "bir", "program")


def tile(x):
    return nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)


def store(*tiles):
    outs = []
    for one in tiles:
        out = nl.ndarray(one.shape, dtype=one.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=one)
        outs.append(out)
    return tuple(outs)


@nki.jit
def guide(t):
    x, a, b, c = (tile(t) for _ in range(4))
    nisa.dma_copy(dst=x, src=t)
    nisa.activation(dst=a, data=x, op=nl.exp, name="act")
    nisa.tensor_scalar(dst=b, data=x, op0=nl.add, operand0=1, name="plus1")
    nisa.tensor_tensor(dst=c, data1=a, data2=b, op=nl.add, name="sum")
    return store(c)


def order(kernel, *args):
    """Names of the kernel's named instructions in the order of its Penguin function."""
    (function,) = opennki.compile(kernel, *args).penguin
    return [inst.name for inst in function.instructions() if inst.name]


def edges(kernel, *args):
    """Explicit edges by name, as they reach BIR."""
    (function,) = opennki.compile(kernel, *args).bir.functions
    return {(inst.name, name) for inst in function.instructions() for name, _ in inst.dependencies}


def must_complete(kernel, first, then, *args):
    """Whether the program's command `then` stops until `first` is complete."""
    (core,) = opennki.compile(kernel, *args).program.cores
    commands = {c.inst.name: c for q in core.queues.values() for c in q.commands}
    producer = commands[first]
    return any(
        on == producer.signal and value >= producer.value for on, value in commands[then].waits
    )


def refused(call):
    with pytest.raises(NkiError) as caught:
        call()
    return caught.value.diagnostics


def test_without_a_schedule_nothing_waits():
    assert edges(guide, X) == set()
    assert not must_complete(guide, "act", "plus1", X)
    assert not must_complete(guide, "plus1", "act", X)


@pytest.mark.parametrize("earlier", ["act", ["act"], ("act",)])
def test_an_edge_reaches_every_level(earlier):
    made = guide.with_schedule([("plus1", earlier)])
    (function,) = opennki.compile(made, X).penguin
    (inst,) = [i for i in function.instructions() if i.name == "plus1"]
    assert [producer.name for producer in inst.after] == ["act"]
    assert edges(made, X) == {("plus1", "act")}
    assert must_complete(made, "act", "plus1", X)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("pairs", [[("plus1", "act")], [("act", "plus1")]])
def test_an_edge_changes_no_value(pairs, level):
    want = np.exp(X) + (X + 1)
    (got,) = nki.simulate(guide.with_schedule(pairs), level=level)(X)
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_an_edge_against_program_order_moves_the_instruction():
    made = guide.with_schedule([("act", "plus1")])
    assert order(guide, X) == ["act", "plus1", "sum"]
    assert order(made, X) == ["plus1", "act", "sum"]
    assert must_complete(made, "plus1", "act", X)
    assert not must_complete(made, "act", "plus1", X)


def test_schedules_add_up_and_leave_the_kernel_alone():
    once = guide.with_schedule([("plus1", "act")])
    twice = once.with_schedule([("sum", ["act", "plus1"])])
    assert edges(twice, X) == {("plus1", "act"), ("sum", "act"), ("sum", "plus1")}
    assert edges(once, X) == {("plus1", "act")}
    assert edges(guide, X) == set()


@pytest.mark.parametrize(
    "derive",
    [
        lambda k: k[1], lambda k: nki.jit(k), lambda k: nki.simulate(k),
        lambda k: k.with_schedule([]), lambda k: k.with_schedule([("plus1", "act")]),
    ],
)  # fmt: skip
def test_derived_kernels_keep_the_schedule(derive):
    assert edges(derive(guide.with_schedule([("plus1", "act")])), X) == {("plus1", "act")}


def test_programs_of_the_guide():
    """The second example: three activations, in order by a list that is computed."""

    @nki.jit
    def kernel(a, b, c):
        made = []
        for i, one in enumerate((a, b, c)):
            loaded, out = tile(one), tile(one)
            nisa.dma_copy(dst=loaded, src=one)
            nisa.activation(dst=out, data=loaded, op=nl.exp, name=f"act{i}")
            made.append(out)
        return store(*made)

    pairs = [(f"act{i}", f"act{i - 1}") for i in range(1, 3)]
    assert edges(kernel.with_schedule(pairs), X, X, X) == set(pairs)
    assert len(kernel.with_schedule(pairs)(X, X, X)) == 3


def test_a_schedule_finds_instructions_of_inlined_kernels():
    @nki.jit
    def inner(x, y):
        nisa.tensor_scalar(dst=y, data=x, op0=nl.add, operand0=1, name="inner")

    @nki.jit
    def outer(t):
        x, y, z = (tile(t) for _ in range(3))
        nisa.dma_copy(dst=x, src=t)
        nisa.activation(dst=z, data=x, op=nl.exp, name="outer")
        inner(x, y)
        return store(y, z)

    assert edges(outer.with_schedule([("inner", "outer")]), X) == {("inner", "outer")}


def test_unknown_names_are_told_once_each_with_a_suggestion():
    made = guide.with_schedule([("plus2", "act"), ("sum", ["plus2", "recip"])])
    found = refused(lambda: made(X))
    assert [d.code.id for d in found] == ["NKI5101", "NKI5101"]
    assert "`plus2`" in found[0].message
    assert "did you mean `plus1`" in found[0].hint
    assert "`recip`" in found[1].message
    assert "did you mean `act, plus1, sum`" in found[1].hint
    lines = {line for d in found for line in [linecache.getline(d.file, d.line).strip()]}
    assert lines == {'made = guide.with_schedule([("plus2", "act"), ("sum", ["plus2", "recip"])])'}


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        ([("act", "sum")], "`sum` must follow `act`"),
        ([("act", "plus1"), ("plus1", "act")], "`plus1` must follow `act`"),
        ([("plus1", "plus1")], "cannot follow itself"),
    ],
)
def test_orders_that_cannot_be_kept(pairs, why):
    (found,) = refused(lambda: guide.with_schedule(pairs)(X))
    assert found.code.id == "NKI5105"
    assert why in found.message


@pytest.mark.parametrize(
    "wrong",
    [None, "plus1", {"plus1": "act"}, ["plus1"], [("plus1",)], [("plus1", "act", "sum")],
     [("plus1", 3)], [(3, "act")], [("plus1", ["act", None])], [("", "act")], [["plus1", [""]]]],
)  # fmt: skip
def test_schedules_of_the_wrong_form(wrong):
    (found,) = refused(lambda: guide.with_schedule(wrong))
    assert found.code.id == "NKI5104"


def test_a_name_of_one_program_of_a_launch_is_known():
    @nki.jit
    def kernel(t):
        out = nl.ndarray((4, 8), dtype=t.dtype, buffer=nl.shared_hbm)
        x = tile(t)
        nisa.dma_copy(dst=x, src=t, name="load")
        if nl.program_id(0) == 0:
            nisa.dma_copy(dst=out, src=x, name="only_first")
        return out

    made = kernel.with_schedule([("only_first", "load")])
    np.testing.assert_array_equal(made[2](X), X)
    wrong = kernel.with_schedule([("nowhere", "load")])
    (found,) = refused(lambda: wrong[2](X))
    assert (found.code.id, "`nowhere`" in found.message) == ("NKI5101", True)


# ---- depends_on ----------------------------------------------------------------------------------


def depending(connect):
    """A kernel with three instructions on three engines, connected by ``connect(a, b, c)``."""

    @nki.jit
    def kernel(t):
        x, p, q, r = (tile(t) for _ in range(4))
        nisa.dma_copy(dst=x, src=t)
        a = nisa.activation(dst=p, data=x, op=nl.exp, name="a")
        b = nisa.tensor_scalar(dst=q, data=x, op0=nl.add, operand0=1, name="b")
        c = nisa.iota(dst=r, pattern=[[1, 8]], offset=0, channel_multiplier=8, name="c")
        connect(a, b, c)
        return store(p, q, r)

    return kernel


@pytest.mark.parametrize(
    "connect",
    [lambda a, b, c: c.depends_on(b, a), lambda a, b, c: c.depends_on(b).depends_on(a)],
)
def test_depends_on_composes(connect):
    made = depending(connect)
    assert edges(made, X) == {("c", "a"), ("c", "b")}
    assert must_complete(made, "a", "c", X)
    assert must_complete(made, "b", "c", X)
    assert [out.shape for out in made(X)] == [(4, 8)] * 3


def test_depends_on_returns_the_instruction():
    seen = []
    depending(lambda a, b, c: seen.append(c.depends_on(a) is c))(X)
    assert seen == [True]


def test_depends_on_a_later_instruction_moves():
    made = depending(lambda a, b, c: a.depends_on(c))
    assert order(made, X) == ["b", "c", "a"]
    assert must_complete(made, "c", "a", X)


def test_depends_on_nothing_changes_nothing():
    assert edges(depending(lambda a, b, c: c.depends_on()), X) == set()


def test_instructions_that_follow_each_other():
    made = depending(lambda a, b, c: (b.depends_on(a), c.depends_on(b), a.depends_on(c)))
    (found,) = refused(lambda: made(X))
    assert found.code.id == "NKI5105"
    assert "`c` must follow `b`, and `b` must follow `a`" in found.message


def test_an_instruction_cannot_follow_itself():
    (found,) = refused(lambda: depending(lambda a, b, c: a.depends_on(a))(X))
    assert found.code.id == "NKI5105"


@pytest.mark.parametrize("wrong", [None, "a", [], 3])
def test_producers_are_instructions(wrong):
    (found,) = refused(lambda: depending(lambda a, b, c: c.depends_on(a, wrong))(X))
    assert found.code.id == "NKI1007"
    assert "`producers`" in found.message


def test_a_handle_of_another_kernel():
    kept = []
    depending(lambda a, b, c: kept.append(a))(X)
    (found,) = refused(lambda: depending(lambda a, b, c: c.depends_on(kept[0]))(X))
    assert (found.code.id, found.notes) == ("NKI5101", ["the handle is one of another kernel"])


def test_every_isa_call_returns_a_handle_even_when_refused():
    def kernel(t):
        x = tile(t)
        load = nisa.dma_copy(dst=x, src=t)
        nisa.activation(dst=x, data="x", op=nl.exp).depends_on(load)
        nisa.activation(dst=x, data=x, op=nl.add).depends_on(load)
        return store(x)

    found = refused(lambda: nki.simulate(kernel)(X))
    assert [d.code.id for d in found] == ["NKI1007", "NKI2501"]


def test_a_transpose_on_the_matrix_engine_can_be_waited_for():
    @nki.jit
    def kernel(t):
        x, y = tile(t), nl.ndarray((4, 4), dtype=t.dtype, buffer=nl.sbuf)
        acc = nl.ndarray((4, 4), dtype=t.dtype, buffer=nl.psum)
        nisa.dma_copy(dst=x, src=t)
        first = nisa.nc_transpose(
            dst=acc, data=x[:, 0:4], engine=nisa.tensor_engine, name="transpose"
        )
        nisa.memset(dst=y, value=1.0, name="clear").depends_on(first)
        return store(y)

    assert must_complete(kernel, "transpose", "clear", X)


# ---- no_reorder ----------------------------------------------------------------------------------


def three(x, p, q, r):
    nisa.activation(dst=p, data=x, op=nl.exp, name="a")
    nisa.tensor_scalar(dst=q, data=x, op0=nl.add, operand0=1, name="b")
    nisa.iota(dst=r, pattern=[[1, 8]], offset=0, channel_multiplier=8, name="c")


def test_no_reorder_covers_what_it_calls():
    @nki.jit
    def kernel(t):
        x, p, q, r = (tile(t) for _ in range(4))
        nisa.dma_copy(dst=x, src=t)
        with nl.no_reorder():
            three(x, p, q, r)
        return store(p, q, r)

    assert edges(kernel, X) == {("b", "a"), ("c", "b")}
    assert must_complete(kernel, "a", "b", X)
    assert must_complete(kernel, "b", "c", X)


def test_nested_blocks_are_part_of_the_outer_order():
    @nki.jit
    def kernel(t):
        x, p, q, r = (tile(t) for _ in range(4))
        nisa.dma_copy(dst=x, src=t)
        with nl.no_reorder():
            nisa.memset(dst=p, value=0.0, name="before")
            with nl.no_reorder():
                three(x, p, q, r)
            nisa.memset(dst=r, value=0.0, name="after")
        return store(p, q, r)

    assert edges(kernel, X) == {("a", "before"), ("b", "a"), ("c", "b"), ("after", "c")}
    (function,) = opennki.compile(kernel, X).bir.functions
    assert all(len(inst.dependencies) <= 1 for inst in function.instructions())


def test_a_schedule_may_add_to_a_block_but_not_contradict_it():
    @nki.jit
    def kernel(t):
        x, p, q, r, s = (tile(t) for _ in range(5))
        nisa.dma_copy(dst=x, src=t)
        with nl.no_reorder():
            three(x, p, q, r)
        nisa.memset(dst=s, value=0.0, name="last")
        return store(p, q, r, s)

    made = kernel.with_schedule([("b", "last")])
    assert order(made, X) == ["a", "last", "b", "c"]
    assert edges(made, X) == {("b", "a"), ("c", "b"), ("b", "last")}
    (found,) = refused(lambda: kernel.with_schedule([("a", "c")])(X))
    assert found.code.id == "NKI5105"
    assert "`c` must follow `b`, and `b` must follow `a`" in found.message


@pytest.mark.parametrize("level", LEVELS)
def test_stepping_and_levels_agree(level):
    made = depending(lambda a, b, c: a.depends_on(c))
    for got, want in zip(nki.simulate(made, level=level)(X), made(X), strict=True):
        np.testing.assert_array_equal(got, want)
    for got, want in zip(nki.simulate(made, step=True)(X), made(X), strict=True):
        np.testing.assert_array_equal(got, want)
