"""Accesses become BIR patterns that mean the same elements, or are refused."""

from __future__ import annotations

import numpy as np
import pytest

from opennki.base.diag import NkiError
from opennki.base.loc import SrcLoc
from opennki.klr import (
    Abstract,
    Access,
    AccessBasic,
    AccessPattern,
    Address,
    APPair,
    Basic,
    BirAccessPattern,
    BirPattern,
    Block,
    Coord,
    Dtype,
    Engine,
    Index,
    Kernel,
    LncKernel,
    Memory,
    NcCopy,
    Operator,
    Pattern,
    Pos,
    RegisterRef,
    Shape,
    Simple,
    Slice,
    SliceIndex,
    Stmt,
    TensorName,
    as_bir,
    lower_accesses,
    verify,
)


def tensor(*dims: int, dtype: Dtype = Dtype.int8, memory: Memory = Memory.sbuf) -> TensorName:
    shape = Shape(dims[0], list(dims[1:]))
    free = shape.free_elements
    return TensorName("t", dtype, shape, Address("p", memory, dims[0], free * dtype.size), free)


def index_of(part: int | slice, size: int) -> Index:
    if isinstance(part, int):
        return Coord(part)
    start, stop, step = part.indices(size)
    return SliceIndex(Slice(start, stop, step))


def elements(access: BirPattern) -> np.ndarray:
    """Which elements the pattern reaches, by walking its pairs."""
    found = np.array(access.access.offset)
    for pair in access.access.pattern:
        found = found[..., None] + pair.step * np.arange(pair.num)
    return found.ravel()


def test_a_whole_tensor_has_its_strides_and_shape():
    access = as_bir(Simple(tensor(4, 3, 2))).access
    assert access.pattern == [APPair(6, 4, 0), APPair(2, 3, 0), APPair(1, 2, 0)]
    assert access.offset == 0


@pytest.mark.parametrize(
    ("index", "pattern", "offset"),
    [
        ((0, 0, 0), [(6, 1, 0), (2, 1, 0), (1, 1, 0)], 0),
        ((1, slice(0, 3), slice(0, 2)), [(6, 1, 1), (2, 3, 0), (1, 2, 0)], 6),
        ((slice(1, 3), slice(1, 3), 1), [(6, 2, 1), (2, 2, 1), (1, 1, 1)], 9),
        ((slice(3, 4), slice(0, 3, 5), 0), [(6, 1, 3), (2, 1, 0), (1, 1, 0)], 18),
        ((slice(3, 2, -1), 0, 0), [(6, 1, 3), (2, 1, 0), (1, 1, 0)], 18),
    ],
)
def test_an_index_of_each_dimension_becomes_a_pair(
    index: tuple[int | slice, ...], pattern: list[tuple[int, int, int]], offset: int
):
    of = tensor(4, 3, 2)
    indexes = [index_of(part, size) for part, size in zip(index, of.shape.dims, strict=True)]
    found = as_bir(Basic(AccessBasic(of, indexes)))
    assert found.access.pattern == [APPair(*pair) for pair in pattern]
    assert found.access.offset == offset
    assert np.array_equal(elements(found), np.arange(24).reshape(4, 3, 2)[index].ravel())


def test_a_pattern_begins_where_its_pairs_say():
    pairs = [APPair(6, 2, 1), APPair(2, 1, 2), APPair(1, 1, 1)]
    for free in (0, 4, 11):
        access = AccessPattern(tensor(4, 3, 2), 2, pairs, freeOffset=free, fixedAxis=[2])
        assert as_bir(Pattern(access)) == BirPattern(BirAccessPattern(access.tensor, 11, pairs))


def refused(access: Access) -> str:
    with pytest.raises(NkiError) as caught:
        as_bir(access)
    (found,) = caught.value.diagnostics
    return f"{found.code.id}: {found.message}"


def basic(lower: int, upper: int, step: int) -> Basic:
    return Basic(AccessBasic(tensor(4, 8), [Coord(0), SliceIndex(Slice(lower, upper, step))]))


def pattern(*pairs: APPair, memory: Memory = Memory.sbuf, **more: int) -> Pattern:
    return Pattern(AccessPattern(tensor(64, 8, memory=memory), 1, list(pairs), **more))


@pytest.mark.parametrize(
    ("access", "why"),
    [
        (basic(0, 8, 2), "the step of the slice 0:8:2 would be lost"),
        (basic(7, 0, -1), "the step of the slice 7:0:-1 would be lost"),
        (basic(4, 4, 1), "the slice 4:4:1 is empty"),
        (basic(0, 8, 0), "the slice 0:8:0 is empty"),
        (Basic(AccessBasic(tensor(4, 8), [Coord(0)])), "it has 1 indices"),
        (Simple(tensor(*[1] * 33)), "it has 33 dimensions"),
        (pattern(APPair(-1, 2, 1)), "it begins at element -1"),
        (pattern(APPair(8, 1, 1), freeOffset=3),
         "its freeOffset is 3, and its pairs begin at element 8"),
        (pattern(APPair(8, 1, 1), parOffset=32), "its parOffset is 32, and no pair says so"),
    ],
)  # fmt: skip
def test_what_would_change_its_meaning_is_refused(access: Access, why: str):
    assert refused(access) == f"NKI4209: the access to `t` cannot become a BIR pattern: {why}"


def test_patterns_on_chip_start_at_a_quadrant():
    text = "the access to `t` starts at partition 16; on chip it may start at 0, 32, 64 or 96"
    pair = APPair(8, 1, 16)
    assert refused(pattern(pair, parOffset=16)) == f"NKI4205: {text}"
    assert as_bir(pattern(pair, parOffset=16, memory=Memory.hbm)).access.offset == 128
    assert as_bir(pattern(APPair(8, 1, 32), parOffset=32)).access.offset == 256


def kernel_of(dst: Access, src: Access) -> Kernel:
    args = NcCopy(Abstract(dst), Abstract(src), None, Engine.dve)
    stmt = Stmt(Operator("ncCopy", args), "s", Pos(3), SrcLoc("k.py", 3))
    return Kernel("k", [], [], [Block("b", False, [stmt])])


def test_all_accesses_of_a_kernel_are_lowered():
    of = tensor(4, 8)
    kernel = kernel_of(Simple(of), as_bir(Simple(of)))
    lowered = lower_accesses(kernel)
    (stmt,) = lowered.body[0].body
    args = stmt.op.args
    assert isinstance(args, NcCopy)
    assert args.dst == args.src == Abstract(as_bir(Simple(of)))
    assert args.src is kernel.body[0].body[0].op.args.src  # type: ignore[attr-defined]
    assert stmt.loc.file == "k.py"
    assert isinstance(kernel.body[0].body[0].op.args.dst.access, Simple)  # type: ignore[attr-defined]
    assert verify(lowered) == []


def test_a_lowered_kernel_is_the_same_object(kernel: LncKernel):
    assert lower_accesses(kernel) is kernel
    assert lower_accesses(kernel, unsafe_fp8fncast=True) is kernel


def test_a_refusal_has_the_location_of_its_statement():
    with pytest.raises(NkiError) as caught:
        lower_accesses(kernel_of(Simple(tensor(4, 8)), basic(0, 8, 2)))
    assert caught.value.diagnostics[0].file == "k.py"


def test_other_references_pass():
    args = NcCopy(RegisterRef(0), RegisterRef(1), None, Engine.dve)
    kernel = Kernel(
        "k", [], [], [Block("b", False, [Stmt(Operator("ncCopy", args), None, Pos(1))])]
    )
    assert lower_accesses(kernel) is kernel


def test_the_unsafe_cast_rewrites_every_tensor():
    of = tensor(4, 8, dtype=Dtype.float8_e4m3fn)
    kept = as_bir(Simple(tensor(4, 8)))
    kept.access.tensor.name = "bytes"
    kept.access.dtypeOverride = Dtype.float8_e4m3fn
    kernel = kernel_of(Simple(of), kept)
    kernel.inputs = [of]
    lowered = lower_accesses(kernel, unsafe_fp8fncast=True)
    args = lowered.body[0].body[0].op.args
    assert isinstance(args, NcCopy)
    assert args.dst.access.access.tensor is lowered.inputs[0]  # type: ignore[attr-defined]
    assert lowered.inputs[0].dtype is Dtype.float8_e4m3
    assert args.src.access.access.dtypeOverride is Dtype.float8_e4m3  # type: ignore[attr-defined]
    assert args.src.access.access.tensor.dtype is Dtype.int8  # type: ignore[attr-defined]
    assert kernel.inputs[0].dtype is Dtype.float8_e4m3fn
    assert lower_accesses(kernel).inputs[0] is of
