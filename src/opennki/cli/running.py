"""`opennki run`: a file as a script, or one kernel on arrays that are made for it."""

from __future__ import annotations

import runpy
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from opennki.base.codes import NKI7013
from opennki.base.diag import NkiError, NkiWarning, fail
from opennki.base.loc import UNKNOWN, is_ours
from opennki.driver import (
    Request,
    Run,
    defaults,
    imported,
    observed,
    python_file,
    requesting,
    require,
    split_path,
)

from .arguments import parse_arguments, parse_grid
from .inputs import make_arrays
from .options import Args, Frontend, Grid, Target
from .summary import show_results, show_runs, warnings_of
from .terminal import FAILED, console, show_internal, show_problems

Array = NDArray[Any]


class Level(str, Enum):
    """Forms that the simulator runs."""

    penguin = "penguin"
    bir = "bir"
    program = "program"


@dataclass(frozen=True)
class RunOptions:
    """Options of ``opennki run``, as they are written."""

    arg: Args = None
    grid: Grid = None
    target: Target = None
    frontend: Frontend = None
    level: Annotated[
        Level | None, typer.Option("--level", "-l", help="Form to simulate: program if not given.")
    ] = None
    step: Annotated[
        bool, typer.Option("--step", help="Run each instruction as soon as it is traced.")
    ] = False
    strict: Annotated[
        bool, typer.Option("--strict", help="Reading memory that nothing wrote is an error.")
    ] = False
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of random arguments (0).", min=0)
    ] = None

    @property
    def form(self) -> str | None:
        """Name of the level."""
        return None if self.level is None else self.level.value


def run(where: str, script_args: Sequence[str], options: RunOptions) -> None:
    """Run a script if no kernel is named and no arguments are given for one, else a kernel."""
    path, name = split_path(where)
    request = Request(
        target=options.target, level=options.form, frontend=options.frontend, step=options.step,
        strict=options.strict,
    )  # fmt: skip
    with defaults(request):
        request.resolve()
        if name or options.arg:
            _exclude("a kernel", script_args and "arguments of a script")
            run_kernel(path, name, options)
        else:
            _exclude(
                "running a script", options.grid and "--grid", options.seed is not None and "--seed"
            )
            run_script(path, script_args)


def _exclude(first: str, *others: Any) -> None:
    for other in others:
        if other:
            raise fail(NKI7013, UNKNOWN, first=other, second=first)


def run_script(path: str, args: Sequence[str]) -> None:
    """Execute a file as ``python file.py args`` does, then say which kernels ran.

    Raises: typer.Exit with the script's exit code, or 1 after an exception.
    """
    file = str(python_file(path))
    with _observed_script(file, args) as runs:
        try:
            status = _script(file)
        except typer.Exit as failed:
            status = failed.exit_code
    sys.stdout.flush()
    show_problems(warnings_of(runs))
    if runs:
        out = console()
        out.rule("kernels", align="left", characters="-" if out.encoding == "ascii" else "─")
        show_runs(out, runs)
    elif not status:
        print(f"{path}: no kernel ran", file=sys.stderr)
    if status:
        raise typer.Exit(status)


@contextmanager
def _observed_script(file: str, args: Sequence[str]) -> Iterator[list[Run]]:
    """The surroundings of a script; its kernels' warnings come with the summary."""
    argv, path = sys.argv, sys.path[:]
    sys.argv = [file, *args]
    sys.path.insert(0, str(Path(file).resolve().parent))
    try:
        with observed() as runs, warnings.catch_warnings():
            warnings.simplefilter("ignore", NkiWarning)
            yield runs
    finally:
        sys.argv, sys.path[:] = argv, path


def _script(file: str) -> int:
    """Exit code of a script; what it raises is shown without the frames of runpy and opennki."""
    try:
        runpy.run_path(file, run_name="__main__")
    except NkiError as error:
        sys.stdout.flush()
        show_problems(error.diagnostics)
        return FAILED
    except SystemExit as error:
        return _status(error.code)
    except Exception as error:
        _show_exception(error, file)
        raise typer.Exit(FAILED) from None
    return 0


def _status(code: object) -> int:
    if code is None or isinstance(code, int):
        return int(code or 0)
    print(code, file=sys.stderr)
    return FAILED


def _show_exception(error: Exception, file: str) -> None:
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != file:
        frames = frames.tb_next
    innermost = frames
    while innermost is not None and innermost.tb_next is not None:
        innermost = innermost.tb_next
    if innermost is not None and is_ours(innermost.tb_frame.f_code):
        show_internal(error)
        return
    sys.stdout.flush()
    traceback.print_exception(type(error), error, frames)


def run_kernel(path: str, name: str, options: RunOptions) -> None:
    """Run one kernel on arrays made from ``--arg``, then show results and what ran."""
    values = parse_arguments(options.arg or ())
    with imported(path) as file, observed() as runs, warnings.catch_warnings():
        warnings.simplefilter("ignore", NkiWarning)
        kernel = file.kernel(name)
        require(kernel, (), values)
        made = requesting(
            kernel, target=options.target, grid=parse_grid(options.grid), level=options.form,
            frontend=options.frontend, step=options.step or None, strict=options.strict or None,
        )  # fmt: skip
        arrays = make_arrays(values, options.seed or 0)
        results = made(**arrays)
    sys.stdout.flush()
    show_problems(warnings_of(runs))
    out = console()
    show_results(out, list(_named(results, runs[-1], arrays)))
    show_runs(out, runs)


def _named(results: Any, run: Run, arrays: dict[str, Any]) -> Iterator[tuple[str, str, Array]]:
    """Name, role and contents of each result, then of the arguments that were written."""
    tree = run.compiled.traces[0].results
    names = [] if tree is None else [leaf.tensor.name for leaf in tree.leaves]
    for name, array in zip(names, _leaves(results), strict=True):
        yield name, "result", array
    written = [id(array) for array, _ in run.outcome.written]
    for name, array in arrays.items():
        if id(array) in written:
            yield name, "argument written", array


def _leaves(results: Any) -> Iterator[Array]:
    if isinstance(results, dict):
        results = list(results.values())
    if isinstance(results, list | tuple):
        for item in results:
            yield from _leaves(item)
    elif results is not None:
        yield np.asarray(results)
