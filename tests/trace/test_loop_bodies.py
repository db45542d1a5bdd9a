"""What the body of a run-time loop may not do, in Python and with tensors."""

from __future__ import annotations

import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.testing.programs import RUNNERS

from .looping import add, codes, first, loaded, result, run, tile

# ---- Python around and inside of while ---------------------------------------------------------


def test_continue_is_the_end_of_the_body():
    @nki.jit
    def kernel(x, n):
        acc, flag = tile(), loaded(n)
        while flag:
            add(acc, 1.0)
            nisa.register_move(flag, 0)
            if acc.ndim == 2:
                continue
            add(acc, 100.0)
        for _ in nl.dynamic_range(2):
            add(acc, 10.0)
            continue
        return result(acc)

    assert first(kernel, 1) == 21


def test_else_runs_after_the_loop():
    @nki.jit
    def kernel(x, n):
        acc, flag = tile(), loaded(n)
        while flag:
            nisa.register_move(flag, 0)
        else:
            add(acc, 1.0)
        return result(acc)

    assert first(kernel, 1) == first(kernel, 0) == 1


def test_a_while_on_one_line():
    @nki.jit
    def kernel(x, n):
        acc, flag = tile(), loaded(n)
        while flag:
            add(acc, 1.0)
            nisa.register_move(flag, 0)  # the subject
        return result(acc)

    assert first(kernel, 1) == 1


def test_one_while_in_several_calls_that_are_open_at_once():
    @nki.jit
    def kernel(x):
        acc = tile()

        def deeper(k):
            flag = nisa.register_alloc(1)
            while flag:
                add(acc, 1.0)
                nisa.register_move(flag, 0)
                if k:
                    deeper(k - 1)

        deeper(3)
        deeper(1)
        return result(acc)

    assert first(kernel) == 6


def breaks(x, n):
    acc = tile()
    for _ in nl.dynamic_range(loaded(n)):
        add(acc, 1.0)
        break
    return result(acc)


def returns(x, n):
    acc = tile()
    for _ in nl.dynamic_range(loaded(n)):
        add(acc, 1.0)
        return result(acc)


def breaks_while(x, n):
    acc, flag = tile(), loaded(n)
    while flag:
        add(acc, 1.0)
        break
    return result(acc)


def returns_from_while(x, n):
    acc, flag = tile(), loaded(n)
    while flag:
        add(acc, 1.0)
        return result(acc)


def breaks_inner(x, n):
    acc, flag = tile(), loaded(n)
    for _ in nl.dynamic_range(flag):
        while flag:
            break
        add(acc, 1.0)
    return result(acc)


def breaks_and_comes_again(x, n):
    acc, flag = tile(), loaded(n)
    for k in range(2):
        while flag:
            if k == 0:
                break
            add(acc, 1.0)
            nisa.register_move(flag, 0)
    return result(acc)


def breaks_or_continues(x, n):
    acc, flag = tile(), loaded(n)
    for k in range(2):
        while flag:
            if k == 0:
                break
            add(acc, 1.0)
            continue
    return result(acc)


def returns_from_helper(x, n):
    acc, flag = tile(), loaded(n)

    def helper(k):
        while flag:
            add(acc, 1.0)
            if k == 0:
                return
            nisa.register_move(flag, 0)

    helper(0)
    helper(1)
    return result(acc)


def raises_and_catches(x, n):
    acc = tile()
    try:
        for _ in nl.dynamic_range(loaded(n)):
            raise ValueError
    except ValueError:
        add(acc, 1.0)
    return result(acc)


def raises_in_body_function(x, n):
    acc = tile()

    def body(i):
        raise ValueError

    try:
        nl.fori_loop(0, 3, body)
    except ValueError:
        add(acc, 1.0)
    return result(acc)


def begins_with_one_ends_with_another(x, n):
    acc, flag = tile(), loaded(n)
    while flag:
        add(acc, 1.0)
        flag = nisa.register_alloc(0)
    return result(acc)


def in_no_reorder(x, n):
    acc, count = tile(), loaded(n)
    with nl.no_reorder():
        for _ in nl.dynamic_range(count):
            add(acc, 1.0)
    return result(acc)


def while_in_no_reorder(x, n):
    acc, flag = tile(), loaded(n)
    with nl.no_reorder():
        while flag:
            add(acc, 1.0)
    return result(acc)


def deep_in_no_reorder(x, n):
    acc, flag = tile(), loaded(n)
    for _ in nl.dynamic_range(flag):
        with nl.no_reorder():
            for _ in range(2):
                nl.fori_loop(0, flag, lambda i: add(acc, 1.0))
    return result(acc)


def zipped(x, n):
    acc = tile()
    for _, k in zip(nl.dynamic_range(loaded(n)), (1.0, 2.0), strict=False):
        add(acc, k)
    return result(acc)


def listed(x, n):
    acc = tile()
    for _ in list(nl.dynamic_range(loaded(n))):
        add(acc, 1.0)
    return result(acc)


@pytest.mark.parametrize(
    "kernel",
    [
        breaks, returns, breaks_while, returns_from_while, breaks_inner, breaks_and_comes_again,
        breaks_or_continues, returns_from_helper, raises_and_catches, raises_in_body_function,
        begins_with_one_ends_with_another, in_no_reorder, while_in_no_reorder, deep_in_no_reorder,
        zipped, listed,
    ],
)  # fmt: skip
def test_what_straight_line_tracing_cannot_express_is_refused(kernel):
    assert set(codes(nki.jit(kernel), 1)) == {"NKI1043"}


def test_an_exception_in_a_body_is_the_kernels():
    @nki.jit
    def kernel(x, n):
        for _ in nl.dynamic_range(loaded(n)):
            raise KeyError("key")
        return x

    with pytest.raises(KeyError) as caught:
        run(kernel, 2)
    assert [d.code.id for d in caught.value.diagnostics] == ["NKI1018"]
    assert run(nki.jit(summed), 2)[0, 0] == 2  # nothing of it is left over


def summed(x, n):
    acc = tile()
    for _ in nl.dynamic_range(loaded(n)):
        add(acc, 1.0)
    return result(acc)


def test_no_reorder_inside_of_a_body_orders_it():
    @nki.jit
    def kernel(x, n):
        acc = tile()
        for _ in nl.dynamic_range(loaded(n)):
            with nl.no_reorder():
                add(acc, 1.0)
                nisa.tensor_scalar(acc, acc, op0=nl.multiply, operand0=2.0)
        return result(acc)

    for level in RUNNERS:
        assert first(kernel, 3, level=level) == 14


def test_a_kernel_is_traced_anew_by_every_call():
    kernel = nki.jit(summed)
    assert [first(kernel, n) for n in (3, 1, 0, 3)] == [3, 1, 0, 3]


def test_a_range_may_be_kept_and_used_twice_or_never():
    @nki.jit
    def kernel(x, n):
        acc = tile()
        kept, never = nl.dynamic_range(loaded(n)), nl.dynamic_range(7)
        add(acc, 100.0)
        for _ in kept:
            add(acc, 1.0)
        for _ in kept:
            add(acc, 10.0)
        assert never is not None
        return result(acc)

    assert first(kernel, 2) == 122


# ---- tensors ---------------------------------------------------------------------------------


def after_the_loop(x, n):
    for _ in nl.dynamic_range(loaded(n)):
        acc = tile()
    return result(acc)


def in_the_next_loop(x, n):
    out = tile()
    for _ in nl.dynamic_range(loaded(n)):
        acc = tile()
    for _ in nl.dynamic_range(loaded(n)):
        nisa.tensor_copy(out, acc)
    return result(out)


def a_view_after_the_loop(x, n):
    out, views = tile(shape=(1, 2)), []
    nl.fori_loop(0, loaded(n), lambda i: views.append(tile()[:, 0:2]))
    nisa.tensor_copy(out, views[0])
    return result(out)


def as_index_after_the_loop(x, n):
    out = tile(shape=(1, 1))
    for _ in nl.dynamic_range(loaded(n)):
        place = tile(0, (1, 1), nl.int32)
    nisa.tensor_copy(out, tile()[:, place])
    return result(out)


def returned(x, n):
    for _ in nl.dynamic_range(loaded(n)):
        out = result(tile())
    return out


def after_the_inner_loop(x, n):
    out = tile()
    for _ in nl.dynamic_range(loaded(n)):
        for _ in nl.dynamic_range(2):
            acc = tile()
        nisa.tensor_copy(out, acc)
    return result(out)


@pytest.mark.parametrize(
    "kernel",
    [
        after_the_loop, in_the_next_loop, a_view_after_the_loop, as_index_after_the_loop, returned,
        after_the_inner_loop,
    ],
)  # fmt: skip
def test_tensors_of_a_body_stay_inside(kernel):
    assert codes(nki.jit(kernel), 1) == ["NKI1045"]


def test_tensors_of_a_body_are_seen_by_loops_inside():
    @nki.jit
    def kernel(x, n):
        out = tile()
        for _ in nl.dynamic_range(loaded(n)):
            acc = tile(1.0)
            for _ in nl.dynamic_range(2):
                add(acc, 1.0)
            nisa.tensor_tensor(out, out, acc, op=nl.add)
        return result(out)

    for level in RUNNERS:
        assert first(kernel, 2, level=level) == 6


def test_edges_stay_in_one_loop():
    @nki.jit
    def inside(x, n):
        acc, other = tile(), tile()
        before = nisa.memset(other, 1.0)
        for _ in nl.dynamic_range(loaded(n)):
            one = nisa.tensor_copy(other, other).depends_on(before)
            nisa.tensor_scalar(acc, acc, op0=nl.add, operand0=1.0).depends_on(one)
        return result(acc)

    @nki.jit
    def across(x, n):
        acc, made = tile(), []
        nl.fori_loop(0, loaded(n), lambda i: made.append(nisa.memset(acc, 1.0)))
        nisa.tensor_scalar(acc, acc, op0=nl.add, operand0=1.0).depends_on(made[0])
        return result(acc)

    for level in RUNNERS:
        assert first(inside, 2, level=level) == 2

    @nki.jit
    def to_a_later_loop(x, n):
        acc = tile()
        early = nisa.memset(acc, 1.0)
        for _ in nl.dynamic_range(loaded(n)):
            early.depends_on(nisa.tensor_copy(tile(), tile()))
        return result(acc)

    @nki.jit
    def scheduled(x, n):
        acc, other = tile(), tile()
        for _ in nl.dynamic_range(loaded(n)):
            nisa.tensor_scalar(acc, acc, op0=nl.add, operand0=1.0, name="a")
            nisa.memset(other, 2.0, name="b")
        nisa.tensor_scalar(other, other, op0=nl.add, operand0=1.0, name="c")
        return result(acc)

    assert codes(across, 2) == ["NKI1046"]
    assert codes(to_a_later_loop, 2) == ["NKI1046"]
    assert codes(scheduled.with_schedule([("c", "a")]), 2) == ["NKI1046"]
    for level in RUNNERS:
        assert first(scheduled.with_schedule([("a", "b")]), 2, level=level) == 2


@pytest.mark.parametrize("level", RUNNERS)
def test_moving_an_instruction_takes_what_needs_its_register_along(level):
    @nki.jit
    def kernel(x, n):
        acc, other, count = tile(), tile(), nisa.register_alloc()
        early = nisa.register_load(count, n)
        for _ in nl.dynamic_range(count):
            add(acc, 1.0)
        nisa.register_move(count, 0)
        early.depends_on(nisa.memset(other, 2.0))
        return result(acc)

    assert first(kernel, 3, level=level) == 3
