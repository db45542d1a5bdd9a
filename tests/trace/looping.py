"""Kernels' building blocks that tests of run-time loops share."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.base.diag import NkiError

X = np.zeros((1, 4), np.float32)


def loaded(n):
    """A register with the element `n`."""
    register = nisa.register_alloc()
    nisa.register_load(register, n)
    return register


def tile(value=0.0, shape=(1, 4), dtype=nl.float32, buffer=nl.sbuf):
    made = nl.ndarray(shape, dtype=dtype, buffer=buffer)
    nisa.memset(made, value)
    return made


def add(acc, value):
    nisa.tensor_scalar(acc, acc, op0=nl.add, operand0=value)


def add_register(acc, register):
    """Add what a register holds."""
    held = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.register_store(held, register)
    nisa.tensor_tensor(acc[:, 0:1], acc[:, 0:1], held, op=nl.add)


def result(acc):
    out = nl.ndarray(acc.shape, dtype=acc.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(out, acc)
    return out


def repeat(register, body):
    """`body` as often as the register says, by a ``while`` that counts down in SBUF."""
    left = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    again = nisa.register_alloc()
    nisa.register_store(left, register)
    nisa.register_load(again, left)
    while again:
        body(again)
        nisa.tensor_scalar(left, left, op0=nl.subtract, operand0=1)
        nisa.register_load(again, left)


def repeat_by_call(register, body):
    left = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.register_store(left, register)

    def step(again):
        body(again)
        nisa.tensor_scalar(left, left, op0=nl.subtract, operand0=1)
        following = nisa.register_alloc()
        nisa.register_load(following, left)
        return following

    nl.while_loop(register, step)


def repeat_by_range(register, body):
    for i in nl.dynamic_range(register):
        body(i)


def repeat_by_fori(register, body):
    nl.fori_loop(0, register, body)


FORMS = [repeat, repeat_by_call, repeat_by_range, repeat_by_fori]


def run(kernel, *numbers, level="program", **more):
    """The result, or the first of several, of a kernel of X and int32 scalars."""
    arrays = [np.array([[n]], np.int32) for n in numbers]
    return nki.simulate(kernel, target="trn2", level=level, **more)(X, *arrays)


def first(kernel, *numbers, level="program"):
    return float(np.asarray(run(kernel, *numbers, level=level))[0, 0])


def codes(kernel, *numbers):
    with pytest.raises(NkiError) as caught:
        run(kernel, *numbers)
    return [d.code.id for d in caught.value.diagnostics]
