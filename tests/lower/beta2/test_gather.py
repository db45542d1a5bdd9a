"""Gathers and their BIR."""

from __future__ import annotations

import pytest

import nki.isa as nisa
from opennki import klr

from .statements import called, lowered, operators, refused, tensor, tile

SRC, INDEX = tensor("s", (16, 8)), tensor("i", (16, 4), "uint16")


def local(size: int, each: klr.Immediate, valid: klr.Immediate | None = None) -> klr.NcLocalGather:
    return klr.NcLocalGather(tensor("d", (16, size)), SRC, INDEX, each, valid)


def test_without_a_number_all_indices_are_valid():
    want = "IndirectCopy POOL outs(%d) ins(%s, %i) {num_valid_indices=64}"
    assert lowered("ncLocalGather", local(64, klr.IntImm(1))) == want


def test_indices_stand_for_neighbours():
    want = "IndirectCopy POOL outs(%d) ins(%s, %i) {num_valid_indices=20}"
    assert lowered("ncLocalGather", local(40, klr.IntImm(2), klr.IntImm(20))) == want


@pytest.mark.parametrize(("size", "each", "valid", "got"), [
    (41, 2, 20, "2 for 20 indices into 41"), (0, 0, 20, "0 for 20 indices into 0"),
    (63, 1, None, "1 for 64 indices into 63"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(size, each, valid, got):
    args = local(size, klr.IntImm(each), None if valid is None else klr.IntImm(valid))
    assert refused("ncLocalGather", args) == f"numElemPerIdx: {got}"


def test_other_numbers_are_refused():
    args = local(64, klr.FloatImm(1.0))
    assert refused("ncLocalGather", args) == "numElemPerIdx: float"
    args = local(64, klr.IntImm(1), klr.RegisterImm(0))
    assert refused("ncLocalGather", args) == "numValidIndicies: register"


def test_a_gather_in_each_partition():
    args = klr.NcNGather(tensor("d", (16, 4)), SRC, tensor("i", (16, 4), "uint32"), None)
    assert lowered("ncNGather", args) == "Gather POOL outs(%d) ins(%s, %i)"


def test_calls_are_published():
    def call(x, near, far):
        dst, other = tile((16, 64)), tile((16, 4))
        nisa.local_gather(dst, x, near)
        nisa.nc_n_gather(other, x, far)
        return dst

    made = called(call, "float32[16, 8]", "uint16[16, 4]", "uint32[16, 4]")
    assert operators(made) == ["ncLocalGather", "ncNGather"]
    assert not klr.uses_extensions(made)
