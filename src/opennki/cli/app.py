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
from opennki.driver import FRONTENDS, Request, check_file

from .arguments import parse_arguments, parse_grid
from .diff import EVERY, DiffOptions
from .diff import diff as diff_command
from .klr_info import klr_info
from .lowering import Form, LowerOptions
from .lowering import lower as lower_command
from .lowering import trace as trace_command
from .options import (
    TARGET_NAMES,
    Args,
    Frontend,
    Grid,
    Output,
    Script,
    Source,
    Target,
    Where,
    expanded,
)
from .running import RunOptions
from .running import run as run_command
from .stages import StagesOptions
from .stages import stages as stages_command
from .terminal import (
    FAILED,
    USAGE,
    Commands,
    console,
    guarded,
    placed,
    show_problems,
)

app = typer.Typer(
    name="opennki", cls=Commands, no_args_is_help=True, add_completion=False,
    pretty_exceptions_enable=False, rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
klr_app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(klr_app, name="klr", help="Look at KLR files.")


class Depth(str, Enum):
    """What two roads are compared at."""

    bir = "bir"
    cfg = "cfg"
    program = "program"


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
@expanded
def run(words: Script, options: RunOptions) -> None:
    """Run a script with its kernels on the simulator, or one kernel on arrays made for it.

    A file alone runs as python would run it; a summary of its kernels follows.
    With a kernel's name or --arg, the file is imported instead (guard scripts
    with `if __name__ == "__main__"`), and that kernel runs on arrays of the
    given shapes.
    """
    with guarded():
        run_command(words[0], words[1:], options)


@app.command(
    epilog=_examples(
        "opennki trace kernel.py:softmax --arg 'x=bf16[128,512]'",
        "opennki trace kernel.py:softmax --arg 'x=bf16[128,512]' --frontend beta2",
    )
)
def trace(
    where: Where,
    arg: Args = None,
    grid: Grid = None,
    target: Target = None,
    frontend: Frontend = None,
    output: Output = None,
) -> None:
    """Print what tracing a kernel gives: Penguin, or KLR on the road of beta2."""
    with guarded():
        trace_command(where, LowerOptions(arg or (), grid, target, frontend, output))


@app.command(
    epilog=_examples(
        "opennki lower kernel.py:softmax --arg 'x=bf16[128,512]' --to program",
        "opennki lower kernel.py:softmax --arg 'x=bf16[128,512]' --to klr-file -o softmax.klr",
        "opennki lower softmax.klr --to bir",
    )
)
def lower(
    where: Source,
    to: Annotated[
        Form,
        typer.Option(
            "--to",
            help="Form to print; klr is an S-expression, json BIR's file format, klr-file KLR's, "
            "which needs --output. The forms of KLR imply --frontend beta2, penguin beta3.",
        ),
    ],
    arg: Args = None,
    grid: Grid = None,
    target: Target = None,
    frontend: Frontend = None,
    output: Output = None,
) -> None:
    """Print a kernel, or what a KLR file holds, as Penguin, KLR, BIR, or the scheduled program."""
    with guarded():
        lower_command(where, to, LowerOptions(arg or (), grid, target, frontend, output))


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
    frontend: Frontend = None,
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
            request = Request(target=target, grid=parse_grid(grid), frontend=frontend, nki=nki)
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


@app.command(
    epilog=_examples(
        "opennki diff kernel.py:softmax --arg 'x=bf16[128,512]'",
        "opennki diff kernel.py:softmax --arg 'x=bf16[128,512]' --level program --target all",
    )
)
def diff(
    where: Where,
    arg: Args = None,
    grid: Grid = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="NAME",
            help=f"What to compile for: {TARGET_NAMES}; or {EVERY}.",
        ),
    ] = None,
    frontend: Annotated[
        str,
        typer.Option("--frontend", "-f", metavar="ROAD,ROAD", help="The two roads to compare."),
    ] = ",".join(FRONTENDS),
    level: Annotated[
        Depth,
        typer.Option(
            "--level",
            "-l",
            help="What to compare: bir, with its loops; cfg, BIR as blocks and branches; program.",
        ),
    ] = Depth.bir,
) -> None:
    """Compare what two roads make of a kernel: the same, or the first thing that differs.

    Names that the compiler makes may differ, and storages that nothing uses. The
    exit code is 1 if the roads differ, and else 0.
    """
    with guarded():
        diff_command(where, DiffOptions(arg or (), grid, target, frontend, level.value))


@app.command(
    epilog=_examples(
        "opennki stages kernel.py:softmax --arg 'x=bf16[128,512]'",
        "opennki stages kernel.py:softmax --arg 'x=bf16[128,512]' --inst kernel.py:17",
    )
)
def stages(
    where: Where,
    arg: Args = None,
    grid: Grid = None,
    target: Target = None,
    frontend: Annotated[
        str | None,
        typer.Option(
            "--frontend",
            "-f",
            metavar="|".join(FRONTENDS),
            help="One road only; both if not given.",
        ),
    ] = None,
    inst: Annotated[
        str | None,
        typer.Option(
            "--inst",
            "-i",
            metavar="N|NAME|FILE:LINE",
            help="Instruction to show at every level: its number from 0, its name or kind, or a "
            "line that makes it. If not given, the first that is no DMA.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Show what each stage of both roads makes of a kernel, its time and memory.

    One instruction follows at every level, from its source line to the command of
    the program.
    """
    with guarded():
        stages_command(where, StagesOptions(arg or (), grid, target, frontend, inst, json))


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


@klr_app.command(
    "info", epilog=_examples("opennki klr info softmax.klr", "opennki klr info softmax.klr --json")
)
def info(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="KLR file in any of its forms: CBOR, JSON, text."),
    ],
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Say what a KLR file holds: its kernel, statements by operator, extensions that it uses."""
    with guarded():
        klr_info(file, json)


def main() -> None:
    """Run the command line."""
    app(prog_name="opennki")
