"""Views of tensors against NumPy: every method selects the elements that NumPy would."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.diag import NkiError
from opennki.base.dtypes import bfloat16, float32, int32, uint8
from opennki.ir import Space, Tensor
from opennki.trace import DynamicSlice, NkiTensor
from opennki.trace.values import covering


def tensor(shape, space=Space.sbuf, dtype=float32) -> NkiTensor:
    return covering(Tensor("t", shape, dtype, space))


def elements(view: NkiTensor) -> np.ndarray:
    """Storage positions that a view addresses."""
    size = view.tensor.size * view.tensor.dtype.itemsize // view.dtype.itemsize
    storage = np.arange(size)
    return as_strided(
        storage[view.offset :], view.shape, tuple(s * storage.itemsize for s in view.strides)
    )


def refused(code, make):
    with pytest.raises(NkiError) as caught:
        make()
    assert caught.value.code == code


sizes = st.lists(st.integers(1, 6), min_size=2, max_size=4).map(tuple)


@st.composite
def keys(draw, shape):
    """A NumPy index of slices and integers for `shape`."""
    key = []
    for n in shape:
        start = draw(st.integers(0, n - 1))
        stop = draw(st.integers(start + 1, n))
        step = draw(st.integers(1, 3))
        kinds = [slice(start, stop, step), slice(start, None), slice(None), start - n, start]
        key.append(draw(st.sampled_from(kinds)))
    return tuple(key)


@given(st.data())
def test_indexing_selects_what_numpy_selects(data):
    shape = data.draw(sizes)
    key = data.draw(keys(shape))
    space = data.draw(st.sampled_from([Space.sbuf, Space.shared_hbm]))
    view = tensor(shape, space)[key]
    want = elements(tensor(shape, space))[key]
    assert elements(view).reshape(-1).tolist() == np.asarray(want).reshape(-1).tolist()
    if space is Space.shared_hbm:
        assert view.shape == (want.shape or (1,))
    else:
        assert len(view.shape) >= 2
        assert view.shape[0] == (1 if isinstance(key[0], int) else want.shape[0])


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ((0, 0, 10), (1, 1)),
        ((slice(None), 0), (64, 64)),
        ((slice(None), 0, 10), (64, 1)),
        ((slice(0, 64), 0, slice(0, 64)), (64, 64)),
        ((slice(None), slice(None), slice(None, None, 2)), (64, 64, 32)),
        ((...,), (64, 64, 64)),
        ((0, ..., slice(None)), (1, 64, 64)),
        ((0, ...), (1, 64, 64)),
        ((..., 0), (64, 64)),
        ((DynamicSlice(8, 16), ...), (16, 64, 64)),
        ((slice(None), DynamicSlice(60, 4), 3), (64, 4)),
    ],
)
def test_on_chip_tensors_keep_two_dimensions(key, shape):
    assert tensor((64, 64, 64))[key].shape == shape


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ((slice(0, 129),), "NKI3011"),
        ((slice(-200, None),), "NKI3011"),
        ((slice(4, 4),), "NKI3015"),
        ((slice(8, 4),), "NKI3015"),
        ((128,), "NKI3010"),
        ((-129,), "NKI3010"),
        ((0, 0, 0), "NKI3013"),
        ((..., ..., 0), "NKI3016"),
        ((slice(0, 8, 0),), "NKI3012"),
        ((slice(0, 8, -1),), "NKI3012"),
        ((1.5,), "NKI3014"),
        (([0, 1],), "NKI3014"),
        ((None,), "NKI3014"),
        ((True,), "NKI3014"),
        ((DynamicSlice(100, 64),), "NKI3011"),
        ((DynamicSlice(0, 0),), "NKI3015"),
    ],
)
def test_indices_that_do_not_work_are_refused(key, code):
    refused(code, lambda: tensor((128, 64))[key])


@given(st.data())
def test_shape_methods_select_what_numpy_selects(data):
    shape = data.draw(sizes)
    view = tensor(shape, Space.shared_hbm)
    base = elements(view)
    order = data.draw(st.permutations(range(len(shape))))
    permuted = view.permute(order)
    assert np.array_equal(elements(permuted), base.transpose(order))
    dim = data.draw(st.integers(0, len(shape)))
    expanded = view.expand_dim(dim)
    assert np.array_equal(elements(expanded), np.expand_dims(base, dim))
    assert expanded.squeeze_dim(dim).shape == shape
    assert np.array_equal(
        elements(expanded.broadcast(dim, 3)), np.repeat(np.expand_dims(base, dim), 3, dim)
    )
    assert np.array_equal(elements(view.flatten_dims(0, len(shape) - 1)), base.reshape(-1))


@given(st.data())
def test_reshape_is_numpys_or_is_refused(data):
    shape = data.draw(sizes)
    view = tensor(shape, Space.shared_hbm)[data.draw(keys(shape))]
    view = view.permute(data.draw(st.permutations(range(len(view.shape)))))
    want = elements(view)
    split = data.draw(st.sampled_from([(want.size,), (-1, 1), (1, want.size), *_splits(want.size)]))
    if np.shares_memory(want, want.reshape(split)):
        assert np.array_equal(elements(view.reshape(split)), want.reshape(split))
    else:
        refused("NKI3022", lambda: view.reshape(split))


def _splits(n):
    return [(d, n // d) for d in range(2, n) if n % d == 0]


def test_reshape_dim_infers_one_size():
    view = tensor((128, 24)).reshape_dim(1, (4, -1))
    assert view.shape == (128, 4, 6)
    assert view.strides == (24, 6, 1)


def test_rearrange_splits_reorders_and_merges():
    view = tensor((128, 24)).rearrange(("b", ("h", "w")), ("b", "w", "h"), {"h": 4})
    assert view.shape == (128, 6, 4)
    assert np.array_equal(
        elements(view), elements(tensor((128, 24))).reshape(128, 4, 6).transpose(0, 2, 1)
    )
    refused("NKI3027", lambda: tensor((128, 24)).rearrange(("a", "b"), ("a", "c")))
    refused("NKI3027", lambda: tensor((128, 24)).rearrange(("a", ("b", "c")), ("a", "b", "c")))
    refused(
        "NKI3027", lambda: tensor((128, 24)).rearrange(("a", ("b", "c")), ("a", "b", "c"), {"b": 5})
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda t: t.permute((1, 0, 2)),
        lambda t: t.broadcast(0, 4),
        lambda t: t.expand_dim(0),
        lambda t: t.reshape((64, 48)),
        lambda t: t.reshape((3072,)),
        lambda t: t.flatten_dims(0, 1),
        lambda t: t.reshape_dim(0, (64, 2)),
    ],
)
def test_the_partition_dimension_stays(make):
    refused("NKI3021", lambda: make(tensor((128, 4, 6))))


def test_bad_arguments_of_view_methods_are_refused():
    t = tensor((128, 4, 6))
    refused("NKI3023", lambda: t.permute((0, 1)))
    refused("NKI3024", lambda: t.broadcast(1, 8))
    refused("NKI3024", lambda: t.squeeze_dim(1))
    refused("NKI3025", lambda: t.slice(3, 0, 1))
    refused("NKI1007", lambda: t.flatten_dims(2, 1))
    refused("NKI3020", lambda: t.reshape((128, 25)))
    refused("NKI3022", lambda: t[:, :, 0:3].flatten_dims(1, 2))
    refused("NKI3022", lambda: t.permute((0, 2, 1)).reshape((128, 24)))
    refused("NKI3022", lambda: tensor((128, 1)).squeeze_dim(1))


def test_view_scales_the_last_dimension():
    assert tensor((128, 64)).view(uint8).shape == (128, 256)
    assert tensor((128, 64)).view(int32).shape == (128, 64)
    half = tensor((128, 64))[:, 8:16].view(bfloat16)
    assert (half.shape, half.strides, half.offset) == ((128, 16), (128, 1), 16)
    assert half.row == 128
    refused("NKI3026", lambda: tensor((128, 6), dtype=uint8).view(float32))
    refused("NKI3022", lambda: tensor((128, 8))[:, ::2].view(bfloat16))


def test_ap_addresses_the_storage():
    t = tensor((128, 64))
    u, v = t.slice(1, 8, 24), t.ap(pattern=[[64, 128], [1, 16]], offset=8)
    assert u.get_pattern() == v.get_pattern() == [[64, 128], [1, 16]]
    assert u.offset == v.offset == 8
    assert np.array_equal(elements(u), elements(v))
    assert t.ap([[128, 128], [1, 128]], dtype=bfloat16).shape == (128, 128)
    refused("NKI3028", lambda: t.ap([[128, 64], [1, 32]]))
    refused("NKI3028", lambda: t.ap([[64, 128], [1]]))
    refused("NKI3028", lambda: t.ap([[64, 0], [1, 4]]))
    assert t.ap([[64, 128], [1, 64]], offset=1).offset == 1  # outside, which only a use is told of


def test_contiguity_is_judged_inside_partitions():
    t = tensor((128, 4, 6))
    assert t.is_contiguous()
    assert t[0:64].is_contiguous()
    assert t[:, 0].is_contiguous()
    assert not t.permute((0, 2, 1)).is_contiguous()
    assert not t[:, :, 0:3].is_contiguous()
    assert not tensor((128, 4), Space.shared_hbm)[:, 0:2].is_contiguous()


@pytest.mark.parametrize(
    ("use", "code"),
    [
        (lambda t: t + t, "NKI1003"),
        (lambda t: 2 * t, "NKI1003"),
        (lambda t: t @ t, "NKI1003"),
        (lambda t: -t, "NKI1003"),
        (lambda t: t < 3, "NKI1003"),
        (lambda t: t == tensor((128, 4)), "NKI1003"),
        (lambda t: 3 in t, "NKI1003"),
        (lambda t: bool(t), "NKI1002"),
        (lambda t: int(t), "NKI1002"),
        (lambda t: float(t), "NKI1002"),
        (lambda t: list(t), "NKI1002"),
        (lambda t: range(t), "NKI1002"),
        (lambda t: t.__setitem__(0, 1.0), "NKI1031"),
    ],
)
def test_python_cannot_compute_on_tensors(use, code):
    refused(code, lambda: use(tensor((128, 4))))


def test_identity_comparisons_work():
    t = tensor((128, 4))
    assert t == t  # the same object
    assert (t == None) is False  # noqa: E711  # kernels write it
    assert t in [t]
    assert len(t) == 128


def test_address_of_a_tensor_that_the_author_placed():
    placed = Tensor("t", (64, 32), bfloat16, Space.sbuf, address=1024, start_partition=32)
    view = covering(placed)
    assert view.address == (32, 1024)
    assert view[8:16, 4:8].address == (40, 1032)
    assert view.view(uint8)[1:2, 3:4].address == (33, 1027)
    assert tensor((4, 8)).address is None


def said(make):
    """Message and hint of what `make` is refused with."""
    with pytest.raises(NkiError) as caught:
        make()
    (found,) = caught.value.diagnostics
    return f"{found.message}; {found.hint}"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda t: t[:, 0:5], ["slice 0:5", "dimension 1", "min(5, 4)"]),
        (lambda t: t[:, -5:], ["slice -5:4", "count back from 4"]),
        (lambda t: t[:, DynamicSlice(3, 2)], ["slice 3:5", "min(5, 4)"]),
        (lambda t: t[:, DynamicSlice(-1, 1)], ["slice -1:0", "from 0 to 4 count from the start"]),
        (lambda t: t[:, DynamicSlice(3, 0)], ["slice 3:3 of dimension 1"]),
        (lambda t: t[:, 2:2, 0], ["slice 2:2 of dimension 1"]),
        (lambda t: t[0, :, 5:9], ["slice 5:9", "dimension 2"]),
        (lambda t: t.slice(1, 0, 5), ["slice 0:5", "min(5, 4)"]),
        (lambda t: t[:, 4], ["below 4; negative ones"]),
        (lambda t: t.permute((0, 3, 1)), ["below 3"]),
        (lambda t: t.broadcast(1.5, 2), ["`dim` of `broadcast`", "float 1.5"]),
        (lambda t: t[:, 0:1].broadcast(1, 0), ["`size` of `broadcast`", "is 0"]),
        (lambda t: t.reshape((128, 24.0)), ["`shape` of `reshape`", "float 24.0"]),
        (lambda t: t.flatten_dims(2, 1), ["`end_dim` of `flatten_dims`", "start_dim (2)"]),
        (lambda t: t.ap([[24, 128]], offset=None, dtype=uint8)[0], ["from partition to"]),
        (lambda t: t.rearrange(("p", "a", "b"), ("p", ("b", "a"))), ["rearrange", "copy into"]),
        (lambda t: t.rearrange(("p", "a", "b"), ("a", "p", "b")), ["rearrange", "partition"]),
        (lambda t: t.view(uint8)[:, :, 1:5].view(float32), ["view", "whole float32 of 4 bytes"]),
        (lambda t: t[:, 0:1, 0:1].squeeze_dim(2).squeeze_dim(1), ["at least two dimensions"]),
    ],
)
def test_a_refused_view_is_described_as_it_was_written(make, words):
    text = said(lambda: make(tensor((128, 4, 6))))
    assert [word for word in words if word not in text] == []


def test_select_does_not_promise_negative_indices():
    assert "negative" not in said(lambda: tensor((128, 4)).select(1, -1))


@pytest.mark.parametrize("space", [Space.sbuf, Space.private_hbm])
def test_a_tensor_keeps_a_dimension(space):
    t = tensor((1, 1), space)
    refused("NKI3020", lambda: t.reshape_dim(1, ()))
    refused("NKI3020", lambda: t.reshape(()))


def test_hbm_is_read_backwards_with_a_pair_in_front():
    t = tensor((4, 6), Space.private_hbm)
    assert "[1, 1]" in said(lambda: t.ap([[-6, 4], [1, 6]], offset=18))
    back = t.ap([[1, 1], [-6, 4], [1, 6]], offset=18)
    assert (elements(back)[0] == np.arange(24).reshape(4, 6)[::-1]).all()
    with pytest.raises(NkiError) as caught:
        tensor((4, 6)).ap([[-6, 4], [1, 6]], offset=18)
    assert "[1, 1]" not in caught.value.diagnostics[0].hint


def written_to_the_end(last):
    """A kernel that halves a row from five places on, of which it uses those before `last`."""

    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        t = nl.ndarray((4, 16), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x)
        for i in range(5):
            part = t.ap([[16, 4], [1, 4]], offset=4 * i)
            row = t.ap([[16, 2], [1, 8]], offset=4 * i)
            if i < last:
                nisa.tensor_scalar(part, part, op0=nl.multiply, operand0=0.5)
                assert row.shape == (2, 8)
        nisa.dma_copy(dst=out, src=t)
        return out

    return kernel


def test_a_pattern_outside_its_storage_may_be_made_but_not_used():
    x = np.arange(64, dtype=np.float32).reshape(4, 16)
    for level in ("penguin", "bir", "program"):
        got = opennki.simulate(written_to_the_end(4), level=level)(x)
        assert np.array_equal(got, x / 2)
    found = opennki.check(written_to_the_end(5), x)
    assert [f.code for f in found] == ["NKI3029"]
