"""Contents of constants in text: ``identity(n)``, or base64 of their bytes. For every form.

The bytes are row-major and little-endian, in the constant's own dtype.
"""

from __future__ import annotations

import base64
import binascii
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .dtypes import DType
from .text import Reader, string_text

Array = NDArray[Any]
Shape = tuple[int, ...]

MAX_ELEMENTS: Final = 1 << 24
"""Elements of a constant whose contents are spelled as a formula."""


def constant_text(contents: object, shape: Shape, dtype: DType) -> str:
    """Contents of a constant of `shape`, converted to `dtype`, as `read_constant` reads them."""
    raw = constant_bytes(contents, dtype)
    if _may_be_identity(shape) and raw == _identity(shape[0], dtype).tobytes():
        return f"identity({shape[0]})"
    return string_text(base64.b64encode(raw).decode())


def constant_bytes(contents: object, dtype: DType) -> bytes:
    """`contents` in `dtype`, as bytes."""
    return np.asarray(contents).astype(dtype.np).tobytes()


def base64_text(contents: object, dtype: DType) -> str:
    """Contents of a constant as plain base64, for forms that have no formulas."""
    return base64.b64encode(constant_bytes(contents, dtype)).decode()


def read_constant(r: Reader, shape: Shape, dtype: DType) -> Array:
    """Step over the contents of a constant and return them.

    Raises: NKI4001 if they are none or of another size; NKI4015 if an identity matrix is.
    """
    at = r.here()
    if r.accept("identity"):
        r.expect("(")
        at = r.here()
        size = r.integer("a size")
        if shape != (size, size) or not _may_be_identity(shape):
            raise r.out_of_range("the size of an identity matrix", size, "the tensor's", at)
        r.expect(")")
        return _identity(size, dtype)
    found = from_base64(r.string("`identity` or the contents in base64"), shape, dtype)
    if found is None:
        raise r.unexpected(f"base64 of {prod(shape) * dtype.itemsize} bytes", at)
    return found


def from_base64(text: str, shape: Shape, dtype: DType) -> Array | None:
    """Contents of a constant from base64; None unless they fill `shape`."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(raw) != prod(shape) * dtype.itemsize:
        return None
    flat = np.frombuffer(raw, dtype.np) if raw else np.empty(0, dtype.np)
    return flat.reshape(shape)


def _may_be_identity(shape: Shape) -> bool:
    return len(shape) == 2 and shape[0] == shape[1] and prod(shape) <= MAX_ELEMENTS


def _identity(size: int, dtype: DType) -> Array:
    return np.eye(size, dtype=np.float32).astype(dtype.np)
