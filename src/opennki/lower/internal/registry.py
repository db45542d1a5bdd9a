"""The registry of internal kernels: which kernel computes which graph op, and how it is asked.

Kernels are named, not imported: they lie above this level, and a compilation needs few of them. The
driver finds and traces them, as a `Tracer`.

Source: Penguin, "Internal kernel registry": the fields of an entry and what is said of a miss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from opennki.base.codes import NKI2805, NKI2806, NKI2807, NKI2809, NKI2815
from opennki.base.diag import NkiError, Problems, diagnostic, fail, problem
from opennki.base.dtypes import DType
from opennki.base.loc import SrcLoc
from opennki.birpy import Module
from opennki.birpy.binary import FORMAT, to_binary
from opennki.ir import Space
from opennki.isa.act import ACT
from opennki.penguin import AttentionOp, GraphOp, MlpOp
from opennki.target import Target

Arguments = dict[str, Any]


@dataclass(frozen=True)
class InternalKernel:
    """One entry of the registry.

    Attributes: name, of the graph op; kernel_func, the kernel as ``module:function``;
    operand_count, how many operands it takes, None if any number; additional_args_builder, the
    arguments besides operands that it gets by name, None for none; requires_multicore_grid, whether
    it is launched on all cores of the function, which must be several; output_is_parameter, whether
    results are parameters, after the operands, that the kernel writes, instead of what it returns;
    limits, sizes that it does not take, None if it takes any (Model: a field of ours).
    """

    name: str
    kernel_func: str
    operand_count: int | None = None
    additional_args_builder: Callable[[Any], Arguments] | None = None
    requires_multicore_grid: bool = False
    output_is_parameter: bool = False
    limits: Callable[[Any], Problems] | None = None

    def arguments(self, op: GraphOp) -> Arguments:
        """What the kernel gets by name."""
        return {} if self.additional_args_builder is None else self.additional_args_builder(op)

    def cores(self, op: GraphOp, fn: str, cores: int) -> int:
        """On how many cores it is launched for `op` in a function of `cores` cores.

        Raises: NkiError for every reason why it cannot be called: NKI2806, NKI2807, NKI2809,
            NKI2815.
        """
        found = list(self._unfit(op, fn, cores))
        if found:
            raise NkiError([diagnostic(one, op.loc) for one in found])
        return cores if self.requires_multicore_grid else 1

    def _unfit(self, op: GraphOp, fn: str, cores: int) -> Problems:
        count = len(op.operand_views())
        if self.operand_count is not None and count != self.operand_count:
            want, label = self.operand_count, op.spec.label
            yield problem(NKI2806, name=self.name, want=want, op=label, got=count)
        if self.requires_multicore_grid and cores < 2:
            yield problem(NKI2807, name=self.name, fn=fn, cores="one core")
        elif self.requires_multicore_grid:
            for operand, view in op.views():
                if view.space is not Space.shared_hbm:
                    facts: Arguments = {"op": op.spec.label, "got": view.space, "cores": cores}
                    yield problem(NKI2815, operand=operand.name, name=self.name, **facts)
        if self.limits is not None:
            yield from self.limits(op)


@dataclass(frozen=True)
class Registry:
    """Internal kernels by the name of the graph op that they compute."""

    kernels: Mapping[str, InternalKernel]

    def find(self, name: str, loc: SrcLoc) -> InternalKernel:
        """The kernel called `name`. Raises: NKI2805 at `loc`."""
        found = self.kernels.get(name)
        if found is None:
            known = ", ".join(sorted(self.kernels)) or "none"
            raise fail(NKI2805, loc, name=name, known=known)
        return found

    def with_kernels(self, *more: InternalKernel) -> Registry:
        """A registry that has these kernels besides, or in the place of, its own."""
        return Registry({**self.kernels, **{kernel.name: kernel for kernel in more}})

    def __iter__(self) -> Iterator[InternalKernel]:
        return iter(self.kernels.values())


@dataclass(frozen=True)
class KernelRequest:
    """A kernel to be traced.

    Attributes: kernel, its entry; arrays, shape and dtype of every array that it gets by position;
    arguments, what it gets by name; target; cores, how many it is launched on; loc, of the op.
    """

    kernel: InternalKernel
    arrays: tuple[tuple[tuple[int, ...], DType], ...]
    arguments: Arguments
    target: Target
    cores: int
    loc: SrcLoc


@dataclass(frozen=True)
class TracedKernel:
    """A kernel that was traced.

    Attributes: module, with one function for each core; format, of the prebuilt form; binary, which
    makes that form, None where it is BIR's own file.
    """

    module: Module
    format: str = FORMAT
    binary: Callable[[], str] | None = None

    def stored(self) -> str:
        """The prebuilt form."""
        return to_binary(self.module) if self.binary is None else self.binary()


class Tracer(Protocol):
    """Finds kernels and traces them: the driver."""

    @property
    def frontend(self) -> str:
        """The route that kernels take to BIR (``beta2``, ``beta3``)."""

    def trace(self, request: KernelRequest) -> TracedKernel:
        """The kernel as BIR, with one function for each core; nobody else has that module.

        Inputs of a function are the arrays, in order, and its outputs what the kernel returns.
        Raises: NKI2810 if there is no such kernel, NkiError for what is wrong with it.
        """


MAX_ATTENTION: Final = {"query": 4096, "value": 512}
MAX_MLP: Final = {"hidden": 8192, "inner": 16384}
"""Sizes that the kernels take; `opennki.kernels` says why, and refuses others too."""


def _attention_limits(op: AttentionOp) -> Problems:
    """Sizes whose tiles and sums fit on chip."""
    for operand, most in MAX_ATTENTION.items():
        size = getattr(op, operand).shape[-1]
        if size > most:
            what, allowed = f"the last size of `{operand}`", f"at most {most}"
            yield problem(NKI2809, what=what, got=size, name="attention", allowed=allowed)


def _mlp_limits(op: MlpOp) -> Problems:
    """Sizes whose tiles fit on chip."""
    for what, size in (("hidden", op.gate.shape[0]), ("inner", op.gate.shape[1])):
        if size > MAX_MLP[what]:
            allowed = f"at most {MAX_MLP[what]}"
            yield problem(NKI2809, what=f"the {what} size", got=size, name="mlp", allowed=allowed)


BUILT_IN: Final = Registry({}).with_kernels(
    InternalKernel(
        "softmax", "opennki.kernels.softmax:softmax", 1, lambda op: {"axis": op.axis}
    ),
    InternalKernel(
        "rms_norm", "opennki.kernels.rms_norm:rms_norm", 2, lambda op: {"eps": op.eps}
    ),
    InternalKernel(
        "attention", "opennki.kernels.attention:attention", 3,
        lambda op: {"causal": op.causal, "scale": op.factor}, limits=_attention_limits,
    ),
    InternalKernel(
        "mlp", "opennki.kernels.mlp:mlp", 4,
        lambda op: {"activation": ACT[op.activation].nki}, limits=_mlp_limits,
    ),
)  # fmt: skip
"""The kernels that come with opennki."""
