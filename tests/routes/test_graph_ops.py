"""Graph ops mean the same at every level, in both forms of their kernels, on every target.

Penguin computes with NumPy's formulas, BIR and the program with a kernel: results differ by
rounding only. BIR and the program run the same instructions, and agree bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from opennki.base import dtypes
from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.diag import Severity
from opennki.birpy import difference, dumps, loads, parse_module, print_module
from opennki.birpy import verify as verify_bir
from opennki.driver import Options, compile_functions
from opennki.ir import Role, Space, Tensor, View
from opennki.isa.enums import ActFunc
from opennki.penguin import Function, IRBuilder, LoopKind, parse_function, print_function
from opennki.target import target

F32, BF16 = dtypes.float32, dtypes.bfloat16
Array = np.ndarray[Any, Any]
Build = Callable[[IRBuilder, Callable[..., View], Callable[..., View]], None]
LIMIT = {F32: 2.0**-20, BF16: 2.0**-6}
"""Largest error as part of the largest result. float32: sums of some hundred terms in another
order, 16 units in the last place. bfloat16: 8 roundings of half a unit, in kernels that round
weights and inner values, which Penguin does not, and between ops, where a tie may go the other way.
"""


def apart(got: Array, want: Array) -> float:
    """The largest difference as part of the largest wanted number."""
    wide = want.astype(np.float64)
    return float(np.abs(got.astype(np.float64) - wide).max() / np.abs(wide).max())


def softmax(builder, given, out):
    builder.softmax(given("x", 130, 40), dst=out(130, 40))


def softmax_columns(builder, given, out):
    builder.softmax(given("x", 3, 140, 2), axis=1, dst=out(3, 140, 2))


def rms_norm(builder, given, out):
    builder.rms_norm(given("x", 2, 70, 200), given("w", 200), eps=1e-3, dst=out(2, 70, 200))


def attention(builder, given, out):
    q, k, v = given("q", 150, 40), given("k", 600, 40), given("v", 600, 24)
    builder.attention(q, k, v, scale=0.2, dst=out(150, 24))


def causal_attention(builder, given, out):
    q = given("q", 2, 140, 16)
    builder.attention(q, given("k", 2, 140, 16), q, causal=True, dst=out(2, 140, 16))


def mlp(builder, given, out):
    gate, up = (given(name, 30, 150, scale=0.3) for name in ("gate", "up"))
    x, down = given("x", 140, 30), given("down", 150, 30, scale=0.1)
    builder.mlp(x, gate, up, down, activation=ActFunc.Gelu, dst=out(140, 30))


def block(builder, given, out):
    """The ops of one layer after another, through tensors of the function."""
    x, w = given("x", 130, 32), given("w", 32)
    y = builder.rms_norm(x, w)
    z = builder.attention(y, y, y, causal=True)
    g, d = given("g", 32, 64, scale=0.2), given("d", 64, 32, scale=0.2)
    builder.mlp(builder.rms_norm(z, w), g, g, d, dst=out(130, 32))


def columns(builder, given, out):
    """Operands that are not dense are copied before and after."""
    x, y = given("x", 20, 12), out(20, 12)
    for start in (0, 6):
        half = [View(v.tensor, start, (20, 6), (12, 1), v.dtype) for v in (x, y)]
        builder.softmax(half[0], dst=half[1])


def in_place(builder, given, out):
    """What is read is also written."""
    y = out(20, 12)
    builder.softmax(given("x", 20, 12), dst=y)
    builder.rms_norm(y, given("w", 12), dst=y)
    builder.attention(y, y, y, dst=y)


def heads(builder, given, out):
    """A rolled loop over heads."""
    q, y = given("q", 3, 20, 8), out(3, 20, 8)
    var = LoopVar("h", 0, 3)
    with builder.loop(LoopKind.affine, var):
        one, result = (
            View(v.tensor, AffineExpr.of(var, 160), (20, 8), (8, 1), v.dtype) for v in (q, y)
        )
        builder.attention(one, one, one, causal=True, dst=result)


BUILDS = (
    softmax, softmax_columns, rms_norm, attention, causal_attention, mlp, block, columns, in_place,
    heads,
)  # fmt: skip


def made(build: Build, dtype: dtypes.DType, name: str) -> tuple[Function, dict[str, Array]]:
    """A function for a target, and arguments for it."""
    builder = IRBuilder(Function("f", target(name)))
    rng, arrays = np.random.default_rng(7), {}

    def given(name: str, *shape: int, scale: float = 1.0) -> View:
        arrays[name] = (scale * rng.standard_normal(shape)).astype(dtype.np)
        return builder.tensor(Tensor(name, shape, dtype, Space.private_hbm, role=Role.input))

    def out(*shape: int) -> View:
        return builder.tensor(Tensor("out", shape, dtype, Space.private_hbm, role=Role.output))

    build(builder, given, out)
    return builder.function, arrays


@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.__name__)
def test_levels_and_forms_agree(build, dtype):
    function, arrays = made(build, dtype, "trn2")
    assert parse_function(print_function(function)) == function
    options = Options(function.target)
    readable = compile_functions([function], options)
    prebuilt = compile_functions([function], options, prebuilt=True)
    want = readable.run(arrays, "penguin")[0]["out"]
    results = [
        one.run(arrays, level)[0]["out"]
        for one in (readable, prebuilt)
        for level in ("bir", "program")
    ]
    assert len({result.tobytes() for result in results}) == 1
    assert apart(results[0], want) <= LIMIT[dtype]


@pytest.mark.parametrize("name", ["trn1", "trn2", "trn3"])
@pytest.mark.parametrize("prebuilt", [False, True], ids=["readable", "prebuilt"])
@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.__name__)
def test_both_roads_make_the_same_kernels(build, prebuilt, name):
    function, arrays = made(build, BF16, name)
    options = Options(function.target)
    first = compile_functions([function], options)
    second = compile_functions([function], replace(options, frontend="beta2"), prebuilt=prebuilt)
    assert difference(first.expanded, second.expanded) is None
    if name == "trn2":
        want = first.run(arrays, "program")[0]["out"].tobytes()
        for level in ("bir", "program"):
            assert second.run(arrays, level)[0]["out"].tobytes() == want


@pytest.mark.parametrize("name", ["trn1", "trn3"])
def test_other_targets(name):
    function, arrays = made(block, F32, name)
    compiled = compile_functions([function], Options(function.target))
    want = compiled.run(arrays, "penguin")[0]["out"]
    got = compiled.run(arrays, "program")[0]["out"]
    assert apart(got, want) <= LIMIT[F32]


@pytest.mark.parametrize("frontend", ["beta2", "beta3"])
@pytest.mark.parametrize("prebuilt", [False, True])
def test_texts_give_the_module_back(prebuilt, frontend):
    function, _ = made(block, F32, "trn2")
    options = Options(function.target, frontend=frontend)
    module = compile_functions([function], options, prebuilt=prebuilt).bir
    assert [d.message for d in verify_bir(module) if d.severity is Severity.error] == []
    assert loads(dumps(module)) == module
    assert parse_module(print_module(module)) == module


def test_equal_ops_share_a_kernel():
    function, _ = made(block, F32, "trn2")
    module = compile_functions([function], Options(function.target)).bir
    assert [kernel.name for kernel in module.nki_functions] == ["rms_norm", "attention", "mlp"]
