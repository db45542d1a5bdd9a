"""Accumulation flags of matmuls."""

from __future__ import annotations

import pytest

from opennki.backend.accumulate import set_accumulation
from opennki.birpy.opcodes import attribute
from opennki.target import target

SUNDA = target("sunda")
MEMLOCS = """%p: float32[128, 512] PSUM Internal address=2048
%q: float32[128, 512] PSUM Internal address=4096
%x: bfloat16[128, 512] SB Internal address=0
%w: bfloat16[128, 128] SB Internal address=1024
%o: float32[128, 512] SB Internal address=4096"""

START = "{opennki_accumulate=false}"
ADD = "{opennki_accumulate=true}"


def flags(make, *lines):
    """Flags of the matmuls; a line is ``region attributes``, or ``read region``, ``set region``."""
    body = []
    for number, line in enumerate(lines):
        word, _, rest = line.partition(" ")
        if word == "read":
            body.append(f"R-{number} = TensorCopy DVE outs(%o) ins({rest})")
        elif word == "set":
            body.append(f"R-{number} = Memset DVE outs({rest}) ins()")
        else:
            body.append(f"M-{number} = Matmult PE outs({word}) ins(%x, %w) {rest}")
    fn = make.function(MEMLOCS, "\n".join(body))
    set_accumulation(fn, SUNDA)
    return [attribute(i, "accumulation_flag") for i in fn.instructions() if i.opcode == "Matmult"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([f"%p {START}", "read %p"], [3]),
        ([f"%p {START}", f"%p {ADD}", f"%p {ADD}", "read %p"], [1, 0, 2]),
        ([f"%p {START}", f"%p {ADD}"], [1, 2]),
        ([f"%p {START}", "read %p", f"%p {ADD}", "read %p"], [3, 2]),
        ([f"%p {START}", f"%p {START}", f"%p {ADD}"], [3, 1, 2]),
        ([f"%p {START}", f"%q {START}", f"%p {ADD}", f"%q {ADD}"], [1, 1, 2, 2]),
        ([f"%p {START}", "set %p", f"%p {ADD}"], [3, 2]),
        (["%p ", "%p "], [4, 4]),
        ([f"%p {START}", "read %q", f"%p {ADD}"], [1, 2]),
    ],
)
def test_flags_of_groups(make, lines, expected):
    assert flags(make, *lines) == expected


def test_halves_of_a_tile_are_groups_of_their_own(make):
    left, right = "%p[0;512*128,1*256]", "%p[256;512*128,1*256]"
    assert flags(
        make, f"{left} {START}", f"{right} {START}", f"{left} {ADD}", f"read {left}",
        f"{right} {ADD}",
    ) == [1, 1, 2, 2]  # fmt: skip


def test_shared_attributes_are_not_changed_and_the_bank_is_set(make):
    fn = make.function(
        MEMLOCS,
        f"M-1 = Matmult PE outs(%p) ins(%x, %w) {START}\n"
        f"M-2 = Matmult PE outs(%p) ins(%x, %w) {START}\n"
        f"M-3 = Matmult PE outs(%q) ins(%x, %w) {START}",
    )
    first, second, third = fn.instructions()
    second.attrs = third.attrs = shared = first.attrs
    set_accumulation(fn, SUNDA)
    assert shared == {"opennki_accumulate": False}
    assert first.attrs is second.attrs
    assert [attribute(i, "psum_zero_region") for i in (first, second, third)] == [1, 1, 2]
