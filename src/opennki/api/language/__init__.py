"""The `nki.language` surface: names only, put together from `opennki.trace.sema`."""

from __future__ import annotations

import builtins
from typing import Any, Final

from opennki.api.missing import missing
from opennki.base.dtypes import (
    DType,
    bfloat16,
    bool_,
    float4_e2m1fn_x4,
    float8_e4m3,
    float8_e4m3fn,
    float8_e4m3fn_x4,
    float8_e5m2,
    float8_e5m2_x4,
    float8_e8m0fnu,
    float16,
    float32,
    int8,
    int16,
    int32,
    tfloat32,
    uint8,
    uint16,
    uint32,
)
from opennki.driver import Request
from opennki.ir import Space
from opennki.target import Target
from opennki.trace import NkiTensor, nki_ctx_or_none
from opennki.trace.objects import NKIObject
from opennki.trace.sema.constants import TileSize, shared_constant, shared_identity_matrix
from opennki.trace.sema.control import (
    affine_range,
    ds,
    no_reorder,
    num_programs,
    program_id,
    program_ndim,
    sequential_range,
    static_range,
)
from opennki.trace.sema.creation import empty_like, full, ndarray, ones, zeros, zeros_like
from opennki.trace.sema.debug import device_print
from opennki.trace.sema.math import (
    abs,
    abs_max,
    abs_min,
    add,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    copy,
    divide,
    equal,
    erf,
    erf_dx,
    exp,
    fmod,
    gelu,
    gelu_apprx_sigmoid,
    gelu_apprx_sigmoid_dx,
    gelu_apprx_tanh,
    gelu_dx,
    greater,
    greater_equal,
    invert,
    left_shift,
    less,
    less_equal,
    log,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    mish,
    mod,
    multiply,
    negative,
    not_equal,
    power,
    reciprocal,
    relu,
    right_shift,
    rsqrt,
    sigmoid,
    sign,
    silu,
    silu_dx,
    softplus,
    sqrt,
    square,
    subtract,
    tanh,
)
from opennki.trace.sema.matmul import matmul, transpose
from opennki.trace.sema.memory import load, load_transpose2d, store
from opennki.trace.sema.operators import average, bypass, prelu
from opennki.trace.sema.reduce import all, max, mean, min, prod, rms_norm, softmax, sum, var
from opennki.trace.sema.rng import dropout, rand, random_seed
from opennki.trace.sema.rounding import ceil, floor, trunc
from opennki.trace.sema.select import broadcast_to, expand_dims, gather_flattened, where
from opennki.trace.sema.trigonometry import arctan, cos, sin, tan

from .absent import LATER
from .buffers import (
    hbm,
    is_hbm,
    is_on_chip,
    is_psum,
    is_sbuf,
    private_hbm,
    psum,
    sbuf,
    shared_hbm,
)

MemoryRegion = Space
bool = bool_
range = builtins.range


def _target() -> Target:
    ctx = nki_ctx_or_none()
    return ctx.target if ctx is not None else Request().resolve().target


tile_size: Final = TileSize(_target)


def __getattr__(name: str) -> Any:
    raise missing("nki.language", name, __all__, LATER)


__all__ = [
    "DType",
    "MemoryRegion",
    "NKIObject",
    "NkiTensor",
    "abs",
    "abs_max",
    "abs_min",
    "add",
    "affine_range",
    "all",
    "arctan",
    "average",
    "bfloat16",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bool",
    "bool_",
    "broadcast_to",
    "bypass",
    "ceil",
    "copy",
    "cos",
    "device_print",
    "divide",
    "dropout",
    "ds",
    "empty_like",
    "equal",
    "erf",
    "erf_dx",
    "exp",
    "expand_dims",
    "float4_e2m1fn_x4",
    "float8_e4m3",
    "float8_e4m3fn",
    "float8_e4m3fn_x4",
    "float8_e5m2",
    "float8_e5m2_x4",
    "float8_e8m0fnu",
    "float16",
    "float32",
    "floor",
    "fmod",
    "full",
    "gather_flattened",
    "gelu",
    "gelu_apprx_sigmoid",
    "gelu_apprx_sigmoid_dx",
    "gelu_apprx_tanh",
    "gelu_dx",
    "greater",
    "greater_equal",
    "hbm",
    "int8",
    "int16",
    "int32",
    "invert",
    "is_hbm",
    "is_on_chip",
    "is_psum",
    "is_sbuf",
    "left_shift",
    "less",
    "less_equal",
    "load",
    "load_transpose2d",
    "log",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mish",
    "mod",
    "multiply",
    "ndarray",
    "negative",
    "no_reorder",
    "not_equal",
    "num_programs",
    "ones",
    "power",
    "prelu",
    "private_hbm",
    "prod",
    "program_id",
    "program_ndim",
    "psum",
    "rand",
    "random_seed",
    "range",
    "reciprocal",
    "relu",
    "right_shift",
    "rms_norm",
    "rsqrt",
    "sbuf",
    "sequential_range",
    "shared_constant",
    "shared_hbm",
    "shared_identity_matrix",
    "sigmoid",
    "sign",
    "silu",
    "silu_dx",
    "sin",
    "softmax",
    "softplus",
    "sqrt",
    "square",
    "static_range",
    "store",
    "subtract",
    "sum",
    "tan",
    "tanh",
    "tfloat32",
    "tile_size",
    "transpose",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "var",
    "where",
    "zeros",
    "zeros_like",
]  # fmt: skip
