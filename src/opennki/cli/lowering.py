"""`opennki lower` and `trace`: the forms of a kernel, or of what a KLR file holds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from enum import Enum
from typing import Final

from opennki.base.codes import NKI7002, NKI7013, NKI7014
from opennki.base.diag import fail
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.driver import (
    Compiled,
    LoweredKlr,
    Request,
    compile_kernel,
    imported,
    is_klr,
    read_klr,
    requesting,
    require,
    save_constants,
    save_klr,
    split_path,
)

from .arguments import parse_arguments, parse_grid
from .terminal import show_problems, write


class Form(str, Enum):
    """Forms that can be printed or, the last one, written."""

    penguin = "penguin"
    klr = "klr"
    klr_json = "klr-json"
    bir = "bir"
    json = "json"
    program = "program"
    klr_file = "klr-file"


ROADS: Final = {
    Form.penguin: "beta3", Form.klr: "beta2", Form.klr_json: "beta2", Form.klr_file: "beta2"
}  # fmt: skip
"""The front end that a form belongs to; the others are on both roads."""


@dataclass(frozen=True)
class LowerOptions:
    """Options of ``opennki lower``, as they are written."""

    arg: Sequence[str] = ()
    grid: str | None = None
    target: str | None = None
    frontend: str | None = None
    output: str | None = None


def lower(where: str, form: Form, options: LowerOptions) -> None:
    """Print or write one form of a kernel, or of the kernel in a KLR file."""
    path, name = split_path(where)
    if is_klr(path):
        _show(_from_file(path, name, form, options), form, options.output)
    else:
        _show(compiled(where, options, ROADS.get(form)), form, options.output)


def trace(where: str, options: LowerOptions) -> None:
    """Print what tracing gives on the road that is taken: Penguin or KLR."""
    made = compiled(where, options)
    form = Form.penguin if made.options.frontend == "beta3" else Form.klr
    _show(made, form, options.output)


def compiled(where: str, options: LowerOptions, frontend: str | None = None) -> Compiled:
    """The kernel for the given arguments; what its file prints goes to stderr.

    Args: frontend, the one to take if `options` do not say.
    """
    path, name = split_path(where)
    values = parse_arguments(options.arg)
    grid = parse_grid(options.grid)
    Request(target=options.target, frontend=options.frontend).resolve()
    with redirect_stdout(sys.stderr), imported(path) as file:
        kernel = file.kernel(name)
        require(kernel, (), values)
        chosen = options.frontend or frontend
        made = requesting(kernel, target=options.target, grid=grid, frontend=chosen)
        return compile_kernel(made.fn, (), values, made.request.resolve())


def _from_file(path: str, name: str, form: Form, options: LowerOptions) -> LoweredKlr:
    excluded = {
        "--arg": bool(options.arg), "--grid": options.grid is not None,
        "the front end beta3": options.frontend == "beta3",
        "the form penguin": form is Form.penguin,
    }  # fmt: skip
    for option, given in excluded.items():
        if given:
            raise fail(NKI7013, UNKNOWN, first=option, second=f"the KLR file {path}")
    target = Request(target=options.target, frontend=options.frontend or "beta2").resolve().target
    made = LoweredKlr(read_klr(path), target)
    if name and name != made.klr.name:
        raise fail(NKI7002, SrcLoc(path, 0), path=path, name=name, found=made.klr.name)
    return made


def _show(made: Compiled | LoweredKlr, form: Form, output: str | None) -> None:
    if form is Form.klr_file:
        if output is None:
            raise fail(NKI7014, UNKNOWN, form=form.value, name=made.klr.name)
        save_klr(made.klr, output)
        show_problems(made.problems)
        return
    if output is not None and form in (Form.klr, Form.klr_json):
        save_constants(made.klr, output)
    content = made.text(form.value)
    show_problems(made.problems)
    write(content, output)
