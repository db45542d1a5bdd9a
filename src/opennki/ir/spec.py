"""The declaration language of the op table: fields of an instruction class, and its `InstrSpec`.

An instruction is one class whose body declares operands (`out`, `inp`, `inout`, `state`) and
attributes (`attr`) and defines `check` and `sem`. Everything else (signature, checker, printer,
lowering, both interpreters) is derived from the `InstrSpec` that `instruction` builds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from opennki.base.dtypes import DType

from .tensor import Space


class Access(Enum):
    """How an instruction uses an operand."""

    OUT = "out"
    INP = "inp"
    INOUT = "inout"
    STATE = "state"


class Register(Enum):
    """What an engine keeps for every partition between instructions."""

    ACCUMULATOR = "accumulator"
    RANDOM = "random"


class Read(Enum):
    """In which form `sem` receives an operand.

    F32: widened to float32. RAW: the storage's own bits (NumPy dtype of the storage). INT: int64.
    """

    F32 = "f32"
    RAW = "raw"
    INT = "int"


class Given(Enum):
    """What a call must pass for an operand that an instruction may do without.

    NOTHING: the call may leave it out. ANYTHING: the call passes it, be it None. VALUE: the call
    passes something else than None, which only instructions read from BIR have.
    """

    NOTHING = 0
    ANYTHING = 1
    VALUE = 2


@dataclass(frozen=True)
class Operand:
    """One operand of an instruction.

    Attributes: access; spaces it may live in; shape, the grammar described in `shapes`; dtypes it
    may have (None: all); limits, dimension -> name of the `Target` field that bounds it; optional,
    may be None; number, may be a Python number instead of a view; accumulate, name of the
    attribute that says whether results are added to what is there; read, how `sem` receives it
    (None: what the instruction's `read_mode` says); default of an optional or number operand;
    given, what a call must pass for an optional one; many, of how many views it may be a list (0:
    it is one view), which a field holds as a tuple, and `sem` receives as a list; saturates,
    whether an output that overflows a float8 with infinities becomes its largest number instead of
    one; register, which of its engine's registers a state is; everywhere, whether those of all
    partitions.
    """

    access: Access
    spaces: frozenset[Space] = frozenset()
    shape: tuple[str, ...] = ()
    dtypes: frozenset[DType] | None = None
    limits: Mapping[str, str] = field(default_factory=dict)
    optional: bool = False
    number: bool = False
    accumulate: str | None = None
    read: Read | None = None
    default: object = None
    required: bool = True
    given: Given = Given.NOTHING
    many: int = 0
    saturates: bool = True
    register: Register | None = None
    everywhere: bool = False
    name: str = ""


@dataclass(frozen=True)
class Attribute:
    """One attribute: a compile-time value.

    Attributes: type, a class (an enumeration, int, float, bool, str, tuple); default; required;
    optional, None is a value of its own; bir, wire name in BIR (None: same name, empty: not on the
    wire); since, member -> first target order; surface, False when no kernel call can set it;
    last, it comes after `name` in a call: a keyword of earlier versions.
    """

    type: type
    default: object = None
    required: bool = False
    optional: bool = False
    bir: str | None = None
    since: Mapping[object, int] = field(default_factory=dict)
    surface: bool = True
    last: bool = False
    name: str = ""


def _shape(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def out(
    spaces: frozenset[Space],
    shape: str,
    dtypes: frozenset[DType] | None = None,
    *,
    accumulate: str | None = None,
    optional: bool = False,
    given: Given = Given.NOTHING,
    saturates: bool = True,
    **limits: str,
) -> Any:
    """Declare an operand that is written. `limits` maps dimensions to fields of `Target`."""
    return Operand(
        Access.OUT, spaces, _shape(shape), dtypes, limits, accumulate=accumulate,
        optional=optional, required=not optional, given=given, saturates=saturates,
    )  # fmt: skip


_REQUIRED = object()


def inp(
    spaces: frozenset[Space],
    shape: str,
    dtypes: frozenset[DType] | None = None,
    *,
    read: Read | None = None,
    optional: bool = False,
    number: bool = False,
    default: object = _REQUIRED,
    given: Given = Given.NOTHING,
    **limits: str,
) -> Any:
    """Declare an operand that is read; with `number`, a Python number will do as well."""
    return Operand(
        Access.INP, spaces, _shape(shape), dtypes, limits, read=read, optional=optional,
        number=number, default=None if default is _REQUIRED else default,
        required=default is _REQUIRED and not optional, given=given,
    )  # fmt: skip


def inputs(spaces: frozenset[Space], shape: str, many: int) -> Any:
    """Declare an operand that is a list of 1 to `many` views, which are read."""
    return Operand(Access.INP, spaces, _shape(shape), many=many)


def inout(
    spaces: frozenset[Space],
    shape: str,
    dtypes: frozenset[DType] | None = None,
    *,
    read: Read | None = None,
    **limits: str,
) -> Any:
    """Declare an operand that is read and written."""
    return Operand(Access.INOUT, spaces, _shape(shape), dtypes, limits, read=read)


def state(register: Register = Register.ACCUMULATOR, *, everywhere: bool = False) -> Any:
    """Declare that the instruction reads and writes registers that its engine keeps.

    `sem` receives those of the partitions of its first operand, or of every partition if they are
    changed `everywhere`, and returns the new ones last: accumulators as float32 (partitions, 1),
    random state as uint32 (partitions, words of the engine's generator). What they hold before the
    first instruction is `Inst.initial_state`.
    """
    return Operand(Access.STATE, register=register, everywhere=everywhere)


def attr(
    type: type,
    default: object = _REQUIRED,
    *,
    optional: bool = False,
    bir: str | None = None,
    since: Mapping[Any, int] | None = None,
    surface: bool = True,
    last: bool = False,
) -> Any:
    """Declare a compile-time attribute of class `type`; without `default` it must be given."""
    required = default is _REQUIRED and not optional
    value = None if default is _REQUIRED else default
    return Attribute(type, value, required, optional, bir, since or {}, surface, last)


@dataclass(eq=False)
class InstrSpec:
    """What the table knows about one instruction class.

    Attributes: name, of the NKI call (empty: no call makes it directly); cls; operands and attrs
    in declaration order; order, all field names; engines, legal ones, preferred first; since and
    until, target orders; emit, name of the builder method; bir, opcode it lowers to; klr,
    operator; owner, whether this class is what `bir` means when it is read back; doc; module
    that has the call.
    """

    name: str
    cls: type
    operands: tuple[Operand, ...]
    attrs: tuple[Attribute, ...]
    order: tuple[str, ...]
    engines: tuple[Any, ...]
    since: int
    until: int | None
    emit: str
    bir: str
    klr: str
    owner: bool
    doc: str
    module: str = "nki.isa"
    outs: tuple[Operand, ...] = ()
    ins: tuple[Operand, ...] = ()
    state: Operand | None = None
    fields: dict[str, Operand | Attribute] = field(default_factory=dict)

    def __post_init__(self) -> None:
        by = self.operands
        self.outs = tuple(o for o in by if o.access in (Access.OUT, Access.INOUT))
        self.ins = tuple(o for o in by if o.access in (Access.INP, Access.INOUT))
        self.state = next((o for o in by if o.access is Access.STATE), None)
        self.fields = {o.name: o for o in self.operands}
        self.fields.update({a.name: a for a in self.attrs})

    @property
    def call(self) -> str:
        """What kernels call, as they call it."""
        return f"{self.module}.{self.label}"

    @property
    def label(self) -> str:
        """The name that text and messages use."""
        return self.name or self.emit or self.cls.__name__
