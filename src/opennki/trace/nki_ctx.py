"""The ambient trace: which kernel is being traced on this thread, if any."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from opennki.base.codes import NKI1001
from opennki.base.diag import fail
from opennki.base.loc import current as current_loc

if TYPE_CHECKING:
    from .context import TraceContext

global_ctx: ContextVar[TraceContext | None] = ContextVar("nki_ctx", default=None)


def nki_ctx(api: str = "this NKI function") -> TraceContext:
    """The context of the kernel being traced.

    Raises: NKI1001 outside of a kernel; `api` is what the message says was called.
    """
    ctx = global_ctx.get()
    if ctx is None:
        raise fail(NKI1001, current_loc(None), api=api)
    return ctx


def nki_ctx_or_none() -> TraceContext | None:
    """The context of the kernel being traced, or None."""
    return global_ctx.get()
