"""Calls of kernels: what an ``NKIKernel`` instruction and the kernel that it names must keep.

- the kernel is one of the module; every argument and result of it is named once, in `func_args` or
  `func_outs`, which are as many as `ins` and `outs`
- an operand has as many elements as the storage whose place it takes, of the same dtype; a storage
  on chip is covered by an operand that is all of a storage like it in the same memory
- what the kernel keeps on chip fits the buffers that the call gives it, if it gives any
- no kernel calls itself, directly or through others

Source: BIR data model, "Kernels and escape hatches". Model: the rules; the data model has the names
of the attributes only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Final

from opennki.base.codes import NKI2811, NKI2812, NKI4005, NKI9003
from opennki.base.diag import Diagnostic, Problems, diagnostic, problem
from opennki.base.text import nearest

from .access import AccessPattern, Argument
from .enums import AddressRotationScope
from .instruction import Instruction
from .memloc import MemoryLocation, MemoryType
from .module import Function, Module

CALL: Final = "NKIKernel"
BINARY: Final = "NKIKLIRKernel"


def call_diagnostics(module: Module) -> list[Diagnostic]:
    """Every violation of a rule by a call or a kernel of `module`, in text order."""
    kernels = {kernel.name: kernel for kernel in module.nki_functions}
    found = []
    for function in (*module.nki_functions, *module.functions):
        for inst in function.instructions():
            if inst.opcode == CALL:
                note = [f"in `{inst.name}` of function `{function.name}`"]
                found += [
                    diagnostic(one, inst.loc, notes=note) for one in call_problems(inst, kernels)
                ]
    return [*found, *_endless(kernels)]


def call_problems(inst: Instruction, kernels: Mapping[str, Function]) -> Problems:
    """What is wrong with a call of one of `kernels`. Attributes have their types."""
    name = str(inst.attrs.get("func"))
    kernel = kernels.get(name)
    if kernel is None:
        yield problem(NKI4005, kind="kernel", name=name, close=nearest(name, kernels))
        return
    if inst.attrs.get("address_rotation_scope_val", _NONE) is not _NONE:
        what = "a call of a kernel whose storages rotate among several places"
        yield problem(NKI9003, what=what, instead="leave out `address_rotation_scope_val`")
    why = _misnamed(inst, kernel)
    if why:
        yield problem(NKI2811, func=name, why=why)
        return
    for storage, operand in operands_of(inst):
        why = _unfit(kernel.memlocs[storage], operand)
        if why:
            yield problem(NKI2811, func=name, why=f"the operand for `{storage}` {why}")
    for why in _cramped(inst, kernel):
        yield problem(NKI2811, func=name, why=why)


_NONE: Final = AddressRotationScope.NONE


def names(inst: Instruction, key: str) -> tuple[str, ...]:
    """The storages of the kernel that `func_args` or `func_outs` names."""
    found = inst.attrs.get(key, ())
    return found if isinstance(found, tuple) else ()


def operands_of(inst: Instruction) -> Iterator[tuple[str, Argument]]:
    """Storages of the kernel with the operands that take their places, those of `ins` first."""
    yield from zip(names(inst, "func_args"), inst.ins, strict=True)
    yield from zip(names(inst, "func_outs"), inst.outs, strict=True)


def _misnamed(inst: Instruction, kernel: Function) -> str:
    """What is wrong with the names that a call gives its operands."""
    args, outs = names(inst, "func_args"), names(inst, "func_outs")
    for key, given, operands in (("func_args", args, inst.ins), ("func_outs", outs, inst.outs)):
        if len(given) != len(operands):
            return f"{key} has {len(given)} names for {len(operands)} operands"
    wanted = list(dict.fromkeys((*kernel.inputs, *kernel.outputs)))
    for name in (*args, *outs):
        if name not in wanted or name not in kernel.memlocs:
            return f"it has no argument or result `{name}`"
        if (*args, *outs).count(name) > 1:
            return f"`{name}` is named twice"
    for name in wanted:
        if name not in outs and (name in kernel.outputs or name not in args):
            return f"nothing takes the place of `{name}`"
    return ""


def _unfit(storage: MemoryLocation, operand: Argument) -> str:
    """Why an operand cannot take the place of a storage of the kernel."""
    if not isinstance(operand, AccessPattern):
        return "is a number"
    own = operand.memloc
    if MemoryType.REG in (storage.type, own.type):
        return "is a register"
    if own.type is not storage.type:
        return f"is in {own.type.name}, and that is in {storage.type.name}"
    if operand.dtype != storage.dtype:
        return f"is {operand.dtype}, and that is {storage.dtype}"
    count, size = prod(num for _, num in operand.ap), prod(storage.shape)
    if count != size:
        return f"has {count} elements, and that has {size}"
    whole = (operand.offset, operand.index) == (0, None) and own.shape == storage.shape
    if storage.on_chip and not (whole and is_dense(operand.ap)):
        return f"is not all of a storage of shape {list(storage.shape)}"
    return ""


def is_dense(ap: tuple[tuple[int, int], ...]) -> bool:
    """Whether a pattern walks neighbouring elements from first to last."""
    step = 1
    for pair in reversed(ap):
        if pair[1] != 1 and pair[0] != step:
            return False
        step *= pair[1]
    return True


def _cramped(inst: Instruction, kernel: Function) -> Iterator[str]:
    """Storages of the kernel that do not fit the buffers that the call gives it."""
    for key, kind in (("sb_buf_shape", MemoryType.SB), ("psum_buf_shape", MemoryType.PSUM)):
        given = inst.attrs.get(key)
        if not isinstance(given, tuple):
            continue
        partitions, size = int(given[-2]), prod(map(int, (*given[:-2], given[-1])))
        for memloc in kernel.memlocs.values():
            rows = memloc.shape[0] if memloc.shape else 1
            if memloc.type is kind and (rows > partitions or memloc.row_bytes > size):
                took = f"{rows} partitions of {memloc.row_bytes} bytes"
                yield f"`{memloc.name}` takes {took}, and {key} gives {partitions} of {size}"


def _endless(kernels: Mapping[str, Function]) -> Iterator[Diagnostic]:
    """Kernels that call themselves."""
    calls = {name: called(kernel) for name, kernel in kernels.items()}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> Iterator[Diagnostic]:
        if name in path:
            way = " -> ".join((*path[path.index(name) :], name))
            done.add(name)
            yield diagnostic(problem(NKI2812, func=name, way=way), inst_of[name].loc)
        elif name not in done:
            for inst in calls.get(name, ()):
                inner = str(inst.attrs.get("func"))
                inst_of[inner] = inst
                yield from visit(inner, (*path, name))
            done.add(name)

    inst_of: dict[str, Instruction] = {}
    for name in kernels:
        yield from visit(name, ())


def called(function: Function) -> list[Instruction]:
    """The calls in a function, in text order."""
    return [inst for inst in function.instructions() if inst.opcode == CALL]
