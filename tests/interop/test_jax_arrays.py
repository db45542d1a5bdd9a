"""JAX's arrays as arguments: bits, functions that JAX traces, what is refused."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.diag import NkiError
from opennki.driver import observed

jax = pytest.importorskip("jax")
jnp = jax.numpy

NAMES = (
    "float32", "float16", "bfloat16", "float8_e4m3", "float8_e4m3fn", "float8_e5m2",
    "float8_e8m0fnu", "int8", "int16", "int32", "uint8", "uint16", "uint32", "bool_",
)  # fmt: skip
X = np.arange(32, dtype=np.float32).reshape(4, 8)


@nki.jit
def copied(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def added(a, b, scale=1.0):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.multiply(nl.add(nl.load(a), nl.load(b)), scale))
    return out


@nki.jit
def in_place(x):
    nl.store(x, nl.add(nl.load(x), 1.0))
    return x


@nki.jit
def halves(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows = x.shape[0] // nl.num_programs(0)
    start = nl.program_id(0) * rows
    nl.store(out[start : start + rows], nl.add(nl.load(x[start : start + rows]), 1.0))
    return out


@nki.jit
def reads_unwritten(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=out, src=t)
    return out


def every_byte(name):
    """An array of 8 rows whose bytes are all that there are (0 and 1 of a bool)."""
    if not hasattr(jnp, name):
        pytest.skip(f"this JAX has no {name}")
    kind = np.dtype(getattr(jnp, name))
    raw = np.arange(256 * kind.itemsize).astype(np.uint8)
    return (raw & 1 if name == "bool_" else raw).view(kind).reshape(8, -1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["called", "jit"])
def test_no_bit_is_lost_on_the_way_in_and_out(name, wrap):
    x = every_byte(name)
    got = wrap(copied)(jnp.asarray(x))
    assert isinstance(got, jax.Array)
    assert got.dtype == x.dtype
    assert np.array_equal(np.asarray(got).view(np.uint8), x.view(np.uint8))


@pytest.mark.parametrize("level", ["penguin", "bir", "program"])
def test_kernels_run_among_operations_of_jax(level):
    kernel = nki.simulate(added, level=level)
    got = jax.jit(lambda a, b: a * b * kernel(a, b))(X, X + 1)
    assert np.array_equal(got, X * (X + 1) * (2 * X + 1))


def test_a_traced_function_runs_the_kernel_each_time_with_its_own_values():
    f = jax.jit(added)
    for n in (1.0, 2.0, 5.0):
        assert np.array_equal(f(X, n * X), X + n * X)
    assert np.array_equal(f(X[:2], X[:2]), 2 * X[:2])


def test_a_kernel_is_traced_once_for_many_runs():
    calls = []

    @nki.jit
    def counted(x):
        calls.append(x.shape)
        return copied(x)

    f = jax.jit(counted)
    with observed() as runs:
        jax.block_until_ready([f(X), f(X), f(X[:2])])
    assert calls == [(4, 8), (2, 8)]
    assert [run.compiled.kernel for run in runs[:1]] == ["counted"]


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["called", "jit"])
def test_a_grid_of_two_runs_on_two_cores(wrap):
    assert np.array_equal(wrap(lambda x: halves[2](x))(jnp.asarray(X)), X + 1)


def test_numbers_are_static_arguments():
    f = jax.jit(added, static_argnames="scale")
    assert np.array_equal(f(X, X, scale=3.0), 6 * X)
    with pytest.raises(NkiError) as caught:
        jax.jit(added)(X, X, 3.0)
    assert caught.value.code == "NKI1010"
    assert "static argument" in str(caught.value)
    assert caught.value.diagnostics[0].file == __file__


def test_shapes_of_results_are_known_without_running():
    def f(x):
        return {"b": [copied(x)], "a": (added(x[:2], x[:2]), x)}

    spec = jax.ShapeDtypeStruct((4, 8), jnp.bfloat16)
    with observed() as runs:
        got = jax.eval_shape(nki.jit(lambda x: {"b": [copied(x)], "a": (copied(x),)}), spec)
        assert jax.eval_shape(f, spec)["a"][0].shape == (2, 8)
    assert got == {"b": [spec], "a": (spec,)}
    assert runs == []


def test_results_keep_their_nesting():
    @nki.jit
    def nested(arrays):
        x, y = copied(arrays["x"]), copied(arrays["y"])
        return [x, (y, {2: x, "z": y})]  # keys that JAX could not sort

    def f(x, y):
        first, (second, rest) = nested({"x": x, "y": y})
        return first, second, rest[2], rest["z"]

    for got, want in zip(jax.jit(f)(X, X + 1), (X, X + 1, X, X + 1), strict=True):
        assert np.array_equal(got, want)


def test_loops_of_jax_run_kernels():
    got = jax.lax.fori_loop(0, 3, lambda _, x: added(x, x), jnp.asarray(X))
    assert np.array_equal(got, 8 * X)
    _, rows = jax.lax.scan(lambda c, x: (c, copied(x)), 0, jnp.asarray(np.stack([X, X + 1])))
    assert np.array_equal(rows, np.stack([X, X + 1]))


def test_large_arrays_pass_through_a_traced_function():
    x = jnp.ones((512, 2048))
    assert (np.asarray(jax.jit(lambda a: copied(a * 2) + 1)(x)) == 3).all()


def test_what_jax_does_not_trace_keeps_its_value_of_that_moment():
    y = np.ones((4, 8), np.float32)
    f = jax.jit(lambda x: added(x, y))
    assert np.array_equal(f(X), X + 1)
    y[:] = 100
    assert np.array_equal(f(X), X + 1)


def test_without_rounding_results_are_as_wide_as_they_are_computed(monkeypatch):
    monkeypatch.setenv("NKI_PRECISE_FP", "0")
    x = jnp.ones((4, 8), jnp.bfloat16)
    assert added(x, x, 1 / 3).dtype == jax.jit(lambda x: added(x, x, 1 / 3))(x).dtype == jnp.float32


def refused(call, *args):
    with pytest.raises(NkiError) as caught:
        call(*args)
    (found,) = caught.value.diagnostics
    assert found.file == __file__
    return found.code.id, found.message


def test_arrays_of_jax_are_not_written():
    for call in (lambda: in_place(jnp.asarray(X)), lambda: jax.jit(in_place)(X)):
        code, message = refused(call)
        assert code == "NKI1022"
        assert (
            message
            == "the kernel writes its argument `x`, which it may not: JAX arrays never change"
        )


def test_a_function_that_jax_traces_writes_no_other_array_either():
    @nki.jit
    def into(x, y):
        nl.store(x, nl.load(y))

    x = np.zeros((4, 8), np.float32)
    into(x, jnp.asarray(X))
    assert np.array_equal(x, X)
    code, message = refused(lambda: jax.jit(lambda y: into(x, y))(X + 1))
    assert code == "NKI1022"
    assert "functions that JAX traces change no arrays" in message
    assert np.array_equal(x, X)


def test_a_kernel_cannot_be_mapped():
    for f in (jax.vmap(copied), jax.jit(jax.vmap(copied)), jax.vmap(jax.jit(copied))):
        code, message = refused(f, np.stack([X, X]))
        assert code == "NKI1048"
        assert message == "kernel `copied` is mapped by jax.vmap, which a kernel cannot be"


def test_a_kernel_has_no_derivative():
    def loss(x):
        return copied(x).sum()

    for f in (jax.grad(loss), jax.jit(jax.grad(loss)), jax.grad(jax.jit(loss)), jax.jacfwd(loss)):
        assert refused(f, X)[0] == "NKI1048"

    def constant(x):
        return (copied(jax.lax.stop_gradient(x)) * x).sum()

    assert np.array_equal(jax.grad(constant)(X), X)


def test_a_custom_vjp_gives_a_kernel_its_gradient():
    @jax.custom_vjp
    def op(a, b):
        return added(a, b)

    op.defvjp(lambda a, b: (op(a, b), None), lambda _, grad: (grad, grad))
    grad = jax.grad(lambda a, b: (op(a, b) * a * b).sum(), argnums=(0, 1))
    for f in (grad, jax.jit(grad)):
        da, db = f(X, X + 1)
        assert np.array_equal(da, 2 * X * (X + 1) + (X + 1) ** 2)
        assert np.array_equal(db, 2 * X * (X + 1) + X**2)


def test_problems_of_a_kernel_are_raised_while_jax_traces():
    @nki.jit
    def wrong(x):
        return copied(x[:, 0:99])

    assert refused(lambda: jax.jit(wrong)(X))[0] == "NKI3011"
    assert refused(lambda: jax.jit(nki.simulate(copied, step=True))(X))[0] == "NKI1010"


def test_traps_reach_the_caller_with_their_text():
    f = jax.jit(nki.simulate(reads_unwritten, strict=True))
    with pytest.raises(Exception, match="NKI6002") as caught:
        jax.block_until_ready(f(X))
    assert not isinstance(caught.value, NkiError)


def test_arrays_without_values_are_refused():
    deleted = jnp.ones((4, 8))
    deleted.delete()
    assert refused(lambda: copied(deleted))[0] == "NKI1010"
    assert refused(lambda: copied(jax.random.split(jax.random.key(0), (4, 8))))[0] == "NKI1011"
    assert refused(lambda: copied(jax.ShapeDtypeStruct((4, 8), jnp.float32)))[0] == "NKI1010"


def test_results_are_of_jax_if_an_array_is_and_none_is_of_torch():
    assert isinstance(added(jnp.asarray(X), X), jax.Array)
    assert isinstance(added(X, jnp.asarray(X)), jax.Array)
    torch = pytest.importorskip("torch")
    assert isinstance(added(jnp.asarray(X), torch.from_numpy(X.copy())), torch.Tensor)
    got = jax.jit(lambda x: added(x, torch.from_numpy(X.copy())))(X)
    assert isinstance(got, jax.Array)
    assert np.array_equal(got, 2 * X)


def test_checking_and_compiling_need_shapes_only():
    spec = jax.ShapeDtypeStruct((4, 8), jnp.bfloat16)
    assert opennki.check(added, spec, "bf16[4,8]") == []
    compiled = opennki.compile(added, spec, jnp.ones((4, 8), jnp.bfloat16))
    got = compiled.run(jnp.ones((4, 8), jnp.bfloat16), np.ones((4, 8), ml_dtypes.bfloat16))
    assert isinstance(got, jax.Array)
    assert (got == 2).all()


def test_dtypes_of_jax_mean_those_of_nki():
    @nki.jit
    def kernel(x, dtype):
        t = nl.ndarray(x.shape, dtype=dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x)
        again = t.view(dtype), t.ap([[8, 4], [1, 8]], dtype=dtype), nl.add(t, t, dtype=dtype)
        assert {t.dtype, *(a.dtype for a in again)} == {np.dtype(dtype).name}
        out = nl.ndarray(x.shape, dtype=dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=again[2])
        return out

    for dtype in (jnp.float32, jnp.bfloat16, jnp.float16, jnp.float8_e5m2, jnp.int32):
        for given in (dtype, jnp.dtype(dtype)):
            got = kernel(jnp.ones((4, 8), dtype), given)
            assert got.dtype == dtype
            assert (got.astype(jnp.float32) == 2).all()
