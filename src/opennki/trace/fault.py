"""Raising an error at the user's current line."""

from __future__ import annotations

from opennki.base.diag import Code, NkiError, fail
from opennki.base.loc import current

from .nki_ctx import nki_ctx_or_none


def fault(code: Code, **facts: object) -> NkiError:
    """An error at the user's line that is being executed, to be raised by the caller."""
    ctx = nki_ctx_or_none()
    loc = current(ctx.kernel_code if ctx is not None else None)
    notes = ctx.loop_notes() if ctx is not None else []
    return fail(code, loc, notes=notes, **facts)
