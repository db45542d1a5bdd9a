"""The short cut for calls whose signature was seen before gives what the long way gives."""

from __future__ import annotations

import numpy as np
import pytest

import nki.isa as nisa
import nki.language as nl
from opennki.base.diag import NkiError
from opennki.target import target
from opennki.trace import TraceContext


def traced(kernel, *args):
    return TraceContext(kernel, target("trn2")).trace_kernel(args, {}).function


def test_equal_numbers_that_are_not_the_same_stay_apart():
    def kernel(x):
        values = (0.0, -0.0, 1, 1.0, True, float("nan"))
        for value in values:
            t = nl.ndarray((4, 4), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=t, value=value)
        for value in values:
            nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=value)
        nl.store(x, t)

    found = [i for i in traced(kernel, np.zeros((4, 4), np.float32)).instructions()]
    want = ["0.0", "-0.0", "1", "1.0", "1", "nan"]
    assert [repr(i.value) for i in found[:6]] == want
    assert [repr(float(i.operand0)) for i in found[6:12]] == [repr(float(w)) for w in want]


def test_a_repeated_call_is_the_same_instruction_on_other_views():
    def kernel(x):
        t = nl.load(x)
        for i in range(4):
            nisa.tensor_tensor(
                dst=t[:, i : i + 1], data1=t[:, i : i + 1], data2=t[:, 0:1], op=nl.add
            )
        nl.store(x, t)

    found = [i for i in traced(kernel, np.zeros((4, 4), np.float32)).instructions()][1:-1]
    assert [i.dst.offset for i in found] == [0, 1, 2, 3]
    assert len({(i.op, i.engine, i.loc) for i in found}) == 1


def test_a_call_that_broke_a_rule_is_judged_again():
    def kernel(x):
        t = nl.load(x)
        for _ in range(3):
            nisa.tensor_copy(dst=t[:, 0:2], src=t[:, 0:3])
        nl.store(x, t)

    with pytest.raises(NkiError) as caught:
        traced(kernel, np.zeros((4, 4), np.float32))
    assert [d.code.id for d in caught.value.diagnostics] == ["NKI2102"] * 3


def test_lists_and_tuples_mean_the_same():
    def kernel(x):
        t = nl.ndarray((4, 4), dtype=nl.int32, buffer=nl.sbuf)
        nisa.iota(dst=t, pattern=[[1, 4]])
        nisa.iota(dst=t, pattern=((1, 4),))
        nisa.tensor_reduce(dst=t[:, 0:1], op=nl.add, data=t, axis=[1])
        nisa.tensor_reduce(dst=t[:, 0:1], op=nl.add, data=t, axis=-1)
        nl.store(x, t)

    first, second, third, fourth, _ = traced(kernel, np.zeros((4, 4), np.int32)).instructions()
    assert first == second
    assert third == fourth
