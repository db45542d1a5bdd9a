"""Published rules of tensor indirection: which operands, engines, dtypes and memories have it."""

from __future__ import annotations

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16, I8, U32 = nl.float32, nl.bfloat16, nl.uint8, nl.uint32
X4 = nl.float8_e4m3fn_x4
GEN4 = ("trn3",)


def t(*shape, dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape or (128, 16), dtype, buffer)


def at(*shape, dtype=F32, buffer=nl.sbuf):
    """Sixteen elements of each partition, by indices."""
    tile = t(*(shape or (128, 64)), dtype=dtype, buffer=buffer)
    return tile.indirect(t(tile.shape[0], 1, dtype=U32), 16)


def psum(*shape):
    return at(*shape, buffer=nl.psum)


def product(dtype=BF16, **more):
    fields = {
        "dst": t(16, 16, buffer=nl.psum), "stationary": t(128, 16, dtype=dtype),
        "moving": t(128, 16, dtype=dtype),
    }  # fmt: skip
    nisa.nc_matmul(**(fields | more))


def turn(**more):
    tiles = {"stationary": t(128, 16, dtype=BF16), "moving": t(128, 128, dtype=BF16)}
    dst = t(16, 128, dtype=BF16, buffer=nl.psum)
    if "moving" in more:
        dst = t(16, 16, dtype=BF16, buffer=nl.psum)
    nisa.nc_matmul(dst, **(tiles | more), is_transpose=True)


def scaled(indexed, one=True):
    """A product of MX tiles, of which those named are read by indices, if `one` by the same."""
    rows = t(128, 1, dtype=U32)
    fields = {}
    for name in ("stationary", "moving"):
        for field, dtype in ((name, X4), (f"{name}_scale", I8)):
            tile = t(128, 64 if field in indexed else 16, dtype=dtype)
            if field in indexed:
                tile = tile.indirect(rows if one else t(128, 1, dtype=U32), 16)
            fields[field] = tile
    nisa.nc_matmul_mx(t(16, 16, buffer=nl.psum), **fields)


def placed(tile_at=None, index_at=None, shape=(32, 64), buffer=nl.sbuf, dtype=F32):
    """Sixteen elements of each partition, of tiles at these partitions."""
    bank = 0 if buffer is nl.psum else 4096
    address = None if tile_at is None else (tile_at, bank)
    tile = nl.ndarray(shape, dtype, buffer, address=address)
    address = None if index_at is None else (index_at, 32768 + (0 if dtype is F32 else 64))
    return tile.indirect(nl.ndarray((shape[0], 1), U32, address=address), 16)


def data(at_partition, buffer=nl.sbuf, dtype=F32):
    return nl.ndarray((32, 16), dtype, buffer, address=(at_partition, 0))


def part(made, row):
    """A product on 32 rows of the array."""
    left = made(32, 64 if made is at else 16, dtype=BF16)
    product(
        stationary=left, moving=t(32, 16, dtype=BF16), tile_position=(row, 0), tile_size=(32, 128)
    )


def add(**more):
    nisa.tensor_tensor(**({"dst": t(), "data1": t(), "data2": t(), "op": nl.add} | more))


# What the rule says: its code, targets, calls that keep it, calls that break it.
RULES = {
    "element-wise operands, none beside them": (
        "NKI2133", GEN4,
        [lambda: nisa.tensor_copy(at(), at()), lambda: add(dst=at(), data1=at()),
         lambda: nisa.tensor_copy_predicated(at(), t(), at(dtype=I8)),
         lambda: nisa.tensor_scalar(at(), at(), nl.add, t(128, 1)),
         lambda: nisa.tensor_scalar_cumulative(at(), at(), nl.add, nl.add, 1.0),
         lambda: nisa.tensor_reduce(t(128, 1), nl.add, at(), axis=1),
         lambda: nisa.activation(at(), nl.exp, at()),
         lambda: nisa.activation_reduce(at(), nl.exp, at(), nl.add, t(128, 1)),
         lambda: nisa.activate2(at(), nl.copy, at(), 1.0, 0.0, nl.multiply, nl.add),
         lambda: nisa.exponential(at(), at())],
        [lambda: add(data2=at()), lambda: nisa.tensor_copy_predicated(t(), at(), t(dtype=I8)),
         lambda: nisa.reciprocal(t(), at()), lambda: nisa.memset(at(), 0.0),
         lambda: nisa.scalar_tensor_tensor(t(), at(), nl.add, 1.0, nl.add, t()),
         lambda: nisa.tensor_tensor_scan(t(), at(), t(), 0.0, nl.multiply, nl.add),
         lambda: nisa.nc_transpose(t(16, 128, buffer=nl.psum), at(), engine=nisa.engine.tensor)],
    ),
    "copies are made by the vector or the scalar engine": (
        "NKI2113", GEN4,
        [lambda: nisa.tensor_copy(at(), t(), engine=nisa.engine.vector),
         lambda: nisa.tensor_copy(t(), at(), engine=nisa.engine.scalar),
         lambda: nisa.tensor_copy(t(), t(), engine=nisa.engine.gpsimd),
         lambda: add(dst=at(), data1=at(), engine=nisa.engine.gpsimd)],
        [lambda: nisa.tensor_copy(at(), t(), engine=nisa.engine.gpsimd),
         lambda: nisa.tensor_copy(t(), at(), engine=nisa.engine.gpsimd)],
    ),
    "the scalar engine scatters to SBUF only": (
        "NKI2105", GEN4,
        [lambda: nisa.activation(at(), nl.exp, psum()),
         lambda: nisa.activation(t(128, 16, buffer=nl.psum), nl.exp, at()),
         lambda: nisa.tensor_copy(psum(), t(), engine=nisa.engine.vector)],
        [lambda: nisa.activation(psum(), nl.exp, t()),
         lambda: nisa.activation_reduce(psum(), nl.exp, t(), nl.add, t(128, 1)),
         lambda: nisa.activate2(psum(), nl.copy, t(), 1.0, 0.0, nl.multiply, nl.add),
         lambda: nisa.tensor_scalar(psum(), t(), nl.add, 1.0, engine=nisa.engine.scalar),
         lambda: nisa.tensor_copy(psum(), t(), engine=nisa.engine.scalar)],
    ),
    "products read indices in dtypes of up to two bytes": (
        "NKI2133", GEN4,
        [lambda: product(stationary=at(dtype=BF16)),
         lambda: product(moving=at(dtype=nl.float8_e5m2)),
         lambda: product(dst=at(16, 64, dtype=BF16, buffer=nl.psum))],
        [lambda: product(stationary=at(), dtype=F32), lambda: product(moving=at(), dtype=F32),
         lambda: product(dst=psum(16, 64))],
    ),
    "indices exclude tiles of the array": (
        "NKI2133", GEN4,
        [lambda: part(at, 0), lambda: part(t, 32)],
        [lambda: part(at, 32)],
    ),
    "moving of a transpose has no indices": (
        "NKI2133", GEN4,
        [lambda: turn(stationary=at(dtype=BF16)), lambda: turn()],
        [lambda: turn(moving=at(dtype=BF16))],
    ),
    "data and scales have indices together": (
        "NKI2133", GEN4,
        [lambda: scaled(()), lambda: scaled(("stationary", "stationary_scale")),
         lambda: scaled(("moving", "moving_scale"))],
        [lambda: scaled(("stationary",)), lambda: scaled(("stationary_scale",)),
         lambda: scaled(("moving",)), lambda: scaled(("moving_scale",)),
         lambda: scaled(("moving", "moving_scale"), one=False)],
    ),
    "indices that are placed begin in a quadrant": (
        "NKI2134", GEN4,
        [lambda: nisa.tensor_copy(t(32, 16), placed(None, 64)),
         lambda: nisa.tensor_copy(t(32, 16), placed(96, None))],
        [lambda: nisa.tensor_copy(t(32, 16), placed(None, 16)),
         lambda: nisa.tensor_copy(placed(None, 8), t(32, 16))],
    ),
    "indices of an input are on its partitions": (
        "NKI2134", GEN4,
        [lambda: nisa.tensor_copy(t(32, 16), placed(32, 32)),
         lambda: nisa.tensor_copy(t(32, 16), placed(64, 64, buffer=nl.psum))],
        [lambda: nisa.tensor_copy(t(32, 16), placed(32, 0)),
         lambda: nisa.tensor_copy(t(32, 16), placed(0, 64, buffer=nl.psum))],
    ),
    "indices of a destination are on the partitions of what is stored": (
        "NKI2134", GEN4,
        [lambda: nisa.tensor_copy(placed(0, 32), data(32)),
         lambda: nisa.tensor_copy(placed(0, 32), data(64, nl.psum)),
         lambda: nisa.tensor_copy(placed(0, 32), placed(32, 32, buffer=nl.psum, dtype=BF16))],
        [lambda: nisa.tensor_copy(placed(0, 0), data(32)),
         lambda: nisa.tensor_copy(placed(0, 0), placed(32, 32, buffer=nl.psum, dtype=BF16))],
    ),
    "indices of a product are on the partitions of stationary": (
        "NKI2134", GEN4,
        [lambda: product(stationary=data(32, dtype=BF16), moving=t(32, 16, dtype=BF16),
                         dst=placed(0, 32, (16, 64), nl.psum, BF16))],
        [lambda: product(stationary=data(32, dtype=BF16), moving=t(32, 16, dtype=BF16),
                         dst=placed(0, 0, (16, 64), nl.psum, BF16))],
    ),
}  # fmt: skip


def test_a_call_that_keeps_the_rule_is_accepted(kept):
    told, due = kept
    assert told == due


def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(broken):
    told, due = broken
    assert told == due
