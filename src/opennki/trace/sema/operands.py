"""What the functions of `nki.language` share: looking at arguments, and making result tiles."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from opennki.base.codes import NKI1007, NKI2101, NKI2105, NKI2109, NKI2127, NKI3004
from opennki.base.dtypes import DType, tensor_dtype
from opennki.ir import ON_CHIP, Space
from opennki.trace.context import TraceContext
from opennki.trace.plain import plain_int, plain_number, shown
from opennki.trace.values import NkiTensor, restrided

Shape = tuple[int, ...]
number = plain_number


def wrong_type(ctx: TraceContext, fn: str, name: str, expected: str, got: object) -> Exception:
    """The error for an argument that is not `expected`, to be raised by the caller."""
    return ctx.refusal(NKI1007, name=name, fn=f"nl.{fn}", expected=expected, got=shown(got))


def tensor(ctx: TraceContext, fn: str, name: str, value: Any) -> NkiTensor:
    """`value`, which must be a tensor in any memory. Raises: NKI1007."""
    if not isinstance(value, NkiTensor):
        raise wrong_type(ctx, fn, name, "a tensor", value)
    return value


def tile(
    ctx: TraceContext, fn: str, name: str, value: Any, spaces: Collection[Space] = ON_CHIP
) -> NkiTensor:
    """`value`, which must be a tensor in one of `spaces`.

    Raises: NKI1007, NKI2105; NKI2109 for a window onto a tile with one dimension only.
    """
    found = tensor(ctx, fn, name, value)
    if found.tensor.space not in spaces:
        allowed = " or ".join(sorted(s.name for s in spaces))
        facts = {"got": found.tensor.space, "inst": f"nl.{fn}", "allowed": allowed}
        written = name == "dst"
        facts |= {"takes": "writes it to" if written else "takes it from"}
        facts |= {"target" if written else "source": name}
        raise ctx.refusal(NKI2105, operand=name, **facts)
    if found.tensor.space.on_chip and len(found.shape) < 2:  # as .ap() makes them
        raise ctx.refusal(NKI2109, operand=name, rank=len(found.shape))
    return found


def integer(ctx: TraceContext, fn: str, name: str, value: Any) -> int:
    """`value`, which must be an integer known while tracing. Raises: NKI1007."""
    found = plain_int(value)
    if found is None:
        raise wrong_type(ctx, fn, name, "an integer", value)
    return found


def dtype_or(ctx: TraceContext, dtype: Any, default: DType) -> DType:
    """The dtype that a ``dtype=`` argument means; `default` for None. Raises: NKI3004."""
    if dtype is None:
        return default
    try:
        return tensor_dtype(dtype)
    except KeyError:
        raise ctx.refusal(NKI3004, got=f"{dtype!s:.60}") from None


def spread(view: NkiTensor, shape: Shape) -> NkiTensor:
    """`view`, with one element per partition, repeated to `shape` by strides of 0."""
    strides = (view.strides[0], *(0 for _ in shape[1:]))
    return restrided(view, shape, strides)


def fitted(
    ctx: TraceContext, fn: str, name: str, view: NkiTensor, other: str, shape: Shape
) -> NkiTensor:
    """`view` as a view of `shape`, the shape of `other`: it has that shape, or is (P, 1).

    Raises: NKI2101 if the partitions differ, NKI2127 if the shapes do.
    """
    if view.shape == shape:
        return view
    facts: dict[str, Any] = {"operand": name, "other": other, "inst": f"nl.{fn}"}
    if view.shape[0] != shape[0]:
        raise ctx.refusal(NKI2101, got=view.shape[0], want=shape[0], **facts)
    if view.free_size != 1:
        raise ctx.refusal(NKI2127, got=list(view.shape), want=list(shape), **facts)
    return spread(view, shape)
