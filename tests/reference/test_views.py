"""What the language guide says of tensors and their views: shapes, strides, offsets, patterns."""

from __future__ import annotations

import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, SBUF, HBM = nl.float32, nl.sbuf, nl.shared_hbm

# From a view of a tensor of this shape and memory: shape, offset and pattern.
VIEWS = [
    ((128, 64), SBUF, lambda t: t, (128, 64), 0, [[64, 128], [1, 64]]),
    ((128, 64), SBUF, lambda t: t[:, 16:32], (128, 16), 16, [[64, 128], [1, 16]]),
    ((128, 64), SBUF, lambda t: t[:, 0:32:2], (128, 16), 0, [[64, 128], [2, 16]]),
    ((128, 64), SBUF, lambda t: t[..., 0], (128, 1), 0, [[64, 128], [1, 1]]),
    ((128, 64), SBUF, lambda t: t[nl.ds(8, 8), :], (8, 64), 512, [[64, 8], [1, 64]]),
    ((128, 64), SBUF, lambda t: t[:, -4:], (128, 4), 60, [[64, 128], [1, 4]]),
    # an index of the partition dimension keeps it, one of a free dimension drops that
    ((128, 64, 32), SBUF, lambda t: t[0, :, :], (1, 64, 32), 0, [[2048, 1], [32, 64], [1, 32]]),
    ((128, 64, 32), SBUF, lambda t: t[:, :, 0], (128, 64), 0, [[2048, 128], [32, 64]]),
    ((4, 128, 32), HBM, lambda t: t[0, :, :], (128, 32), 0, [[32, 128], [1, 32]]),
    ((4, 128, 32), HBM, lambda t: t[3, 2, 1], (1,), 12353, [[1, 1]]),
    ((64, 64, 64), SBUF, lambda t: t[0, 0, 10], (1, 1), 10, [[4096, 1], [1, 1]]),
    ((64, 64, 64), SBUF, lambda t: t[:, 0], (64, 64), 0, [[4096, 64], [1, 64]]),
    ((64, 64, 64), SBUF, lambda t: t[:, 0, 10], (64, 1), 10, [[4096, 64], [1, 1]]),
    ((64, 64, 64), SBUF, lambda t: t[0:64, 0, 0:64], (64, 64), 0, [[4096, 64], [1, 64]]),
    ((64, 64, 64), SBUF, lambda t: t[:, :, ::2], (64, 64, 32), 0,
     [[4096, 64], [64, 64], [2, 32]]),
    ((64, 64, 64), SBUF, lambda t: t[...], (64, 64, 64), 0, [[4096, 64], [64, 64], [1, 64]]),
    ((64, 64, 64), SBUF, lambda t: t[0, ..., :], (1, 64, 64), 0, [[4096, 1], [64, 64], [1, 64]]),
    ((64, 64, 64), SBUF, lambda t: t[0, ...][:, 0:32, :], (1, 32, 64), 0,
     [[4096, 1], [64, 32], [1, 64]]),
    ((128, 4, 16), SBUF, lambda t: t[0:64, :, :].permute((0, 2, 1))[:, 0, :], (64, 4), 0,
     [[64, 64], [16, 4]]),
    # methods
    ((128, 4, 8), SBUF, lambda t: t.permute((0, 2, 1)), (128, 8, 4), 0,
     [[32, 128], [1, 8], [8, 4]]),
    ((128, 1, 64), SBUF, lambda t: t.broadcast(1, 8), (128, 8, 64), 0,
     [[64, 128], [0, 8], [1, 64]]),
    ((128, 64), SBUF, lambda t: t.expand_dim(1), (128, 1, 64), 0, [[64, 128], [64, 1], [1, 64]]),
    ((128, 1, 64), SBUF, lambda t: t.squeeze_dim(1), (128, 64), 0, [[64, 128], [1, 64]]),
    ((128, 24), SBUF, lambda t: t.reshape_dim(1, (4, 6)), (128, 4, 6), 0,
     [[24, 128], [6, 4], [1, 6]]),
    ((128, 24), SBUF, lambda t: t.reshape_dim(1, (4, -1)), (128, 4, 6), 0,
     [[24, 128], [6, 4], [1, 6]]),
    ((128, 2, 3, 4), SBUF, lambda t: t.flatten_dims(1, 2), (128, 6, 4), 0,
     [[24, 128], [4, 6], [1, 4]]),
    ((128, 4, 6), SBUF, lambda t: t.reshape((128, 24)), (128, 24), 0, [[24, 128], [1, 24]]),
    ((128, 4, 6), SBUF, lambda t: t.reshape((128, 2, 12)), (128, 2, 12), 0,
     [[24, 128], [12, 2], [1, 12]]),
    ((128, 24), SBUF, lambda t: t.rearrange(("b", ("h", "w")), ("b", "w", "h"), {"h": 4}),
     (128, 6, 4), 0, [[24, 128], [1, 6], [6, 4]]),
    ((128, 64), SBUF, lambda t: t.slice(1, 8, 24, 1), (128, 16), 8, [[64, 128], [1, 16]]),
    ((128, 64), SBUF, lambda t: t.slice(1, 0, 64, 2), (128, 32), 0, [[64, 128], [2, 32]]),
    ((128, 8, 64), SBUF, lambda t: t.select(1, 3), (128, 64), 192, [[512, 128], [1, 64]]),
    ((128, 64), SBUF, lambda t: t.view(nl.uint8), (128, 256), 0, [[256, 128], [1, 256]]),
    ((128, 64), SBUF, lambda t: t.view(nl.int32), (128, 64), 0, [[64, 128], [1, 64]]),
    # access patterns address the storage in elements, whatever view they are made on
    ((128, 1024), SBUF, lambda t: t.ap([(1024, 128), (2, 512)]), (128, 512), 0,
     [[1024, 128], [2, 512]]),
    ((128, 64), SBUF, lambda t: t.ap([[64, 128], [1, 16]], offset=8), (128, 16), 8,
     [[64, 128], [1, 16]]),
    ((16, 16), SBUF, lambda t: t.ap([[16, 16], [1, 8]], offset=8), (16, 8), 8,
     [[16, 16], [1, 8]]),
    ((128, 256), SBUF, lambda t: t.ap([[256, 128], [2, 128]]).ap([[256, 128], [1, 64]]),
     (128, 64), 0, [[256, 128], [1, 64]]),
    ((128, 256), SBUF, lambda t: t.ap([[512, 128], [1, 512]], 0, dtype=nl.bfloat16),
     (128, 512), 0, [[512, 128], [1, 512]]),
    ((128, 256), SBUF,
     lambda t: t.slice(0, 0, 128).slice(1, 0, 256, 2).slice(0, 0, 64).slice(1, 0, 64),
     (64, 64), 0, [[256, 64], [2, 64]]),
    ((4, 6), HBM, lambda t: t.ap([[1, 6], [6, 4]]), (6, 4), 0, [[1, 6], [6, 4]]),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "buffer", "make", "want", "offset", "pattern"), VIEWS)
def test_a_view_has_the_layout_that_the_guide_says(
    rules, shape, buffer, make, want, offset, pattern
):
    def body():
        view = make(nl.ndarray(shape, F32, buffer))
        assert view.shape == want
        assert view.offset == offset
        assert view.get_pattern() == pattern
        assert view.strides == tuple(step for step, _ in pattern)
        assert (view.ndim, view.size) == (len(want), int(np.prod(want)))
        assert view.buffer is buffer
        assert not view.is_indirect()

    assert rules(body) == []


def test_a_new_tensor_is_contiguous_and_says_what_it_is(rules):
    def body():
        t = nl.ndarray((128, 64), dtype=F32, buffer=SBUF, name="weights")
        assert (t.shape, t.strides, t.offset) == ((128, 64), (64, 1), 0)
        assert (t.dtype, t.buffer, t.ndim, t.size) == (F32, SBUF, 2, 8192)
        assert t.name == "weights"
        assert t.is_contiguous()
        assert t[:, 0:1].is_contiguous()
        assert not nl.ndarray((128, 4, 8), F32).permute((0, 2, 1)).is_contiguous()
        assert nl.ndarray((128, 256), nl.uint8).view(F32).shape == (128, 64)
        assert nl.ndarray((128, 64), F32).reinterpret_cast(nl.int32).dtype == nl.int32
        assert t.reshape(shape=(128, 8, 8)).shape == (128, 8, 8)

    assert rules(body) == []


def test_a_pattern_can_be_taken_changed_and_applied(rules):
    def body():
        t = nl.ndarray((128, 64), F32)
        pattern = t.get_pattern()
        pattern[0][1] = 64
        assert t.ap(pattern=pattern).shape == (64, 64)
        again = t.ap(t[:, 8:24].get_pattern(), offset=8)
        assert again.get_pattern() == t.slice(dim=1, start=8, end=24).get_pattern()
        assert again.offset == 8

    assert rules(body) == []


# Each breaks one rule of one method.
REFUSED = [
    (lambda t: t.permute((1, 0, 2)), "NKI3021"),
    (lambda t: t.permute((0, 1)), "NKI3023"),
    (lambda t: t.broadcast(1, 8), "NKI3024"),
    (lambda t: t[0:1].broadcast(0, 8), "NKI3021"),
    (lambda t: t.expand_dim(0), "NKI3021"),
    (lambda t: t[0:1].squeeze_dim(0), "NKI3021"),
    (lambda t: t.squeeze_dim(1), "NKI3024"),
    (lambda t: t.reshape_dim(1, (3, 2)), "NKI3020"),
    (lambda t: t.reshape_dim(0, (2, 64)), "NKI3021"),
    (lambda t: t.flatten_dims(0, 1), "NKI3021"),
    (lambda t: t.flatten_dims(0, 0), "NKI3021"),
    (lambda t: t.permute((0, 2, 1)).flatten_dims(1, 2), "NKI3022"),
    (lambda t: t.reshape((128, 31)), "NKI3020"),
    (lambda t: t.reshape((64, 64)), "NKI3021"),
    (lambda t: t.permute((0, 2, 1)).reshape((128, 32)), "NKI3022"),
    (lambda t: t.slice(1, 0, 5), "NKI3011"),
    (lambda t: t.slice(1, -2, 4), "NKI3011"),
    (lambda t: t.slice(1, 0, -1), "NKI3011"),
    (lambda t: t.slice(1, 2, 2), "NKI3015"),
    (lambda t: t.slice(1, 0, 4, 0), "NKI3012"),
    (lambda t: t.select(1, 4), "NKI3010"),
    (lambda t: t.select(1, -1), "NKI3010"),
    (lambda t: t.permute((0, 2, 1)).view(nl.uint8), "NKI3022"),
    (lambda t: t.view(nl.uint8)[:, :, 0:3].view(F32), "NKI3026"),
    (lambda t: t.ap([[64, 64], [1, 32]]), "NKI3028"),
    (lambda t: nisa.memset(t.ap([[32, 128], [1, 33]]), 0.0), "NKI3029"),
]


@pytest.mark.parametrize(("make", "code"), REFUSED)
def test_a_view_that_breaks_a_rule_of_its_method_is_refused(rules, make, code):
    assert rules(lambda: make(nl.ndarray((128, 4, 8), F32))) == [code]


def test_writing_through_one_view_shows_through_the_others(value):
    def make(x):
        nisa.memset(dst=x.reshape((128, 8, 8))[:, 2:4], value=1.0)
        return x[:, 12:36]

    got = value(make, np.zeros((128, 64), np.float32))
    assert (got == [0] * 4 + [1] * 16 + [0] * 4).all()


def test_a_pattern_reads_the_storage_as_a_flat_row(value):
    x = np.arange(16 * 32, dtype=np.float32).reshape(16, 32)
    got = value(lambda t: nl.copy(t.ap([[32, 8], [4, 2], [3, 2]], offset=1)), x)
    flat = x.reshape(-1)
    want = [[[flat[1 + 32 * w + 4 * z + 3 * y] for y in range(2)] for z in range(2)]
            for w in range(8)]  # fmt: skip
    assert (got.reshape(8, 2, 2) == want).all()


def test_a_branch_and_a_loop_leave_only_instructions(ran):
    def kernel(a, b):
        tiles = [nl.load(a), nl.load(b)]
        made = [nl.ndarray((32, 32), F32) for _ in tiles]
        for i in range(len(tiles)):
            if i % 2 == 0:
                nisa.nc_transpose(dst=made[i], data=tiles[i])
            else:
                nisa.reciprocal(dst=made[i], data=tiles[i])
        out = nl.ndarray((2, 32, 32), F32, HBM)
        for i, tile in enumerate(made):
            nl.store(out[i], tile)
        return out

    a = np.arange(1, 1025, dtype=np.float32).reshape(32, 32)
    result, codes = ran(kernel, a, a)
    assert codes == []
    assert (result[0] == a.T).all()
    assert (result[1] == np.float32(1) / a).all()
