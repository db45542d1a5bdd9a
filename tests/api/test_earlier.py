"""Kernels of earlier language versions: accepted with a warning, or exactly by a chosen version."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import nki
import nki.compiler
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.diag import NkiError, NkiWarning
from opennki.target import CHANGES, VERSIONS, Change, Dialect, keywords, removed

X = np.arange(32, dtype=np.float32).reshape(4, 8)


def tile(x, dtype=None):
    return nl.ndarray(x.shape, dtype=dtype or x.dtype, buffer=nl.sbuf)


def around(body):
    """A kernel that loads its argument, lets ``body(src, dst)`` write a tile, and stores that."""

    def kernel(x):
        src, dst = tile(x), tile(x)
        nisa.dma_copy(dst=src, src=x)
        body(src, dst)
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=dst)
        return out

    return kernel


def found_by(kernel, version=None):
    return [(f.code, f.severity) for f in opennki.check(kernel, X, nki=version)]


def repeated_dtype(src, dst):
    nisa.tensor_copy(dst, src, dtype=nl.float32)


def reciprocal_dtype(src, dst):
    nisa.tensor_scalar(src, src, op0=nl.add, operand0=1.0)
    nisa.reciprocal(dst=dst, data=src, dtype=src.dtype)


def fused_dtype(src, dst):
    nisa.scalar_tensor_tensor(
        dst=dst, data=src, op0=nl.multiply, operand0=2.0, op1=nl.add, operand1=src, dtype=src.dtype
    )


def offset_third(src, dst):
    nisa.affine_select(dst, [[1, 8]], -3, 1, src, -1.0)


def offset_third_with_operator(src, dst):
    nisa.affine_select(dst, [[1, 8]], -3, 1, src, -1.0, nl.less)


def without_effect(src, dst):
    nisa.dma_copy(dst=dst, src=src, dst_rmw_op=None, unique_indices=True)


P, F = np.indices((4, 8))
WORKING = {
    repeated_dtype: X,
    reciprocal_dtype: (1 / (X + 1)).astype(np.float32),
    fused_dtype: 3 * X,
    offset_third: np.where(P + F - 3 == 0, X, -1),
    offset_third_with_operator: np.where(P + F - 3 < 0, X, -1),
    without_effect: X,
}


@pytest.mark.parametrize("body", WORKING)
def test_calls_of_earlier_versions_mean_what_they_meant(body):
    with pytest.warns(NkiWarning, match="NKI1051"):
        got = nki.simulate(around(body))(X)
    np.testing.assert_allclose(got, WORKING[body], rtol=1e-6)


@pytest.mark.parametrize("body", WORKING)
def test_a_chosen_version_is_taken_at_its_word(body):
    assert found_by(around(body), "0.2") == []
    assert {code for code, _ in found_by(around(body), "0.6")} == {"NKI1030"}
    assert set(found_by(around(body))) == {("NKI1051", "warning")}


def test_a_chosen_version_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = nki.simulate(around(repeated_dtype), nki="0.2")(X)
    np.testing.assert_array_equal(got, X)


def test_the_version_can_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("NKI_VERSION", "0.2")
    assert found_by(around(repeated_dtype)) == []
    monkeypatch.setenv("NKI_VERSION", "0.6")
    assert found_by(around(repeated_dtype)) == [("NKI1030", "error")]
    assert found_by(around(repeated_dtype), "0.2") == []
    monkeypatch.setenv("NKI_VERSION", "7")
    with pytest.raises(NkiError, match="NKI7019"):
        nki.simulate(around(repeated_dtype))(X)


def test_versions_that_do_not_exist():
    with pytest.raises(NkiError, match="NKI7019"):
        nki.simulate(around(repeated_dtype), nki="0.1")


def test_one_warning_per_line_with_what_to_write():
    def body(src, dst):
        for _ in range(3):
            nisa.tensor_copy(dst, src, dtype=nl.float32)

    (found,) = opennki.check(around(body), X)
    assert found.message == (
        "the keyword `dtype` of calls of nki.isa is not part of the language since 0.3; it is "
        "taken for what it meant before"
    )
    assert found.hint.startswith("leave it out; an instruction converts to the dtype of dst; ")
    assert found.hint.endswith("nki.simulate(kernel, nki='0.2') takes the kernel as one of that "
                               "version")  # fmt: skip


@pytest.mark.parametrize(
    ("given", "code"), [(nl.bfloat16, "NKI2116"), ("no dtype", "NKI1008"), (np.int32, "NKI2116")]
)
def test_a_dtype_may_only_repeat_that_of_dst(given, code):
    found = found_by(around(lambda src, dst: nisa.tensor_copy(dst, src, dtype=given)), "0.2")
    assert found == [(code, "error")]


def test_a_dtype_of_none_says_nothing():
    assert found_by(around(lambda s, d: nisa.tensor_copy(d, s, dtype=None)), "0.2") == []


def test_adding_while_copying():
    """dst_rmw_op is dma_compute."""

    def body(src, dst):
        nisa.tensor_copy(dst, src)
        nisa.dma_copy(dst=dst, src=src, dst_rmw_op=nl.add, unique_indices=True)

    np.testing.assert_array_equal(nki.simulate(around(body), nki="0.2")(X), 2 * X)


def matmul(**old):
    def kernel(x):
        a, m = tile(x), tile(x)
        acc = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.psum)
        res = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=x)
        nisa.memset(m, 1.0)
        nisa.nc_matmul(acc, a, m, **old)
        nisa.tensor_copy(res, acc)
        out = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=res)
        return out

    return kernel


@pytest.mark.parametrize("old", [{"psumAccumulateFlag": 3}, {"is_moving_zero": True}])
def test_keywords_of_products(old):
    with pytest.warns(NkiWarning, match="NKI1051"):
        got = nki.simulate(matmul(**old))(X)
    np.testing.assert_array_equal(got, X.T @ np.ones((4, 8), np.float32))


def test_is_moving_zero_is_is_moving_onezero():
    (function,) = opennki.compile(matmul(is_moving_zero=True), X).penguin
    (inst,) = [i for i in function.instructions() if i.spec.label == "nc_matmul"]
    assert inst.is_moving_onezero is True


def test_unknown_keywords_stay_unknown():
    found = opennki.check(around(lambda src, dst: nisa.tensor_copy(dst, source=src)), X)
    assert found[0].code == "NKI1004"
    assert "dtype" not in found[0].hint


def test_old_keywords_are_not_in_signatures():
    assert "dtype" not in inspect.signature(nisa.tensor_copy).parameters


# ---- values and names ----------------------------------------------------------------------------


def string_buffer(src, dst):
    nisa.tensor_copy(nl.ndarray(src.shape, dtype=src.dtype, buffer="sbuf"), src)
    nisa.tensor_copy(dst, src)


def engine_number(src, dst):
    nisa.tensor_copy(dst, src, engine=5)


@pytest.mark.parametrize("body", [string_buffer, engine_number])
def test_values_that_only_a_chosen_version_has(body):
    assert found_by(around(body), "0.2") == []
    for version in (None, "0.3", "0.6"):
        assert found_by(around(body), version)[0] == ("NKI1008", "error")
    assert found_by(around(body), "0.2") == []


@pytest.mark.parametrize("wrong", [{"buffer": "ram"}, {"engine": 9}])
def test_values_that_no_version_has(wrong):
    def body(src, dst):
        if "buffer" in wrong:
            dst = nl.ndarray(src.shape, dtype=src.dtype, **wrong)
        nisa.tensor_copy(dst, src, **{k: v for k, v in wrong.items() if k == "engine"})

    assert found_by(around(body), "0.2")[0] == ("NKI1008", "error")


def built_in_names(x):
    t = sbuf.view(dtype=x.dtype, shape=x.shape)  # noqa: F821  # what the test is about
    out = hbm.view(dtype=x.dtype, shape=x.shape)  # noqa: F821
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out


def test_names_of_memories_without_import():
    np.testing.assert_array_equal(nki.simulate(built_in_names, nki="0.2")(X), X)
    with pytest.warns(NkiWarning, match="without import"):
        np.testing.assert_array_equal(nki.simulate(built_in_names)(X), X)
    assert [f.code for f in opennki.check(built_in_names, X, nki="0.3")] == ["NKI1030"] * 2
    assert "sbuf" not in globals()


def test_a_kernels_own_names_come_first():
    sbuf = nl.sbuf

    def kernel(x):
        t = nl.ndarray(x.shape, dtype=x.dtype, buffer=sbuf)
        nisa.dma_copy(dst=t, src=x)
        nisa.dma_copy(dst=x, src=t)

    assert found_by(kernel, "0.6") == []


@pytest.mark.parametrize("change", [c for c in CHANGES if c.module in ("nki.language", "nki.isa")
                                    and not c.keyword], ids=lambda c: c.name)  # fmt: skip
def test_removed_names_say_since_when_and_what_instead(change):
    module = nl if change.module == "nki.language" else nisa

    def kernel(x):
        getattr(module, change.name)

    (found,) = opennki.check(kernel, X)
    assert found.code == "NKI1030"
    assert found.message == f"{change.construct} is not part of the language since {change.since}"
    assert found.hint == change.instead
    with pytest.raises(AttributeError, match=f"removed in NKI {change.since}"):
        getattr(module, change.name)


# ---- decorators and tools ------------------------------------------------------------------------

double = around(lambda src, dst: nisa.tensor_scalar(dst, src, op0=nl.multiply, operand0=2.0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: nki.benchmark(double), lambda: nki.benchmark(warmup=2, iters=10)(double),
        lambda: nki.benchmark(nki.jit(double)), lambda: nki.baremetal(double),
        lambda: nki.profile(working_directory="here", save_neff_name="a")(double),
        lambda: nki.trace(double), lambda: nki.cpu_simulate(double),
        lambda: lambda x: nki.simulate_kernel(nki.jit(double), x),
        lambda: nki.compiler.skip_middle_end_transformations(nki.jit(double)),
        lambda: nki.compiler.enable_stack_allocator(log_level=1)(nki.jit(double)),
        lambda: nki.compiler.force_auto_alloc(nki.jit(double)),
    ],
)  # fmt: skip
def test_decorators_and_tools_leave_the_kernel(make, monkeypatch):
    with pytest.warns(NkiWarning, match="NKI1051"):
        np.testing.assert_array_equal(make()(X), 2 * X)
    monkeypatch.setenv("NKI_VERSION", "0.6")
    with pytest.raises(NkiError, match="NKI1030"):
        make()(X)


def test_measured_kernels_have_no_times():
    with pytest.warns(NkiWarning):
        kernel = nki.benchmark(double)
    with pytest.raises(NkiError, match="NKI7030"):
        _ = kernel.benchmark_result
    assert not hasattr(kernel, "benchmark_result")


@pytest.mark.parametrize(
    "call",
    [
        lambda: nki.benchmark(warm_up=3), lambda: nki.profile(nth=3),
        lambda: nki.compiler.enable_stack_allocator(level=3),
    ],
)  # fmt: skip
def test_options_that_they_never_had(call):
    with pytest.warns(NkiWarning), pytest.raises(NkiError, match="NKI1004"):
        call()


def test_no_reorder_of_the_compiler_module():
    def kernel(x):
        t = tile(x)
        with nki.compiler.no_reorder():
            nisa.dma_copy(dst=t, src=x)
            nisa.dma_copy(dst=x, src=t)

    assert found_by(kernel) == [("NKI1051", "warning")]
    assert any(i.dependencies for i in opennki.compile(kernel, X).bir.functions[0].instructions())
    assert found_by(kernel, "0.6") == [("NKI1030", "error")]


@pytest.mark.parametrize("name", ["sbuf", "psum", "multi_buffer", "vectorize"])
def test_allocators_are_gone(name):
    with pytest.raises(AttributeError, match=r"removed in NKI 0\.2"):
        getattr(nki.compiler, name)

    def kernel(x):
        getattr(nki.compiler, name)

    assert found_by(kernel) == [("NKI1030", "error")]


@pytest.mark.parametrize("module", [nki, nki.compiler])
def test_names_that_never_were(module):
    assert not hasattr(module, "no_such_name")


# ---- the table -----------------------------------------------------------------------------------


def test_versions_compare_by_age():
    change = Change("nki.isa", "f", "", "0.4", "g")
    assert [v for v in VERSIONS if Dialect(v).has(change)] == ["0.2", "0.3"]
    assert change.before == "0.3"
    assert Change("nki.isa", "f", "", "0.2", "g").before == ""


@pytest.mark.parametrize("change", CHANGES, ids=lambda c: c.construct)
def test_rows_are_complete(change):
    assert change.since in VERSIONS
    assert change.instead
    assert change.name
    module = {"nki.isa": nisa, "nki.language": nl}.get(change.module)
    if module is not None and not change.keyword:
        assert not hasattr(module, change.name)


def test_lookups():
    assert set(keywords("nc_matmul")) == {"dtype", "psumAccumulateFlag", "is_moving_zero"}
    assert "par_dim" in removed("nki.language")
    assert not any(c.keyword for c in removed("nki.isa").values())


def test_annotations_of_the_first_generation_are_those_of_today():
    import neuronxcc.nki.typing as nt

    def kernel(x: nt.tensor, y: nt.mutable_tensor, z: nt.tensor[4, 8]):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=y)
        return out

    assert nt.mutable_tensor is nki.typing.mutable_tensor
    np.testing.assert_array_equal(opennki.simulate(kernel)(X, X + 1, X), X + 1)
