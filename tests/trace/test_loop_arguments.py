"""Arguments of run-time loops, and what Python may not ask of a register."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.base.diag import NkiError

from .looping import add, codes, first, loaded, result, run, tile

# ---- arguments -------------------------------------------------------------------------------


def bound(*ends, **more):
    @nki.jit
    def kernel(x, n):
        for _ in nl.dynamic_range(*ends, **more):
            pass
        return x

    return kernel


@pytest.mark.parametrize(
    "kernel",
    [
        bound(0, 3, 0), bound(0, 3, -1), bound(0, 3, step=1.5), bound(0, 3, "1"), bound(None),
        bound("a"), bound(1.5), bound(0, 2**31), bound(-(2**31) - 1, 0),
    ],
)  # fmt: skip
def test_bounds_and_steps_are_integers(kernel):
    assert codes(kernel, 1) == ["NKI1044"]


def test_the_whole_range_of_32_bits_can_be_crossed():
    @nki.jit
    def kernel(x):
        acc = tile()
        for _ in nl.dynamic_range(-(2**31), 2**31 - 1, 2**31 - 1):
            add(acc, 1.0)
        return result(acc)

    assert first(kernel) == 3


def test_a_register_is_no_step_and_a_tensor_no_bound():
    @nki.jit
    def step(x, n):
        for _ in nl.dynamic_range(0, 3, loaded(n)):
            pass
        return x

    @nki.jit
    def tensor(x, n):
        nl.fori_loop(0, n, lambda i: None)
        return x

    assert codes(step, 1) == codes(tensor, 1) == ["NKI1044"]


def float_bound(x, n):
    nl.fori_loop(0, loaded(x[0:1, 0:1]), lambda i: None)
    return x


def float_condition(x, n):
    flag = loaded(x[0:1, 0:1])
    while flag:
        pass
    return x


def moved_float(x, n):
    flag = nisa.register_alloc()
    nisa.register_move(flag, loaded(x[0:1, 0:1]))
    nl.while_loop(flag, lambda again: again)
    return x


def returns_index(x, n):
    nl.fori_loop(0, 3, lambda i: i)
    return x


def returns_nothing(x, n):
    nl.while_loop(loaded(n), lambda again: None)
    return x


def number_as_condition(x, n):
    nl.while_loop(3, lambda again: again)
    return x


def number_as_body(x, n):
    nl.fori_loop(0, 3, 4)
    return x


@pytest.mark.parametrize(
    "kernel",
    [
        float_bound, float_condition, moved_float, returns_index, returns_nothing,
        number_as_condition, number_as_body,
    ],
)  # fmt: skip
def test_arguments_of_other_kinds_are_refused(kernel):
    assert codes(nki.jit(kernel), 1) == ["NKI1044"]


def test_a_register_that_is_loaded_with_an_integer_again_may_steer():
    @nki.jit
    def kernel(x, n):
        acc, count = tile(), loaded(x[0:1, 0:1])
        nisa.register_load(count, n)
        nl.fori_loop(0, count, lambda i: add(acc, 1.0))
        return result(acc)

    assert first(kernel, 2) == 2


@pytest.mark.parametrize("write", [nisa.register_move, nisa.register_load])
def test_the_index_of_dynamic_range_is_frozen(write):
    @nki.jit
    def kernel(x, n):
        for i in nl.dynamic_range(3):
            write(i, n if write is nisa.register_load else 1)
        return x

    assert codes(kernel, 1) == ["NKI1041"]


ASKS = {
    "if": lambda r: 1 if r else 2,
    "not": lambda r: not r,
    "and": lambda r: r and 1,
    "bool": bool,
    "int": int,
    "float": float,
    "range": range,
    "+": lambda r: r + 1,
    "reversed -": lambda r: 1 - r,
    "-": lambda r: -r,
    "<": lambda r: r < 3,
    "==": lambda r: r == 3,
    "!=": lambda r: r != 3,
    "shape": lambda r: nl.ndarray((1, r), nl.float32, nl.sbuf),
    "affine_range": nl.affine_range,
    "slice": lambda r: tile()[:, r:4],
}


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_python_cannot_have_the_value_of_a_register(ask):
    @nki.jit
    def kernel(x, n):
        ask(loaded(n))
        return x

    assert codes(kernel, 1) == ["NKI1042"]


@pytest.mark.parametrize("condition", ["not flag", "flag and flag", "bool(flag)", "get()"])
def test_while_takes_nothing_but_a_register(condition, tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(f"def loop(flag, get):\n    while {condition}:\n        pass\n")
    scope = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)

    @nki.jit
    def kernel(x, n):
        flag = loaded(n)
        scope["loop"](flag, lambda: flag)
        return x

    assert codes(kernel, 1) == ["NKI1042"]


@pytest.mark.parametrize("known", [False, True])
def test_while_needs_the_source_text(known, monkeypatch):
    """Also where Python knows a text of another piece of code of the same name."""
    if known:
        lines = ["for i in range(3):\n", "    print(i)\n"]
        monkeypatch.setitem(linecache.cache, "<string>", (1, None, lines, "<string>"))
    scope = {}
    exec("def loop(flag):\n    while flag:\n        pass\n", scope)

    @nki.jit
    def kernel(x, n):
        scope["loop"](loaded(n))
        return x

    with pytest.raises(NkiError, match="needs the kernel's source text"):
        run(kernel, 1)


def test_registers_are_themselves_in_comparisons_and_copies():
    @nki.jit
    def kernel(x, n):
        from copy import deepcopy

        r, s = loaded(n), loaded(n)
        assert r == r  # the subject
        assert r != s
        assert r in [s, r]
        assert deepcopy([r])[0] is r
        assert repr(r).startswith("<register r")
        return x

    run(kernel, 1)


@pytest.mark.parametrize(
    ("use", "python", "code"),
    [
        (lambda r: nl.dynamic_range(0, 4, r), AssertionError, "NKI1044"),
        (lambda r: nl.fori_loop(0, 4, print, step=r), AssertionError, "NKI1044"),
        (lambda r: nl.dynamic_range(r, 4, 1), None, ""),
        (int, TypeError, "NKI1042"), (range, TypeError, "NKI1042"), (bool, TypeError, "NKI1042"),
        (lambda r: "yes" if r else "no", TypeError, "NKI1042"),
        (lambda r: r + 1, TypeError, "NKI1042"),
        (lambda r: nl.ndarray((4, 4), nl.float32).ap([[r, 4], [1, 4]]), TypeError, "NKI1042"),
    ],
)  # fmt: skip
def test_errors_about_registers_are_those_that_the_reference_names(use, python, code):
    @nki.jit
    def kernel(x):
        use(nisa.register_alloc(2))
        return x

    if python is None:
        assert nki.simulate(kernel)(np.ones((1, 1), np.float32)) == 1
        return
    with pytest.raises(python) as caught:
        nki.simulate(kernel)(np.ones((1, 1), np.float32))
    assert isinstance(caught.value, NkiError)
    assert caught.value.code == code
