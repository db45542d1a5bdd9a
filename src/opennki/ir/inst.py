"""Base class of all instructions, and the decorator that turns a declaration into one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from typing_extensions import dataclass_transform

from opennki.base.codes import NKI1007, NKI5105
from opennki.base.diag import Problems, fail
from opennki.base.loc import UNKNOWN, SrcLoc, current

from .scalar import Array
from .spec import Access, Attribute, InstrSpec, Operand, Read, attr, inout, inp, out, state
from .view import View

Place = tuple[int, int]
"""Where a program runs: rank, the number of a logical core in its launch, and core in it."""


class Company(NamedTuple):
    """Who runs an instruction together with others: on each of `places` one with the same `key`."""

    key: object
    places: tuple[Place, ...]


class Inst:
    """One instruction: the operands and attributes of its class, and where it came from.

    Most run `alone`. One that does not waits until each place of its `company` has come to one
    with the same key; then they run as one. Their `sem` receives its own place and the operands at
    every place.

    Attributes: engine, the engine that runs it; name, the author's name or None; loc; after,
    instructions that must complete before (`depends_on`). Of the class: module that has its call;
    engine_offered, whether calls may choose among several engines; engine_default, the engine that
    is the published default of `engine=`, None where that is `unknown`; indirect, operands that may
    have a run-time index for every element.
    """

    __slots__ = ("after", "engine", "loc", "name")
    spec: ClassVar[InstrSpec]
    alone: ClassVar[bool] = True
    module: ClassVar[str] = "nki.isa"
    engine_offered: ClassVar[bool] = True
    engine_default: ClassVar[Any] = None
    indirect: ClassVar[tuple[str, ...]] = ()

    engine: Any
    name: str | None
    loc: SrcLoc
    after: tuple[Inst, ...]

    def depends_on(self, *producers: Inst) -> Inst:
        """Make this instruction run after every one of `producers`; returns itself.

        Raises: NKI1007 for what is no instruction, NKI5105 for the instruction itself.
        """
        for producer in producers:
            if not isinstance(producer, Inst):
                facts = {"expected": "what a call of nki.isa returned", "got": repr(producer)[:60]}
                raise fail(NKI1007, current(None), name="producers", fn="depends_on", **facts)
            if producer is self:
                why = "an instruction cannot follow itself"
                shown = self.name or self.spec.label
                raise fail(NKI5105, current(None), later=shown, earlier=shown, why=why)
        self.after = (*self.after, *producers)
        return self

    def prepare(self, t: Any) -> None:  # most instructions have nothing to do
        """Bring attributes into their normal form before they are checked."""

    def check(self, t: Any) -> Problems:
        """Rules that the declarations cannot say. `t` is the `Target`."""
        return iter(())

    def check_launch(self, core: int, cores: int) -> Problems:
        """Rules about where it runs: core `core` of a launch of `cores` programs."""
        return iter(())

    def company(self, rank: int, core: int) -> Company:
        """Who runs it together with the instruction on this core; not asked if it runs alone."""
        return Company(self.spec.label, ((rank, core),))

    def check_ranks(self, ranks: int) -> Problems:
        """Rules about the number of ranks of the launch."""
        return iter(())

    def check_company(self, others: Sequence[Inst]) -> Problems:
        """Rules about the instructions of all `others` that it is about to run with."""
        return iter(())

    def windows(self, operand: str) -> Sequence[View] | None:
        """The parts of an operand that matter, of an instruction with company; None: all of it."""
        return None

    def orders(self) -> Iterator[View]:
        """Views of which all earlier uses, by whom of its company ever, precede all later ones."""
        return iter(())

    def watch(self, *operands: Any) -> Problems:
        """What a simulator should tell, given what `sem` is about to get.

        An error ends the run before `sem` is called, a warning does not.
        """
        return iter(())

    def examined(self, name: str, *operands: Any) -> Any:
        """Which elements of the input `name` the results depend on, given what `sem` gets.

        Booleans of the shape in which `sem` gets that input; None if all of them do.
        """
        return None

    def index_limit(self, name: str) -> int | None:
        """How many positions elements of the input `name` choose from; None if it is no index."""
        return None

    def default_engine(self, t: Any) -> Any:
        """Engine that runs it when the author names none."""
        return self.spec.engines[0]

    def read_mode(self) -> Read:
        """In which form `sem` receives operands that declare none."""
        return Read.F32

    def initial_state(self) -> Array:
        """What the registers of its `state` hold before any instruction: (partitions, words)."""
        return np.zeros((PARTITIONS, 1), np.float32)

    def starts_freely(self, operand: str) -> bool:
        """Whether `check` says at which partition an operand may start, not the general rule."""
        return False

    def partitions_read(self, operand: str) -> Sequence[int] | None:
        """Which partitions of an operand's view matter to the result; None if all do."""
        return None

    def reads(self) -> Iterator[View]:
        """Views whose contents matter to the result, run-time indices among them."""
        for operand in self.spec.ins:
            value = getattr(self, operand.name)
            if isinstance(value, View):
                yield value
            elif operand.many:
                yield from value
        for operand in self.spec.outs:
            if operand.accumulate and getattr(self, operand.accumulate) is not False:
                yield getattr(self, operand.name)
        yield from self.index_views()

    def index_views(self) -> Iterator[View]:
        """Where the run-time indices of its operands are read."""
        for _, view in self.views():
            if view.index is not None:
                yield view.index.source

    def writes(self) -> Iterator[View]:
        """Views that are written."""
        for operand in self.spec.outs:
            value = getattr(self, operand.name)
            if value is not None:
                yield value

    def views(self) -> Iterator[tuple[Operand, View]]:
        """Every operand that is a view, in declaration order."""
        for operand in self.spec.operands:
            if operand.access is not Access.STATE:
                value = getattr(self, operand.name)
                if isinstance(value, View):
                    yield operand, value
                elif operand.many:
                    for number, one in enumerate(value):
                        yield replace(operand, name=f"{operand.name}[{number}]"), one

    def values(self) -> tuple[object, ...]:
        """Operands and attributes in declaration order."""
        return tuple(getattr(self, name) for name in self.spec.order)

    def __eq__(self, other: object) -> bool:
        return (
            other.__class__ is self.__class__
            and self.engine is other.engine
            and self.name == other.name
            and all(_same(a, b) for a, b in zip(self.values(), other.values(), strict=True))
        )

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        named = f" {self.name}" if self.name else ""
        return f"<nki.isa.{self.spec.label}{named}>"


PARTITIONS = 128
"""Lanes of an engine. Source: NKI architecture guide, engines."""


def _same(a: object, b: object) -> bool:
    if isinstance(a, View):
        return View.__eq__(a, b)
    if isinstance(a, tuple) and a and isinstance(a[0], View):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(_same, a, b))
    return a == b or (a != a and b != b)


Met = Mapping[Place, Sequence[Any]]
"""What `sem` of an instruction that has company receives: the operands at every place."""

C = TypeVar("C", bound=type)
_ALWAYS = 0


@dataclass_transform(field_specifiers=(out, inp, inout, state, attr), kw_only_default=True)
def instruction(
    name: str = "",
    *,
    emit: str,
    bir: str,
    engines: tuple[Any, ...],
    klr: str = "",
    since: int = _ALWAYS,
    until: int | None = None,
    owner: bool = True,
) -> Callable[[C], C]:
    """Turn a class body of field declarations into an instruction.

    Args: name of the NKI call; emit, name of the builder method; bir, opcode that it lowers to;
        engines, legal ones with the preferred first; klr, operator; since and until, first and
        last target order; owner, False if another class is what the opcode means when read back.
    """

    def build(cls: C) -> C:
        fields = {k: v for k, v in vars(cls).items() if isinstance(v, Operand | Attribute)}
        body = {k: v for k, v in vars(cls).items() if k not in fields and k not in _DROPPED}
        named = {k: replace(v, name=k) for k, v in fields.items()}
        kept = tuple(k for k, v in named.items() if not _is_state(v))
        body["__slots__"] = kept
        body["__init__"] = _init(kept, named)
        made = type(cls)(cls.__name__, cls.__bases__, body)
        made.spec = InstrSpec(  # type: ignore[attr-defined]  # every instruction class has one
            name, made,
            tuple(v for v in named.values() if isinstance(v, Operand)),
            tuple(v for v in named.values() if isinstance(v, Attribute)),
            kept, engines, since, until, emit, bir, klr, owner, cls.__doc__ or "", made.module,  # type: ignore[attr-defined]  # of `Inst`
        )  # fmt: skip
        return made

    return build


_DROPPED = frozenset({"__dict__", "__weakref__", "__annotations__", "__annotate_func__"})


def _is_state(field: Operand | Attribute) -> bool:
    return isinstance(field, Operand) and field.access is Access.STATE


def _init(kept: tuple[str, ...], fields: dict[str, Any]) -> Callable[..., None]:
    """A constructor with one parameter per field, in declaration order."""
    scope: dict[str, Any] = {"UNKNOWN": UNKNOWN}
    params = []
    optional = False
    for key in kept:
        field = fields[key]
        optional = optional or not field.required
        if optional:
            scope[f"d_{key}"] = field.default
        params.append(f"{key}=d_{key}" if optional else key)
    body = "".join(f"    self.{key} = {key}\n" for key in kept)
    source = (
        f"def __init__(self, {', '.join(params)}, engine=None, name=None, loc=UNKNOWN):\n{body}"
        "    self.engine = engine\n    self.name = name\n    self.loc = loc\n    self.after = ()\n"
    )
    exec(compile(source, "<opennki instruction>", "exec"), scope)
    made: Callable[..., None] = scope["__init__"]
    return made
