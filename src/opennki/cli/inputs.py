"""Making the arrays that ``--arg`` describes: the same ones for the same seed."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opennki.base import dtypes
from opennki.base.codes import NKI7004
from opennki.base.diag import fail
from opennki.base.loc import UNKNOWN
from opennki.base.numerics import from_f32

from .arguments import Filled

Array = NDArray[Any]


def make_arrays(values: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """`values` with an array in place of every `Filled`.

    The contents of an argument depend on its name and on `seed`, not on the other arguments.
    Raises: NKI7004 for an array that is too large for this machine.
    """
    return {
        name: _made(name, value, seed) if isinstance(value, Filled) else value
        for name, value in values.items()
    }


def _made(name: str, wanted: Filled, seed: int) -> Array:
    try:
        return make(wanted, np.random.default_rng([seed, zlib.crc32(name.encode())]))
    except (MemoryError, ValueError):  # beyond what NumPy can allocate
        why = f"there is no memory for its {prod(wanted.shape)} elements"
        raise fail(NKI7004, UNKNOWN, arg=f"{name}={wanted.spec}", why=why) from None


def make(wanted: Filled, rng: np.random.Generator) -> Array:
    """One array. Random floats are standard normal or in [0, 1), random integers 0 to 7.

    Packed dtypes get random bits, whatever is asked for; scales (e8m0) are powers of two near 1.
    """
    kind: dtypes.DType = dtypes.dtype(wanted.dtype)
    shape = wanted.shape
    if kind in dtypes.PACKED:
        high = np.iinfo(kind.np).max
        return rng.integers(0, high, shape, kind.np.type, endpoint=True)
    if kind == dtypes.float8_e8m0fnu and wanted.fill in ("normal", "rand"):
        return rng.integers(124, 131, shape, np.uint8).view(kind.np)
    values = _float32(wanted.fill, shape, rng, kind)
    if kind == dtypes.bool_:
        return (values % 2).astype(np.bool_)
    return values.astype(kind.np) if kind.is_int else from_f32(values, kind)


def _float32(
    fill: str, shape: tuple[int, ...], rng: np.random.Generator, kind: dtypes.DType
) -> Array:
    if fill == "ones":
        return np.ones(shape, np.float32)
    if fill == "zeros":
        return np.zeros(shape, np.float32)
    if fill == "arange":
        return np.arange(prod(shape), dtype=np.float32).reshape(shape)
    if not kind.is_float:
        return rng.integers(0, 8, shape).astype(np.float32)
    if fill == "rand":
        return rng.random(shape, np.float32)
    return rng.standard_normal(shape, np.float32)
