"""`neuronxcc.nki` itself: `jit` and its modes, measuring, decorators of the compiler, types."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt
from opennki.base.diag import NkiError, NkiWarning
from opennki.driver import compile_kernel, observed

X = np.arange(32, dtype=np.float32).reshape(4, 8)


def body(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x) + 1.0)
    return out


@pytest.mark.parametrize("mode", ["auto", "simulation", "trace", "jax", "torchxla", "baremetal"])
def test_modes(mode):
    assert np.array_equal(nki.jit(body, mode=mode)(X), X + 1)
    assert np.array_equal(nki.jit(mode=mode, platform_target="trn2")(body)(X), X + 1)


def test_a_kernel_again_keeps_its_target_and_grid():
    first = nki.jit(body, platform_target="trn2")[1]
    again = nki.jit(first, mode="simulation", kernel_return=False)
    assert (again.request.target, again.request.grid) == ("trn2", (1,))
    assert np.array_equal(again(X), X + 1)


def test_options_that_do_not_exist():
    for call in (
        lambda: nki.jit(body, mode="fast"), lambda: nki.jit(body, colour=1),
        lambda: nki.benchmark(body, colour=1), lambda: nki.benchmark(body, iters="ten"),
        lambda: nki.jit(body, mode="baremetal", iters=3),
        lambda: ncc.force_auto_alloc(body, colour=1),
    ):  # fmt: skip
        with pytest.raises(NkiError) as caught:
            call()
        assert caught.value.diagnostics[0].code.id in {"NKI7012", "NKI1004", "NKI1007"}


@pytest.mark.parametrize("make", [nki.benchmark, nki.jit], ids=["benchmark", "jit"])
def test_benchmark_tells_the_time_of_the_simulator(make):
    options = {"mode": "benchmark"} if make is nki.jit else {}
    kernel = make(warmup=2, iters=3, **options)(body)
    with pytest.raises(NkiError, match="NKI7030"):
        _ = kernel.benchmark_result
    with observed() as runs:
        assert np.array_equal(kernel(X), X + 1)
    assert len(runs) == 1
    latency = kernel.benchmark_result.nc_latency
    with pytest.warns(NkiWarning) as told:
        times = [latency.get_latency_percentile(p) for p in (50, 99)]
    assert times == [runs[0].outcome.seconds * 1e6] * 2
    assert times[0] > 0
    text = str(told[0].message)
    assert text.startswith("warning[NKI1128]: the latency of `body` is the time that the simulator")


def test_benchmark_of_a_grid_and_of_a_kernel():
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        i = nl.program_id(0)
        nl.store(out[i : i + 1], nl.load(x[i : i + 1]))
        return out

    measured = nki.benchmark(nki.jit(kernel), warmup=1)[4]
    assert np.array_equal(measured(X), X)
    assert measured.benchmark_result.nc_latency


def test_files_that_only_a_device_gives(tmp_path):
    kernel = nki.profile(body, working_directory=str(tmp_path), profile_nth=2, overwrite=True)
    with pytest.warns(NkiWarning) as told:
        assert np.array_equal(kernel(X), X + 1)
    text = str(told[0].message)
    assert text.startswith(
        f"warning[NKI1127]: working_directory={str(tmp_path)!r} of `body` is not"
    )
    assert not list(tmp_path.iterdir())


def test_outputs_as_parameters():
    @nki.baremetal(additional_compile_opt="-O2")
    @ncc.skip_middle_end_transformations
    def kernel(a: nt.tensor, out: nt.mutable_tensor):
        nl.store(out, nl.load(a) * 2.0)

    out = np.zeros_like(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kernel(X, out) is None
    assert np.array_equal(out, 2 * X)


def test_kernels_inline_kernels():
    @nki.jit(mode="trace")
    def plus_one(tile):
        return tile + 1.0

    @nki.jit
    def kernel(x: nki.tensor):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, plus_one(plus_one(nl.load(x))))
        return out

    assert np.array_equal(kernel(X), X + 2)


@pytest.mark.parametrize(
    "name", ["skip_middle_end_transformations", "enable_stack_allocator", "force_auto_alloc"]
)
def test_decorators_of_the_compiler(name):
    decorate = getattr(ncc, name)
    assert decorate(body) is body
    assert decorate(log_level=3)(body) is body


def test_order_by_the_compiler():
    def kernel(x):
        with ncc.no_reorder():
            return body(x)

    assert np.array_equal(nki.jit(kernel)(X), X + 1)


def test_annotations():
    assert nt.tensor[4, 8] is nt.tensor
    assert nt.tensor[nt.immutable] is nki.tensor
    assert issubclass(nt.tensor[nt.mutable], nki.tensor)


@pytest.mark.parametrize("module", [nki, nl, ncc, nt, nl.constants], ids=lambda m: m.__name__)
def test_names_that_are_not_there(module):
    with pytest.raises(AttributeError, match="nonsense"):
        _ = module.nonsense


def test_names_that_are_close():
    with pytest.raises(AttributeError, match="did you mean benchmark"):
        _ = nki.benchmarks


@pytest.mark.parametrize(
    "ordered", [{"directives": [ncc.no_reorder()]}, {"precise_schedule": True}]
)
def test_order_in_a_loop(ordered):
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        for i in nl.sequential_range(4, directives=ncc.no_reorder()):
            for j in nl.affine_range(2, **ordered):
                place = (nl.ds(i, 1), nl.ds(j * 4, 4))
                nl.store(out[place], nl.load(x[place]) + 1.0)
        return out

    made = nki.jit(kernel)
    text = compile_kernel(kernel, (X,), {}, made.request.resolve()).text("penguin")
    assert text.count("no_reorder {") == 2
    assert np.array_equal(made(X), X + 1)


def test_directives_that_do_not_exist():
    def kernel(x):
        for _ in nl.affine_range(4, directives="fast"):
            pass

    with pytest.raises(NkiError, match="NKI1007"):
        nki.jit(kernel)(X)


def test_limits_are_those_of_the_target():
    assert nl.tile_size.pmax == 128
    outside = nl.tile_size.sbuf_fmax_bytes
    found = {}

    def kernel(x):
        found[len(found)] = nl.tile_size.sbuf_fmax_bytes
        return body(x)

    for target in ("trn1", "trn3"):
        nki.jit(kernel, platform_target=target)(X)
    assert found[0] == outside < found[1]


def test_names_of_instructions_may_repeat():
    def kernel(x):
        first = nisa.tensor_tensor(nl.load(x), nl.load(x), nl.add, name="same")
        second = nisa.tensor_tensor(first, first, nl.add, name="same")
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nisa.tensor_tensor(second, second, nl.add, name="same"))
        return out

    assert np.array_equal(nki.jit(kernel)(X), 8 * X)
