"""Data and numbers known before a kernel runs: constant tensors, identity matrices, tile limits."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from opennki.base.codes import NKI1011, NKI1012, NKI1029, NKI2107, NKI2116, NKI7001
from opennki.base.dtypes import dtype as to_dtype
from opennki.base.dtypes import float32, int64, uint8, uint64
from opennki.ir import SBUF, Role, Space, Tensor, fixed_size
from opennki.isa.enums import AluOp
from opennki.target import Target
from opennki.trace.arguments import cast
from opennki.trace.context import TraceContext
from opennki.trace.fault import fault
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.refusals import MissingAttribute
from opennki.trace.values import NkiTensor

from . import isa
from .creation import result, scratch
from .marks import nki_function
from .operands import dtype_or, integer, tile, wrong_type


@nki_function()
def shared_constant(constant: Any) -> NkiTensor:
    """A tensor in shared HBM with these contents, which are part of the compiled kernel.

    Args: constant, a NumPy array, or the path of a ``.npy`` file.
    Raises: NKI1007, NKI1011, NKI1012 for what no tensor can hold, NKI7001 for a missing file.
    """
    ctx = nki_ctx("nl.shared_constant")
    found = contents(ctx, constant)
    try:
        kind = to_dtype(found.dtype)
    except KeyError:
        facts = {"dtype": found.dtype, "cast": cast("constant", found)}
        raise ctx.refusal(NKI1011, name="constant", **facts) from None
    if kind in (int64, uint64):
        raise ctx.refusal(NKI1011, name="constant", dtype=kind, cast=cast("constant", found))
    if not found.ndim or not found.size:
        raise ctx.refusal(NKI1012, name="constant", shape=list(found.shape))
    made = Tensor(
        ctx.tensor_name("", "constant"), found.shape, kind, Space.shared_hbm, role=Role.const,
        data=found, loc=ctx.loc(),
    )  # fmt: skip
    made.written = True
    return ctx.new_tensor(made)


def contents(ctx: TraceContext, constant: Any) -> NDArray[Any]:
    """The constant's array, a copy that nobody changes later."""
    if isinstance(constant, np.ndarray):
        return constant.copy()
    if not isinstance(constant, str | os.PathLike):
        expected = "a NumPy array or the path of a .npy file"
        raise wrong_type(ctx, "shared_constant", "constant", expected, constant)
    path = Path(constant)
    if not path.is_file():
        raise ctx.refusal(NKI7001, path=path, relative="paths")
    try:
        loaded = np.load(path, allow_pickle=False)
    except ValueError:
        loaded = None
    if not isinstance(loaded, np.ndarray):
        raise wrong_type(ctx, "shared_constant", "constant", "the path of a .npy file", constant)
    return loaded


@nki_function()
def shared_identity_matrix(n: Any, dtype: Any = uint8, dst: Any = None) -> NkiTensor:
    """An (n, n) tile in SBUF with ones on its diagonal and zeros elsewhere.

    GpSimd makes it: ones where partition and column have the same index.

    Args: n, at most 128; dtype; dst, a tile to fill instead of a new one.
    Raises: NKI3002 if n is too large, NKI2107 and NKI2116 if `dst` is of another shape or dtype.
    """
    ctx = nki_ctx("nl.shared_identity_matrix")
    size = integer(ctx, "shared_identity_matrix", "n", n)
    if size < 1:
        raise wrong_type(ctx, "shared_identity_matrix", "n", "a positive integer", n)
    kind = dtype_or(ctx, dtype, uint8)
    if dst is None:
        made = result(ctx, "identity", (size, size), kind)
    else:
        made = tile(ctx, "shared_identity_matrix", "dst", dst, SBUF)
        facts: dict[str, Any] = {"inst": "nl.shared_identity_matrix"}
        if made.shape != (size, size):
            facts |= fixed_size("dst", made.shape, (size, size))
            raise ctx.refusal(NKI2107, **facts)
        if kind not in (made.dtype, uint8):
            named = {"first": "dst", "first_dtype": made.dtype, "second": "dtype"}
            raise ctx.refusal(NKI2116, second_dtype=kind, **named, **facts)
    ones = scratch(ctx, f"{made.name}_ones", (size, size), made.dtype)
    isa.memset(ones, 1)
    isa.affine_select(made, [[-1, size]], 1, ones, 0.0, AluOp.is_equal)
    return made


class TileSize:
    """`nl.tile_size`: limits of the target that a kernel is compiled for.

    Args: target, gives that target, or the default one outside of a kernel.
    """

    def __init__(self, target: Callable[[], Target]) -> None:
        self._target = target

    @property
    def pmax(self) -> int:
        """Partitions: the largest first dimension of a tile."""
        return self._target().partitions

    @property
    def psum_bank_fmax(self) -> int:
        """float32 elements of one PSUM bank in one partition."""
        return self.psum_bank_fmax_bytes // float32.itemsize

    @property
    def psum_fmax(self) -> int:
        """Older name of `psum_bank_fmax`."""
        return self.psum_bank_fmax

    @property
    def psum_bank_fmax_bytes(self) -> int:
        """Bytes of one PSUM bank in one partition."""
        return self._target().psum_bank_bytes

    @property
    def psum_num_banks(self) -> int:
        """PSUM banks of a partition."""
        return self._target().psum_banks

    @property
    def sbuf_size_bytes(self) -> int:
        """Bytes of SBUF in all partitions together."""
        t = self._target()
        return t.sbuf_total_bytes * t.partitions

    @property
    def sbuf_fmax(self) -> int:
        """float32 elements that tiles can use in one partition of SBUF."""
        return self.sbuf_fmax_bytes // float32.itemsize

    @property
    def sbuf_fmax_bytes(self) -> int:
        """Bytes that tiles can use in one partition of SBUF."""
        return self._target().sbuf_bytes

    @property
    def total_available_sbuf_size(self) -> int:
        """Older name of `sbuf_fmax_bytes`."""
        return self.sbuf_fmax_bytes

    @property
    def gemm_stationary_fmax(self) -> int:
        """Columns of the stationary operand of a matrix product."""
        return self._target().pe_cols

    @property
    def gemm_moving_fmax(self) -> int:
        """Columns of the moving operand of a matrix product: as many as a PSUM bank holds sums.

        Newer targets let one product span several banks; the published constant does not say so.
        """
        return self.psum_bank_fmax

    @property
    def bn_stats_fmax(self) -> int:
        """Elements per partition that bn_stats takes."""
        return self._target().bn_stats_max

    @property
    def psum_min_align(self) -> int:
        """Alignment of addresses in PSUM, in bytes."""
        return self._target().psum_align

    @property
    def sbuf_min_align(self) -> int:
        """Alignment of addresses in SBUF, in bytes."""
        return self._target().sbuf_align

    def __getattr__(self, name: str) -> NoReturn:
        """What to say of a limit that there is none of."""
        if name.startswith("__"):
            raise AttributeError(name)
        known = [n for n in dir(TileSize) if not n.startswith("_")]
        close = difflib.get_close_matches(name, known, 1)
        facts = {"module": "nl.tile_size", "why": "", "close": "".join(close)}
        raise MissingAttribute(fault(NKI1029, name=name, **facts).diagnostics)

    def __repr__(self) -> str:
        return f"nl.tile_size of {self._target()}"
