"""Operators of random numbers and their BIR."""

from __future__ import annotations

import pytest

import nki.isa as nisa
import nki.language as nl
from opennki import klr

from .statements import called, lowered, operators, refused, tensor, tile

A, B = tensor("a", (128, 8)), tensor("b", (128, 8))
ENGINE = klr.Engine
QUARTER = klr.Imm(klr.FloatImm(0.25))


def test_the_vector_engine_has_a_memset_and_gpsimd_an_opcode():
    want = "Memset DVE outs(%a) ins() {constant=0, mode=Random}"
    assert lowered("rng", klr.Rng(A, ENGINE.dve)) == want
    assert lowered("rng", klr.Rng(A, ENGINE.pool)) == "Rng POOL outs(%a) ins()"


def test_ends_of_a_range_are_numbers_or_tiles():
    args = klr.Rand2(A, klr.Imm(klr.FloatImm(-1.0)), klr.Tile(tensor("m", (128, 1))))
    assert lowered("rand2", args) == "Rand2 DVE outs(%a) ins(-1.0:float32, %m)"
    args.max = klr.Imm(klr.IntImm(2))
    assert lowered("rand2", args) == "Rand2 DVE outs(%a) ins(-1.0:float32, 2:int32)"


@pytest.mark.parametrize("number", [klr.RegisterImm(1), klr.PointerImm()])
def test_other_numbers_are_refused(number):
    kind = "register" if isinstance(number, klr.RegisterImm) else "pointer"
    low = klr.Imm(klr.FloatImm(0.0))
    want = f"immediate: {kind}"
    assert refused("rand2", klr.Rand2(A, low, klr.Imm(number))) == want
    rate = klr.DropoutThresholdType.DropRate
    assert refused("dropout", klr.Dropout(A, B, rate, klr.Imm(number), None)) == want


def test_a_threshold_drops_or_keeps():
    drop, keep = klr.DropoutThresholdType.DropRate, klr.DropoutThresholdType.KeepRate
    want = "Dropout DVE outs(%a) ins(%b, 0.25:float32)"
    assert lowered("dropout", klr.Dropout(A, B, drop, QUARTER, None)) == want
    kept = lowered("dropout", klr.Dropout(A, B, keep, QUARTER, None))
    assert kept == f"{want} {{is_keep_threshold=true}}"


def test_states_and_seeds():
    words = tensor("w", (128, 6), "uint32")
    seed = klr.SetRngSeed(tensor("seed", (1, 1), "uint32"))
    assert lowered("setRngSeed", seed) == "SetRandState DVE outs() ins(%seed)"
    put, got = klr.RandSetState(words, ENGINE.pool), klr.RandGetState(words, ENGINE.dve)
    assert lowered("randSetState", put) == "RandSetState POOL outs() ins(%w)"
    assert lowered("randGetState", got) == "RandGetState DVE outs(%w) ins()"


def test_calls_are_published():
    def call(x, seed):
        bits, state, dst = tile(x.shape, nl.uint32), tile((128, 6), nl.uint32), tile(x.shape)
        nisa.set_rng_seed(seed)
        nisa.rng(bits)
        nisa.rand_get_state(state)
        nisa.rand_set_state(state)
        nisa.dropout(dst, x, 0.25)
        return dst

    made = called(call, "float32[128, 8]", "uint32[1, 1]")
    assert operators(made) == ["setRngSeed", "rng", "randGetState", "randSetState", "dropout"]
    assert not klr.uses_extensions(made)
    (dropout,) = [n for n in klr.walk(made) if isinstance(n, klr.Dropout)]
    assert dropout.thresholdType is klr.DropoutThresholdType.DropRate


def test_rand2_is_published():
    def call(x):
        nisa.rand2(x, -1.0, 1.0)
        return x

    made = called(call, "float32[128, 8]", on="trn3")
    assert operators(made) == ["rand2"]
    assert not klr.uses_extensions(made)
