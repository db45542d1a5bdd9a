"""`opennki.check` and `opennki.compile`: the road of a kernel without running it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from opennki.base.codes import NKI1025
from opennki.base.diag import Diagnostic, fail
from opennki.base.loc import current
from opennki.base.render import text
from opennki.driver import (
    ArraySpec,
    Compiled,
    KernelLike,
    Request,
    as_argument,
    check_file,
    compile_kernel,
    diagnose,
    is_kernel,
    known_version,
    requesting,
)
from opennki.target import Target
from opennki.trace import function_of

__all__ = ["ArraySpec", "Compiled", "Finding", "check", "compile"]

Grid = int | tuple[int, ...] | None


@dataclass(frozen=True)
class Finding:
    """One problem, in plain values.

    Attributes: code (``NKI2104``); severity (``error``, ``warning`` or ``note``); message; file,
    line and col (1-based; line 0 when unknown); hint, what to do (may be empty); end_col, one past
    the last column that it is about; operands, pairs of a name and what it is; callers,
    ``file:line`` of the calls that led there, innermost first; notes, further remarks. ``str()``
    gives the text that errors are shown as, with the source line.
    """

    code: str
    severity: str
    message: str
    file: str
    line: int
    col: int
    hint: str
    end_col: int = 0
    operands: tuple[tuple[str, str], ...] = ()
    callers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    _text: str = field(default="", repr=False, compare=False)

    def __str__(self) -> str:
        return self._text


def finding(found: Diagnostic) -> Finding:
    """A diagnostic in plain values."""
    shown = text([found]).rpartition("\n")[0].rstrip("\n")
    callers = tuple(f"{c.file}:{c.line}" for c in list(found.loc.chain())[1:])
    return Finding(
        found.code.id, found.severity.value, found.message, found.file, found.line, found.col,
        found.hint, found.span[1] + 1, tuple(found.operands), callers, tuple(found.notes), shown,
    )  # fmt: skip


def compile(
    kernel: Callable[..., Any],
    *args: Any,
    target: str | Target | None = None,
    grid: Grid = None,
    frontend: str | None = None,
    nki: str | None = None,
    **kwargs: Any,
) -> Compiled:
    """Trace a kernel for arguments; its forms are made when they are asked for.

    Args: kernel, decorated or plain function; args and kwargs, its arguments, where an array may be
        anything with `shape` and `dtype` or a text like ``"bf16[128,512]"``; target, what to
        compile for; grid, launch grid; frontend, the route to BIR; nki, the language version.
    Raises: NkiError with every problem that was found.
    """
    changes: dict[str, Any] = {"target": target, "grid": grid, "frontend": frontend, "nki": nki}
    made = requesting(_kernel(kernel), **changes)
    positional, keywords = _arguments(args, kwargs)
    return compile_kernel(made.fn, positional, keywords, made.request.resolve())


def check(
    kernel: Callable[..., Any] | str | os.PathLike[str],
    *args: Any,
    target: str | Target | None = None,
    grid: Grid = None,
    frontend: str | None = None,
    nki: str | None = None,
    **kwargs: Any,
) -> list[Finding]:
    """Everything that is wrong with a kernel, up to memory allocation; nothing is executed.

    Args: kernel, decorated or plain function, or the path of a file that has kernels, perhaps with
        the name of one (``"file.py:kernel"``); without a name every kernel is checked, and one that
        gets no arguments gives a note, or an error if none could be checked; args and kwargs, its
        arguments, as for `compile`; target; grid; frontend, the route to BIR; nki, the version
        whose rules hold.
    Returns: problems in source order; an empty list if there are none.
    Raises: NKI1023 for an unknown target, NKI7012 for an unknown front end, NKI7019 for an NKI
        version that is not modelled, NKI7016 for a text that describes no array.
    """
    if nki is not None:
        known_version(nki)
    positional, keywords = _arguments(args, kwargs)
    request = Request(target=target, grid=grid, frontend=frontend, nki=nki)
    request.resolve()
    if isinstance(kernel, str | os.PathLike):
        found = check_file(os.fspath(kernel), positional, keywords, request)
    else:
        changes: dict[str, Any] = {"frontend": frontend, "nki": nki}
        made = requesting(_kernel(kernel), target=target, grid=grid, **changes)
        found = diagnose(made.fn, positional, keywords, made.request.resolve())
    return [finding(d) for d in found]


def _kernel(value: Callable[..., Any]) -> KernelLike:
    """`value` if it is a kernel, or a plain function as one."""
    if is_kernel(value):
        return value
    if not hasattr(function_of(value), "__code__"):
        raise fail(NKI1025, current(None, 3), got=type(value).__name__)
    return _Plain(value, Request())


@dataclass
class _Plain:
    """A function without decorator."""

    fn: Callable[..., Any]
    request: Request

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it as Python."""
        return self.fn(*args, **kwargs)


def _arguments(
    args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return tuple(map(as_argument, args)), {k: as_argument(v) for k, v in kwargs.items()}
