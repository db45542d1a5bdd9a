"""Choosing, repeating and dropping elements: `where`, `broadcast_to`, `gather_flattened`, ..."""

from __future__ import annotations

from typing import Any

from opennki.base.dtypes import int32
from opennki.ir import SBUF
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import plain_number
from opennki.trace.sema import isa, rng, select
from opennki.trace.sema.marks import nki_function
from opennki.trace.sema.operands import dtype_or, tensor, tile, wrong_type

from .calls import Masked, made, operand, written
from .promotion import promoted
from .shapes import shape_of, spread_to
from .tiles import ClassicTensor


@nki_function()
def where(
    condition: Any, x: Any, y: Any, *, dtype: Any = None, mask: Any = None
) -> ClassicTensor:  # fmt: skip
    """A new tile: x where `condition` is not zero, y elsewhere; where `mask` holds.

    Tiles are combined as those of operators are. Raises: as `nki.language.where`.
    """
    ctx = nki_ctx("nl.where")
    values = {"condition": condition, "x": x, "y": y}
    tiles = {
        name: operand(ctx, "where", name, value)
        for name, value in values.items()
        if name == "condition" or plain_number(value) is None
    }
    shape = shape_of("where", ctx, tiles)
    values |= {name: spread_to(ctx, view, shape) for name, view in tiles.items()}
    kinds = [tiles[name].dtype for name in ("x", "y") if name in tiles]
    default = promoted(*kinds) if len(kinds) == 2 else (kinds or [tiles["condition"].dtype])[0]
    kind = dtype_or(ctx, dtype, default)
    return written(select.where, shape, kind, mask, *values.values(), dtype=kind)


@nki_function()
def broadcast_to(src: Any, *, shape: Any, dtype: Any = None) -> ClassicTensor:
    """The tile `src` with its dimensions of size 1 repeated to `shape`.

    HBM is read repeatedly, on chip elements are copied. Raises: as `nki.language.broadcast_to`.
    """
    ctx = nki_ctx("nl.broadcast_to")
    view = tensor(ctx, "broadcast_to", "src", src)
    assert isinstance(view, ClassicTensor), "of a kernel of the first generation"
    return _repeated(view, shape, dtype)


def _repeated(view: ClassicTensor, shape: Any, dtype: Any = None) -> ClassicTensor:
    ctx = nki_ctx("nl.broadcast_to")
    if view.tensor.space.is_hbm and isinstance(shape, tuple | list):
        sizes = select.broadcast_shape(ctx, view, shape)
        parts = zip(view.shape, sizes, view.strides, strict=True)
        return view.spread(sizes, tuple(step if n == want else 0 for n, want, step in parts))
    found: Any = select.broadcast_to(tile(ctx, "broadcast_to", "src", view), shape, dtype)
    return found  # type: ignore[no-any-return]  # a ClassicTensor, in a kernel of this kind


@nki_function()
def expand_dims(data: Any, axis: Any) -> ClassicTensor:
    """A view of the tile `data` with a new dimension of size 1. Raises: as in `nki.language`."""
    found: Any = select.expand_dims(data, axis)
    return found  # type: ignore[no-any-return]  # a ClassicTensor, in a kernel of this kind


@nki_function()
def gather_flattened(
    data: Any, indices: Any, *, mask: Any = None, dtype: Any = None
) -> ClassicTensor:
    """A new tile: ``data[p, indices[p, k]]`` for the elements of `indices` that `mask` leaves.

    Raises: as `nki.language.gather_flattened`.
    """
    ctx = nki_ctx("nl.gather_flattened")
    source = operand(ctx, "gather_flattened", "data", data, SBUF)
    chosen = operand(ctx, "gather_flattened", "indices", indices, SBUF)
    kind = dtype_or(ctx, dtype, source.dtype)
    dst = made(ctx, "gather_flattened", chosen.shape, kind)
    masked = Masked(chosen.shape, mask)
    if masked.nothing:
        return dst
    ctx.destination = masked.of(dst)
    try:
        select.gather_flattened(masked.along(source, {0: 0}), masked.of(chosen), 0, kind)
    finally:
        ctx.destination = None
    return dst


@nki_function()
def dropout(x: Any, rate: Any, *, dtype: Any = None, mask: Any = None) -> ClassicTensor:
    """A new tile: x with zeros in the place of random elements, where `mask` holds.

    Raises: as `nki.language.dropout`.
    """
    ctx = nki_ctx("nl.dropout")
    data = operand(ctx, "dropout", "x", x)
    kind = dtype_or(ctx, dtype, data.dtype)
    return written(rng.dropout, data.shape, kind, mask, data, rate, dtype=kind)


@nki_function()
def random_seed(seed: Any, *, mask: Any = None) -> None:
    """Seed the generator that `rand` and `dropout` draw from, if `mask` holds.

    Args: seed, a (1, 1) tile, or a number. Raises: as `nki.language.random_seed`.
    """
    ctx = nki_ctx("nl.random_seed")
    given = seed
    if plain_number(seed) is not None:
        if not isinstance(seed, int):
            raise wrong_type(ctx, "random_seed", "seed", "an integer or a (1, 1) tile", seed)
        given = made(ctx, "seed", (1, 1), int32)
        isa.memset(given, seed)
    masked = Masked((1, 1), mask)
    if not masked.nothing:
        rng.random_seed(masked.of(given))


ClassicTensor.repeated = staticmethod(_repeated)
