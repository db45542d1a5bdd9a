"""Run-time loops: what each form runs, and nested in every way."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.penguin import DynamicLoop, While
from opennki.testing.programs import RUNNERS

from .looping import FORMS, X, add, add_register, first, loaded, result, run, tile

# ---- trips -----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", RUNNERS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("trips", [0, 1, 2, 5])
def test_every_form_runs_as_often_as_its_register_says(form, trips, level):
    @nki.jit
    def kernel(x, n):
        acc = tile()
        form(loaded(n), lambda i: add(acc, 1.0))
        return result(acc)

    assert first(kernel, trips, level=level) == trips


@pytest.mark.parametrize("level", RUNNERS)
@pytest.mark.parametrize("outer", FORMS)
@pytest.mark.parametrize("inner", FORMS)
def test_every_form_nests_in_every_form(outer, inner, level):
    @nki.jit
    def kernel(x, n, m):
        acc, inside = tile(), loaded(m)

        def body(i):
            inner(inside, lambda j: add(acc, 1.0))
            add(acc, 100.0)

        outer(loaded(n), body)
        return result(acc)

    assert first(kernel, 3, 2, level=level) == 306
    assert first(kernel, 3, 0, level=level) == 300
    assert first(kernel, 0, 2, level=level) == 0


@pytest.mark.parametrize("kind", [range, nl.affine_range, nl.sequential_range, nl.static_range])
@pytest.mark.parametrize("form", FORMS)
def test_loops_of_python_nest_both_ways(kind, form):
    @nki.jit
    def kernel(x, n):
        acc, register = tile(), loaded(n)
        for k in kind(2):

            def body(i, k=k):
                for _ in kind(3):
                    add(acc, 10.0**k)

            form(register, body)
        return result(acc)

    assert first(kernel, 2) == 66


@pytest.mark.parametrize("level", RUNNERS)
@pytest.mark.parametrize(
    ("start", "stop", "step"),
    [(0, 4, 1), (-3, 3, 2), (2, 2, 1), (3, -3, 1), (-7, -2, 3), (5, 6, 9), (2**30, 2**30 + 3, 2)],
)
def test_the_index_counts_as_in_python(start, stop, step, level):
    @nki.jit
    def constant(x, n, m):
        acc, trips = tile(dtype=nl.int32), tile(dtype=nl.int32)
        for i in nl.dynamic_range(start, stop, step):
            add_last(acc, trips, i)
        return result(acc), result(trips)

    @nki.jit
    def registers(x, n, m):
        acc, trips = tile(dtype=nl.int32), tile(dtype=nl.int32)
        nl.fori_loop(loaded(n), loaded(m), lambda i: add_last(acc, trips, i), step=step)
        return result(acc), result(trips)

    def add_last(acc, trips, i):
        nisa.register_store(acc[:, 0:1], i)
        add(trips, 1)

    numbers = range(start, stop, step)
    for kernel in (constant, registers):
        last, count = run(kernel, start, stop, level=level)
        assert count[0, 0] == len(numbers)
        assert last[0, 0] == (numbers[-1] if numbers else 0)


def test_one_argument_is_the_stop():
    @nki.jit
    def kernel(x):
        acc = tile()
        for _ in nl.dynamic_range(3):
            add(acc, 1.0)
        return result(acc)

    assert first(kernel) == 3


@pytest.mark.parametrize("level", RUNNERS)
def test_bounds_are_read_once(level):
    @nki.jit
    def kernel(x, n):
        acc, stop = tile(), loaded(n)
        for _ in nl.dynamic_range(stop):
            nisa.register_move(stop, 0)
            add(acc, 1.0)
        for _ in nl.dynamic_range(stop):
            add(acc, 100.0)
        return result(acc)

    assert first(kernel, 3, level=level) == 3


@pytest.mark.parametrize("level", RUNNERS)
def test_writing_the_index_of_fori_loop_changes_that_trip_only(level):
    @nki.jit
    def kernel(x, n):
        acc = tile()

        def body(i):
            nisa.register_move(i, 10)
            add_register(acc, i)

        nl.fori_loop(0, loaded(n), body)
        return result(acc)

    assert first(kernel, 4, level=level) == 40


def test_while_loop_leaves_its_first_register_alone():
    @nki.jit
    def kernel(x, n):
        acc, begin = tile(), loaded(n)

        def body(again):
            nisa.register_move(again, 0)
            return again

        nl.while_loop(begin, body)
        add_register(acc, begin)
        return result(acc)

    assert first(kernel, 7) == 7


def test_while_runs_with_negative_registers_and_sees_their_changes():
    @nki.jit
    def kernel(x, n):
        acc, flag = tile(), loaded(n)
        while flag:
            add_register(acc, flag)
            nisa.register_move(flag, 0)
        add_register(acc, flag)
        return result(acc)

    assert first(kernel, -2) == -2


def test_registers_may_be_in_objects_lists_and_dictionaries():
    @nki.jit
    def kernel(x, n):
        acc = tile()
        held = SimpleNamespace(flag=loaded(n))
        listed = {"flags": [held.flag]}
        while held.flag:
            add(acc, 1.0)
            nisa.register_move(held.flag, 0)
        nisa.register_move(listed["flags"][0], 1)
        while listed["flags"][0]:
            add(acc, 10.0)
            nisa.register_move(held.flag, 0)
        return result(acc)

    assert first(kernel, 1) == 11


# ---- what is built ---------------------------------------------------------------------------


def test_the_body_is_built_once():
    @nki.jit
    def kernel(x, n):
        acc, flag = tile(), loaded(n)
        for _ in nl.dynamic_range(1, flag, 2):
            while flag:
                add(acc, 1.0)
        return result(acc)

    made = opennki.compile(kernel, X, np.array([[3]], np.int32), target="trn2")
    (loop,) = [s for s in made.penguin[0].body if isinstance(s, DynamicLoop)]
    (inner,) = loop.body
    assert (loop.start, loop.stop, loop.step) == (1, inner.condition, 2)
    assert isinstance(inner, While)
    assert [i.spec.label for i in inner.body] == ["tensor_scalar"]
    assert "for %_ in dynamic(1, %register, 2) {" in made.text("penguin")


# ---- debugging -------------------------------------------------------------------------------


def test_step_mode_runs_a_loop_when_its_body_is_complete(capsys):
    @nki.jit
    def kernel(x, n):
        acc = tile()
        for _ in nl.dynamic_range(loaded(n)):
            add(acc, 1.0)
            print("inside", repr(acc).splitlines()[-1])
        print("after", repr(acc).splitlines()[-1])
        return result(acc)

    assert run(kernel, 3, level=None, step=True)[0, 0] == 3
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["inside", "after"]
    assert "0." in lines[0]
    assert "3." in lines[1]


@pytest.mark.parametrize("inside", [False, True])
def test_breakpoint_catches_up_with_loops(inside, monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "breakpointhook", lambda *args: seen.append("stopped"))

    @nki.jit
    def kernel(x, n):
        acc = tile()
        for _ in nl.dynamic_range(loaded(n)):
            add(acc, 1.0)
            if inside:
                breakpoint()
            add(acc, 10.0)
        if not inside:
            breakpoint()
        seen.append(repr(acc).splitlines()[-1])
        for _ in nl.dynamic_range(2):
            add(acc, 100.0)
        return result(acc)

    assert run(kernel, 3, level="penguin")[0, 0] == 233
    assert seen[0] == "stopped"
    assert "33." in seen[1]
