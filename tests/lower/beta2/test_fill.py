"""Constants and generated indices by the second road."""

from __future__ import annotations

import pytest

from opennki import klr
from opennki.base.diag import NkiError
from opennki.base.dtypes import bfloat16, float8_e4m3fn_x4, float32, int8, int32, int64, uint32
from opennki.isa.enums import Engine
from opennki.isa.fill import IndexValueInst, MemsetOp
from opennki.testing.statements import emitted, lowered, tile, whole


def memset(value, dtype=float32, said=klr.Dtype.float32, engine=klr.Engine.dve):
    return lowered("memSet", klr.MemSet(whole("t", 128, 4, dtype=dtype), value, said, engine))


@pytest.mark.parametrize(
    ("dtype", "said", "value", "bits"),
    [
        (float32, klr.Dtype.float32, klr.FloatImm(1.0), 0x3F800000),
        (float32, klr.Dtype.float32, klr.FloatImm(-0.0), 0x80000000),
        (float32, klr.Dtype.float32, klr.IntImm(2**24 + 1), 0x4B800000),
        (bfloat16, klr.Dtype.bfloat16, klr.FloatImm(1.0), 0x3F80),
        (int8, klr.Dtype.int8, klr.IntImm(-1), 0xFF),
        (int32, klr.Dtype.int32, klr.FloatImm(-2.0), 0xFFFFFFFE),
        (uint32, klr.Dtype.uint32, klr.NatImm(2**32 - 1), 0xFFFFFFFF),
        (float8_e4m3fn_x4, klr.Dtype.float8_e4m3fn_x4, klr.FloatImm(0.0), 0),
    ],
)
def test_a_memset_has_the_bits_of_its_dtype(dtype, said, value, bits):
    want = f"I-0 = Memset DVE outs(%t) ins() {{constant={bits}, mode=Const}}"
    assert memset(value, dtype, said) == want


def test_a_memset_runs_on_the_engine_that_it_names():
    assert " POOL " in memset(klr.FloatImm(0.0), engine=klr.Engine.pool)


@pytest.mark.parametrize(
    ("dtype", "said", "value", "text"),
    [
        (float32, klr.Dtype.bfloat16, klr.FloatImm(1.0), "dtype of memSet to float32.*bfloat16"),
        (int64, klr.Dtype.int64, klr.IntImm(1), "dtype of memSet encountered.*int64"),
        (int8, klr.Dtype.int8, klr.IntImm(128), "value of memSet to int8.*128"),
        (int8, klr.Dtype.int8, klr.FloatImm(0.5), "value of memSet to int8.*0.5"),
        (float32, klr.Dtype.float32, klr.PointerImm(), "immediate.*pointer"),
        (
            float8_e4m3fn_x4, klr.Dtype.float8_e4m3fn_x4, klr.IntImm(1),
            "value of memSet to float8_e4m3fn_x4.*1",
        ),
    ],
)  # fmt: skip
def test_a_memset_that_its_tile_cannot_hold(dtype, said, value, text):
    with pytest.raises(NkiError, match=f"NKI4501.*unsupported {text}"):
        memset(value, dtype, said)


def test_an_iota():
    pattern = klr.DataPattern(5, [klr.APPair(10, 2), klr.APPair(-1, 3, 0)], 100)
    args = klr.Iota(whole("t", 128, 6, dtype=int32), pattern, klr.Dtype.int32)
    assert lowered("iota", args) == (
        "I-0 = Iota POOL outs(%t) ins() "
        "{base=5, channel_multiplier=100, pattern=[[10, 2], [-1, 3]]}"
    )


def test_a_plain_call_is_a_plain_statement():
    zero = emitted(MemsetOp(dst=tile("t", 128, 4), value=0, engine=Engine.DVE))
    assert not klr.uses_extensions(zero)
    assert zero.args.value == klr.FloatImm(0.0)
    indices = IndexValueInst(dst=tile("t", 128, 4, dtype=int32), pattern=((1, 4),))
    assert not klr.uses_extensions(emitted(indices))


def test_pairs_of_a_pattern_move_no_access():
    inst = IndexValueInst(dst=tile("t", 4, 6, dtype=int32), pattern=((10, 2), (-1, 3)), offset=5)
    pairs = [klr.APPair(10, 2, 0), klr.APPair(-1, 3, 0)]
    assert emitted(inst).args.pattern == klr.DataPattern(5, pairs, 0)


def test_an_integer_tile_gets_an_integer():
    assert emitted(MemsetOp(dst=tile("t", 4, 4, dtype=int32), value=3.0)).args.value == (
        klr.IntImm(3)
    )
    high = emitted(MemsetOp(dst=tile("t", 4, 4, dtype=uint32), value=2**32 - 1))
    assert high.args.value == klr.NatImm(2**32 - 1)
    assert klr.uses_extensions(high)
