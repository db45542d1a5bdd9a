"""The shape grammar of operands and the checker that follows from an instruction's declarations.

A shape is words. The first names dimension 0 (the partition dimension on chip), the second the
product of all further dimensions: ``"P F"`` is any tile of P partitions with F elements in each,
``"P 1"`` a vector, ``"K M"`` a matrix. A number must be met exactly. A name has one value in all
operands of an instruction; the first operand that has it sets it. ``*`` matches anything.
Interpreters hand operands to `sem` as two-dimensional arrays (partitions, elements); ``...`` as the
last word matches anything and keeps the view's own dimensions.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from math import prod
from typing import Any, Final

from opennki.base import dtypes
from opennki.base.codes import (
    NKI2101,
    NKI2102,
    NKI2103,
    NKI2104,
    NKI2105,
    NKI2106,
    NKI2107,
    NKI2108,
    NKI2109,
    NKI2110,
    NKI2111,
    NKI2112,
    NKI2113,
    NKI2114,
    NKI2121,
    NKI2128,
    NKI2129,
    NKI2130,
    NKI2131,
    NKI2132,
    NKI2133,
    NKI2134,
)  # fmt: skip
from opennki.base.diag import Problem, Severity, problem

from .inst import Inst
from .spec import Access, InstrSpec, Operand, Read
from .tensor import Space
from .view import View, compact, distinct

BY_DMA: Final = frozenset({"DMACopy", "CollectiveCompute"})
"""Opcodes whose operands DMA reaches, at any partition."""


def signature(view: View) -> tuple[object, ...]:
    """Everything about a view that a rule may depend on: two views with one signature are alike."""
    index = view.index and view.index.kind
    return (view.shape, view.strides, view.dtype, view.tensor.space, view.start_partition, index)


def problems(inst: Inst, t: Any) -> Iterator[Problem]:
    """Every rule that `inst` breaks on target `t`: first the declared ones, then its `check`.

    `check` runs only when the declared rules hold, so it may rely on them; what no engine can
    compute with is looked at last.
    """
    for rules in (_declared(inst, inst.spec, t), inst.check(t), _computable(inst, t)):
        found = list(rules)
        yield from found
        if any(one.code.severity is Severity.error for one in found):
            return


def _computable(inst: Inst, t: Any) -> Iterator[Problem]:
    """Engines compute with neither 64-bit integers nor packed dtypes; they move packed ones.

    Source: numerics of the ISA: 64-bit integers exist only in registers and DMA.
    """
    spec = inst.spec
    if spec.bir == "DMACopy":
        return
    for operand, view in inst.views():
        refused: frozenset[dtypes.DType] = frozenset()
        if view.space.on_chip:
            refused |= _LONG
        if spec.ins and (operand.read or inst.read_mode()) is not Read.RAW:
            refused |= dtypes.PACKED
        if operand.accumulate is not None and getattr(inst, operand.accumulate) is True:
            refused |= dtypes.PACKED
        if view.dtype in refused:
            allowed = dtypes.names(frozenset(operand.dtypes or dtypes.ALL) - refused)
            yield problem(
                NKI2106, operand=operand.name, got=view.dtype, inst=spec.label, target=t.title,
                allowed=allowed,
            )  # fmt: skip


_LONG = frozenset({dtypes.int64, dtypes.uint64})
"""Integers that no engine computes with."""


def _declared(inst: Inst, spec: InstrSpec, t: Any) -> Iterator[Problem]:
    if t.order < spec.since or (spec.until is not None and t.order > spec.until):
        yield problem(NKI2108, what=spec.label, since=t.title_of(spec.since), target=t.title)
    bound: dict[str, tuple[int, str]] = {}
    told: set[tuple[int, str, int]] = set()
    for operand in spec.operands:
        value = getattr(inst, operand.name, None)
        if operand.many:
            for number, one in enumerate(value or ()):
                named = replace(operand, name=f"{operand.name}[{number}]")
                if not (yield from _place(named, one, inst, t, told)):
                    yield from _shape(named, one, spec, t, bound, told)
        elif isinstance(value, View):
            if not (yield from _place(operand, value, inst, t, told)):
                yield from _shape(operand, value, spec, t, bound, told)
        elif value is not None and not operand.number:
            yield problem(NKI2121, operand=operand.name, got=value, inst=spec.label)
    yield from _attributes(inst, spec, t)
    if inst.engine is not None and inst.engine not in spec.engines:
        yield problem(
            NKI2113, inst=spec.label, got=inst.engine.nki,
            allowed=", ".join(e.nki for e in spec.engines), why="",
        )  # fmt: skip


def _attributes(inst: Inst, spec: InstrSpec, t: Any) -> Iterator[Problem]:
    for attribute in spec.attrs:
        value = getattr(inst, attribute.name)
        first = attribute.since.get(value, 0) if attribute.since else 0
        if t.order < first:
            what = f"{attribute.name}={getattr(value, 'nki', value)}"
            yield problem(NKI2108, what=what, since=t.title_of(first), target=t.title)


def _place(
    operand: Operand, view: View, inst: Inst, t: Any, told: set[tuple[int, str, int]]
) -> Generator[Problem, None, bool]:
    """Memory, dtype and layout; returns whether the shape is beyond judging."""
    spec = inst.spec
    if view.index is not None and view.index.vector and spec.bir != "DMACopy":
        yield problem(NKI2130, operand=operand.name, inst=spec.label)
        return True
    wrong = view.tensor.space not in operand.spaces
    if wrong and (id(view.tensor), "space", 0) not in told:
        told.add((id(view.tensor), "space", 0))
        yield problem(
            NKI2105, operand=operand.name, got=view.tensor.space, inst=spec.label,
            allowed=" or ".join(sorted({s.name for s in operand.spaces})),
            **_direction(operand),
        )  # fmt: skip
    if operand.dtypes is not None and view.dtype not in operand.dtypes:
        yield problem(
            NKI2106, operand=operand.name, got=view.dtype, inst=spec.label, target=t.title,
            allowed=dtypes.names(operand.dtypes - (_LONG if view.space.on_chip else set())),
        )  # fmt: skip
    if operand.access is not Access.INP:
        yield from _written_once(operand, view, inst)
    if view.index is not None and view.index.snake:
        yield from _snake(operand, view, inst, t)
    if view.tensor.space.on_chip:
        yield from _on_chip(operand, view, inst, t)
    elif (pairs := len(compact(view, t.ap_dims))) > t.ap_dims:
        yield problem(NKI2110, operand=operand.name, got=pairs, limit=t.ap_dims)
    return wrong  # the value of `yield from`


def _snake(operand: Operand, view: View, inst: Inst, t: Any) -> Iterator[Problem]:
    """Indices of elements are what engines of trn3 read, up to as many as a group has."""
    assert view.index is not None
    label = inst.spec.label
    if not t.has("tensor_indirection"):
        what = "a run-time index for every element"
        yield problem(NKI2108, what=what, since="trn3", target=t.title)
    if inst.spec.bir == "DMACopy" or inst.engine is None:
        yield problem(NKI2131, operand=operand.name, inst=label)
        return
    if operand.name not in inst.indirect:
        takes = ", ".join(f"`{name}`" for name in inst.indirect)
        why = f"; {takes} can" if takes else ""
        yield problem(NKI2133, operand=operand.name, inst=label, why=why)
        return
    scattered = operand.access is not Access.INP and view.tensor.space is Space.psum
    if scattered and inst.engine.nki == "scalar":
        yield problem(
            NKI2105, operand=operand.name, got=Space.psum, inst=f"{label} on the scalar engine",
            allowed="sbuf, if it has a run-time index for every element", **_direction(operand),
        )  # fmt: skip
    yield from _snake_bases(operand, view, inst)
    source = view.index.source
    group = snake_group(inst.engine.nki)
    room = min(group, source.shape[0]) * source.free_size
    if view.shape[-1] > room:
        facts = {"got": view.shape[-1], "room": room, "group": group, "engine": inst.engine.nki}
        yield problem(NKI2132, operand=operand.name, **facts)


def _snake_bases(operand: Operand, view: View, inst: Inst) -> Iterator[Problem]:
    """Where operands begin that the author placed, and their indices.

    Source: NKI ISA reference, tensor indirection.
    """
    assert view.index is not None
    at = placed_base(view.index.source)
    if at is None:
        return
    main = next(name for name in inst.indirect if name != "dst")
    data = getattr(inst, main)
    want: int | None = at // 32 * 32
    beside = "a multiple of 32"
    if at == want and operand.access is Access.INP:
        want, beside = placed_base(view), f"`{operand.name}`"
        want = None if inst.starts_freely(operand.name) else want
    elif at == want:
        beside = f"`{main}`"
        if data.tensor.space is Space.psum and main != "stationary":
            data = data.index.source if data.index is not None else None
            beside = f"the indices of `{main}`"
        want = None if data is None else placed_base(data)
    if want is not None and at != want:
        yield problem(NKI2134, operand=operand.name, at=at, want=want, beside=beside)


def placed_base(view: View) -> int | None:
    """The partition that a view of a tensor begins at which the author placed; else None."""
    if view.tensor.address is None or not view.space.on_chip:
        return None
    return view.start_partition + view.tensor.start_partition


def snake_group(engine: str) -> int:
    """Partitions that share their run-time indices: 32 on the tensor engine, 16 on the others.

    Source: NKI language reference, indirect.
    """
    return 32 if engine == "tensor" else 16


def _written_once(operand: Operand, view: View, inst: Inst) -> Iterator[Problem]:
    """No element of a destination may be written by two elements of the result."""
    shape, strides = view.shape, view.strides
    if view.index is not None and view.index.vector:  # its indices say where each row goes
        shape, strides = shape[1:], strides[1:]
    elif view.index is not None and view.index.snake:
        shape, strides = shape[:-1], strides[:-1]
    different = distinct(shape, strides)
    if different < prod(shape):
        yield problem(
            NKI2129, operand=operand.name, shape=list(view.shape), strides=list(view.strides),
            size=view.size, distinct=different, inst=inst.spec.label,
        )  # fmt: skip


def _direction(operand: Operand) -> dict[str, str]:
    """What NKI2105 says differently of what is read and of what is written."""
    if operand.access is Access.OUT:
        return {"takes": "writes it to", "target": operand.name}
    return {"takes": "takes it from", "source": operand.name}


def _on_chip(operand: Operand, view: View, inst: Inst, t: Any) -> Iterator[Problem]:
    name = operand.name
    rank = len(view.shape)
    if rank < 2:
        yield problem(NKI2109, operand=name, rank=rank)
        return
    if view.shape[0] > t.partitions:
        yield problem(
            NKI2104, operand=name, dim="partitions", got=view.shape[0], limit=t.partitions,
            inst=inst.spec.label, target=t.title,
        )  # fmt: skip
    walked = sum(n > 1 for n in view.shape[1:])
    if walked > t.ap_dims - 1:
        yield problem(NKI2110, operand=name, got=walked, limit=t.ap_dims - 1)
    if view.shape[0] > 1 and view.strides[0] != view.row:
        yield problem(NKI2111, operand=name, got=view.strides[0], want=view.row)
    engine = inst.engine
    if engine is None or inst.spec.bir in BY_DMA:
        return
    yield from _fields(name, view, t)
    start, count = view.start_partition + view.tensor.start_partition, view.shape[0]
    if not start_allowed(start, count) and not inst.starts_freely(name):
        yield problem(
            NKI2112, operand=name, start=start, count=count, allowed=allowed_starts(count)
        )
    if engine.nki == "gpsimd" and view.tensor.space is Space.psum in operand.spaces:
        other = inst.default_engine(t).nki  # the author's choice, unless the operator needs GpSimd
        facts = {} if other == engine.nki else {"other": other}
        yield problem(NKI2114, operand=name, inst=inst.spec.label, **facts)


def _fields(name: str, view: View, t: Any) -> Iterator[Problem]:
    """Steps and counts of the free dimensions fit their fields of an instruction."""
    for dim, (step, count) in enumerate(view.dims):
        if dim == 0 or count == 1:
            continue
        for what, got, limit in (
            ("step", abs(step), t.ap_step_max), ("count", count, t.ap_count_max),
        ):  # fmt: skip
            if got > limit:
                yield problem(NKI2128, operand=name, dim=dim, what=what, got=got, limit=limit)


def start_allowed(start: int, count: int) -> bool:
    """Whether an engine can access `count` partitions from `start`.

    Up to 32 partitions may start at 0, 32, 64 or 96; up to 64 at 0 or 64; more only at 0.
    Source: NKI architecture guide, cross-quadrant and cross-half movement.
    """
    step = 32 if count <= 32 else 64 if count <= 64 else 128
    return start % step == 0


def allowed_starts(count: int) -> str:
    """The legal start partitions for an access of `count` partitions, for messages."""
    step = 32 if count <= 32 else 64 if count <= 64 else 128
    *starts, last = map(str, range(0, 128, step))
    return f"{', '.join(starts)} or {last}" if starts else last


def fixed_size(operand: str, got: tuple[int, ...], want: tuple[int, ...]) -> dict[str, Any]:
    """Facts of the NKI2107 that `operand` has the shape `got` instead of `want`."""
    slicing = len(got) == len(want) and all(n <= m for n, m in zip(want, got, strict=True))
    return {
        "operand": operand, "got": list(got), "want": list(want),
        "larger" if slicing else "smaller": operand,
    }  # fmt: skip


DIMENSIONS = {"P": "partitions (P)", "F": "elements per partition (F)"}
"""What messages call the words of the shape grammar that are more than a letter of a formula."""


def _shape(
    operand: Operand, view: View, spec: InstrSpec, t: Any, bound: dict[str, tuple[int, str]],
    told: set[tuple[int, str, int]],
) -> Iterator[Problem]:  # fmt: skip
    """The sizes that the operand's words ask for.

    Args: bound, word -> its size and the operand that set it; told, (tensor, word, size) of what
        was reported: one tensor in the place of several operands is one mistake.
    """
    sizes = (view.shape[0], view.free_size) if view.shape else (1, 1)
    facts: dict[str, Any]
    for index, (word, got) in enumerate(zip(operand.shape, sizes, strict=False)):
        if word in ("*", "..."):
            continue
        if word.isdigit():
            if got != int(word):
                rows = bound.get(operand.shape[0], (view.shape[0], ""))[0]
                want = (rows if index else int(word), int(word) if index else view.free_size)
                facts = fixed_size(operand.name, view.shape, want)
                yield problem(NKI2107, inst=spec.label, **facts)
            continue
        limit = operand.limits.get(word)
        if limit is not None and got > getattr(t, limit):
            yield problem(
                NKI2104, operand=operand.name, dim=DIMENSIONS.get(word, word), got=got,
                limit=getattr(t, limit), inst=spec.label, target=t.title,
            )  # fmt: skip
            bound[word] = (got, operand.name)  # what differs from it is not said: it must shrink
        size, other = bound.setdefault(word, (got, operand.name))
        if size != got and (id(view.tensor), word, got) not in told:
            told.add((id(view.tensor), word, got))
            facts = {"got": got, "want": size, "other": other, "inst": spec.label}
            if word == "P":
                yield problem(NKI2101, operand=operand.name, **facts)
            elif index == 1 and word == "F":
                yield problem(NKI2102, operand=operand.name, **facts)
            else:
                yield problem(NKI2103, operand=operand.name, dim=word, **facts)
