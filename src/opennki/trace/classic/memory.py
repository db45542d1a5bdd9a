"""New tensors: `ndarray` and the functions that also fill what they make, and `par_dim`.

Moving tensors is in `transfer`.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from opennki.base.codes import NKI1122, NKI1123
from opennki.base.dtypes import DType, float32, uint8
from opennki.ir import Space
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import plain_int
from opennki.trace.sema import constants, creation, isa, rng
from opennki.trace.sema.marks import nki_function
from opennki.trace.sema.operands import dtype_or, integer, number, tensor, wrong_type

from .blocks import Blocks, separate, too_large
from .placement import Allocator, placed
from .tiles import ClassicTensor, Window, covering

Shape = tuple[int, ...]


class PartitionDim(int):
    """``nl.par_dim(128)``: a size, and that it is the one of the partition dimension."""

    __slots__ = ()


def par_dim(value: Any) -> PartitionDim:
    """Mark a size in a shape as that of the partition dimension; those before it are blocks."""
    return PartitionDim(value)


@nki_function()
def ndarray(shape: Any, dtype: Any, *, buffer: Any = None, name: str = "") -> ClassicTensor:
    """A new tensor. On chip, the dimension marked by `par_dim` (else the first) is the partitions.

    Args: buffer, a memory, or an allocator such as ``nki.compiler.sbuf.mod_alloc(base_addr=0)``,
        which places the blocks.
    Raises: NKI3001 to NKI3006 as `nki.language.ndarray`; NKI1124 for a block that cannot be placed.
    """
    ctx = nki_ctx("nl.ndarray")
    sizes = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    par = next((k for k, n in enumerate(sizes) if isinstance(n, PartitionDim)), 0)
    plain = tuple(int(n) if isinstance(n, PartitionDim) else n for n in sizes)
    if isinstance(buffer, Allocator):
        return placed(ctx, buffer, plain, par, dtype_or(ctx, dtype, float32), name)
    space = Space.sbuf if buffer is None else buffer
    if isinstance(space, Space) and space.is_hbm:
        return _in_hbm(ctx, plain, dtype, space, name)
    kind = None if dtype is None else dtype_or(ctx, dtype, float32)
    if kind is not None and _whole(space, plain) and too_large(ctx, space, plain, par, kind):
        return separate(ctx, space, plain, par, kind, name)
    if par == 0:
        found: Any = creation.ndarray(plain, dtype, space, name)
        return found  # type: ignore[no-any-return]  # a ClassicTensor, in a kernel of this kind
    physical = (plain[par], *(n for k, n in enumerate(plain) if k != par))
    whole = creation.ndarray(physical, dtype, space, name)
    order = [1 + k if k < par else (0 if k == par else k) for k in range(len(sizes))]
    return Window(
        whole.tensor, 0, tuple(whole.shape[k] for k in order),
        tuple(whole.strides[k] for k in order), whole.dtype, par=par,
    )  # fmt: skip


def _whole(space: Any, shape: Any) -> bool:
    """Whether these are a memory and sizes, of which `creation.ndarray` says what is wrong."""
    return isinstance(space, Space) and all(plain_int(n) is not None for n in shape)


def _in_hbm(
    ctx: TraceContext, shape: Shape, dtype: Any, space: Space, name: str
) -> ClassicTensor:  # fmt: skip
    """A tensor in HBM: the same one in all programs of a grid."""
    programs = ctx.programs
    if programs is not None:
        sizes = tuple(map(int, shape))
        again = programs.again(sizes, dtype_or(ctx, dtype, float32), space)
        if again is not None:
            return covering(again)
    found: Any = creation.ndarray(shape, dtype, space, name)
    if programs is not None:
        programs.note(found.tensor)
    return found  # type: ignore[no-any-return]  # a ClassicTensor, in a kernel of this kind


def _filled(
    fn: str, shape: Any, value: Any, dtype: Any, buffer: Any, name: str
) -> ClassicTensor:  # fmt: skip
    ctx = nki_ctx(f"nl.{fn}")
    fill = number(value)
    if fill is None:
        raise wrong_type(ctx, fn, "fill_value", "a number", value)
    _may_be_filled(ctx, fn, buffer)
    found = ndarray(shape, dtype, buffer=buffer, name=name)
    if isinstance(found, Blocks):
        found.fill(fill)
    else:
        isa.memset(covering(found.tensor), fill)
    if fill and found.tensor.space is Space.psum:
        tensors = found.tensors if isinstance(found, Blocks) else [found.tensor]
        ctx.symbolic.filled.update(tensors)
    return found


def _may_be_filled(ctx: TraceContext, fn: str, buffer: Any) -> None:
    """Raises: NKI1122 for HBM, NKI1123 for an allocator."""
    if isinstance(buffer, Space) and buffer.is_hbm:
        raise ctx.refusal(NKI1122, fn=fn, space=buffer)
    if isinstance(buffer, Allocator):
        raise ctx.refusal(NKI1123, fn=fn, space=buffer.space)


@nki_function()
def zeros(
    shape: Any, dtype: Any, *, buffer: Any = None, name: str = "", lazy_initialization: bool = False
) -> ClassicTensor:
    """A new tile, all elements 0.

    Args: lazy_initialization, whether it may be filled as late as it is first used, which makes no
        difference to any value.
    """
    return _filled("zeros", shape, 0, dtype, buffer, name)


@nki_function()
def ones(shape: Any, dtype: Any, *, buffer: Any = None, name: str = "") -> ClassicTensor:
    """A new tile, all elements 1."""
    return _filled("ones", shape, 1, dtype, buffer, name)


@nki_function()
def full(
    shape: Any, fill_value: Any, dtype: Any, *, buffer: Any = None, name: str = "",
    lazy_initialization: bool = False,
) -> ClassicTensor:  # fmt: skip
    """A new tile, all elements `fill_value`; lazy_initialization as of `zeros`."""
    return _filled("full", shape, fill_value, dtype, buffer, name)


@nki_function()
def zeros_like(a: Any, dtype: Any = None, *, buffer: Any = None, name: str = "") -> ClassicTensor:
    """A new tile in the shape of `a`, all elements 0; of its dtype unless that is given."""
    shape, kind = _like("zeros_like", a, dtype)
    return _filled("zeros_like", shape, 0, kind, buffer, name)


@nki_function()
def empty_like(a: Any, dtype: Any = None, *, buffer: Any = None, name: str = "") -> ClassicTensor:
    """A new tensor in the shape of `a`, in its memory and of its dtype unless they are given."""
    shape, kind = _like("empty_like", a, dtype)
    where = a.tensor.space if buffer is None else buffer
    return ndarray(shape, kind, buffer=where, name=name)


def _like(fn: str, a: Any, dtype: Any) -> tuple[Shape, Any]:
    """Shape, with the partitions of `a` marked, and dtype of what is made like `a`."""
    like: Any = tensor(nki_ctx(f"nl.{fn}"), fn, "a", a)
    par = getattr(like, "par", 0) if like.tensor.space.on_chip else 0
    shape = tuple(par_dim(n) if par and k == par else n for k, n in enumerate(like.shape))
    return shape, like.dtype if dtype is None else dtype


@nki_function()
def rand(
    shape: Any, dtype: Any = float32, *, buffer: Any = None, name: str = ""
) -> ClassicTensor:  # fmt: skip
    """A new tile of numbers drawn evenly from 0 up to, not including, 1.

    Raises: as `nki.language.rand`; NKI1122, NKI1123 as the other functions that fill.
    """
    ctx = nki_ctx("nl.rand")
    _may_be_filled(ctx, "rand", buffer)
    sizes = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    if not any(isinstance(n, PartitionDim) for n in sizes[1:]):
        plain = tuple(int(n) if isinstance(n, PartitionDim) else n for n in sizes)
        found: Any = rng.rand(plain, dtype, Space.sbuf if buffer is None else buffer, name)
        return found  # type: ignore[no-any-return]  # a ClassicTensor, in a kernel of this kind
    made = ndarray(shape, dtype, buffer=buffer, name=name)
    if isinstance(made, Blocks):
        raise wrong_type(ctx, "rand", "shape", "the shape of a tile that fits", shape)
    par, rest = made.shape[made.par], prod(made.shape) // made.shape[made.par]
    drawn = rng.rand((par, rest), dtype)
    isa.tensor_copy(covering(made.tensor).reshape(par, rest), drawn)
    return made


@nki_function()
def shared_constant(constant: Any, dtype: Any = None) -> ClassicTensor:
    """A tensor in shared HBM with these contents, which are part of the compiled kernel.

    Args: constant, a NumPy array or the path of a ``.npy`` file; dtype to convert it to.
    Raises: as `nki.language.shared_constant`.
    """
    ctx = nki_ctx("nl.shared_constant")
    kind: DType | None = None if dtype is None else dtype_or(ctx, dtype, float32)
    contents = constants.contents(ctx, constant)
    found: Any = constants.shared_constant(contents if kind is None else contents.astype(kind.np))
    return found  # type: ignore[no-any-return]  # a ClassicTensor, in a kernel of this kind


@nki_function()
def shared_identity_matrix(n: Any, dtype: Any = uint8) -> ClassicTensor:
    """A constant in shared HBM: (n, n), ones on its diagonal and zeros elsewhere."""
    ctx = nki_ctx("nl.shared_identity_matrix")
    kind = dtype_or(ctx, dtype, uint8)
    size = integer(ctx, "shared_identity_matrix", "n", n)
    if size < 1:
        raise wrong_type(ctx, "shared_identity_matrix", "n", "a positive integer", n)
    found: Any = constants.shared_constant(np.eye(size).astype(kind.np))
    return found  # type: ignore[no-any-return]  # a ClassicTensor, in a kernel of this kind
