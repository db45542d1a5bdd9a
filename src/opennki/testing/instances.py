"""Legal instructions of every class, drawn from the op table for tests that hold for all of them.

A *choice* says for every field of a class what it is: the memory and dtype of a view, a number, the
value of an attribute. Which choices are legal is found out once per class and target by walking
from one legal choice to the next; nothing here repeats what the table says. `instances` then draws
a choice, sizes that fit it, and views with these sizes. Sizes that only an instruction's own check
ties together are repaired by the facts of its problems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from random import Random
from typing import Any, Final

from hypothesis import strategies as st

from opennki.base import dtypes
from opennki.base.diag import Problem, Severity
from opennki.base.dtypes import DType
from opennki.ir import Access, Attribute, Inst, Operand, Space, View, problems
from opennki.isa.registry import BY_CLASS, INSTRUCTIONS
from opennki.target import Target

from .numbers import LEGAL, NUMBERS
from .repairs import REPAIRS, TUPLES
from .views import Frame, Names, fancy, plain, split

MOST: Final = 300
"""Choices per class, besides those that have a value for the first time."""

PARTITIONS: Final = (1, 2, 3, 4, 31, 32, 33, 64, 128)
ELEMENTS: Final = (1, 2, 3, 4, 6, 8, 12, 24)


@dataclass(frozen=True)
class Place:
    """A view operand of a choice: which memory and which dtype."""

    space: Space
    dtype: DType


class _Fitted(Enum):
    """The value of a tuple attribute, which follows from the sizes of the operands."""

    FITTED = "fitted"


Choice = dict[str, object]
"""Field name -> Place, number, None or attribute value; ``engine`` -> Engine or None."""


def instances(target: Target, cls: type[Inst] | None = None) -> st.SearchStrategy[Inst]:
    """Legal instructions (of class `cls`, or of every class that `target` has).

    Each has tensors of its own; input and output may coincide. They break no rule of the table
    whose violation is an error; warnings are possible.
    """
    classes = [cls] if cls is not None else legal_classes(target)
    return st.sampled_from(classes).flatmap(lambda one: _instances(target, one))


def legal_classes(target: Target) -> list[type[Inst]]:
    """The instructions that `target` has."""
    return [c for c in INSTRUCTIONS if choices(c, target)]


@st.composite
def _instances(draw: Callable[[Any], Any], target: Target, cls: type[Inst]) -> Inst:
    choice = draw(st.sampled_from(choices(cls, target)))
    rnd = draw(st.randoms(use_true_random=False))
    return instance(cls, choice, target, rnd)


# ---- choices ---------------------------------------------------------------------------------


def choices(cls: type[Inst], target: Target) -> list[Choice]:
    """Legal choices for `cls`: together they have nearly every value that a field can have."""
    return _choices(cls.__name__, target)


@cache
def _choices(name: str, target: Target) -> list[Choice]:
    return list(_walk(BY_CLASS[name], target))


def _walk(cls: type[Inst], target: Target, steps: int = 2500) -> Iterator[Choice]:
    rnd = Random(f"{cls.__name__} on {target.name}")
    options = {f: _options(cls, f, target) for f in (*cls.spec.order, "engine")}
    now = _first(cls, options, target, rnd)
    if now is None:
        return
    seen: set[str] = set()
    known: list[Choice] = [now]
    missing = {(f, repr(v)): v for f, values in options.items() for v in values}
    for step in range(steps):
        wanted: Choice = {}
        if missing and step % 4:
            for name in rnd.choices(sorted({name for name, _ in missing}), k=rnd.choice((1, 1, 2))):
                wanted[name] = rnd.choice([v for (n, _), v in missing.items() if n == name])
        elif len(known) > MOST:
            continue
        if rnd.random() < 0.5:
            new = _fresh(cls, options, rnd, rnd.choice(dtypes.ALL), wanted)
        else:
            new = _changed(rnd.choice((now, rnd.choice(known))), options, rnd, wanted)
        if repr(new) in seen or build(cls, new, target, rnd, small=True) is None:
            continue
        now = new
        known.append(new)
        seen.add(repr(new))
        for name, value in new.items():
            missing.pop((name, repr(value)), None)
        yield new


def advice(cls: type[Inst], target: Target, tries: int = 300) -> str:
    """What to write when `choices` finds nothing for `cls`, with the codes that are in the way.

    They are counted over random instructions, without those that `REPAIRS` can mend.
    """
    rnd = Random(cls.__name__)
    options = {f: _options(cls, f, target) for f in (*cls.spec.order, "engine")}
    counts: Counter[str] = Counter()
    for _ in range(tries):
        choice = _fresh(cls, options, rnd, rnd.choice((dtypes.float32, dtypes.uint8)), {})
        made = _made(cls, choice, _frames(cls, choice, rnd, True), target, Random(0))
        counts.update({p.code.id for p in errors(made, target)} - set(REPAIRS))
    found = ", ".join(f"{id} ({n})" for id, n in counts.most_common(4)) or "those in REPAIRS"
    first = next(iter(dict(counts.most_common(1))), "the code")
    return (
        f"no legal operands were found for {cls.__name__} on {target.name}. Codes in the way, with "
        f"how many of {tries} tries break them: {found}. For the one that ties sizes together, "
        "write in testing/repairs.py a function `def _name(frames, one, inst)` that changes "
        "frames[operand] (its partitions and free sizes) as the facts `one.facts` of the problem "
        f'ask, and the entry "{first}": _name in REPAIRS.'
    )


def _options(cls: type[Inst], name: str, target: Target) -> list[object]:
    """What a field can be as far as its declaration says."""
    if name == "engine":
        return [None, *cls.spec.engines]
    field = cls.spec.fields[name]
    if isinstance(field, Operand):
        kinds = dtypes.ALL if field.dtypes is None else [d for d in dtypes.ALL if d in field.dtypes]
        found: list[object] = [Place(s, d) for s in Space if s in field.spaces for d in kinds]
        if field.number:
            found += NUMBERS
        return [*found, None] if field.optional else found
    return [*_values(field, target), None] if field.optional else _values(field, target)


def _values(field: Attribute, target: Target) -> list[object]:
    kind = field.type
    if issubclass(kind, Enum):
        return [m for m in kind if field.since.get(m, 0) <= target.order]
    if kind is DType:
        return list(dtypes.ALL)
    if not field.surface and field.required is False:
        return [field.default]
    if kind is bool:
        return [False, True]
    if field.name in LEGAL:
        return list(LEGAL[field.name])
    if kind is int:
        return [*(n for n in NUMBERS if isinstance(n, int)), *field.since]
    if kind is float:
        return list(NUMBERS)
    if kind is str:
        return ["x", 'a "quoted" \\ name', "größer\n"]
    return [_Fitted.FITTED, field.default] if not field.required else [_Fitted.FITTED]


def _first(
    cls: type[Inst], options: Mapping[str, list[object]], target: Target, rnd: Random
) -> Choice | None:
    """A legal choice to begin with."""
    for dtype in (dtypes.float32, dtypes.bfloat16, dtypes.uint8, dtypes.int32):
        for _ in range(200):
            choice = _fresh(cls, options, rnd, dtype, {})
            if build(cls, choice, target, rnd, small=True) is not None:
                return choice
    return None


def _fresh(
    cls: type[Inst], options: Mapping[str, list[object]], rnd: Random, dtype: DType,
    wanted: Choice,
) -> Choice:  # fmt: skip
    """Every field at random: inputs of `dtype`, outputs of one dtype too, and often the default."""
    made: Choice = {}
    outs = {o.name for o in cls.spec.outs}
    result = rnd.choice((dtype, rnd.choice(dtypes.ALL), dtypes.float32))
    for name, values in options.items():
        own = result if name in outs else dtype
        alike = [v for v in values if isinstance(v, Place) and v.dtype == own]
        field = cls.spec.fields.get(name)
        if (field is None or not field.required) and rnd.random() < 0.6:
            made[name] = None if field is None else field.default
        else:
            made[name] = rnd.choice(alike or values)
    return made | wanted


def _changed(
    choice: Choice, options: Mapping[str, list[object]], rnd: Random,
    wanted: Choice,
) -> Choice:  # fmt: skip
    """`choice` with one to three fields changed, or with the dtypes of all views made one."""
    new = dict(choice)
    for name in rnd.sample(list(options), min(len(options), rnd.choice((0, 0, 1, 1, 2, 3)))):
        new[name] = rnd.choice(options[name])
    new |= wanted
    if rnd.random() < 0.3:
        given = [v.dtype for v in wanted.values() if isinstance(v, Place)]
        dtype = given[0] if given else rnd.choice(dtypes.ALL)
        for name, value in new.items():
            if isinstance(value, Place):
                new[name] = replace(value, dtype=dtype)
    return new


# ---- instructions ----------------------------------------------------------------------------


def instance(cls: type[Inst], choice: Choice, target: Target, rnd: Random) -> Inst:
    """A legal instruction of this choice, with sizes and views as `rnd` wants them."""
    made = build(cls, choice, target, rnd, small=False)
    if made is None:  # sizes that do not suit the choice, which was found with small ones
        made = build(cls, choice, target, rnd, small=True)
    assert made is not None, f"{choice} is no legal choice for {cls.__name__}"
    return made


def build(
    cls: type[Inst], choice: Choice, target: Target, rnd: Random, *, small: bool
) -> Inst | None:
    """An instruction of this choice that breaks no rule; None when no sizes were found.

    Args: small, whether sizes are small and all views whole.
    """
    frames = _frames(cls, choice, rnd, small)
    made: Inst | None = None
    for _ in range(6):
        made = _made(cls, choice, frames, target, Random(0))
        found = errors(made, target)
        if not found:
            break
        if not _repair(frames, found, made):
            return None
    else:
        return None
    for _ in range(0 if small else 4):
        richer = _made(cls, choice, frames, target, rnd, rich=True)
        if not errors(richer, target):
            return richer
    return made


def errors(inst: Inst, target: Target) -> list[Problem]:
    """The rules that `inst` breaks, warnings aside."""
    return [p for p in problems(inst, target) if p.code.severity is Severity.error]


def _frames(cls: type[Inst], choice: Choice, rnd: Random, small: bool) -> dict[str, Frame]:
    """Sizes for every view: one for each word of the shape grammar, any for the others."""
    words: dict[str, int] = {}
    frames = {}
    for operand in cls.spec.operands:
        place = choice.get(operand.name)
        if not isinstance(place, Place):
            continue
        shape = (*operand.shape, "...")[:2] if operand.shape[0] != "..." else ("...", "...")
        sizes = []
        for index, word in enumerate(shape):
            pool = (2, 4)[index : index + 1] if small else (PARTITIONS, ELEMENTS)[index]
            drawn = int(word) if word.isdigit() else rnd.choice(pool)
            plain_word = not word.isdigit() and word not in ("*", "...")
            sizes.append(words.setdefault(word, drawn) if plain_word else drawn)
        most = 1 if small or place.space is Space.register else 3
        free = split(sizes[1], rnd, most)
        frames[operand.name] = Frame(sizes[0], free, place.dtype, place.space)
    return frames


def _made(
    cls: type[Inst], choice: Choice, frames: dict[str, Frame], target: Target, rnd: Random,
    *, rich: bool = False,
) -> Inst:  # fmt: skip
    """The instruction of a choice with views of these sizes."""
    names = Names()
    fields: dict[str, Any] = {n: choice[n] for n in cls.spec.order}
    for operand in cls.spec.operands:
        frame = frames.get(operand.name)
        if frame is None:
            continue
        written = operand.access is not Access.INP
        twins = [n for n, other in frames.items() if other == frame and isinstance(fields[n], View)]
        if rich and not written and twins and rnd.random() < 0.15:
            fields[operand.name] = fields[rnd.choice(twins)]
        elif rich and rnd.random() < 0.8:
            fields[operand.name] = fancy(frame, names, rnd, written=written)
        else:
            fields[operand.name] = plain(frame, names)
        if operand.many:
            more = [plain(frame, names) for _ in range(rnd.randrange(3))]
            fields[operand.name] = (fields[operand.name], *more)
    for attribute in cls.spec.attrs:
        if fields[attribute.name] is _Fitted.FITTED:
            make = TUPLES.get(attribute.name)
            assert make is not None, f"write in TUPLES how to make `{attribute.name}`"
            fields[attribute.name] = make(fields, target, rnd)
    engine = choice["engine"]
    inst: Inst = cls(**fields, engine=engine)  # type: ignore[call-arg]
    inst.prepare(target)
    if inst.engine is None:
        inst.engine = inst.default_engine(target)
    return inst


def _repair(frames: dict[str, Frame], found: list[Problem], inst: Inst) -> bool:
    """Change sizes as the facts of `found` ask for; whether there was anything to change."""
    before = dict(frames)
    done: set[str | None] = set()
    for one in found:
        change = REPAIRS.get(one.code.id)
        if change is not None and one.operand not in done:
            done.add(one.operand)
            change(frames, one, inst)
    return frames != before
