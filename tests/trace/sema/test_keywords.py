"""Keywords of earlier versions, whatever calls there are: what is called instead, and with what."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl
from opennki.base.diag import NkiError
from opennki.ir import walk
from opennki.target import SUNDA, Dialect, target
from opennki.trace import TraceContext
from opennki.trace.enums import dma_engine
from opennki.trace.sema.keywords import ABSENT, earlier_call

X = np.ones((4, 4), np.float32)


def called(name, given, old, known=()):
    """Calls that `earlier_call` makes, as ``(name, positional, keywords)``; they return names."""
    made = []

    def recording(call):
        def run(*args, **kwargs):
            made.append((call, args, kwargs))
            return call

        run.__signature__ = inspect.signature(getattr(nisa, call, run))
        return run

    def kernel(x):
        earlier_call({n: recording(n) for n in (name, *known)}, name, given, old)
        return x

    TraceContext(kernel, SUNDA, dialect=Dialect("0.2", chosen=True)).trace_kernel((X,), {})
    return made


@pytest.mark.parametrize(
    ("old", "engine"), [(True, dma_engine.gpsimd_dma), (False, dma_engine.dma)]
)
def test_the_engine_of_sendrecv(old, engine):
    given = {"dst": 1, "dma_engine": None}
    made = called("sendrecv", given, {"use_gpsimd_dma": old, "dtype": ABSENT})
    assert made == [("sendrecv", (), {"dst": 1, "dma_engine": engine})]


@pytest.mark.parametrize("old", [None, "no", 5.0, [True]])
def test_the_engine_of_sendrecv_was_chosen_by_a_bool(old):
    with pytest.raises(NkiError) as caught:
        called("sendrecv", {"dst": 1, "dma_engine": None}, {"use_gpsimd_dma": old})
    assert [d.code.id for d in caught.value.diagnostics] == ["NKI1007"]


def test_a_number_moved_into_a_register():
    def kernel(x):
        register = nisa.register_alloc()
        nisa.register_move(register, imm=42)
        return x

    trace = TraceContext(kernel, target("trn2"), dialect=Dialect("0.2", chosen=True)).trace_kernel(
        (X,), {}
    )
    (move,) = [i for i in walk(trace.function.body) if i.spec.name == "register_move"]
    assert move.src == 42


@pytest.mark.parametrize("more", [{}, {"unique_indices": False}])
def test_adding_to_the_destination_of_a_transfer(more):
    given = {"dst": "d", "src": "s", "priority": None, "name": "n"}
    made = called("dma_copy", given, {"dst_rmw_op": nl.add, **more}, ("dma_compute",))
    want = {"dst": "d", "srcs": ["s", "d"], "reduce_op": nl.add, "name": "n", **more}
    assert made == [("dma_compute", (), want)]


def test_what_the_transfer_was_told_is_handed_on():
    given = {"dst": "d", "src": "s", "priority": 3, "name": None}
    made = called("dma_copy", given, {"dst_rmw_op": nl.add}, ("dma_compute",))
    want = {"dst": "d", "srcs": ["s", "d"], "reduce_op": nl.add, "priority": 3}
    assert made == [("dma_compute", (), want)]


def test_only_given_keywords_count():
    given = {"dst": "d", "src": "s"}
    made = called("dma_copy", given, {"dst_rmw_op": ABSENT, "unique_indices": True})
    assert made == [("dma_copy", (), given)]
