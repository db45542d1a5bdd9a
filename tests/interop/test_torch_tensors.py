"""torch's tensors as arguments: bits, strides, gradients, writing in place, what is refused."""

from __future__ import annotations

import gc
from typing import NamedTuple

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.diag import NkiError
from opennki.interop import torch_tensors

torch = pytest.importorskip("torch")

NAMES = (
    "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "int8",
    "int16", "int32", "uint8", "uint16", "uint32", "bool",
)  # fmt: skip
LEVELS = ("penguin", "bir", "program")


@nki.jit
def copied(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def copy_into(x, y):
    nisa.dma_copy(dst=x, src=y)


@nki.jit
def added(a, b):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.add(nl.load(a), nl.load(b)))
    return out


@nki.jit
def as_e4m3(x):
    out = nl.ndarray(x.shape, dtype=nl.float8_e4m3, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out


@nki.jit
def as_bytes_of_e4m3(x):
    out = nl.ndarray(x.shape, dtype=nl.float8_e4m3, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out.view(nl.uint8)


def every_byte(name):
    """A tensor of 8 rows whose bytes are all that there are (0 and 1 of a bool)."""
    dtype = getattr(torch, name, None)
    if dtype is None:
        pytest.skip(f"this torch has no {name}")
    raw = torch.arange(256 * dtype.itemsize, dtype=torch.int64).to(torch.uint8)
    if name == "bool":
        raw &= 1
    return raw.view(dtype).reshape(8, -1)


def bits(tensor):
    return tensor.contiguous().view(torch.uint8)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", LEVELS)
def test_no_bit_is_lost_on_the_way_in_and_out(name, level):
    x = every_byte(name)
    kernel = nki.simulate(copied, level=level)
    got = kernel(x)
    assert got.dtype == x.dtype
    assert torch.equal(bits(got), bits(x))
    turned = kernel(x.T)
    assert torch.equal(bits(turned), bits(x.T))


@pytest.mark.parametrize("name", NAMES)
def test_no_bit_is_lost_in_tensors_that_are_written(name):
    x = every_byte(name)
    whole = torch.zeros(2 * 8 * x.shape[1], dtype=torch.uint8).view(torch.uint8)
    whole = whole.repeat(x.dtype.itemsize).view(x.dtype).reshape(x.shape[1], 16)
    part = whole[:, ::2].T
    copy_into(part, x)
    assert torch.equal(bits(part), bits(x))
    assert not bits(whole[:, 1::2]).any()


def test_a_part_of_a_tensor_is_written_and_nothing_else():
    whole = torch.zeros(6, 10)
    copy_into(whole[1:5, 1:9], torch.ones(4, 8))
    assert whole.sum() == 32
    assert torch.equal(whole[1:5, 1:9], torch.ones(4, 8))


def test_dense_values_are_not_copied():
    for x in (torch.ones(4, 8), torch.ones(4, 8, dtype=torch.bfloat16)):
        assert torch_tensors.to_numpy(x, "x").ctypes.data == x.data_ptr()
        array = torch_tensors.to_numpy(x, "x")
        assert torch_tensors.from_numpy(array).data_ptr() == x.data_ptr()


def test_a_result_keeps_its_memory():
    made = copied(torch.arange(1024.0).reshape(8, 128))
    gc.collect()
    again = [copied(torch.zeros(8, 128)) for _ in range(4)]
    assert torch.equal(made, torch.arange(1024.0).reshape(8, 128))
    made += 1
    assert not any(a.any() for a in again)


class Marked(torch.Tensor):
    """A subclass without behaviour of its own."""


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.ones(4, 8, requires_grad=True),
        lambda: torch.nn.Parameter(torch.ones(4, 8)),
        lambda: torch.ones(4, 8, requires_grad=True) * 1,
        lambda: torch.ones(4, 8).as_subclass(Marked),
    ],
    ids=["leaf", "parameter", "derived", "subclass"],
)
def test_results_are_plain_tensors_without_gradients(make):
    x = make()
    got = added(x, x)
    assert type(got) is torch.Tensor
    assert not got.requires_grad
    assert torch.equal(got, torch.full((4, 8), 2.0))


def test_a_function_of_torch_gives_a_kernel_its_gradient():
    class Add(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return added(a, b)

        @staticmethod
        def backward(ctx, grad):
            return grad, grad

    a, b = (torch.full((4, 8), n, requires_grad=True) for n in (2.0, 5.0))
    (a * b * Add.apply(a, b)).sum().backward()
    assert torch.equal(a.grad, torch.full((4, 8), 2 * 2.0 * 5.0 + 5.0 * 5.0))
    assert torch.equal(b.grad, torch.full((4, 8), 2 * 2.0 * 5.0 + 2.0 * 2.0))


def test_what_requires_gradients_is_written_without_gradients_only():
    x = torch.nn.Parameter(torch.zeros(4, 8))
    with pytest.raises(NkiError, match=r"NKI1022.*gradients") as caught:
        copy_into(x, torch.ones(4, 8))
    assert caught.value.code == "NKI1022"
    assert not x.any()
    with torch.no_grad():
        copy_into(x, torch.ones(4, 8))
    assert torch.equal(x.detach(), torch.ones(4, 8))
    assert x.requires_grad


@nki.jit
def total(inputs, more, nested):
    out = nl.ndarray(inputs[0].shape, dtype=nl.float32, buffer=nl.shared_hbm)
    parts = [*inputs, more["a"], nested.deep[0], nested.deep[1]]
    sum_of_all = nl.load(parts[0])
    for part in parts[1:]:
        sum_of_all = nl.add(sum_of_all, nl.load(part))
    nl.store(out, sum_of_all)
    return {"out": out}


class Nested(nl.NKIObject):
    deep: tuple


class Pair(NamedTuple):
    one: object
    two: object


def test_tensors_may_be_nested_in_containers_and_objects():
    one = torch.ones(4, 8)
    got = total([one, 2 * one], {"a": 4 * one}, Nested(deep=Pair(8 * one, 16 * one)))
    assert torch.equal(got["out"], torch.full((4, 8), 31.0))


def test_results_are_tensors_if_any_array_is_one():
    x, y = torch.ones(4, 8), np.ones((4, 8), np.float32)
    for given in ((x, y), (y, x)):
        assert torch.equal(added(*given), torch.full((4, 8), 2.0))
    assert isinstance(added(y, y), np.ndarray)
    copy_into(y, 3 * x)
    assert (y == 3).all()
    copy_into(x, 2 * y)
    assert (x == 6).all()


def test_tensors_and_arrays_of_one_memory_are_recognised():
    x = np.ones((4, 8), np.float32)
    with pytest.raises(NkiError, match="NKI1037"):
        copy_into(torch.from_numpy(x), x)


def refused(make):
    with pytest.raises(NkiError) as caught:
        make()
    (found,) = caught.value.diagnostics
    assert found.file == __file__
    return found.code.id, found.message


def test_tensors_without_values_on_the_cpu_are_refused_and_can_be_checked():
    x = torch.ones(4, 8, device="meta")
    code, message = refused(lambda: copied(x))
    assert code == "NKI1010"
    assert "on meta" in message
    assert opennki.check(copied, x) == []
    compiled = opennki.compile(copied, x)
    assert torch.equal(compiled.run(torch.ones(4, 8)), torch.ones(4, 8))


def fake():
    modes = pytest.importorskip("torch._subclasses.fake_tensor")
    with modes.FakeTensorMode():
        return torch.ones(4, 8)


@pytest.mark.filterwarnings("ignore")  # torch deprecates what it uses itself
@pytest.mark.parametrize("kernel", [copied, lambda x: copy_into(x, torch.ones(4, 8))])
def test_tensors_that_stand_for_others_are_refused(kernel):
    for call in (
        lambda: kernel(fake()),
        lambda: torch.vmap(kernel)(torch.ones(3, 4, 8)),
        lambda: torch.func.jvp(kernel, (torch.ones(4, 8),), (torch.ones(4, 8),)),
    ):
        code, message = refused(call)
        assert code == "NKI1010"
        assert "stands for other tensors" in message


def test_dtypes_that_no_engine_reads_are_refused():
    for dtype, cast in ((torch.float64, "x.float()"), (torch.int64, "x.to(torch.int32)")):
        for x in (torch.ones(4, 8, dtype=dtype), torch.ones(4, 8, dtype=dtype).as_subclass(Marked)):
            with pytest.raises(NkiError, match="NKI1011") as caught:
                copied(x)
            assert cast in caught.value.diagnostics[0].hint


def test_tensors_without_dimensions_are_refused():
    assert refused(lambda: copied(torch.tensor(3.0)))[0] == "NKI1010"
    assert refused(lambda: copied(torch.ones(0, 8)))[0] == "NKI1012"


@pytest.mark.parametrize("step", [False, True])
def test_a_result_of_a_dtype_that_torch_lacks_is_refused(step):
    x = torch.ones(4, 8)
    code, message = refused(lambda: nki.simulate(as_e4m3, step=step)(x))
    assert (code, message) == ("NKI1049", "result `out` is float8_e4m3, which torch does not have")
    compiled = opennki.compile(as_e4m3, x)
    assert refused(lambda: compiled.run(x))[0] == "NKI1049"
    assert compiled.run(x.numpy()).dtype.name == "float8_e4m3"
    assert torch.equal(as_bytes_of_e4m3(x), torch.full((4, 8), 0x38, dtype=torch.uint8))


@pytest.mark.filterwarnings("ignore")  # of torch's compiler, about Python and itself
def test_compiled_functions_call_kernels():
    def f(x):
        return added(x * 2, x) + 1

    compiled = torch.compile(f, backend="eager")
    assert torch.equal(compiled(torch.ones(4, 8)), torch.full((4, 8), 4.0))
    assert torch.equal(compiled(torch.ones(2, 8)), torch.full((2, 8), 4.0))


def test_dtypes_of_torch_mean_those_of_nki():
    @nki.jit
    def kernel(x, dtype):
        t = nl.ndarray(x.shape, dtype=dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x)
        again = t.view(dtype), t.ap([[8, 4], [1, 8]], dtype=dtype), nl.add(t, t, dtype=dtype)
        assert {t.dtype, *(a.dtype for a in again)} == {str(dtype).removeprefix("torch.")}
        out = nl.ndarray(x.shape, dtype=dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=again[2])
        return out

    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float8_e5m2, torch.int32):
        x = torch.ones(4, 8).to(dtype)
        got = kernel(x, dtype)
        assert got.dtype == dtype
        assert torch.equal(got.float(), torch.full((4, 8), 2.0))
    with pytest.raises(NkiError, match="NKI3004"):
        kernel(torch.ones(4, 8), torch.float64)
