"""From the arguments of an ISA call to a checked instruction: the slow, complete way.

`surface` takes a short cut for calls whose signature (shapes, strides, dtypes, memories, attribute
values) broke no rule before.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from math import inf
from typing import Any, TypeVar

import numpy as np

from opennki.base.codes import (
    NKI1007,
    NKI1008,
    NKI1032,
    NKI1041,
    NKI1062,
    NKI1090,
    NKI2101,
    NKI2102,
    NKI2103,
    NKI2107,
    NKI2117,
    NKI2126,
    NKI2404,
    NKI2501,
    NKI5103,
)
from opennki.base.diag import Problem, Severity, problem
from opennki.base.dtypes import DType
from opennki.base.dtypes import dtype as to_dtype
from opennki.base.numerics import FLOAT32_END
from opennki.ir import Access, Attribute, Given, Inst, InstrSpec, Operand, Space, View, problems
from opennki.isa.enums import ActFunc, AluOp, DgeMode, Engine, IsaEnum, MatmulPerfMode
from opennki.penguin import beyond
from opennki.target import ENUM_NUMBERS
from opennki.trace.context import TraceContext
from opennki.trace.enums import MEANING, matmul_perf_mode
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import plain_bool, plain_int, plain_number, shown
from opennki.trace.registers import VirtualRegister
from opennki.trace.values import NkiTensor

from .keywords import in_order

V = TypeVar("V", bound=View)


class Refused(Exception):
    """An argument that no instruction can be made from."""

    def __init__(self, found: Problem) -> None:
        self.problem = found


def bind(
    ctx: TraceContext | None, cls: type[Inst], values: tuple[Any, ...], engine: Any, name: Any
) -> Inst:
    """Check a call of the instruction `cls` with these field values and append the instruction.

    A call that breaks a rule is reported and left out; the trace goes on, so that one run shows
    all independent problems. Returns the instruction's handle, whether it was appended or not.
    """
    spec = cls.spec
    if ctx is None:
        ctx = nki_ctx(spec.call)
    values = tuple([_settled(value) for value in in_order(cls, values)])
    try:
        fields = {f.name: _field(spec, f, v) for f, v in zip(_fields(spec), values, strict=True)}
        chosen = _engine(spec, engine)
    except Refused as refused:
        ctx.report(refused.problem, ctx.loc())
        _pretend_written(values)
        return _refused(cls, ctx)
    inst = cls(**fields, engine=chosen, name=_name(spec, name, ctx))  # type: ignore[call-arg]
    inst.prepare(ctx.target)
    if inst.engine is None:
        inst.engine = inst.default_engine(ctx.target)
    found = _strays(inst) or list(problems(inst, ctx.target))
    if not (inst.alone or any(one.code.severity is Severity.error for one in found)):
        found += inst.check_launch(ctx.function.core, ctx.function.cores)
    for one in _independent(found, inst, ctx):
        ctx.report(one, ctx.loc(), inst)
    if any(one.code.severity is Severity.error for one in found):
        _pretend_written(values)
        return inst
    if inst.alone and not found:
        _remember(ctx, cls, values, engine, inst)
    emit: Callable[..., Inst] = getattr(ctx.builder, spec.emit)
    return emit(*inst.values(), inst.engine, inst.name)


def _settled(value: Any) -> Any:
    if isinstance(value, NkiTensor):
        return value.settled()
    return [_settled(one) for one in value] if value.__class__ is list else value


def _strays(inst: Inst) -> list[Problem]:
    """Windows that leave their tensor: `ap` makes them, and only a use is a fault."""
    return list({id(view): found for _, view in inst.views() for found in beyond(view)}.values())


def _refused(cls: type[Inst], ctx: TraceContext) -> Inst:
    """The handle of a call that makes no instruction: good for `depends_on`, and for no more."""
    made: Inst = cls.__new__(cls)
    made.engine, made.name, made.loc, made.after = None, None, ctx.loc(), ()
    return made


def _independent(found: list[Problem], inst: Inst, ctx: TraceContext) -> list[Problem]:
    """`found` without what only follows from a destination whose size was refused before.

    A tile that was made too small for one instruction is too small for those that read it, too.
    """
    sizes = [one for one in found if one.code in _SIZES]
    if not sizes:
        return found
    read = {(view.tensor, view.shape) for view in inst.reads()}
    if not read.isdisjoint(ctx.refused_sizes):
        return [one for one in found if one.code not in _SIZES]
    ctx.refused_sizes.update((view.tensor, view.shape) for view in inst.writes())
    return found


_SIZES = frozenset({NKI2101, NKI2102, NKI2103, NKI2107, NKI2126, NKI2404})
"""Codes about sizes that operands must have in common."""


def key_of(cls: type[Inst], values: tuple[Any, ...], engine: Any) -> tuple[Any, ...]:
    """The signature of a call: what its rules may depend on. `surface` builds the same inline."""
    parts: list[Any] = [cls]
    for field, value in zip(_fields(cls.spec), values, strict=True):
        if isinstance(value, View):
            tensor = value.tensor
            parts += [
                value.shape,
                value.strides,
                value.dtype,
                tensor.kind,
                value.const_offset // tensor.pitch,
                value.placing,
            ]
        elif isinstance(field, Attribute) and field.type is float:
            parts.append(repr(value))  # 0.0 and -0.0 are equal, and so are 1 and True
        else:
            parts.append(frozen(value))
    return (*parts, engine)


def frozen(value: Any) -> Any:
    """Lists as tuples, so that the value can be a key."""
    if value.__class__ is list or value.__class__ is tuple:
        return tuple(frozen(v) for v in value)
    return value


def _remember(
    ctx: TraceContext, cls: type[Inst], values: tuple[Any, ...], engine: Any, inst: Inst
) -> None:
    if any(o.many for o in cls.spec.operands) or any(
        isinstance(v, View) and (v.offset.__class__ is not int or v.index is not None)
        for v in values
    ):
        return
    if any(isinstance(v, numbers.Number) and v.__class__ not in _PLAIN for v in values):
        return
    try:
        attrs = tuple(getattr(inst, a.name) for a in cls.spec.attrs)
        ctx.verified[key_of(cls, values, engine)] = (*attrs, inst.engine)
    except TypeError:  # an unhashable attribute value
        return


_PLAIN = frozenset({int, float, bool})


def _fields(spec: InstrSpec) -> list[Operand | Attribute]:
    return [spec.fields[name] for name in surface_fields(spec)] + [
        spec.fields[name] for name in spec.order if name not in surface_fields(spec)
    ]


def surface_fields(spec: InstrSpec) -> list[str]:
    """Fields that a kernel's call can give, in declaration order."""
    hidden = {a.name for a in spec.attrs if not a.surface}
    return [n for n in spec.order if n not in hidden]


def _field(spec: InstrSpec, field: Operand | Attribute, value: Any) -> Any:
    if isinstance(field, Operand):
        return _operand(spec, field, value)
    return _attribute(spec, field, value)


def _operand(spec: InstrSpec, operand: Operand, value: Any) -> Any:
    if operand.many:
        return _several(spec, operand, value)
    if isinstance(value, NkiTensor):
        return _present(operand.name, value)
    if isinstance(value, VirtualRegister) and Space.register in operand.spaces:
        _present(operand.name, value.view)
        if operand.access is Access.OUT and value.frozen:
            raise Refused(problem(NKI1041, operand=operand.name, fn=f"nki.isa.{spec.label}"))
        return value.view
    if value is None and operand.optional and operand.given is not Given.VALUE:
        return None
    if operand.number and (found := plain_number(value)) is not None:
        return _in_float32(spec, operand.name, found)
    thing = "a register" if Space.register in operand.spaces else "a tensor"
    expected = f"{thing} or a number" if operand.number else thing
    raise Refused(_wrong_type(spec, operand.name, expected, value))


def _present(name: str, view: V) -> V:
    """The operand `view`, of tensors of this launch. Raises: Refused."""
    for one in (view,) if view.index is None else (view, view.index.source):
        loops = nki_ctx().symbolic
        if one.tensor in loops.homes and one.tensor.retired:
            raise Refused(problem(NKI1090, operand=name, **loops.gone(one.tensor)))
        if one.tensor.retired:
            thing = "register" if one.space is Space.register else "tensor"
            raise Refused(problem(NKI1062, operand=name, name=one.tensor.name, thing=thing))
    return view


def _several(spec: InstrSpec, operand: Operand, value: Any) -> tuple[NkiTensor, ...]:
    """A list of tensors. Raises: Refused."""
    if not isinstance(value, list | tuple):
        raise Refused(_wrong_type(spec, operand.name, "a list of tensors", value))
    for number, one in enumerate(value):
        if not isinstance(one, NkiTensor):
            raise Refused(_wrong_type(spec, f"{operand.name}[{number}]", "a tensor", one))
        _present(f"{operand.name}[{number}]", one)
    if not 1 <= len(value) <= operand.many:
        expected = f"a list of 1 to {operand.many} tensors"
        got = f"a list of {len(value)}"
        raise Refused(
            problem(
                NKI1007, operand=operand.name, name=operand.name, fn=f"nki.isa.{spec.label}",
                expected=expected, got=got,
            )
        )  # fmt: skip
    return tuple(value)


def _attribute(spec: InstrSpec, field: Attribute, value: Any) -> Any:
    if value is None:
        if field.optional:
            return None
        if not field.required:
            return field.default
    kind = field.type
    if issubclass(kind, IsaEnum):
        return _enum(spec, field, value)
    if kind is bool and (truth := plain_bool(value)) is not None:
        return truth
    if kind is int and (whole := plain_int(value)) is not None:
        return whole
    if kind is float and (found := plain_number(value)) is not None:
        return _in_float32(spec, field.name, found)
    if kind is DType:
        return _dtype(spec, field, value)
    if kind is str and isinstance(value, str):
        return value
    if kind is tuple and field.name in _NUMBERS:
        return _numbers(spec, field, value)
    if kind is tuple and (found := _integers(value, field.name in _NESTED)) is not None:
        return found if isinstance(found, tuple) else (found,)
    expected = "an integer or a list of integers" if kind is tuple else kind.__name__
    raise Refused(_wrong_type(spec, field.name, expected, value))


def _in_float32(spec: InstrSpec, name: str, value: int | float) -> int | float:
    if FLOAT32_END <= abs(value) < inf:
        raise Refused(_wrong_type(spec, name, "a number that float32 can hold", value))
    return value


_NUMBERS = frozenset({"scales"})
"""Attributes that are lists of numbers, which need not be integers."""


def _numbers(spec: InstrSpec, field: Attribute, value: Any) -> tuple[float, ...]:
    items = [plain_number(v) for v in value] if isinstance(value, list | tuple) else [None]
    if any(item is None for item in items):
        raise Refused(_wrong_type(spec, field.name, "a list of numbers", value))
    return tuple([float(_in_float32(spec, field.name, item)) for item in items if item is not None])


_NESTED = frozenset({"pattern", "replica_groups", "source_target_pairs"})
"""Attributes that are lists of lists."""


def _integers(value: Any, nested: bool) -> Any:
    """An integer, or lists of them as tuples, perhaps `nested`; None if they hold anything else."""
    if not isinstance(value, list | tuple):
        return plain_int(value)
    items = tuple(_integers(v, False) if nested else plain_int(v) for v in value)
    return None if None in items else items


def _dtype(spec: InstrSpec, field: Attribute, value: Any) -> DType:
    try:
        return to_dtype(value)
    except KeyError:
        raise Refused(_wrong_type(spec, field.name, "a dtype", value)) from None


def _enum(spec: InstrSpec, field: Attribute, value: Any) -> Any:
    if isinstance(value, field.type):
        return value
    if field.type is AluOp:
        found = getattr(value, "__nki_alu__", None)
        if isinstance(value, np.ufunc):
            found = _NUMPY_OPS.get(value.__name__)
    elif field.type is ActFunc:
        found = getattr(value, "__nki_act__", None)
    else:
        found = _looked_up(MEANING, value)
        found = found if isinstance(found, field.type) else None
    if found is not None:
        return found
    if value.__class__ is int and (found := _numbered(field.type, value)) is not None:
        return found
    if field.type is MatmulPerfMode and value.__class__ is str and value in _PERF_NAMES:
        return _PERF_NAMES[value]
    other_kind = _other_kind(spec, field, value)
    if other_kind is not None:
        raise Refused(other_kind)
    expected = _expected(field.type)
    if isinstance(value, int | str):
        raise Refused(
            problem(
                NKI1008, operand=field.name, name=field.name, fn=spec.call,
                expected=expected, got=repr(value),
            )
        )  # fmt: skip
    raise Refused(_wrong_type(spec, field.name, expected, value))


def _looked_up(table: Mapping[Any, Any], value: Any) -> Any:
    try:
        return table.get(value)
    except TypeError:  # a value without a hash is no key
        return None


def _numbered(kind: type, value: int) -> IsaEnum | None:
    """The member of `kind` that has the number `value`, where numbers are allowed.

    DgeMode is the one enumeration whose numbers public kernel libraries of the present version
    still pass.
    """
    if kind is not DgeMode and not nki_ctx().dialect.has(ENUM_NUMBERS):
        return None
    return next((m for w, m in MEANING.items() if isinstance(m, kind) and w.value == value), None)


_PERF_NAMES = {m.value: MEANING[m] for m in matmul_perf_mode}
"""The one enumeration whose values are words, and of which these libraries pass the values."""


def _other_kind(spec: InstrSpec, field: Attribute, value: Any) -> Problem | None:
    """An ALU operator where an activation function belongs, or the other way round."""
    name = getattr(value, "__name__", "")
    if field.type is ActFunc and hasattr(value, "__nki_alu__"):
        return problem(NKI2501, op=f"nl.{name}", close="")
    if field.type is AluOp and hasattr(value, "__nki_act__"):
        facts = {"allowed": "operators such as nl.add", "instead": "nisa.activation"}
        return problem(NKI2117, op=f"nl.{name}", inst=spec.label, **facts)
    return None


def _expected(kind: type) -> str:
    if kind is AluOp:
        return "an operator of nki.language such as nl.add"
    if kind is ActFunc:
        return "an activation function of nki.language such as nl.exp"
    surface = next(type(w) for w, m in MEANING.items() if isinstance(m, kind))
    return f"a member of nki.isa.{surface.__name__}"


_NUMPY_OPS = {
    "add": AluOp.add, "subtract": AluOp.subtract, "multiply": AluOp.mult, "divide": AluOp.divide,
    "maximum": AluOp.max, "minimum": AluOp.min, "equal": AluOp.is_equal, "less": AluOp.is_lt,
    "not_equal": AluOp.not_equal, "greater": AluOp.is_gt, "greater_equal": AluOp.is_ge,
    "less_equal": AluOp.is_le, "power": AluOp.pow, "bitwise_and": AluOp.bitwise_and,
    "bitwise_or": AluOp.bitwise_or, "bitwise_xor": AluOp.bitwise_xor,
    "logical_and": AluOp.logical_and, "logical_or": AluOp.logical_or,
    "logical_xor": AluOp.logical_xor,
}  # fmt: skip


def _engine(spec: InstrSpec, engine: Any) -> Engine | None:
    if engine is None:
        return None
    found = engine if isinstance(engine, Engine) else _looked_up(MEANING, engine)
    if found is None and engine.__class__ is int:
        found = _numbered(Engine, engine)
    if not isinstance(found, Engine):
        raise Refused(
            problem(
                NKI1008, operand="engine", name="engine", fn=spec.call,
                expected="a member of nki.isa.engine", got=f"{engine!r:.60}",
            )
        )  # fmt: skip
    return None if found is Engine.UNASSIGNED else found


def _name(spec: InstrSpec, name: Any, ctx: TraceContext) -> str | None:
    if name is None:
        return None
    if not isinstance(name, str):
        ctx.report(_wrong_type(spec, "name", "a string", name), ctx.loc())
        return None
    if not name:
        return None
    chosen: str = name
    if chosen in ctx.builder.named and not ctx.dialect.classic:
        ctx.report(problem(NKI5103, name=chosen), ctx.loc())
        return None
    while chosen in ctx.builder.named:  # the first generation only showed names
        chosen = ctx.unique(chosen)
    return chosen


def _wrong_type(spec: InstrSpec, name: str, expected: str, value: Any) -> Problem:
    if isinstance(value, Inst):
        return problem(NKI1032, operand=name, fn=value.spec.call)
    return problem(
        NKI1007, operand=name, name=name, fn=spec.call, expected=expected,
        got=shown(value),
    )  # fmt: skip


def _pretend_written(values: tuple[Any, ...]) -> None:
    """Mark every tensor so that a refused instruction does not cause a second problem."""
    for value in values:
        if isinstance(value, View):
            value.tensor.written = True
