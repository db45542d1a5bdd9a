"""Penguin as text: deterministic, readable, and read back to an equal function by `parser`.

    penguin.function @add target=corev4 args=[a] results=[out] {
      tensor %a: float32[128, 512] private_hbm input
      tensor %one: float32[128, 128] private_hbm const data=identity(128)
      tensor %t: float32[128, 256] sbuf address=1024
      tensor %out: float32[128, 512] private_hbm output
      for i in affine(0, 2) {
        dma_copy.sync dst=%t, src=%a[256*i; 512*128, 1*256]  // add.py:7
        no_reorder {
          scale = tensor_scalar.vector dst=%t, data=%t, op0=mult, operand0=2.0
          #0 = memset.gpsimd dst=%t[0; 256*128, 1*8], value=-0.0
        }
        dma_copy.sync dst=%out[256*i; 512*128, 1*256], src=%t after [scale, #0]
      }
      for %n in dynamic(0, %count) {
        dma_copy.sync dst=%t, src=%a[0; 512*128, 1*256; %n*512 < 128]
      }
      while %more new %acc {
        register_load.all dst=%more, src=%flag
      }
    }

An instruction is ``[name =] label.engine field=value, ...``; fields that have their default are
left out, and graph ops have no engine. A view is ``%tensor[offset; stride*count, ...]:dtype``, in
elements; without brackets it is the whole tensor, without a dtype it has the tensor's. A third
part, ``%index*stride < limit``, is an index that is read at run time; ``each %index*stride <
limit``, one for every element of the first dimension; ``snake``, one for every element of the last.
Tensors after ``new`` begin anew in every trip. ``#n`` numbers instructions without
a name that an ``after`` refers to. Source locations are comments; everything else is part of the
form.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final

import numpy as np

from opennki.base.affine import AffineExpr
from opennki.base.affine_text import affine_text, variable_text
from opennki.base.constants import constant_text
from opennki.base.dtypes import DType
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.base.text import Writer, name_text, number_text, place_text, string_text
from opennki.ir import (
    Access,
    Attribute,
    DynamicLoop,
    Inst,
    Operand,
    Region,
    Role,
    Tensor,
    View,
    While,
)

from .function import Function, Loop, Statement

KEYWORDS: Final = frozenset({"for", "no_reorder", "tensor", "while"})
"""Words that begin a statement; an instruction with such a name has it quoted."""


def print_function(function: Function) -> str:
    """The text of `function`.

    Raises: TypeError for an attribute value that no instruction's declaration allows.
    """
    printer = _Printer(_numbered(function))
    printer.function(function)
    return printer.out.text()


def print_instruction(inst: Inst) -> str:
    """One instruction on one line, for messages and tests; what it runs after is left out."""
    return _Printer({})._head(inst)


def has_default(field: Operand | Attribute, value: object) -> bool:
    """Whether `value` is exactly what a constructor puts into `field` when it is not given."""
    if field.required:
        return False
    default = field.default
    if value is default:
        return True
    return type(value) is type(default) and repr(value) == repr(default)


def _numbered(function: Function) -> dict[Inst, str]:
    """What ``after`` calls every instruction that one refers to: its name, or a number."""
    wanted = {producer for inst in function.instructions() for producer in inst.after}
    found: dict[Inst, str] = {}
    count = 0
    for inst in function.instructions():
        if inst in wanted:
            if inst.name is None:
                found[inst] = f"#{count}"
                count += 1
            else:
                found[inst] = name_text(inst.name, KEYWORDS)
    return found


class _Printer:
    """Writes a function; remembers the text of locations and of tensors' names."""

    def __init__(self, labels: dict[Inst, str]) -> None:
        self.out = Writer()
        self._labels = labels
        self._locs: dict[int, str] = {id(UNKNOWN): ""}
        self._names: dict[str, str] = {}

    def function(self, function: Function) -> None:
        """Write a function with its tensors and statements."""
        head = f"penguin.function @{name_text(function.name)} target={function.target.name}"
        if (function.core, function.cores) != (0, 1):
            head += f" core={function.core} cores={function.cores}"
        head += f" args={_listed(function.args)} results={_listed(function.results)}"
        with self.out.block(head):
            for tensor in function.tensors.values():
                self.tensor(tensor)
            self.body(function.body)

    def tensor(self, tensor: Tensor) -> None:
        """Write the declaration of a tensor."""
        dims = ", ".join(map(str, tensor.shape))
        text = f"tensor %{name_text(tensor.name)}: {tensor.dtype}[{dims}] {tensor.space}"
        if tensor.role is not Role.internal:
            text += f" {tensor.role.value}"
        if tensor.address is not None:
            text += f" address={tensor.address}"
        if tensor.start_partition:
            text += f" partition={tensor.start_partition}"
        if tensor.data is not None:
            text += f" data={constant_text(tensor.data, tensor.shape, tensor.dtype)}"
        self.out.line(text + self._comment(tensor.loc))

    def body(self, body: list[Statement]) -> None:
        """Write statements."""
        for item in body:
            if isinstance(item, Inst):
                self.instruction(item)
            elif isinstance(item, Loop):
                var = item.var
                step = "" if var.step == 1 else f", {var.step}"
                head = f"for {variable_text(var.name)} in {item.kind.value}"
                with self.out.block(
                    f"{head}({var.start}, {var.stop}{step})", self._comment(item.loc)
                ):
                    self.body(item.body)
            elif isinstance(item, DynamicLoop):
                step = "" if item.step == 1 else f", {item.step}"
                ends = f"{self._end(item.start)}, {self._end(item.stop)}{step}"
                head = f"for {self._tensor(item.register)} in dynamic({ends}){self._new(item)}"
                with self.out.block(head, self._comment(item.loc)):
                    self.body(item.body)
            elif isinstance(item, While):
                head = f"while {self._tensor(item.condition)}{self._new(item)}"
                with self.out.block(head, self._comment(item.loc)):
                    self.body(item.body)
            else:
                self.region(item)

    def _new(self, loop: DynamicLoop | While) -> str:
        return f" new {', '.join(map(self._tensor, loop.new))}" if loop.new else ""

    def _end(self, end: int | Tensor) -> str:
        return self._tensor(end) if isinstance(end, Tensor) else str(end)

    def region(self, region: Region) -> None:
        """Write statements that keep their order."""
        with self.out.block("no_reorder", self._comment(region.loc)):
            self.body(region.body)

    def instruction(self, inst: Inst) -> None:
        """Write one instruction."""
        text = self._head(inst)
        label = self._labels.get(inst)
        if inst.name is None and label is not None:
            text = f"{label} = {text}"
        if inst.after:
            text += f" after [{', '.join([self._labels[p] for p in inst.after])}]"
        self.out.line(text + self._comment(inst.loc))

    def _head(self, inst: Inst) -> str:
        spec = inst.spec
        pairs = []
        for name in spec.order:
            field = spec.fields[name]
            value = getattr(inst, name)
            if not has_default(field, value):
                pairs.append(f"{name}={self._value(field, value)}")
        text = spec.label if inst.engine is None else f"{spec.label}.{inst.engine.nki}"
        if inst.name is not None:
            text = f"{name_text(inst.name, KEYWORDS)} = {text}"
        return f"{text} {', '.join(pairs)}" if pairs else text

    def _value(self, field: Operand | Attribute, value: object) -> str:
        if isinstance(field, Operand):
            assert field.access is not Access.STATE
            if isinstance(value, View):
                return self._view(value)
            if field.many and isinstance(value, tuple):
                return f"[{', '.join(map(self._view, value))}]"
        elif field.type is bool and isinstance(value, bool | np.bool_):
            return "true" if value else "false"
        return value_text(value)

    def _view(self, view: View) -> str:
        tensor = view.tensor
        text = self._tensor(tensor)
        if view.is_whole():
            return text
        offset = view.offset
        start = affine_text(offset) if isinstance(offset, AffineExpr) else str(int(offset))
        pairs = ", ".join([f"{stride}*{count}" for stride, count in view.dims])
        index = view.index
        if index is not None:
            each = "each " if index.vector else "snake " if index.snake else ""
            pairs += f"; {each}{self._view(index.source)}*{index.stride} < {index.limit}"
        text = f"{text}[{start}; {pairs}]"
        return text if view.dtype is tensor.dtype else f"{text}:{view.dtype}"

    def _tensor(self, tensor: Tensor) -> str:
        """The name of a tensor."""
        text = self._names.get(tensor.name)
        if text is None:
            text = self._names[tensor.name] = f"%{name_text(tensor.name)}"
        return text

    def _comment(self, loc: SrcLoc) -> str:
        text = self._locs.get(id(loc))
        if text is None:
            text = self._locs[id(loc)] = f"  // {place_text(loc)}"
        return text


def value_text(value: object) -> str:
    """A value: number, affine expression, quoted string, name of a member, ``none``, ``[...]``.

    Raises: TypeError for anything else.
    """
    if value is None:
        return "none"
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, AffineExpr):
        return affine_text(value)
    if isinstance(value, np.generic) and not isinstance(value, str):
        value = value.item()
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, DType):
        return str(value)
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(value_text, value))}]"
    raise TypeError(f"no field can hold {value!r}")


def _listed(names: Iterable[str]) -> str:
    return f"[{', '.join(map(name_text, names))}]"
