"""Odd operands of functions: tiles in PSUM, 32-bit integers, numbers that a dtype does not hold."""

from __future__ import annotations

import numpy as np
import pytest

import opennki.api.language as nl

F32, I32 = nl.float32, nl.int32
LARGE = 2**24
ONE = np.ones((1, 1), np.float32)


def filled(content, dtype=F32, buffer=nl.sbuf, shape=(8, 4)):
    return nl.full(shape, content, dtype, buffer)


@pytest.mark.parametrize(
    ("name", "want"),
    [("add", 8), ("subtract", 4), ("multiply", 12), ("maximum", 6), ("power", 36), ("mod", 0),
     ("greater", 1), ("logical_and", 1), ("divide", 3)],
)  # fmt: skip
@pytest.mark.parametrize("left", [nl.sbuf, nl.psum])
@pytest.mark.parametrize("right", [nl.sbuf, nl.psum])
@pytest.mark.parametrize("width", [1, 4])
def test_operators_take_tiles_of_both_memories(run, name, want, left, right, width):
    def function():
        a, b = filled(6, buffer=left), filled(2, buffer=right, shape=(8, width))
        return getattr(nl, name)(a, b)

    np.testing.assert_array_equal(run(function), np.full((8, 4), want))


def test_a_tile_of_psum_beside_itself_is_copied_once(run, opcodes):
    def function(_):
        a = filled(6, buffer=nl.psum)
        return nl.add(a, a)

    np.testing.assert_array_equal(run(function, ONE), np.full((8, 4), 12))
    assert opcodes(function, ONE) == {"memset": 1, "tensor_copy": 1, "tensor_tensor": 1}


@pytest.mark.parametrize(("x", "y", "want"), [(3.0, 2, 9), (2, 3.0, 8)])
def test_power_of_a_number_and_a_tile_of_psum(run, x, y, want):
    def function():
        a, b = (filled(v, buffer=nl.psum) if isinstance(v, float) else v for v in (x, y))
        return nl.power(a, b)

    np.testing.assert_array_equal(run(function), np.full((8, 4), want))


@pytest.mark.parametrize("buffer", [nl.sbuf, nl.psum])
@pytest.mark.parametrize("as_tile", [False, True])
def test_large_integers_are_exact_in_both_memories(run, buffer, as_tile):
    def function():
        other = filled(1, I32, buffer) if as_tile else 1
        return nl.add(filled(LARGE, I32, buffer), other)

    np.testing.assert_array_equal(run(function), np.full((8, 4), LARGE + 1))


COMPARED = {
    "equal": 0, "not_equal": 1, "less": 1, "less_equal": 1, "greater": 0, "greater_equal": 0,
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("dtype", [None, nl.uint8, nl.bfloat16, F32])
@pytest.mark.parametrize("form", ["tiles", "number", "number first", "vector"])
@pytest.mark.parametrize("buffer", [nl.sbuf, nl.psum])
def test_large_integers_are_compared_exactly(run, name, dtype, form, buffer):
    """2^24 and 2^24 + 1 are one number in float32."""

    def function():
        low = filled(LARGE, I32, buffer)
        other = {
            "tiles": lambda: filled(LARGE + 1, I32),
            "vector": lambda: filled(LARGE + 1, I32, shape=(8, 1)),
        }.get(form, lambda: LARGE + 1)()
        if form == "number first":
            return getattr(nl, name)(LARGE, filled(LARGE + 1, I32, buffer), dtype=dtype)
        return getattr(nl, name)(low, other, dtype=dtype)

    got = run(function)
    assert got.dtype == (np.dtype(np.int32) if dtype is None else dtype.np)
    np.testing.assert_array_equal(got.astype(np.float32), np.full((8, 4), COMPARED[name]))


def test_a_comparison_of_bytes_stays_one_instruction(opcodes):
    def function(_):
        return nl.equal(filled(1, nl.uint8), filled(1, nl.uint8), dtype=nl.uint8)

    assert opcodes(function, ONE) == {"memset": 2, "tensor_tensor": 1}


@pytest.mark.parametrize(
    ("number", "code"), [(2**32 - 1, None), (-(2**31), None), (2**32, "NKI2606"),
                         (-(2**31) - 1, "NKI2606"), (2**40, "NKI2606"), (1.5, "NKI2119")],
)  # fmt: skip
@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_numbers_of_bit_operators_have_32_bits(run, refused, name, number, code):
    def function():
        return getattr(nl, name)(filled(12, I32), number)

    def kernel(x):
        function()
        return x

    if code is None:
        want = getattr(np, name)(np.int32(12), np.uint32(number & 0xFFFFFFFF).view(np.int32))
        np.testing.assert_array_equal(run(function), np.full((8, 4), want))
    else:
        assert refused(kernel, np.ones((1, 1), np.float32)).code.id == code


REFUSED = {
    "a fraction chosen for integers":
        (lambda: nl.where(filled(1.0), 2.5, filled(0, I32)), "NKI2606"),
    "a fraction beside integers": (lambda: nl.where(filled(1.0), filled(0, I32), 2.5), "NKI2606"),
    "a negative number for bytes":
        (lambda: nl.where(filled(1.0), -1, filled(0, nl.uint8)), "NKI2606"),
    "integers in between": (
        lambda: nl.rms_norm(filled(1.0), filled(1.0), 1, 4, compute_dtype=I32), "NKI2106"
    ),
    "an identity of nothing": (lambda: nl.shared_identity_matrix(0), "NKI1007"),
    "a negative identity": (lambda: nl.shared_identity_matrix(-3), "NKI1007"),
    "a rate above 1": (lambda: nl.dropout(filled(1.0), 2), "NKI2124"),
    "a rate of words": (lambda: nl.dropout(filled(1.0), "half"), "NKI1007"),
    "a rate of every element": (lambda: nl.dropout(filled(1.0), filled(0.5)), "NKI2107"),
    "a seed of two": (lambda: nl.random_seed(filled(1, I32, shape=(2, 1))), "NKI2107"),
    "steps of 0": (lambda: nl.affine_range(0, 4, 0), "NKI1007"),
    "fractions as indices":
        (lambda: nl.gather_flattened(filled(1.0), filled(1.0)), "NKI2106"),
    "513 columns": (
        lambda: nl.matmul(filled(1.0), filled(1.0, shape=(8, 513)), transpose_x=True), "NKI2104"
    ),
    "129 rows": (
        lambda: nl.matmul(filled(1.0, shape=(8, 129)), filled(1.0), transpose_x=True), "NKI2104"
    ),
    "a limit that there is none of": (lambda: nl.tile_size.psum_bank_max, "NKI1029"),
    "nothing to add": (lambda: nl.add(filled(1.0), None), "NKI1007"),
    "partitions alone": (lambda: nl.exp(filled(1.0).ap([[4, 8]])), "NKI2109"),
    "partitions beyond the last":
        (lambda: nl.ndarray((100, 4), F32, address=(32, 64)), "NKI3009"),
    "a word to choose": (lambda: nl.where(filled(1.0), "x", filled(1.0)), "NKI1007"),
    "64 bits": (lambda: nl.zeros((4, 4), "int64"), "NKI3004"),
    "Python's int": (lambda: nl.add(filled(1.0), 1, dtype=int), "NKI3004"),
    "a view of 64 bits": (lambda: filled(1.0).view(np.uint64), "NKI3004"),
    "half a scale": (lambda: nl.full((4, 4), 0.5, nl.float8_e8m0fnu), "NKI2606"),
    "a negative scale": (lambda: nl.full((4, 4), -1, nl.float8_e8m0fnu), "NKI2606"),
    "a scale beyond a byte": (lambda: nl.full((4, 4), 256, nl.float8_e8m0fnu), "NKI2606"),
    "an infinite scale": (lambda: nl.full((4, 4), np.inf, nl.float8_e8m0fnu), "NKI2606"),
}  # fmt: skip

NAMED = {
    "a rate above 1": "`rate` of nl.dropout is 2", "a seed of two": "`seed` has shape (2, 1)",
    "a rate of every element": "`rate` has shape (8, 4)",
    "steps of 0": "`step` of `nl.affine_range`",
    "513 columns": "`y` has N = 513", "129 rows": "`x` has M = 129",
    "a limit that there is none of": "nl.tile_size has no `psum_bank_max`",
    "partitions alone": "operand `x` has 1 dimension(s)",
    "partitions beyond the last": "address (32, 64)",
    "nothing to add": "`y` of `nl.add` must be a tensor or a number, and is None",
    "a word to choose": "`x` of `nl.where` must be a tensor or a number",
}  # fmt: skip
"""What the message calls the argument: as the kernel's author does."""


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_refused_for_what_the_author_wrote(refused, what, target):
    make, code = REFUSED[what]

    def kernel(x):
        make()
        return x

    found = refused(kernel, ONE, target=target)
    assert found.code.id == code
    assert NAMED.get(what, "") in found.message


ACCEPTED = {
    "an integer for integers": (lambda: nl.where(filled(1.0), 3, filled(0, I32)), 3),
    "a float that is whole": (lambda: nl.where(filled(0.0), filled(1, I32), 3.0), 3),
    "the highest rate": (lambda: nl.dropout(filled(1.0), 1), 0),
    "the lowest rate": (lambda: nl.dropout(filled(2.0), 0.0), 2),
    "512 columns and 128 rows": (
        lambda: nl.matmul(
            filled(1.0, shape=(8, 128)), filled(1.0, shape=(8, 512)), transpose_x=True
        ), 8
    ),
    "bfloat16 in between": (
        lambda: nl.rms_norm(filled(2.0), filled(1.0), 1, 4, 0.0, compute_dtype=nl.bfloat16), 1
    ),
    "the scale 1": (
        lambda: nl.copy(nl.full((4, 4), 127, nl.float8_e8m0fnu).view(nl.uint8)), 127
    ),
    "a scale that is none": (
        lambda: nl.copy(nl.full((4, 4), 255, nl.float8_e8m0fnu).view(nl.uint8)), 255
    ),
    "an identity of one": (lambda: nl.shared_identity_matrix(1, F32), 1),
}  # fmt: skip


@pytest.mark.parametrize("what", ACCEPTED)
@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_accepted_at_the_edge(run, what, target):
    make, want = ACCEPTED[what]
    assert (run(make, target=target) == want).all()


def test_a_negative_index_of_few_bits_is_no_place(run):
    def function():
        return nl.gather_flattened(filled(1.0), filled(-1, nl.int8))

    with pytest.raises(Exception, match="NKI6021"):
        run(function)


def test_tile_size_has_attributes_like_any_object():
    assert not hasattr(nl.tile_size, "psum_bank_max")
    assert getattr(nl.tile_size, "psum_bank_max", 3) == 3
    with pytest.raises(AttributeError, match="did you mean psum_bank_fmax"):
        _ = nl.tile_size.psum_bank_fmx


def test_no_bank_of_psum_is_taken_away(monkeypatch):
    monkeypatch.setenv("NKI_DMA_TRANSPOSE_AS_PE_TRANSPOSE", "true")
    assert nl.tile_size.psum_num_banks == 8
