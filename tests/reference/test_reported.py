"""Situations that users reported in public, with the verdict that is due."""

from __future__ import annotations

import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl
from opennki.api import simulate
from opennki.base.diag import NkiError
from opennki.target import target as named

F32, I32, U32, BF16 = nl.float32, nl.int32, nl.uint32, nl.bfloat16
ALL = ("trn1", "trn2", "trn3")


def stored(tile):
    """A result in HBM with the contents of `tile`."""
    out = nl.ndarray(tile.shape, tile.dtype, nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


# ---- addresses: the last that fits, and one byte more --------------------------------------------


@pytest.mark.parametrize("target", ALL)
@pytest.mark.parametrize("beyond", [0, 1, 4, 100_000])
def test_a_tile_is_placed_up_to_the_last_byte(ran, target, beyond):
    last = named(target).sbuf_bytes - 4000

    def kernel(x):
        t = nl.ndarray((128, 1000), F32, nl.sbuf, address=(0, last + beyond))
        nisa.memset(dst=t, value=2.0)
        return stored(t)

    result, codes = ran(kernel, np.zeros((1, 1), "f4"), target=target)
    if beyond:
        assert set(codes) & {"NKI5001", "NKI5007"} == set(codes) != set()
    else:
        assert codes == []
        assert (result == 2.0).all()


def test_an_address_beyond_sbuf_is_refused_with_all_numbers(ran):
    def kernel(x):
        t = nl.ndarray((128, 1000), F32, nl.sbuf, address=(0, 400_000))
        nisa.memset(dst=t, value=2.0)
        return stored(t)

    with pytest.raises(NkiError) as caught:
        simulate(kernel, target="trn2")(np.zeros((1, 1), "f4"))
    (found,) = caught.value.diagnostics
    for fact in ("400000", "4000", str(named("trn2").sbuf_bytes), "trn2 (cayman)"):
        assert fact in found.message + found.hint


# ---- shapes that look as if they broadcast -------------------------------------------------------


def test_weights_are_reshaped_sliced_and_multiplied(ran, rng):
    taps, c, k = 3, 4, 16

    def kernel(w, x):
        acc = nl.ndarray((k, 32), F32, nl.psum)
        data = nl.load(x)
        for i in range(taps):
            tile = nl.load(w[i]).reshape((128, c, k))
            nisa.nc_matmul(dst=acc, stationary=tile[:, i, :], moving=data)
        return stored(nl.copy(acc))

    w = rng.integers(-4, 5, (taps, 128, c * k)).astype(np.float32)
    x = rng.integers(-4, 5, (128, 32)).astype(np.float32)
    result, codes = ran(kernel, w, x)
    want = sum(w[i].reshape(128, c, k)[:, i].T @ x for i in range(taps))
    assert codes == []
    assert (result == want).all()


def test_a_contraction_written_as_a_product_names_nc_matmul(said):
    def body():
        x = nl.ndarray((64, 1, 8, 8), F32)
        w = nl.ndarray((32, 64, 1, 1), F32)
        nl.multiply(w, x)

    message, hint = said(body)
    assert "64" in message
    assert "32" in message
    assert "partitions" in message
    assert "nisa.nc_matmul" in hint


def test_row_and_column_vectors_do_not_broadcast_by_themselves(rules):
    def row():
        return nl.ndarray((1, 8), F32)

    def column():
        return nl.ndarray((128, 1), F32)

    def one():
        return nl.ndarray((1, 1), F32)

    assert rules(lambda: nl.subtract(one(), column())) == ["NKI2101"]
    assert rules(lambda: nl.subtract(column(), row())) == ["NKI2101"]
    assert rules(lambda: nisa.tensor_tensor(column(), one(), column(), nl.subtract)) == ["NKI2101"]


def test_row_and_column_vectors_combine_when_they_are_broadcast(value, rng):
    one, column, row = (rng.standard_normal(s, np.float32) for s in ((1, 1), (128, 1), (1, 8)))
    got = value(lambda a, b: nl.subtract(nl.broadcast_to(a, (128, 1)), b), one, column)
    assert (got == one - column).all()
    got = value(lambda a, b: nl.subtract(a, nl.broadcast_to(b, (128, 8))), column, row)
    assert (got == column - row).all()


@pytest.mark.parametrize("op", [nl.bitwise_and, nl.bitwise_or, nl.bitwise_xor, nl.left_shift])
def test_bits_do_not_change_their_dtype_on_the_way(rules, op):
    def tile(dtype, columns=8):
        return nl.ndarray((128, columns), dtype)

    assert rules(lambda: nisa.tensor_scalar(tile(U32), tile(I32), op, 1)) == ["NKI2116"]
    assert rules(lambda: nisa.tensor_scalar(tile(I32), tile(I32), op, 1)) == []
    assert rules(lambda: nisa.tensor_tensor(tile(U32), tile(I32), tile(U32), op)) == ["NKI2116"]
    assert rules(lambda: nisa.tensor_scalar(tile(I32).view(U32), tile(U32), op, 1)) == []


# ---- transposes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(128, 128), (64, 128), (128, 32), (1, 128)])
def test_two_dimensions_are_transposed_while_loading_and_on_chip(ran, rng, shape):
    def kernel(x):
        loaded = nl.load_transpose2d(x)
        turned = nl.ndarray(loaded.shape, F32, nl.psum)
        nisa.nc_transpose(dst=turned, data=nl.load(x), engine=nisa.engine.tensor)
        return stored(loaded), stored(nl.copy(turned))

    x = rng.standard_normal(shape, np.float32)
    (loaded, turned), codes = ran(kernel, x)
    assert codes == []
    assert (loaded == x.T).all()
    assert (turned == x.T).all()


def test_free_dimensions_are_transposed_as_one(ran, rng):
    def kernel(x):
        turned = nl.ndarray((32, 64), F32, nl.psum)
        nisa.nc_transpose(dst=turned, data=nl.load(x))
        return stored(nl.copy(turned))

    x = rng.standard_normal((64, 4, 8), np.float32)
    result, codes = ran(kernel, x)
    assert codes == []
    assert (result == x.reshape(64, 32).T).all()


def test_a_transposing_load_of_three_dimensions_is_refused(rules):
    assert rules(lambda: nl.load_transpose2d(nl.ndarray((4, 8, 16), F32, nl.shared_hbm))) == [
        "NKI2107"
    ]


# ---- arguments that a kernel writes --------------------------------------------------------------


def test_a_stored_argument_is_updated_for_the_caller(ran):
    def kernel(x):
        nl.store(x, nl.full((128, 4), 3.0, F32))
        return x

    x = np.zeros((128, 4), np.float32)
    result, codes = ran(kernel, x)
    assert codes == []
    assert (result == 3.0).all()
    assert (x == 3.0).all()


def test_a_read_only_argument_is_not_written(ran):
    def kernel(x):
        nl.store(x, nl.full((128, 4), 3.0, F32))
        return x

    x = np.zeros((128, 4), np.float32)
    x.flags.writeable = False
    result, codes = ran(kernel, x)
    assert (result, codes) == (None, ["NKI1022"])


def test_items_of_an_argument_are_not_assigned(ran):
    def kernel(x):
        x[0:128] = 3.0
        return x

    assert ran(kernel, np.zeros((128, 4), np.float32))[1] == ["NKI1031"]


# ---- banks, partitions ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offset", "columns", "codes"),
    [(8192, 512, []), (8196, 256, ["NKI5003"]), (9216, 256, ["NKI5003"])],
)
def test_accumulators_start_with_a_bank(ran, rng, offset, columns, codes):

    def kernel(x):
        data = nl.load(x)
        made = []
        for place in (0, 2048, 4096, 6144, offset):
            width = columns if place == offset else 512
            acc = nl.ndarray((64, width), F32, nl.psum, address=(0, place))
            nisa.nc_matmul(dst=acc, stationary=data[:, 0:64], moving=data[:, 0:width])
            made.append(stored(nl.copy(acc)))
        return tuple(made)

    x = rng.integers(-3, 4, (128, 512)).astype(np.float32)
    result, found = ran(kernel, x)
    assert found == codes
    if not codes:
        assert all((one == x[:, 0:64].T @ x[:, 0 : one.shape[1]]).all() for one in result)


def allowed(count: int) -> set[int]:
    """Partitions that an access of `count` may start at, by the architecture guide."""
    if count > 64:
        return {0}
    return {0, 64} if count > 32 else {0, 32, 64, 96}


@pytest.mark.parametrize("target", ALL)
@pytest.mark.parametrize("count", [1, 31, 32, 33, 63, 64, 65, 127, 128])
def test_engines_start_at_the_documented_partitions(rules, count, target):
    def written(start):
        return lambda: nisa.memset(nl.ndarray((128, 4), F32)[start : start + count], 0)

    def read(start):
        return lambda: nisa.tensor_copy(
            nl.ndarray((count, 4), F32), nl.ndarray((128, 4), F32)[start : start + count]
        )

    def placed(start):
        return lambda: nisa.memset(nl.ndarray((count, 4), F32, address=(start, 0)), 0)

    for access in (written, read, placed):
        for start in range(128 - count + 1):
            want = [] if start in allowed(count) else ["NKI2112"]
            assert rules(access(start), target) == want, (access.__name__, start)


@pytest.mark.parametrize("start", range(0, 96, 7))
def test_dma_starts_at_any_partition(rules, start):
    def body():
        tile = nl.ndarray((128, 4), F32)[start : start + 33]
        nisa.dma_copy(dst=tile, src=nl.ndarray((33, 4), F32, nl.shared_hbm))

    assert rules(body) == []


# ---- accumulation in PSUM ------------------------------------------------------------------------

WAYS = {
    "onto zeros": (True, lambda k: True),
    "after the first": (False, lambda k: k > 0),
    "as it comes": (False, lambda k: None),
}


@pytest.mark.parametrize("target", ALL)
@pytest.mark.parametrize("way", WAYS)
def test_products_accumulate_over_k_with_the_same_result(ran, rng, way, target):
    cleared, accumulate = WAYS[way]

    def kernel(a, b):
        acc = nl.ndarray((64, 96), F32, nl.psum)
        if cleared:
            nisa.memset(dst=acc, value=0.0)
        for k in range(3):
            rows = slice(128 * k, 128 * k + 128)
            nisa.nc_matmul(acc, nl.load(a[rows]), nl.load(b[rows]), accumulate=accumulate(k))
        return stored(nl.copy(acc))

    a = rng.integers(-8, 9, (384, 64)).astype(np.float32)
    b = rng.integers(-8, 9, (384, 96)).astype(np.float32)
    result, codes = ran(kernel, a, b, target=target)
    assert (result == a.T @ b).all()
    assert codes == (["NKI6005"] if cleared and target != "trn3" else [])


# ---- messages ------------------------------------------------------------------------------------


def test_messages_spell_members_as_kernels_write_them(said):
    def product():
        w = nl.ndarray((128, 2, 64), nl.float8_e4m3)
        nisa.nc_matmul(nl.ndarray((64, 64), F32, nl.psum), w, w,
                       perf_mode=nisa.matmul_perf_mode.double_row)  # fmt: skip

    message, _ = said(product, "trn1")
    assert message.startswith("perf_mode=double_row needs trn2 (cayman) or newer")

    def selection():
        t = nl.ndarray((128, 4), F32)
        nisa.select_reduce(t, nl.ndarray((128, 4), nl.uint8), t, 0.0,
                           reduce_cmd=nisa.reduce_cmd.load_reduce)  # fmt: skip

    assert "is load_reduce; allowed: idle, reduce, reset_reduce" in said(selection)[0]


def test_a_destination_is_written_and_an_input_is_read(said):
    def tile(buffer):
        return nl.ndarray((128, 64), F32, buffer)

    message, hint = said(lambda: nisa.nc_matmul(
        nl.ndarray((64, 64), F32), tile(nl.sbuf), tile(nl.sbuf)
    ))  # fmt: skip
    assert message == "operand `dst` is in sbuf; nc_matmul writes it to psum"
    assert hint == "allocate `dst` in psum and copy the result from there"
    message, hint = said(lambda: nisa.reciprocal(tile(nl.sbuf), tile(nl.shared_hbm)))
    assert message == "operand `data` is in shared_hbm; reciprocal takes it from psum or sbuf"
    assert hint.startswith("copy `data` first, with nisa.dma_copy")


def test_the_hint_about_destinations_belongs_to_destinations(said):
    def tile():
        return nl.ndarray((128, 4), F32)

    _, hint = said(lambda: nisa.tensor_copy(dst=tile()))
    assert hint == "pass `src=`"
    _, hint = said(lambda: nisa.tensor_copy(src=tile()))
    assert hint == "pass `dst=`; instructions take `dst` first since 0.2"


def test_a_kernel_without_a_grid_is_told_so(said):
    message, hint = said(lambda: nl.program_id(1))
    assert message == "program axis 1 does not exist; there is no launch grid"
    assert hint == "use axis 0, the only one since 0.2"
