"""What kernels of the first generation import as `neuronxcc.nki.language`."""

from __future__ import annotations

from typing import Any, Final

from opennki.api import classic
from opennki.api.language import (
    average,
    bfloat16,
    bool_,
    bypass,
    ds,
    float8_e4m3,
    float8_e5m2,
    float16,
    float32,
    hbm,
    int8,
    int16,
    int32,
    no_reorder,
    num_programs,
    prelu,
    private_hbm,
    program_id,
    program_ndim,
    psum,
    sbuf,
    shared_hbm,
    static_range,
    tfloat32,
    uint8,
    uint16,
    uint32,
)
from opennki.driver import Request
from opennki.target import Target
from opennki.trace import nki_ctx_or_none
from opennki.trace.classic import affine_range, arange, mgrid, sequential_range
from opennki.trace.classic.grid import nc, spmd_dim
from opennki.trace.classic.loop_sums import loop_reduce
from opennki.trace.classic.math import BINARY, UNARY
from opennki.trace.classic.matmul import matmul, transpose
from opennki.trace.classic.memory import (
    empty_like,
    full,
    ndarray,
    ones,
    par_dim,
    rand,
    shared_constant,
    shared_identity_matrix,
    zeros,
    zeros_like,
)
from opennki.trace.classic.printing import device_print, fp32, scalar
from opennki.trace.classic.reduce import all, max, mean, min, prod, rms_norm, softmax, sum, var
from opennki.trace.classic.select import (
    broadcast_to,
    dropout,
    expand_dims,
    gather_flattened,
    random_seed,
    where,
)
from opennki.trace.classic.transfer import (
    atomic_rmw,
    copy,
    load,
    load_transpose2d,
    static_cast,
    store,
)
from opennki.trace.sema.constants import TileSize

from . import DEFAULT, constants

dslice = ds


def _target() -> Target:
    """The target of the kernel that is traced, else that of kernels that name none."""
    ctx = nki_ctx_or_none()
    return ctx.target if ctx is not None else Request(default_target=DEFAULT).resolve().target


tile_size: Final = TileSize(_target)
globals().update(UNARY)
globals().update(BINARY)

__all__: Final = [
    "affine_range", "all", "arange", "atomic_rmw", "average", "bfloat16", "bool_", "broadcast_to",
    "bypass", "constants", "copy", "device_print", "dropout", "ds", "dslice", "empty_like",
    "expand_dims", "float16", "float32", "float8_e4m3", "float8_e5m2", "fp32", "full",
    "gather_flattened", "hbm", "int16", "int32", "int8", "load", "load_transpose2d",
    "loop_reduce", "matmul", "max", "mean", "mgrid", "min", "nc", "ndarray", "no_reorder",
    "num_programs", "ones", "par_dim", "prelu", "private_hbm", "prod", "program_id",
    "program_ndim", "psum", "rand", "random_seed", "rms_norm", "sbuf", "scalar",
    "sequential_range", "shared_constant", "shared_hbm", "shared_identity_matrix", "softmax",
    "spmd_dim", "static_cast", "static_range", "store", "sum", "tfloat32", "tile_size",
    "transpose", "uint16", "uint32", "uint8", "var", "where", "zeros", "zeros_like", *UNARY,
    *BINARY,
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise classic.missing(".language", name)
