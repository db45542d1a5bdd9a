"""The ISA calls that kernels write, generated from the op table: real signatures, a fast path.

A call is looked up by its signature (see `bind.key_of`); one that broke no rule before goes
straight to the builder, every other one through `bind`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from opennki.ir import Attribute, Given, Inst, Operand
from opennki.isa.enums import AluOp, IsaEnum
from opennki.target import keywords
from opennki.trace.enums import SPELLING, engine
from opennki.trace.nki_ctx import global_ctx

from .bind import bind, frozen, surface_fields
from .keywords import ABSENT, earlier_call

CALLS: dict[str, Callable[..., Any]] = {}
"""NKI name -> the function that kernels call; filled by `sema.isa`."""


def isa_call(cls: type[Inst]) -> Callable[..., Any]:
    """The function that kernels call for the instruction `cls`."""
    spec = cls.spec
    scope: dict[str, Any] = {
        "cls": cls, "current": global_ctx.get, "bind": bind, "frozen": frozen,
        "numbers": frozenset({int, float}),
        "usual": SPELLING.get(cls.engine_default, engine.unknown),
    }  # fmt: skip
    shown = surface_fields(spec)
    params: list[str] = []
    last: list[str] = []
    key: list[str] = []
    passed: list[str] = []
    found = 0
    for name in shown:
        field = spec.fields[name]
        after_name = isinstance(field, Attribute) and field.last
        (last if after_name else params).append(_parameter(field, scope))
        key.append(_key(field))
    for name in spec.order:
        if isinstance(spec.fields[name], Attribute):
            passed.append(f"found[{found}]")
            found += 1
        else:
            passed.append(name)
    chosen = "None"
    if len(spec.engines) > 1 and cls.engine_offered:
        params.append("engine=usual")
        chosen = "engine"
    params += ["name=None", *last]
    hidden = [n for n in spec.order if n not in shown]
    for name in hidden:
        scope[f"d_{name}"] = spec.fields[name].default
        key.append(f"d_{name}")
    given = "".join(f"{n}, " for n in shown) + "".join(f"d_{n}, " for n in hidden)
    names = [p.partition("=")[0] for p in params]
    old = [k for k in keywords(spec.name) if k not in names] if "dst" in names else []
    scope |= {"earlier_call": earlier_call, "calls": CALLS, "absent": ABSENT}
    source = f"""\
def {spec.name}({", ".join([*params, *_earlier_parameters(old)])}):
{_earlier_call(spec.name, names, old)}    ctx = current()
    try:
        found = ctx.verified[(cls, {", ".join(key)}, {chosen})]
    except (KeyError, AttributeError, TypeError):
        return bind(ctx, cls, ({given}), {chosen}, name)
    if name is not None:
        return bind(ctx, cls, ({given}), {chosen}, name)
    return ctx.builder.{spec.emit}({", ".join(passed)}, found[-1], name)
"""
    exec(compile(source, f"<opennki {spec.name}>", "exec"), scope)
    fn: Callable[..., Any] = scope[spec.name]
    fn.__doc__ = spec.doc
    fn.__module__ = "nki.isa"
    fn.__nki_function__ = True  # type: ignore[attr-defined]  # the marker of gate 1
    fn.__nki_inst__ = cls  # type: ignore[attr-defined]
    fn.__nki_earlier__ = tuple(old)  # type: ignore[attr-defined]
    _publish(fn)
    return fn


def _earlier_parameters(old: list[str]) -> list[str]:
    """Keyword-only parameters for the keywords of earlier versions."""
    return ["*", *(f"{name}=absent" for name in old)] if old else []


def _earlier_call(name: str, names: list[str], old: list[str]) -> str:
    """What a call does first when it has keywords of earlier versions."""
    if not old:
        return ""
    asked = " or ".join(f"{k} is not absent" for k in old)
    call = f"earlier_call(calls, {name!r}, {{{_items(names)}}}, {{{_items(old)}}})"
    return f"    if {asked}:\n        return {call}\n"


def _publish(fn: Any) -> None:
    """Give `fn` a signature without the keywords of earlier versions."""
    vars(fn).pop("__signature__", None)
    whole = inspect.signature(fn)
    present = [p for n, p in whole.parameters.items() if n not in fn.__nki_earlier__]
    fn.__signature__ = whole.replace(parameters=present)


def _items(names: Iterable[str]) -> str:
    return ", ".join(f"{n!r}: {n}" for n in names)


def _parameter(field: Operand | Attribute, scope: dict[str, Any]) -> str:
    if field.required or (isinstance(field, Operand) and field.given is not Given.NOTHING):
        return field.name
    default = field.default
    if isinstance(default, IsaEnum):
        default = SPELLING.get(default, default if isinstance(default, AluOp) else None)
        default = None if default is AluOp.bypass else default
    scope[f"p_{field.name}"] = default
    return f"{field.name}=p_{field.name}"


def show_operators(calls: Iterable[Callable[..., Any]], functions: Iterable[object]) -> None:
    """Make defaults of `calls` that are operators the `functions` that kernels write for them."""
    written = {f.__nki_alu__: f for f in functions if hasattr(f, "__nki_alu__")}
    for call in calls:
        defaults = getattr(call, "__defaults__", None) or ()
        call.__defaults__ = tuple(
            written.get(value, value) if isinstance(value, AluOp) else value for value in defaults
        )
        _publish(call)


_VIEW = (
    "{0}.shape, {0}.strides, {0}.dtype, {0}.tensor.kind, {0}.offset // {0}.tensor.pitch, "
    "{0}.placing"
)


def _key(field: Operand | Attribute) -> str:
    """Expression for the part of the key that `field` contributes."""
    name = field.name
    if isinstance(field, Attribute):
        if field.type is float:
            return f"repr({name})"
        return f"frozen({name})" if field.type is tuple else name
    if field.many:
        return f"frozen({name})"
    view = _VIEW.format(name)
    if field.number or field.optional:
        plain = f"{name} is None or {name}.__class__ in numbers"
        return f"*(({name},) if {plain} else ({view}))"
    return view
