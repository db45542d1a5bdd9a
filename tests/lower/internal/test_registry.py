"""The registry of internal kernels, and what an entry refuses."""

from __future__ import annotations

from importlib import import_module

import pytest

from opennki.base import dtypes
from opennki.base.diag import NkiError
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.ir import Space, Tensor, View
from opennki.isa.enums import ActFunc
from opennki.lower.internal import BUILT_IN, InternalKernel, Registry
from opennki.lower.internal.registry import MAX_ATTENTION, MAX_MLP
from opennki.penguin import GRAPH_OPS, AttentionOp, MlpOp, SoftmaxOp

AT = SrcLoc("model.py", 3)


def view(*shape: int, space: Space = Space.private_hbm) -> View:
    return View.whole(Tensor("x", shape, dtypes.float32, space))


def softmax(space: Space = Space.private_hbm) -> SoftmaxOp:
    return SoftmaxOp(dst=view(4, 8, space=space), src=view(4, 8, space=space), loc=AT)


def attention(d: int = 8, e: int = 8) -> AttentionOp:
    q, v = view(4, d), view(4, e)
    return AttentionOp(dst=v, query=q, key=q, value=v, loc=AT)


def mlp(hidden: int, inner: int) -> MlpOp:
    x, up, down = view(4, hidden), view(hidden, inner), view(inner, hidden)
    return MlpOp(dst=x, src=x, gate=up, up=up, down=down, activation=ActFunc.Gelu, loc=AT)


def refusals(kernel: InternalKernel, op, cores: int = 1) -> list[tuple[str, str]]:
    with pytest.raises(NkiError) as caught:
        kernel.cores(op, "main", cores)
    assert {d.loc for d in caught.value.diagnostics} == {AT}
    return [(d.code.id, d.message) for d in caught.value.diagnostics]


def test_every_graph_op_has_a_kernel():
    assert {op.spec.label for op in GRAPH_OPS} == {kernel.name for kernel in BUILT_IN}


def test_a_miss_names_what_there_is():
    with pytest.raises(NkiError) as caught:
        BUILT_IN.find("conv2d", AT)
    (found,) = caught.value.diagnostics
    assert (found.code.id, found.loc) == ("NKI2805", AT)
    assert found.message == (
        "Internal NKI kernel 'conv2d' is not registered. Available kernels: attention, mlp, "
        "rms_norm, softmax"
    )
    with pytest.raises(NkiError, match="Available kernels: none"):
        Registry({}).find("softmax", UNKNOWN)


def test_kernels_are_added_and_replaced_in_a_new_registry():
    mine = InternalKernel("softmax", "mine:kernel")
    made = BUILT_IN.with_kernels(mine, InternalKernel("conv2d", "mine:conv2d"))
    assert made.find("softmax", UNKNOWN) is mine
    assert made.find("conv2d", UNKNOWN).kernel_func == "mine:conv2d"
    assert BUILT_IN.find("softmax", UNKNOWN) is not mine


def test_defaults_of_an_entry():
    kernel = InternalKernel("softmax", "mine:kernel")
    assert kernel.operand_count is None
    assert kernel.arguments(softmax()) == {}
    assert not kernel.requires_multicore_grid
    assert not kernel.output_is_parameter
    assert kernel.cores(softmax(), "main", 2) == 1


@pytest.mark.parametrize(
    ("op", "arguments"),
    [
        (softmax(), {"axis": -1}), (attention(16), {"causal": False, "scale": 0.25}),
        (mlp(4, 4), {"activation": "gelu"}),
    ],
)  # fmt: skip
def test_arguments_that_kernels_get_by_name(op, arguments):
    assert BUILT_IN.find(op.spec.label, UNKNOWN).arguments(op) == arguments


def test_the_number_of_operands_is_checked():
    kernel = InternalKernel("softmax", "mine:kernel", operand_count=2)
    assert refusals(kernel, softmax()) == [
        ("NKI2806", "internal kernel 'softmax' takes 2 operands; softmax has 1"),
    ]


def test_a_kernel_for_several_cores_needs_them_and_memory_that_they_share():
    kernel = InternalKernel("softmax", "mine:kernel", requires_multicore_grid=True)
    assert refusals(kernel, softmax()) == [
        (
            "NKI2807",
            "internal kernel 'softmax' needs a grid of several cores; `main` runs on one core",
        ),
    ]
    assert kernel.cores(softmax(Space.shared_hbm), "main", 2) == 2
    found = refusals(kernel, softmax(), cores=2)
    assert found[1] == (
        "NKI2815",
        "`src` of softmax is in private_hbm; internal kernel 'softmax' runs on 2 cores, which see "
        "shared_hbm only",
    )
    assert len(found) == 2


def test_sizes_that_do_not_fit_are_refused():
    assert refusals(BUILT_IN.find("attention", UNKNOWN), attention(4097, 600)) == [
        (
            "NKI2809",
            "the last size of `query` is 4097; internal kernel 'attention' takes at most 4096",
        ),
        (
            "NKI2809",
            "the last size of `value` is 600; internal kernel 'attention' takes at most 512",
        ),
    ]
    found = refusals(BUILT_IN.find("mlp", UNKNOWN), mlp(8193, 16385))
    assert [message for _, message in found] == [
        "the hidden size is 8193; internal kernel 'mlp' takes at most 8192",
        "the inner size is 16385; internal kernel 'mlp' takes at most 16384",
    ]


def test_the_kernels_refuse_the_same_sizes():
    """The registry may not import them: they lie above it."""
    kernels = [import_module(f"opennki.kernels.{name}") for name in ("attention", "mlp")]
    assert MAX_ATTENTION == {"query": kernels[0].MAX_QUERY, "value": kernels[0].MAX_VALUE}
    assert MAX_MLP == {"hidden": kernels[1].MAX_HIDDEN, "inner": kernels[1].MAX_INNER}
