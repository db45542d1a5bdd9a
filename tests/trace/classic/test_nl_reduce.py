"""Reductions, `softmax` and `rms_norm` of the first generation: axes, shapes, masks, both roads."""

from __future__ import annotations

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

X = (np.arange(32 * 24).reshape(32, 4, 6) % 7 + 1).astype(np.float32) / 4


def run(kernel, *arrays, target="trn1"):
    return nki.jit(kernel, platform_target=target)(*arrays)


def stored(tile):
    """A new output with the contents of `tile`."""
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


NAMES = {"sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod, "mean": np.mean}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("axis", [2, -1, [1], (1, 2), [2, 1], -2], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(road, name, axis, keepdims):
    def kernel(x):
        return stored(getattr(nl, name)(nl.load(x), axis=axis, keepdims=keepdims))

    axes = tuple(axis) if isinstance(axis, list | tuple) else axis
    want = NAMES[name](X, axis=axes, keepdims=keepdims)
    got = run(kernel, X)
    assert got.shape == (want.shape if want.ndim > 1 else (32, 1))
    assert np.allclose(got.reshape(want.shape), want, rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("axis", [(2,), (1,), (1, 2)])
def test_masks_say_what_is_reduced(road, name, axis):
    def kernel(x):
        p, i, j = nl.mgrid[0:32, 0:4, 0:6]
        mask = (p < 20) & (i < 3) & (j >= 2)
        found = getattr(nl, name)(nl.load(x), axis=axis, mask=mask, keepdims=True)
        out = nl.ndarray(found.shape, dtype=found.dtype, buffer=nl.shared_hbm)
        kept = (
            slice(0, 20),
            slice(0, 1 if 1 in axis else 3),
            slice(0, 1) if 2 in axis else slice(2, 6),
        )
        nl.store(out[kept], found[kept])
        return out[kept]

    want = NAMES[name](X[:20, :3, 2:], axis=axis, keepdims=True)
    assert np.allclose(run(kernel, X), want, rtol=1e-5)


def test_a_mask_that_leaves_nothing(road):
    def kernel(x):
        out = nl.ndarray((32, 1), dtype=nl.float32, buffer=nl.shared_hbm)
        p = nl.arange(32)[:, None, None]
        total = nl.full((32, 1), 5.0, nl.float32)
        nl.sum(nl.load(x), axis=[1, 2], mask=(p < 0))
        nl.store(out, total)
        return out

    assert (run(kernel, X) == 5).all()


def test_var_all_and_dtypes(road):
    kinds = {}

    def kernel(x):
        tile = nl.load(x)
        every = nl.all(tile > 0.25, axis=[1, 2])
        kinds["all"] = str(every.dtype)
        kinds["sum"] = str(nl.sum(tile, axis=[1, 2], dtype=nl.bfloat16).dtype)
        return stored(nl.var(tile, axis=2)), stored(nl.all(tile > 0.25, axis=2))

    spread, every = run(kernel, X)
    assert np.allclose(spread, X.var(axis=2, keepdims=True), atol=1e-5)
    assert np.array_equal(every.astype(bool), (X > 0.25).all(axis=2))
    assert kinds == {"all": "bool", "sum": "bfloat16"}


def test_refuses_axes_of_partitions_and_unknown_ones(told):
    for axis, code in ((0, "NKI2401"), ((0, 1), "NKI2401"), (3, "NKI2403"), ((1, 1), "NKI2403")):

        def kernel(x, axis=axis):
            return stored(nl.sum(nl.load(x), axis=axis))

        assert told(kernel, X)[0].startswith(code)


def test_softmax_and_rms_norm(road):
    flat = X.reshape(32, 24)
    weight = np.linspace(1, 2, 24, dtype=np.float32)[None]

    def kernel(x, w):
        tile = nl.load(x)
        weights = nl.load(w).broadcast_to((32, 24))
        return stored(nl.softmax(tile, axis=1)), stored(nl.rms_norm(tile, weights, 1, n=24))

    soft, norm = run(kernel, flat, weight)
    powers = np.exp(flat - flat.max(1, keepdims=True))
    assert np.allclose(soft, powers / powers.sum(1, keepdims=True), atol=1e-5)
    want = flat / np.sqrt((flat**2).mean(1, keepdims=True) + 1e-6) * weight
    assert np.allclose(norm, want, rtol=1e-4)


def test_softmax_of_a_part(road):
    flat = X.reshape(32, 24)

    def kernel(x):
        out = nl.ndarray((32, 10), dtype=nl.float32, buffer=nl.shared_hbm)
        j = nl.arange(24)[None, :]
        nl.store(out, nl.softmax(nl.load(x), axis=1, mask=(j < 10))[:, 0:10])
        return out

    powers = np.exp(flat[:, :10])
    assert np.allclose(run(kernel, flat), powers / powers.sum(1, keepdims=True), atol=1e-5)


def test_softmax_is_float32_inside(told):
    def kernel(x):
        return stored(nl.softmax(nl.load(x), axis=2, compute_dtype=nl.bfloat16))

    assert told(kernel, X)[0].startswith("NKI1007")
