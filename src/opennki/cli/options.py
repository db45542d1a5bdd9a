"""Arguments and options that several commands have, and commands whose options are a dataclass."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any, get_type_hints

import typer

from opennki.driver import FRONTENDS
from opennki.target import TARGETS

from .arguments import GRAMMAR

Where = Annotated[
    str,
    typer.Argument(
        metavar="FILE[:KERNEL]",
        help="Python file, and a kernel in it. The file is imported to get at its kernels; guard "
        'scripts with `if __name__ == "__main__"`.',
    ),
]
Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE[:KERNEL]",
        help="Python file, which is imported, and a kernel in it; or a KLR file in any of its "
        "forms (CBOR, JSON, S-expression).",
    ),
]
Script = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE[:KERNEL] [-- ARGS]",
        help="Script to run, and its arguments; or a Python file, which is imported, and a kernel "
        "in it.",
    ),
]
Args = Annotated[
    list[str] | None,
    typer.Option(
        "--arg", "-a", metavar="NAME=VALUE",
        help=GRAMMAR,
    ),
]  # fmt: skip
TARGET_NAMES = "; ".join(", ".join(t.aliases) for t in TARGETS if t.has("nki"))
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="NAME", help=f"What to compile for: {TARGET_NAMES}."),
]
Grid = Annotated[
    str | None, typer.Option("--grid", "-g", metavar="N[,N]", help="Launch grid: 2 for two cores.")
]
Frontend = Annotated[
    str | None,
    typer.Option(
        "--frontend", "-f", metavar="|".join(FRONTENDS),
        help="Road to BIR: beta2 by KLR, or beta3 by Penguin, which is taken if neither this nor "
        "NKI_FRONTEND says otherwise.",
    ),
]  # fmt: skip
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file.")
]


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """`command`, whose last parameter is a dataclass, with an option for each of its fields.

    run(words, options: RunOptions)   =>   run(words, arg=None, grid=None, ...)
    """
    hints = get_type_hints(command, include_extras=True)
    *first, last = inspect.signature(command).parameters.values()
    cls = hints[last.name]
    types = get_type_hints(cls, include_extras=True)
    given = [parameter.replace(annotation=hints[parameter.name]) for parameter in first]
    made = [
        inspect.Parameter(
            field.name, last.kind, default=field.default, annotation=types[field.name]
        )
        for field in fields(cls)
    ]

    def flat(**values: Any) -> None:
        head = [values.pop(parameter.name) for parameter in given]
        command(*head, cls(**values))

    flat.__name__, flat.__doc__ = command.__name__, command.__doc__
    flat.__signature__ = inspect.Signature([*given, *made])  # type: ignore[attr-defined]  # as functools.wraps does
    flat.__annotations__ = {p.name: p.annotation for p in (*given, *made)}
    return flat
