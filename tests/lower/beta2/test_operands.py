"""Operands whose place must be known before the kernel runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from opennki import klr
from opennki.base.diag import NkiError
from opennki.base.dtypes import float8_e4m3, int32
from opennki.testing.statements import lowered, number, whole

TILE, DST = whole("x", 128, 9), whole("t", 128, 9)
ONE = whole("b", 128, 1)
PATTERN = klr.DataPattern(0, [klr.APPair(1, 9, 0)], 0)
IDLE, MAX = klr.AccumCmd.Idle, klr.AluOp.max
STATEMENTS = [
    ("memSet", klr.MemSet(DST, klr.FloatImm(0.0), klr.Dtype.float32, klr.Engine.dve), "dst"),
    ("iota", klr.Iota(DST, PATTERN, None), "dst"),
    ("tensorPartitionReduce", klr.TensorPartitionReduce(DST, MAX, TILE, None), "dst data"),
    ("batchNormStats", klr.BatchNormStats(DST, TILE, None), "dst src"),
    ("batchNormAggregate", klr.BatchNormAggregate(DST, TILE, None), "dst src"),
    (
        "ncAffineSelect",
        klr.NcAffineSelect(DST, PATTERN, TILE, klr.FloatImm(0.0), None, klr.AluOp.is_ge),
        "dst onTrueTile",
    ),
    (
        "selectReduce",
        klr.SelectReduce(DST, TILE, TILE, number(0.0), ONE, IDLE, MAX, False, None),
        "dst predicate onTrue reduceRes",
    ),
    (
        "ncRangeSelect",
        klr.NcRangeSelect(
            DST, IDLE, ONE, MAX, MAX, MAX, ONE, ONE, klr.FloatImm(0.0), TILE, klr.FloatImm(0.0),
            None,
        ),
        "dst reduceRes bound0 bound1 onTrueTile",
    ),
    ("max8", klr.Max8(DST, TILE, None), "dst src"),
    ("findIndex8", klr.FindIndex8(DST, TILE, TILE, None), "dst src vals"),
    (
        "matchReplace8",
        klr.MatchReplace8(DST, TILE, TILE, klr.FloatImm(0.0), DST, None),
        "dst src vals dstIdx",
    ),
    (
        "ncActivate",
        klr.NcActivate(
            DST, TILE, IDLE, klr.ActivationFunc.exp, number(1.0), ONE, None, ONE, None
        ),
        "bias reduceRes",
    ),
    (
        "activate2",
        klr.Activate2(
            DST, TILE, MAX, MAX, number(0.0), number(0.0), klr.ActivationFunc.exp, number(0.0),
            MAX, ONE, IDLE, False, False, None,
        ),
        "reduceRes",
    ),
    ("exponential", klr.Exponential(DST, TILE, number(0.0), ONE, IDLE, number(0.0)), "reduceRes"),
    (
        "tensorScalarReduce",
        klr.TensorScalarReduce(
            DST, TILE, number(0.0), MAX, False, None, MAX, ONE, klr.AccumCmd.ZeroAccumulate, None
        ),
        "reduceRes",
    ),
    ("copyPredicated", klr.CopyPredicated(DST, TILE, TILE, None, False), "src"),
]  # fmt: skip


def moved():
    """An access whose row is in another tile."""
    made = whole("x", 128, 9)
    index = whole("index", 1, 1, dtype=int32)
    pattern = replace(made.access.access, scalarOffset=klr.AccOffset(index.access))
    return klr.Abstract(klr.BirPattern(pattern))


def scattered():
    """An access with an index for every element."""
    made = whole("x", 128, 9)
    index = whole("index", 128, 1, dtype=int32)
    pattern = replace(made.access.access, vectorOffset=index.access, snake=True)
    return klr.Abstract(klr.BirPattern(pattern))


@pytest.mark.parametrize(
    ("kind", "args", "name"),
    [(kind, args, name) for kind, args, names in STATEMENTS for name in names.split()],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_operand_is_at_one_place(kind, args, name):
    lowered(kind, args)
    assert "; %index*9 < 128]" in lowered(kind, replace(args, **{name: moved()}))
    with pytest.raises(NkiError, match=r"NKI4501.*unsupported dynamic access.*I-0.*x"):
        lowered(kind, replace(args, **{name: scattered()}))


TYPED = [(kind, args) for kind, args, _ in STATEMENTS if hasattr(args, "dtype")]


@pytest.mark.parametrize(("kind", "args"), TYPED, ids=lambda v: v if isinstance(v, str) else "")
def test_the_dtype_of_an_operator_is_that_of_its_result(kind, args):
    same = replace(args, dtype=klr.Dtype.float32)
    assert lowered(kind, same) == lowered(kind, args)
    with pytest.raises(NkiError) as caught:
        lowered(kind, replace(args, dtype=klr.Dtype.bfloat16))
    (found,) = caught.value.diagnostics
    assert (found.code.id, found.message) == (
        "NKI4501",
        f"unsupported dtype of {kind} to float32 encountered in `I-0`: bfloat16",
    )


def test_the_dtype_of_an_access_counts_and_not_that_of_its_tensor():
    as_bytes = whole("t", 128, 9)
    pattern = replace(as_bytes.access.access, dtypeOverride=klr.Dtype.int32)
    dst = klr.Abstract(klr.BirPattern(pattern))
    args = klr.NcCopy(dst, whole("x", 128, 9, dtype=int32), klr.Dtype.int32, klr.Engine.dve)
    assert " DVE outs(%t[0; 9*128, 1*9]:int32) ins(%x)" in lowered("ncCopy", args)
    with pytest.raises(NkiError, match=r"NKI4501.*dtype of ncCopy to int32 .*: float32"):
        lowered("ncCopy", replace(args, dtype=klr.Dtype.float32))


def test_two_names_of_one_dtype_are_equal():
    dst = whole("t", 128, 9, dtype=float8_e4m3)
    for said in (klr.Dtype.float8_e4m3, klr.Dtype.float8e4):
        assert "Max DVE outs(%t)" in lowered("max8", klr.Max8(dst, TILE, said))


def test_other_operands_may_have_one():
    args = klr.Exponential(DST, moved(), number(0.0), None, IDLE, number(0.0))
    assert "%x[0; 9*128, 1*9; %index*9 < 128]" in lowered("exponential", args)
