"""What the user sees: colours only on a terminal, problems on stderr, results on stdout."""

from __future__ import annotations

import os
import sys
import textwrap
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TextIO

import typer.main
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from opennki.base.codes import NKI7007, NKI7022, NKI9001
from opennki.base.diag import Diagnostic, NkiError, fail
from opennki.base.loc import UNKNOWN
from opennki.base.render import text

FAILED, USAGE, INTERNAL = 1, 2, 3
"""Exit codes: something is wrong with the input, with how it was called, with opennki itself."""

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer gives it no public name


def colored(stream: TextIO) -> bool:
    """Whether `stream` is a terminal that shows colours, and the user does not mind them."""
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


def console() -> Console:
    """A console on the present stdout."""
    color = colored(sys.stdout)
    return Console(
        file=sys.stdout, force_terminal=color, no_color=not color, highlight=False,
        color_system="standard" if color else None, markup=False, soft_wrap=True,
    )  # fmt: skip


def placed(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """`diagnostics`, where those about the command line itself have no place in a file.

    The innermost line outside of opennki is then one of the library that reads the command line.
    """
    return [
        replace(found, loc=UNKNOWN) if found.file == typer.main.__file__ else found
        for found in diagnostics
    ]


def show_problems(diagnostics: Sequence[Diagnostic], stream: TextIO | None = None) -> None:
    """Print diagnostics to `stream` (stderr)."""
    stream = stream or sys.stderr
    if diagnostics:
        print(text(placed(diagnostics), colored(stream)), file=stream)


def show_pairs(out: Console, pairs: Sequence[tuple[str, str]]) -> None:
    """Print labels with their texts beside them; lines that are too long are broken at words."""
    width = max((len(label) for label, _ in pairs), default=0)
    for label, value in pairs:
        room = max(out.width - width - 4, 20)
        lines = [
            part
            for line in value.splitlines() or [""]
            for part in textwrap.wrap(line, room, break_on_hyphens=False) or [""]
        ]
        for i, line in enumerate(lines):
            out.print(Text.assemble((f"  {'' if i else label:<{width}}  ", "dim"), line))


def write(content: str, path: str | None) -> None:
    """Write `content` to a file, or to stdout. Raises: NKI7007."""
    if path is None:
        sys.stdout.write(content)
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    except OSError as error:
        raise fail(NKI7007, UNKNOWN, path=path, why=error.strerror or str(error)) from None


class Commands(TyperGroup):
    """The commands; what the parser of options refuses looks like every other error."""

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **extra: Any) -> Any:
        """Parse the options before the command's name; without any there is the help."""
        if not args:
            return super().make_context(info_name, args, *more, **extra)
        with _refusing():
            return super().make_context(info_name, args, *more, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Parse the options of the command, and run it."""
        with _refusing():
            return super().invoke(ctx)


@contextmanager
def _refusing() -> Iterator[None]:
    """Show what the parser of options raises as a diagnostic. Raises: typer.Exit."""
    try:
        yield
    except _UsageError as error:
        message = error.format_message()  # type: ignore[attr-defined]  # every usage error has it
        ctx = getattr(error, "ctx", None)
        command = ctx.command_path if ctx is not None else "opennki"
        if not message.strip():  # there is no command, and its help was shown
            raise typer.Exit(USAGE) from None
        message = " ".join(message.split()).replace("Value error, ", "")
        what = message[:1].lower() + message[1:].rstrip(".")
        show_problems(fail(NKI7022, UNKNOWN, what=what, command=command).diagnostics)
        raise typer.Exit(USAGE) from None


@contextmanager
def guarded() -> Iterator[None]:
    """Show what a command raises: users' mistakes as diagnostics, ours as NKI9001 with trace."""
    try:
        yield
    except NkiError as error:
        sys.stdout.flush()
        show_problems(error.diagnostics)
        raise typer.Exit(FAILED) from None
    except (typer.Exit, BrokenPipeError):
        raise
    except Exception as error:
        show_internal(error)
        raise typer.Exit(INTERNAL) from None


def show_internal(error: Exception) -> None:
    """Print an error of opennki's own, with its whole trace."""
    sys.stdout.flush()
    traceback.print_exception(error)
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    show_problems(fail(NKI9001, UNKNOWN, text=what).diagnostics)
