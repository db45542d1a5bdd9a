"""Raising an error at the user's current line."""

from __future__ import annotations

import sys
from typing import Any

from opennki.base.diag import Code, Diagnostic, NkiError, fail
from opennki.base.loc import current

from .nki_ctx import nki_ctx_or_none


def fault(code: Code, **facts: object) -> NkiError:
    """An error at the user's line that is being executed, to be raised by the caller."""
    ctx = nki_ctx_or_none()
    loc = current(ctx.kernel_code if ctx is not None else None)
    notes = ctx.loop_notes() if ctx is not None else []
    return fail(code, loc, notes=notes, **facts)


def also(cls: type[Exception], error: NkiError) -> NkiError:
    """`error` as one that callers can catch as Python's `cls` too, as documents promise."""
    return raised(cls(), error.diagnostics)


def raised(error: Exception, found: list[Diagnostic]) -> NkiError:
    """An error that callers can catch both as `NkiError` and as what the kernel raised.

    It has the attributes of `error`, and is made by the constructor of Python's own class that its
    layout comes from, as the user's may want any arguments. Where that does not work (layouts that
    do not combine, hooks on subclasses) it is a plain `NkiError`.
    """
    cls = type(error)
    if type(cls) is not type or any("__init_subclass__" in vars(c) for c in cls.__mro__[:-1]):
        return NkiError(found)
    try:
        body = {"__module__": "opennki", "__reduce__": _reduce}
        combined = type(cls.__name__, (NkiError, cls), body)
        python: Any = combined
        while python.__module__ != "builtins":
            python = python.__base__
        made = python.__new__(combined, *error.args)
        python.__init__(made, *error.args)
        vars(made).update(vars(error))
        NkiError.__init__(made, found)
    except (TypeError, AttributeError):
        return NkiError(found)
    assert isinstance(made, NkiError)
    return made


def _reduce(error: NkiError) -> tuple[Any, ...]:
    """How an error of `raised` is pickled: as a plain one if the kernel's class is a local one."""
    own = type(error).__bases__[1]
    place: Any = sys.modules.get(own.__module__)
    for name in own.__qualname__.split("."):
        place = getattr(place, name, None)
    if place is not own:
        return NkiError, ([found.portable() for found in error.diagnostics],)
    return _combined, (own, [found.portable() for found in error.diagnostics])


def _combined(cls: type[Exception], found: list[Diagnostic]) -> NkiError:
    return raised(cls.__new__(cls), found)
