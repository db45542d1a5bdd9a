"""Keys of traced kernels, and the cache that holds them."""

from __future__ import annotations

import re
from dataclasses import replace

from opennki.base import dtypes
from opennki.birpy import Module
from opennki.ir import Space, Tensor, View
from opennki.lower.internal import BUILT_IN, InternalKernel, KernelCache, TracedKernel, key_of
from opennki.lower.internal import cache as module
from opennki.penguin import AttentionOp, SoftmaxOp
from opennki.target import target

TRN2 = target("trn2")
SOFTMAX = InternalKernel("softmax", "mine:kernel", 1, lambda op: {"axis": op.axis})


def view(*shape: int, dtype: dtypes.DType = dtypes.float32, name: str = "x") -> View:
    return View.whole(Tensor(name, shape, dtype, Space.private_hbm))


def op(*shape: int, dtype: dtypes.DType = dtypes.float32, name: str = "x", axis: int = -1):
    x = view(*shape, dtype=dtype, name=name)
    return SoftmaxOp(dst=x, src=x, axis=axis)


def key(one=None, kernel=SOFTMAX, on=TRN2, cores: int = 1, frontend: str = "beta3") -> str:
    return key_of(one or op(4, 8), kernel, on, cores, frontend)


def test_equal_calls_have_equal_keys_whatever_their_tensors_are_called():
    assert key() == key(op(4, 8, name="y"))
    assert re.fullmatch("[0-9a-f]{64}", key())


def test_whatever_a_kernel_depends_on_makes_another_key(monkeypatch):
    keys = [
        key(), key(op(8, 4)), key(op(32)), key(op(4, 8, dtype=dtypes.bfloat16)),
        key(op(4, 8, axis=0)), key(on=target("trn1")), key(cores=2), key(frontend="beta2"),
        key(kernel=replace(SOFTMAX, kernel_func="mine:other")),
        key(kernel=replace(SOFTMAX, output_is_parameter=True)),
        key(kernel=replace(SOFTMAX, additional_args_builder=None)),
    ]  # fmt: skip
    monkeypatch.setattr(module, "__version__", "0")
    keys.append(key())
    assert len(set(keys)) == len(keys)


def test_attributes_of_equal_numbers_of_other_types_are_told_apart():
    q = view(4, 8)
    ops = [AttentionOp(dst=q, query=q, key=q, value=q, scale=scale) for scale in (0.0, -0.0, 1.0)]
    kernel = next(kernel for kernel in BUILT_IN if kernel.name == "attention")
    assert len({key(one, kernel) for one in ops}) == 3


def test_the_cache_forgets_what_was_not_used_for_longest():
    cache = KernelCache(limit=2)
    one, two, three = (TracedKernel(Module([], "gen3")) for _ in range(3))
    cache.put("1", one)
    cache.put("2", two)
    assert cache.get("1") is one
    cache.put("3", three)
    assert (cache.get("1"), cache.get("2"), cache.get("3")) == (one, None, three)
    assert len(cache) == 2
