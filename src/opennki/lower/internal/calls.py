"""Lowers graph ops to calls of internal kernels.

    softmax dst=%y, src=%x     =>    inst__softmax = NKIKernel Unassigned outs(%y) ins(%x)
                                         {func="softmax", func_args=["src"], func_outs=["out"]}

with the kernel ``@softmax`` in the module; or, in the prebuilt form, in the instruction:

    softmax = NKIKLIRKernel Unassigned outs(%y) ins(%x) {klir_binary="...", kernel_format="bir"}

whose format is that of the road that kernels take: BIR's file on the first, KLR's on the second.

Source: Penguin, "Internal kernel registry"; KLR lowering, "How a KLR kernel enters a BIR module".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from opennki.base.codes import NKI2808
from opennki.base.diag import fail
from opennki.birpy import AccessPattern, Function, Instruction, MemoryLocation, Module
from opennki.birpy.binary import IDENTIFIER
from opennki.birpy.calls import BINARY, CALL
from opennki.birpy.enums import KernelSource
from opennki.ir import View
from opennki.isa.enums import Engine
from opennki.penguin import Function as PenguinFunction
from opennki.penguin import GraphOp

from .cache import KernelCache, key_of
from .registry import BUILT_IN, InternalKernel, KernelRequest, Registry, TracedKernel, Tracer


class Form(Enum):
    """How the module has a kernel: as a function of it, or stored in the calling instruction."""

    readable = "readable"
    prebuilt = "prebuilt"


SOURCES: Final = {"beta2": KernelSource.Beta2, "beta3": KernelSource.Beta3}
"""Front end -> what a call says of where its kernel comes from."""


@dataclass
class InternalKernels:
    """Internal kernels for some compilations.

    Attributes: tracer; registry; form, of what is put into modules; cache, of traced kernels.
    """

    tracer: Tracer
    registry: Registry = BUILT_IN
    form: Form = Form.readable
    cache: KernelCache = field(default_factory=KernelCache)

    def traced(self, op: GraphOp, fn: PenguinFunction) -> tuple[str, TracedKernel]:
        """The key and the kernel that computes `op`, whose module nobody may change.

        Raises: NKI2805 to NKI2810, and NkiError for what is wrong with the kernel.
        """
        kernel = self.registry.find(op.spec.label, op.loc)
        cores = kernel.cores(op, fn.name, fn.cores)
        key = key_of(op, kernel, fn.target, cores, self.tracer.frontend)
        traced = self.cache.get(key)
        if traced is None:
            views = op.operand_views()
            if kernel.output_is_parameter:
                views += op.result_views()
            arrays = tuple([(tuple(view.shape), view.dtype) for view in views])
            arguments = kernel.arguments(op)
            request = KernelRequest(kernel, arrays, arguments, fn.target, cores, op.loc)
            traced = self.tracer.trace(request)
            for function in traced.module.functions:
                _check_results(op, kernel, function)
                for memloc in function.memlocs.values():
                    memloc.shared = memloc.shared and cores > 1  # there is nobody to share it with
            self.cache.put(key, traced)
        return key, traced


def _check_results(op: GraphOp, kernel: InternalKernel, function: Function) -> None:
    """Raises NKI2808 if a kernel leaves something else than the results of its op."""
    views, memlocs = op.result_views(), function.memlocs
    names = parameters(op, kernel, function)[1]
    results = [memlocs[name] for name in names]
    want = ", ".join(f"{view.dtype}{list(view.shape)}" for view in views)
    got = ", ".join(f"{loc.dtype}{list(loc.shape)}" for loc in results) or "nothing"
    written = {
        arg.memloc.name
        for inst in function.instructions()
        for arg in inst.outs
        if isinstance(arg, AccessPattern)
    }
    untouched = [name for name in names if name not in written]
    spoilt = [name for name in function.inputs if name in written and name not in names]
    if untouched:
        got = f"nothing in `{untouched[0]}`"
    elif spoilt:
        got = f"the operand `{spoilt[0]}` changed"
    if untouched or spoilt or not _alike(results, views):
        raise fail(NKI2808, op.loc, name=kernel.name, got=got, op=op.spec.label, want=want)


def _alike(memlocs: Sequence[MemoryLocation], views: Sequence[View]) -> bool:
    """Whether storages have the shapes and dtypes of views."""
    return [(tuple(loc.shape), loc.dtype) for loc in memlocs] == [
        (tuple(view.shape), view.dtype) for view in views
    ]


def parameters(
    op: GraphOp, kernel: InternalKernel, function: Function
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The storages of a kernel's function that stand for the operands and the results of `op`."""
    count = len(op.operand_views())
    if kernel.output_is_parameter:
        return tuple(function.inputs[:count]), tuple(function.inputs[count:])
    return tuple(function.inputs), tuple(function.outputs)


class CallLowering:
    """Lowers the graph ops of one module.

    Attributes: functions, the kernels that the module has to have.
    """

    def __init__(self, kernels: InternalKernels, taken: set[str]) -> None:
        """Args: taken, names that functions of the module have."""
        self._kernels = kernels
        self._taken = taken
        self._labels: dict[str, str] = {}
        self.functions: list[Function] = []

    def call(
        self, op: GraphOp, fn: PenguinFunction, names: set[str],
        of_view: Callable[[View], AccessPattern],
    ) -> Instruction:  # fmt: skip
        """The call that computes `op`, a statement of `fn`.

        Args: names, of instructions; that of the call is added. Raises: as `InternalKernels`.
        """
        key, traced = self._kernels.traced(op, fn)
        module = traced.module
        kernel = self._kernels.registry.find(op.spec.label, op.loc)
        core = fn.core if len(module.functions) > 1 else 0
        args, outs = parameters(op, kernel, module.functions[core])
        attrs: dict[str, object] = {"func_args": args, "func_outs": outs}
        if self._kernels.form is Form.prebuilt:
            opcode, name = BINARY, op.name or _free(op.spec.label, names)
            attrs |= {
                "klir_binary": traced.stored(), "kernel_format": traced.format,
                "nki_binary_version_identifier": IDENTIFIER,
            }  # fmt: skip
        else:
            label = self._label(key, op.spec.label, module)
            opcode, name = CALL, op.name or _free(f"inst__{label}", names)
            attrs["func"] = _of_core(label, module, core)
            attrs["kernel_source_val"] = SOURCES[self._kernels.tracer.frontend]
        names.add(name)
        ins = tuple([of_view(view) for view in op.operand_views()])
        results = tuple([of_view(view) for view in op.result_views()])
        return Instruction(opcode, Engine.UNASSIGNED, name, ins, results, attrs, op.loc)

    def _label(self, key: str, stem: str, module: Module) -> str:
        """What a kernel is called in this module, which gets it when it is first called."""
        label = self._labels.get(key)
        if label is None:
            label = self._labels[key] = _free(stem, self._taken)
            for core, function in enumerate(module.functions):
                made = replace(function, name=_of_core(label, module, core))
                self._taken.add(made.name)
                self.functions.append(made)
            self._taken.add(label)
        return label


def _of_core(label: str, module: Module, core: int) -> str:
    return label if len(module.functions) == 1 else f"{label}_core{core}"


def _free(stem: str, taken: set[str]) -> str:
    """`stem`, or `stem` with the first number that makes it new."""
    name, count = stem, 0
    while name in taken:
        count += 1
        name = f"{stem}_{count}"
    return name
