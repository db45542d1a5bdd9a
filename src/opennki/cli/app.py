"""The commands and their options. What they do is in the other files of this package."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from difflib import get_close_matches
from enum import Enum
from typing import Annotated

import typer

from opennki import __version__
from opennki.base.codes import NKI7008, NKI7021
from opennki.base.diag import CATALOGUE, NkiError, Severity, fail
from opennki.base.loc import UNKNOWN
from opennki.base.render import as_json
from opennki.base.render import explain as explained
from opennki.driver import (
    Compiled,
    Request,
    check_file,
    compile_kernel,
    imported,
    requesting,
    require,
    split_path,
)
from opennki.target import TARGETS

from .arguments import GRAMMAR, parse_arguments, parse_grid
from .running import RunOptions
from .running import run as run_command
from .terminal import (
    FAILED,
    USAGE,
    Commands,
    console,
    guarded,
    placed,
    show_problems,
    write,
)

app = typer.Typer(
    name="opennki", cls=Commands, no_args_is_help=True, add_completion=False,
    pretty_exceptions_enable=False, rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip


class Level(str, Enum):
    """Forms that the simulator runs."""

    penguin = "penguin"
    bir = "bir"
    program = "program"


class Form(str, Enum):
    """Forms that can be printed."""

    penguin = "penguin"
    bir = "bir"
    json = "json"
    program = "program"


Where = Annotated[
    str,
    typer.Argument(
        metavar="FILE[:KERNEL]",
        help="Python file, and a kernel in it. The file is imported to get at its kernels; guard "
        'scripts with `if __name__ == "__main__"`.',
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
_NAMES = "; ".join(", ".join(t.aliases) for t in TARGETS if t.has("nki"))
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="NAME", help=f"What to compile for: {_NAMES}."),
]
Grid = Annotated[
    str | None, typer.Option("--grid", "-g", metavar="N[,N]", help="Launch grid: 2 for two cores.")
]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"opennki {__version__}")
        raise typer.Exit


def _examples(*lines: str) -> str:
    """The text below the options: one line per paragraph, as help texts want it."""
    return "\n\n".join(["Examples:", *lines])


@app.callback(
    epilog=_examples(
        "opennki run examples/flash_attention.py",
        "opennki check kernel.py:softmax --arg 'x=bf16[128,512]'",
        "opennki lower kernel.py:softmax --arg 'x=bf16[128,512]' --to bir",
        "opennki explain NKI2104",
    )
)
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """An open implementation of the NKI compiler stack: check, inspect and simulate kernels."""


@app.command(
    epilog=_examples(
        "opennki run examples/flash_attention.py",
        "opennki run train.py --target trn2 -- --steps 3",
        "opennki run kernel.py:softmax --arg 'x=f32[128,512]'",
        "opennki run kernel.py:softmax --arg x=@x.npy --level penguin",
    )
)
def run(
    words: Script,
    arg: Args = None,
    grid: Grid = None,
    target: Target = None,
    level: Annotated[
        Level | None, typer.Option("--level", "-l", help="Form to simulate: program if not given.")
    ] = None,
    step: Annotated[
        bool, typer.Option("--step", help="Run each instruction as soon as it is traced.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Reading memory that nothing wrote is an error.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of random arguments (0).", min=0)
    ] = None,
) -> None:
    """Run a script with its kernels on the simulator, or one kernel on arrays made for it.

    A file alone runs as python would run it; a summary of its kernels follows.
    With a kernel's name or --arg, the file is imported instead (guard scripts
    with `if __name__ == "__main__"`), and that kernel runs on arrays of the
    given shapes.
    """
    with guarded():
        chosen = None if level is None else level.value
        options = RunOptions(arg or (), grid, target, chosen, step, strict, seed)
        run_command(words[0], words[1:], options)


@app.command(epilog=_examples("opennki trace kernel.py:softmax --arg 'x=bf16[128,512]'"))
def trace(
    where: Where,
    arg: Args = None,
    grid: Grid = None,
    target: Target = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file.")
    ] = None,
) -> None:
    """Print what tracing a kernel gives: its loops and instructions (Penguin)."""
    with guarded():
        _print_form(where, arg, Request(target=target, grid=parse_grid(grid)), "penguin", output)


@app.command(
    epilog=_examples(
        "opennki lower kernel.py:softmax --arg 'x=bf16[128,512]' --to program",
        "opennki lower kernel.py:softmax --arg 'x=bf16[128,512]' --to json -o softmax.json",
    )
)
def lower(
    where: Where,
    to: Annotated[Form, typer.Option("--to", help="Form to print; json is BIR's file format.")],
    arg: Args = None,
    grid: Grid = None,
    target: Target = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file.")
    ] = None,
) -> None:
    """Print a kernel as Penguin, BIR, BIR's JSON, or the scheduled program."""
    with guarded():
        _print_form(where, arg, Request(target=target, grid=parse_grid(grid)), to.value, output)


@app.command(
    epilog=_examples(
        "opennki check kernel.py",
        "opennki check kernel.py:softmax --arg 'x=bf16[128,512]' --target trn2",
        "opennki check kernel.py --arg 'x=bf16[128,512]' --json",
    )
)
def check(
    where: Where,
    arg: Args = None,
    grid: Grid = None,
    target: Target = None,
    nki: Annotated[
        str | None,
        typer.Option("--nki", metavar="VERSION", help="NKI version whose rules hold, exactly."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print problems as JSON.")] = False,
) -> None:
    """Find everything that is wrong with a kernel, or with all kernels of a file; run nothing.

    The exit code is 1 if there is an error, 2 if nothing could be checked, and else 0.
    """
    with guarded():
        try:
            request = Request(target=target, grid=parse_grid(grid), nki=nki)
            request.resolve()
            with redirect_stdout(sys.stderr):
                found = check_file(where, (), parse_arguments(arg or ()), request)
        except NkiError as error:
            found = error.diagnostics
        if json:
            print(as_json(placed(found)))
        elif found:
            show_problems(found, sys.stdout)
        else:
            print(f"{where}: no problems found")
        if any(d.code is NKI7021 for d in found):
            raise typer.Exit(USAGE)
        if any(d.severity is Severity.error for d in found):
            raise typer.Exit(FAILED)


@app.command(epilog=_examples("opennki explain NKI2104", "opennki explain --list"))
def explain(
    code: Annotated[
        str | None, typer.Argument(metavar="CODE", help="Code of an error: NKI2104, or 2104.")
    ] = None,
    every: Annotated[bool, typer.Option("--list", help="List every code with its title.")] = False,
) -> None:
    """Explain an error: why it is one, an example of it, and the repair."""
    if every == (code is not None):
        raise typer.BadParameter("give either a code or --list")
    with guarded():
        if code is not None:
            wanted = f"NKI{code}" if code.isdecimal() else code.upper()
            if wanted not in CATALOGUE:
                close = get_close_matches(wanted, CATALOGUE, 1, 0.8)
                raise fail(NKI7008, UNKNOWN, got=code, close="".join(close))
            print(explained(wanted), end="")
            return
        out = console()
        for entry in sorted(CATALOGUE.values(), key=lambda entry: entry.id):
            out.print(f"{entry.id}  {entry.severity.value:<7}  {entry.title}")


def _print_form(
    where: str, arg: list[str] | None, request: Request, form: str, output: str | None
) -> None:
    compiled, content = _compiled(where, arg or [], request, form)
    show_problems(compiled.problems)
    write(content, output)


def _compiled(where: str, arg: list[str], request: Request, form: str) -> tuple[Compiled, str]:
    """The kernel for the given arguments, and its text; what its file prints goes to stderr."""
    path, name = split_path(where)
    values = parse_arguments(arg)
    with redirect_stdout(sys.stderr), imported(path) as file:
        kernel = file.kernel(name)
        require(kernel, (), values)
        made = requesting(kernel, target=request.target, grid=request.grid)
        compiled = compile_kernel(made.fn, (), values, made.request.resolve())
        return compiled, compiled.text(form)


def main() -> None:
    """Run the command line."""
    app(prog_name="opennki")
