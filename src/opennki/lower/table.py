"""Lower one instruction of the op table to BIR by its table row, and lift BIR back to the table.

What a row does not say (an attribute that BIR spells differently, operands in another order) is a
`Rule` in `rules/<family>.py`. Both routes use the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from opennki.base.dtypes import DType, float32, int32, uint32
from opennki.birpy import AccessPattern, Argument, Immediate, Instruction
from opennki.birpy.opcodes import OPCODES
from opennki.ir import Inst, InstrSpec, View
from opennki.isa.registry import OWNER
from opennki.target import Target

Attrs = dict[str, object]
Fields = dict[str, Any]
OfView = Callable[[View], AccessPattern]
ToView = Callable[[AccessPattern], View]


@dataclass(frozen=True)
class Rule:
    """How one class differs from its row.

    Attributes: ins and outs, operand names in wire order (None: the declared order; a list of
    operands comes last); inputs, the
    values of `ins` when they are not simply those fields, and outputs, those of `outs`; attrs, wire
    attributes of an instruction (None: the declared ones under their wire names); key, what
    besides the declared attributes decides `attrs`; lift, wire attributes and operands back to
    fields (None: the reverse of the row); opcode of an instruction, one that has the attributes of
    the row's (None: the row's); means, the class that one instruction of an opcode is, where the
    opcode stands for several (None: always its owner, whose rule this is).
    """

    ins: tuple[str, ...] | None = None
    outs: tuple[str, ...] | None = None
    inputs: Callable[[Any], tuple[object, ...]] | None = None
    outputs: Callable[[Any], tuple[View, ...]] | None = None
    attrs: Callable[[Any], Attrs] | None = None
    key: Callable[[Any], object] | None = None
    lift: Callable[[Instruction, Fields], Fields] | None = None
    opcode: Callable[[Any], str] | None = None
    means: Callable[[Instruction], type[Inst]] | None = None


class Lowering:
    """Compiled lowering of one class."""

    __slots__ = (
        "_attrs", "_cache", "_floats", "_inputs", "_ins", "_key", "_many", "_names", "_opcode",
        "_outputs", "_outs", "opcode",
    )  # fmt: skip

    def __init__(self, spec: InstrSpec, rule: Rule) -> None:
        self.opcode = spec.bir
        self._ins = rule.ins if rule.ins is not None else tuple(o.name for o in spec.ins)
        self._outs = rule.outs if rule.outs is not None else tuple(o.name for o in spec.outs)
        self._names = tuple(a.name for a in spec.attrs if a.type is not float)
        self._floats = tuple(a.name for a in spec.attrs if a.type is float)
        self._attrs = rule.attrs or _declared(spec)
        self._key = rule.key
        self._opcode = rule.opcode
        self._inputs = rule.inputs
        self._many = bool(spec.ins) and spec.ins[-1].many
        self._outputs = rule.outputs
        self._cache: dict[object, Attrs] = {}

    def __call__(self, inst: Inst, name: str, of_view: OfView) -> Instruction:
        """The BIR instruction that means `inst`; attribute dictionaries are shared, not copied."""
        key: Any = tuple([getattr(inst, n) for n in self._names])
        if self._floats:  # 0.0 equals -0.0, and NaN nothing: their texts tell them apart
            key = (key, *[repr(getattr(inst, n)) for n in self._floats])
        if self._key is not None:
            key = (key, self._key(inst))
        attrs = self._cache.get(key)
        if attrs is None:
            attrs = self._cache[key] = OPCODES[self.opcode].canonical(self._attrs(inst))
        outs = []
        if self._outputs is None:
            for field in self._outs:
                view = getattr(inst, field)
                if view is not None:
                    outs.append(of_view(view))
        else:
            outs = [of_view(view) for view in self._outputs(inst)]
        if self._inputs is None:
            values: Iterable[Any] = [getattr(inst, n) for n in self._ins]
            if self._many:
                values = [*values[:-1], *values[-1]]  # type: ignore[index]  # it is a list
        else:
            values = self._inputs(inst)
        ins = arguments(values, of_view)
        opcode = self.opcode if self._opcode is None else self._opcode(inst)
        return Instruction(opcode, inst.engine, name, ins, tuple(outs), attrs, inst.loc)


def arguments(values: Iterable[Any], of_view: OfView) -> tuple[Argument, ...]:
    """Operands in wire order; an absent one (None) is left out at the end, elsewhere it is 0.0.

    A rule that wants another immediate than `immediate` makes gives it.
    """
    made: list[Argument] = []
    absent = 0
    for value in values:
        if value is None:
            absent += 1
            continue
        while absent:
            made.append(Immediate(float32, 0.0))
            absent -= 1
        if isinstance(value, View):
            made.append(of_view(value))
        else:
            made.append(value if isinstance(value, Immediate) else immediate(value))
    return tuple(made)


def immediate(value: float) -> Immediate:
    """A number as an operand: an integer keeps its bits, anything else is a float32.

    Source: KLR lowering, immediates. Model: integers from 2**31 on are uint32, and those that
    neither holds are float32, as which every instruction reads them.
    """
    dtype = _integer(value)
    return Immediate(float32, float(value)) if dtype is None else Immediate(dtype, value)


def _integer(value: float) -> DType | None:
    """The 32-bit integer dtype of an integer, if one holds it."""
    if not isinstance(value, int):
        return None
    if -(2**31) <= value < 2**31:
        return int32
    return uint32 if 0 <= value < 2**32 else None


def _declared(spec: InstrSpec) -> Callable[[Inst], Attrs]:
    """Attributes as they are declared, under their wire names; one that is None is absent.

    Numbers are what `immediate` makes of them.
    """
    pairs = wire_names(spec)
    floats = {a.name for a in spec.attrs if a.type is float}

    def attrs(inst: Inst) -> Attrs:
        made: Attrs = {}
        for name, wire in pairs:
            value = getattr(inst, name)
            if value is not None:
                made[wire] = immediate(value).value if name in floats else value
        return made

    return attrs


def wire_names(spec: InstrSpec) -> list[tuple[str, str]]:
    """(field, wire name) of every attribute that is on the wire."""
    return [(a.name, a.name if a.bir is None else a.bir) for a in spec.attrs if a.bir != ""]


def lift(
    inst: Instruction, target: Target, to_view: ToView, rules: Mapping[type[Inst], Rule]
) -> Inst:
    """The instruction of the op table that a BIR instruction means.

    Raises: KeyError for an opcode, or one of its forms, that no class has.
    """
    cls = OWNER[inst.opcode]
    if (means := rules.get(cls, Rule()).means) is not None:
        cls = means(inst)
    attrs = {**_DEFAULTS[inst.opcode], **inst.attrs}
    rule = rules.get(cls, Rule())
    spec = cls.spec
    ins = rule.ins if rule.ins is not None else tuple(o.name for o in spec.ins)
    outs = rule.outs if rule.outs is not None else tuple(o.name for o in spec.outs)
    fields: Fields = {o.name: None for o in spec.operands if o.name in (*ins, *outs)}
    fields.update(_values(ins, inst.ins, to_view))
    if spec.ins and spec.ins[-1].many:
        rest = inst.ins[len(ins) - 1 :]
        fields[ins[-1]] = tuple([value for _, value in _values(("",) * len(rest), rest, to_view)])
    fields.update(_values(outs, inst.outs, to_view))
    if rule.lift is not None:
        full = Instruction(inst.opcode, inst.engine, inst.name, inst.ins, inst.outs, attrs)
        fields = rule.lift(full, fields)
    else:
        for name, wire in wire_names(spec):
            if wire in attrs:
                fields[name] = attrs[wire]
    made: Inst = cls(**fields, engine=inst.engine, name=inst.name, loc=inst.loc)  # type: ignore[call-arg]
    made.prepare(target)
    return made


_DEFAULTS: Final[Mapping[str, Attrs]] = {
    name: {f.key: f.default for f in (opcode.fields or {}).values() if f.has_default}
    for name, opcode in OPCODES.items()
}
"""What absent attributes mean, by opcode; the class that owns it may have other defaults."""


def _values(
    names: tuple[str, ...], operands: tuple[Argument, ...], to_view: ToView
) -> Iterator[tuple[str, Any]]:
    for name, operand in zip(names, operands, strict=False):
        yield name, to_view(operand) if isinstance(operand, AccessPattern) else operand.value
