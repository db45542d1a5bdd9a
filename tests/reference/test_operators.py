"""The published tables of operators and activation functions: who takes which, on which target."""

from __future__ import annotations

import math

import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl
from opennki.isa.act import ACT
from opennki.isa.enums import ActFunc

F32, I32 = nl.float32, nl.int32
TARGETS = ("trn1", "trn2", "trn3")


def words(text: str) -> list[str]:
    return text.split()


BITS = words("bitwise_and bitwise_or bitwise_xor left_shift right_shift")
REDUCTIONS = words(
    "add subtract multiply maximum minimum logical_and logical_or logical_xor bitwise_and "
    "bitwise_or bitwise_xor"
)
COMPARISONS = words("equal not_equal greater_equal greater less_equal less")
ARITHMETIC = [
    *words("add subtract multiply maximum minimum logical_and logical_or logical_xor"),
    *COMPARISONS,
]
MAGNITUDES = ["abs_max", "abs_min"]  # from gen4 on
UNARY = words("abs square relu rsqrt reciprocal")
OPERATORS = [*BITS, "invert", *ARITHMETIC, "power", *MAGNITUDES, *UNARY]

FULL = (-math.inf, math.inf)
FUNCTIONS = {
    **dict.fromkeys(
        words(
            "copy square sigmoid relu gelu gelu_dx gelu_apprx_tanh gelu_apprx_sigmoid "
            "gelu_apprx_sigmoid_dx silu silu_dx tanh softplus mish erf erf_dx exp sign abs"
        ),
        FULL,
    ),
    "log": (2.0**-64, 2.0**64),
    "sin": (-math.pi, math.pi),
    "arctan": (-math.pi / 2, math.pi / 2),
    "sqrt": (2.0**-116, 2.0**118),
    "rsqrt": (2.0**-87, 2.0**97),
    "reciprocal": (2.0**-42, 2.0**42),  # of abs(x)
}


def tile(dtype=F32, columns=4, buffer=nl.sbuf):
    return nl.ndarray((32, columns), dtype, buffer)


def operator(name):
    return getattr(nl, name)


def dtype_of(name):
    return I32 if name in [*BITS, "invert"] else F32


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_activation_takes_every_function_of_the_table(rules, name, target):
    def body():
        nisa.activation(dst=tile(), op=operator(name), data=tile())

    assert rules(body, target) == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_valid_in_the_published_ranges(name):
    (func,) = [f for f in ActFunc if f in ACT and ACT[f].nki == name]
    assert ACT[func].domain == pytest.approx(FUNCTIONS[name])
    assert ACT[func].symmetric == (name == "reciprocal")


def test_prelu_is_a_function_that_warns_without_a_slope(rules):
    assert rules(lambda: nisa.activation(tile(), nl.prelu, tile())) == ["NKI2504"]


@pytest.mark.parametrize("name", [n for n in OPERATORS if n not in FUNCTIONS])
def test_activation_takes_no_other_operator(rules, name):
    assert rules(lambda: nisa.activation(tile(), operator(name), tile())) == ["NKI2501"]


@pytest.mark.parametrize("name", ["cos", "tan", "softmax", "load"])
def test_activation_takes_no_composed_function(rules, name):
    assert rules(lambda: nisa.activation(tile(), operator(name), tile())) == ["NKI1007"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", OPERATORS)
def test_tensor_tensor_takes_binary_operators(rules, name, target):
    kind = dtype_of(name)
    found = rules(lambda: nisa.tensor_tensor(tile(kind), tile(kind), tile(kind), operator(name)),
                  target)  # fmt: skip
    if name in [*UNARY, "invert"]:
        assert found == ["NKI2117"]
    elif name in MAGNITUDES and target != "trn3":
        assert found == ["NKI2118"]
    else:
        assert found == []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", OPERATORS)
def test_tensor_scalar_takes_every_operator(rules, name, target):
    kind = dtype_of(name)
    operand = None if name in [*UNARY, "invert"] else 1
    found = rules(lambda: nisa.tensor_scalar(tile(kind), tile(kind), operator(name), operand),
                  target)  # fmt: skip
    assert found == (["NKI2118"] if name in MAGNITUDES and target != "trn3" else [])


@pytest.mark.parametrize("name", OPERATORS)
def test_tensor_reduce_takes_the_legal_reductions(rules, name):
    kind = dtype_of(name)
    found = rules(lambda: nisa.tensor_reduce(tile(kind, 1), operator(name), tile(kind), 1))
    assert found == ([] if name in REDUCTIONS else ["NKI2117"])


@pytest.mark.parametrize("name", OPERATORS)
def test_a_tile_a_scalar_and_a_tile_take_arithmetic_operators(rules, name):
    kind = dtype_of(name)

    def body():
        nisa.scalar_tensor_tensor(tile(kind), tile(kind), operator(name), 1.0, nl.add, tile(kind))

    binary = [*ARITHMETIC]
    late = name in MAGNITUDES
    assert rules(body, "trn3") == ([] if name in binary or late else _refusal(name))


def _refusal(name):
    return ["NKI2118"] if name == "power" else ["NKI2117"]  # power exists on GpSimd only


@pytest.mark.parametrize("name", OPERATORS)
def test_scans_take_binary_arithmetic_operators(rules, name):
    def body():
        nisa.tensor_tensor_scan(tile(), tile(), tile(), 0.0, nl.multiply, operator(name))

    assert rules(body, "trn3") == ([] if name in [*ARITHMETIC, *MAGNITUDES] else _refusal(name))


@pytest.mark.parametrize("name", OPERATORS)
def test_affine_select_compares(rules, name):
    def body():
        nisa.affine_select(tile(), [[1, 4]], 0, tile(), 0.0, operator(name))

    assert rules(body) == ([] if name in COMPARISONS else ["NKI2117"])


@pytest.mark.parametrize("name", OPERATORS)
def test_accumulators_of_the_vector_engine_fold_with_four_operators(rules, name):
    def body():
        nisa.tensor_scalar_reduce(tile(), tile(), nl.add, 1.0, operator(name), tile(F32, 1))

    legal = ["add", "multiply", "maximum", "minimum"]
    assert rules(body) == ([] if name in legal else ["NKI2117"])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", OPERATORS)
def test_accumulators_of_the_scalar_engine_add(rules, name, target):
    def body():
        nisa.activation_reduce(tile(), nl.exp, tile(), operator(name), tile(F32, 1))

    later = ["maximum", "minimum", *MAGNITUDES] if target == "trn3" else []
    assert rules(body, target) == ([] if name in ["add", *later] else ["NKI2117"])


@pytest.mark.parametrize("name", OPERATORS)
def test_select_reduce_keeps_the_maximum(rules, name):
    def body():
        nisa.select_reduce(tile(), tile(nl.uint8), tile(), 0.0, reduce_op=operator(name))

    assert rules(body) == ([] if name == "maximum" else ["NKI2117"])


@pytest.mark.parametrize("name", OPERATORS)
def test_running_values_go_on_with_five_operators(rules, name):
    def body(op0=nl.add, op1=nl.add, imm0=0):
        nisa.tensor_scalar_cumulative(tile(), tile(), op0, op1, imm0)

    legal = ["add", "subtract", "multiply", "maximum", "minimum"]
    assert rules(lambda: body(op1=operator(name))) == ([] if name in legal else ["NKI2117"])
    bits = ["NKI2117"] if name in [*BITS, "invert"] else []
    late = ["NKI2118"] if name in ("power", "rsqrt") else []  # not on the vector engine
    assert rules(lambda: body(op0=operator(name)), "trn3") == bits + late
    if name in UNARY:
        assert rules(lambda: body(op0=operator(name), imm0=1), "trn3") == [*late, "NKI2124"]


@pytest.mark.parametrize("name", OPERATORS)
def test_range_select_compares_in_five_ways_and_keeps_the_maximum(rules, name):
    def body(op0=nl.less, op1=nl.less, reduce_op=nl.maximum):
        bounds = tile(F32, 1), tile(F32, 1)
        nisa.range_select(tile(), tile(), op0, op1, *bounds, reduce_op=reduce_op)

    compares = [] if name in COMPARISONS and name != "not_equal" else ["NKI2117"]
    assert rules(lambda: body(op0=operator(name))) == compares
    assert rules(lambda: body(op1=operator(name))) == compares
    reduces = [] if name == "maximum" else ["NKI2117"]
    assert rules(lambda: body(reduce_op=operator(name))) == reduces


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op0", ["multiply", "add", "subtract"])
@pytest.mark.parametrize("op1", [None, "add", "multiply"])
def test_the_scalar_engine_has_three_forms_of_tensor_scalar(rules, target, op0, op1):
    def body():
        more = {} if op1 is None else {"op1": operator(op1), "operand1": 1.0}
        nisa.tensor_scalar(tile(), tile(), operator(op0), 2.0, engine=nisa.engine.scalar, **more)

    forms = [("multiply", "add"), ("multiply", None), ("add", None)]
    legal = target != "trn1" and (op0, op1) in forms
    assert rules(body, target) == ([] if legal else ["NKI2113"])


@pytest.mark.parametrize("name", ["add", "rsqrt", "multiply"])
def test_gpsimd_runs_tensor_scalar_for_rsqrt(rules, name):
    def body():
        operand = None if name == "rsqrt" else 1.0
        nisa.tensor_scalar(tile(), tile(), operator(name), operand, engine=nisa.engine.gpsimd)

    assert rules(body) == ([] if name == "rsqrt" else ["NKI2113"])


def test_bits_are_never_converted(rules):
    def of(dst, one, two):
        return rules(lambda: nisa.tensor_tensor(tile(dst), tile(one), tile(two), nl.bitwise_and))

    assert of(I32, I32, I32) == []
    assert of(nl.uint8, nl.uint8, nl.uint8) == []
    assert of(nl.uint32, I32, I32) == ["NKI2116", "NKI2116"]
    assert of(I32, I32, nl.uint32) == ["NKI2116"]
    assert of(F32, I32, I32) == ["NKI2119"]
