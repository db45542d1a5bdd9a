"""Element types: one row per dtype with its size, its storage, and its spelling in each form.

Conversion rules live in `opennki.base.numerics`; this module only says what the types are.
Source: NKI API "Supported Data Types"; BIR spellings from the BIR enumeration `Dtype`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import ml_dtypes
import numpy as np


class DType(str):
    """A dtype: a string such as ``"bfloat16"`` that also knows its layout.

    It *is* a string because kernels compare and print dtypes as strings (NKI: ``DType = str``).

    Attributes: itemsize in bytes; np, the NumPy dtype that stores it; kind, one of ``"float"``,
    ``"int"``, ``"uint"``, ``"packed"``; bits of one value; bir, the spelling in BIR; llvm; lanes,
    values in one element (4 for the packed MX types).
    """

    itemsize: int
    np: np.dtype
    kind: str
    bir: str
    llvm: str
    lanes: int

    def __new__(
        cls, name: str, np_type: object, kind: str, bir: str, llvm: str, lanes: int = 1
    ) -> DType:
        """A row of the table; other modules use `dtype` to look one up."""
        self = super().__new__(cls, name)
        self.np = np.dtype(np_type)  # type: ignore[call-overload]  # ml_dtypes scalar types
        self.itemsize = self.np.itemsize
        self.kind = kind
        self.bir = bir
        self.llvm = llvm
        self.lanes = lanes
        return self

    @property
    def is_float(self) -> bool:
        """Whether values are floating point (packed MX types are not)."""
        return self.kind == "float"

    @property
    def is_int(self) -> bool:
        """Whether values are integers, signed or not."""
        return self.kind in ("int", "uint")

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return dtype, (str(self),)

    def __repr__(self) -> str:
        return str.__str__(self)


bool_: Final = DType("bool", np.uint8, "uint", "uint8", "i8")
uint8: Final = DType("uint8", np.uint8, "uint", "uint8", "i8")
int8: Final = DType("int8", np.int8, "int", "int8", "i8")
uint16: Final = DType("uint16", np.uint16, "uint", "uint16", "i16")
int16: Final = DType("int16", np.int16, "int", "int16", "i16")
uint32: Final = DType("uint32", np.uint32, "uint", "uint32", "i32")
int32: Final = DType("int32", np.int32, "int", "int32", "i32")
uint64: Final = DType("uint64", np.uint64, "uint", "uint64", "i64")
int64: Final = DType("int64", np.int64, "int", "int64", "i64")
float16: Final = DType("float16", np.float16, "float", "float16", "half")
bfloat16: Final = DType("bfloat16", ml_dtypes.bfloat16, "float", "bfloat16", "bfloat")
float32: Final = DType("float32", np.float32, "float", "float32", "float")
tfloat32: Final = DType("tfloat32", np.float32, "float", "float32r", "float")
float8_e4m3: Final = DType("float8_e4m3", ml_dtypes.float8_e4m3, "float", "float8e4", "i8")
float8_e4m3fn: Final = DType(
    "float8_e4m3fn", ml_dtypes.float8_e4m3fn, "float", "float8_e4m3fn", "i8"
)
float8_e5m2: Final = DType("float8_e5m2", ml_dtypes.float8_e5m2, "float", "float8e5", "i8")
float8_e8m0fnu: Final = DType(
    "float8_e8m0fnu", ml_dtypes.float8_e8m0fnu, "float", "float8_e8m0fnu", "i8"
)
float8_e4m3fn_x4: Final = DType(
    "float8_e4m3fn_x4", np.uint32, "packed", "float8_e4m3fn_x4", "i32", 4
)
float8_e5m2_x4: Final = DType("float8_e5m2_x4", np.uint32, "packed", "float8_e5m2_x4", "i32", 4)
float4_e2m1fn_x4: Final = DType(
    "float4_e2m1fn_x4", np.uint16, "packed", "float4_e2m1fn_x4", "i16", 4
)

ALL: Final[tuple[DType, ...]] = (
    bool_, uint8, int8, uint16, int16, uint32, int32, uint64, int64,
    float16, bfloat16, float32, tfloat32,
    float8_e4m3, float8_e4m3fn, float8_e5m2, float8_e8m0fnu,
    float8_e4m3fn_x4, float8_e5m2_x4, float4_e2m1fn_x4,
)  # fmt: skip
"""Every dtype; 64-bit integers exist only in registers and DMA (Source: numerics of the ISA)."""

FP8: Final = frozenset({float8_e4m3, float8_e4m3fn, float8_e5m2})
PACKED: Final = frozenset({float8_e4m3fn_x4, float8_e5m2_x4, float4_e2m1fn_x4})
INTS: Final = frozenset(d for d in ALL if d.is_int)
FLOATS: Final = frozenset(d for d in ALL if d.is_float)

_BY_NAME: Final = {str(d): d for d in ALL} | {"bool_": bool_}
_BY_NUMPY: Final = {
    d.np: d for d in reversed(ALL) if d not in (bool_, tfloat32) and d.kind != "packed"
} | {np.dtype(np.bool_): bool_, np.dtype(np.float64): None}
_NP: Final = np.dtype(np.float32)
_BY_BIR: Final = {d.bir: d for d in ALL if d is not bool_}


def dtype(spec: object) -> DType:
    """The dtype that `spec` names: a `DType`, a name, or a NumPy, ml_dtypes, torch or JAX dtype.

    Raises: KeyError if nothing is meant by `spec` (float64 and complex numbers, for example).
    """
    if spec.__class__ is DType:
        return spec
    if isinstance(spec, str) and spec in _BY_NAME:
        return _BY_NAME[spec]
    text = str(spec)
    if text.startswith("torch."):
        text = text[6:]
        if text in _BY_NAME:
            return _BY_NAME[text]
    if not isinstance(spec, type) and not isinstance(getattr(spec, "dtype", _NP), np.dtype):
        raise KeyError(spec)  # something else that has a dtype, such as a tile
    try:
        found = _BY_NUMPY.get(np.dtype(spec).newbyteorder("="))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        found = None
    if found is None:
        raise KeyError(spec)
    return found


def tensor_dtype(spec: object) -> DType:
    """As `dtype`, for the tensors of a kernel: they have no 64-bit integers. Raises: KeyError."""
    found = dtype(spec)
    if found in (int64, uint64):
        raise KeyError(spec)
    return found


def from_bir(name: str) -> DType:
    """The dtype with BIR spelling `name`; raises KeyError."""
    return _BY_BIR[name]


def names(dtypes: Iterable[DType]) -> str:
    """Comma-separated names in table order, for messages."""
    wanted = set(dtypes)
    return ", ".join(d for d in ALL if d in wanted)
