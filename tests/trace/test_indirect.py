"""Views at run-time indices: shapes, steps and limits, and which chains of views exist."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.diag import NkiError

X = np.zeros((6, 4, 8), np.float32)


def seen(view):
    """What `view` makes of x in HBM, t in SBUF, a register, a tile of one and one of four."""
    found = []

    @nki.jit
    def kernel(x):
        t = nl.ndarray((4, 4, 8), dtype=nl.float32, buffer=nl.sbuf)
        one = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        rows = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
        made = view(x, t, nisa.register_alloc(1), one, rows)
        assert made.is_indirect()
        index = made.index
        found.append((made.shape, made.offset, index.stride, index.limit, index.vector))
        return x

    nki.simulate(kernel, target="trn2")(X)
    return found[0]


@pytest.mark.parametrize(
    ("view", "want"),
    [
        (lambda x, t, r, one, rows: x[r], ((4, 8), 0, 32, 6, False)),
        (lambda x, t, r, one, rows: x.select(0, one), ((4, 8), 0, 32, 6, False)),
        (lambda x, t, r, one, rows: x.select(-1, r), ((6, 4), 0, 1, 8, False)),
        (lambda x, t, r, one, rows: x[2:, r, 4:], ((4, 4), 68, 8, 4, False)),
        (lambda x, t, r, one, rows: x[nl.ds(r, 3)], ((3, 4, 8), 0, 32, 4, False)),
        (lambda x, t, r, one, rows: x[nl.ds(one, 6)], ((6, 4, 8), 0, 32, 1, False)),
        (lambda x, t, r, one, rows: x[:, :, ::2].select(2, r), ((6, 4), 0, 2, 4, False)),
        (lambda x, t, r, one, rows: x[r][1:3, 2], ((2,), 10, 32, 6, False)),
        (lambda x, t, r, one, rows: x.view(nl.bfloat16)[r], ((4, 16), 0, 64, 6, False)),
        (lambda x, t, r, one, rows: x[r].permute((1, 0)), ((8, 4), 0, 32, 6, False)),
        (lambda x, t, r, one, rows: t[:, r], ((4, 8), 0, 8, 4, False)),
        (lambda x, t, r, one, rows: t[:, 1, nl.ds(r, 3)], ((4, 3), 8, 1, 6, False)),
        (lambda x, t, r, one, rows: x.vector_select(0, rows), ((4, 4, 8), 0, 32, 6, True)),
        (lambda x, t, r, one, rows: x[1:5].vector_select(0, rows), ((4, 4, 8), 32, 32, 4, True)),
        (lambda x, t, r, one, rows: x.vector_select(0, rows)[:, 1], ((4, 8), 8, 32, 6, True)),
        (lambda x, t, r, one, rows: x.vector_select(0, rows).reshape((4, 32)),
         ((4, 32), 0, 32, 6, True)),
        (lambda x, t, r, one, rows: x.vector_select(0, rows).permute((0, 2, 1)),
         ((4, 8, 4), 0, 32, 6, True)),
        (lambda x, t, r, one, rows: x.view(nl.uint8).vector_select(0, rows),
         ((4, 4, 32), 0, 128, 6, True)),
        (lambda x, t, r, one, rows: x.ap([[8, 4], [1, 8]], scalar_offset=r),
         ((4, 8), 0, 32, 6, False)),
        (lambda x, t, r, one, rows: x.ap([[1, 8]], offset=32, scalar_offset=r, indirect_dim=1),
         ((8,), 32, 8, 4, False)),
        (lambda x, t, r, one, rows: x[:, 2:].ap([[1, 8]], scalar_offset=r, indirect_dim=1),
         ((8,), 16, 8, 2, False)),
        (lambda x, t, r, one, rows: x.ap([[32, 3], [1, 8]], vector_offset=rows),
         ((3, 8), 0, 32, 6, True)),
        (lambda x, t, r, one, rows: x.ap([[64, 4], [1, 16]], vector_offset=rows, dtype=nl.bfloat16),
         ((4, 16), 0, 64, 6, True)),
    ],
)  # fmt: skip
def test_a_view_at_a_run_time_index(view, want):
    assert seen(view) == want


@pytest.mark.parametrize(
    "view",
    [
        lambda x, t, r, one, rows: x[r, r],
        lambda x, t, r, one, rows: x[r].select(0, r),
        lambda x, t, r, one, rows: x.vector_select(0, rows).select(1, r),
        lambda x, t, r, one, rows: x[r].vector_select(0, rows),
        lambda x, t, r, one, rows: x[r].ap([[1, 8]], scalar_offset=r),
        lambda x, t, r, one, rows: x.vector_select(1, rows),
        lambda x, t, r, one, rows: t.vector_select(0, rows),
        lambda x, t, r, one, rows: x.vector_select(0, r),
        lambda x, t, r, one, rows: x.vector_select(0, 3),
        lambda x, t, r, one, rows: x.vector_select(0, t[:, 0, 0:1]),
        lambda x, t, r, one, rows: x.vector_select(0, x[0:4, 0, 0:1].view(nl.int32)),
        lambda x, t, r, one, rows: x.vector_select(0, rows)[1:3],
        lambda x, t, r, one, rows: x.vector_select(0, rows).select(0, 1),
        lambda x, t, r, one, rows: x.vector_select(0, rows).permute((1, 0, 2)),
        lambda x, t, r, one, rows: x[:, :, 0:4].vector_select(0, rows).permute((1, 0, 2)),
        lambda x, t, r, one, rows: x.vector_select(0, rows).flatten_dims(0, 1),
        lambda x, t, r, one, rows: x.vector_select(0, rows).expand_dim(0),
        lambda x, t, r, one, rows: x[rows],
        lambda x, t, r, one, rows: x.select(0, t),
        lambda x, t, r, one, rows: t[r],
        lambda x, t, r, one, rows: t[nl.ds(r, 1)],
        lambda x, t, r, one, rows: t.ap([[32, 4], [1, 8]], scalar_offset=r),
        lambda x, t, r, one, rows: x.ap([[32, 4]], scalar_offset=r, vector_offset=rows),
        lambda x, t, r, one, rows: x.ap([[32, 4]], vector_offset=rows, indirect_dim=1),
        lambda x, t, r, one, rows: x.ap([[32, 6]], vector_offset=rows),
        lambda x, t, r, one, rows: x.ap([[32, 4]], indirect_dim=1),
        lambda x, t, r, one, rows: x.ap([[32, 4]], scalar_offset=3),
        lambda x, t, r, one, rows: x[r].view(nl.bfloat16),
        lambda x, t, r, one, rows: x[r].view(nl.float32),
        lambda x, t, r, one, rows: x.vector_select(0, rows).reinterpret_cast(nl.uint8),
        lambda x, t, r, one, rows: x.ap([[1, 8]], scalar_offset=r).view(nl.uint8),
        lambda x, t, r, one, rows: x.view(nl.uint8)[..., nl.ds(r, 4)].ap(
            [[1, 2]], dtype=nl.float32
        ),
    ],
)
def test_an_index_that_cannot_be_used_is_refused(view):
    with pytest.raises(NkiError) as caught:
        seen(view)
    assert [d.code.id for d in caught.value.diagnostics] == ["NKI3033"]


@pytest.mark.parametrize(
    ("view", "code"),
    [
        (lambda x, t, r, one, rows: x[nl.ds(r, 7)], "NKI3011"),
        (lambda x, t, r, one, rows: x[nl.ds(r, 0)], "NKI3015"),
        (lambda x, t, r, one, rows: x.select(3, r), "NKI3025"),
        (lambda x, t, r, one, rows: x.ap([[1, 8]], scalar_offset=r, indirect_dim=3), "NKI3025"),
        (lambda x, t, r, one, rows: x[nl.ds(0, r)], "NKI1042"),
    ],
)
def test_the_rest_of_a_view_keeps_its_rules(view, code):
    with pytest.raises(NkiError) as caught:
        seen(view)
    assert [d.code.id for d in caught.value.diagnostics] == [code]


def test_a_pattern_at_an_index_stays_inside_for_the_index_0():
    def copy(columns):
        @nki.jit
        def kernel(x):
            t = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
            out = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.shared_hbm)
            row = x.ap([[columns, 1], [1, columns]], scalar_offset=nisa.register_alloc(0))
            nisa.dma_copy(dst=t, src=row)
            nisa.dma_copy(dst=out, src=t)
            return out

        return kernel

    assert opennki.check(copy(X.size), X, target="trn2") == []
    found = opennki.check(copy(X.size + 1), X, target="trn2")
    assert [f.code for f in found] == ["NKI3029"]


def test_a_register_loaded_from_float32_is_no_index():
    @nki.jit
    def kernel(x):
        r = nisa.register_alloc()
        nisa.register_load(r, x[0:1, 0, 0:1])
        x.select(0, r)
        return x

    with pytest.raises(NkiError, match="loaded from float32"):
        nki.simulate(kernel, target="trn2")(X)


def test_gathers_need_gen3():
    @nki.jit
    def kernel(x):
        rows = nl.ndarray((4, 1), dtype=nl.uint32, buffer=nl.sbuf)
        t = nl.ndarray((4, 32), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(rows, 0)
        nisa.dma_copy(t, x.vector_select(0, rows).reshape((4, 32)))
        out = nl.ndarray((4, 32), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(out, t)
        return out

    assert nki.simulate(kernel, target="trn2")(X).shape == (4, 32)
    with pytest.raises(NkiError) as caught:
        nki.simulate(kernel, target="trn1")(X)
    assert [d.code.id for d in caught.value.diagnostics] == ["NKI2108"]
