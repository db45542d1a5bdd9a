"""Raising an error at the user's current line."""

from __future__ import annotations

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
    return _combined(cls, error.diagnostics)


def _combined(cls: type[Exception], found: list[Diagnostic]) -> NkiError:
    body = {"__module__": "opennki", "__reduce__": _reduce}
    combined: Any = type(cls.__name__, (NkiError, cls), body)
    made: NkiError = combined(found)
    return made


def _reduce(error: NkiError) -> tuple[Any, ...]:
    return _combined, (type(error).__bases__[1], [d.portable() for d in error.diagnostics])
