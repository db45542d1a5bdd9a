"""One kernel by two roads: whether they make the same of it, at BIR, its blocks, or the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from opennki.base.codes import NKI4503, NKI4504, NKI7012
from opennki.base.diag import Diagnostic, NkiError, diagnostic, fail, problem
from opennki.base.loc import UNKNOWN, current
from opennki.base.text import without_comment

from .check import distinct
from .compiled import Compiled

if TYPE_CHECKING:
    from opennki.birpy import Difference, Module

DEPTHS: Final = ("bir", "cfg", "program")
"""What can be compared: BIR with its loops, BIR as blocks and branches, the scheduled program."""

Compile = Callable[[], Compiled]


@dataclass(frozen=True)
class Compared:
    """What comparing gave.

    Attributes: problems: a difference, or errors that not both roads find; refused, the errors that
    both find; functions, instructions and storages, how many are the same.
    """

    problems: tuple[Diagnostic, ...] = ()
    refused: tuple[Diagnostic, ...] = ()
    functions: int = 0
    instructions: int = 0
    storages: int = 0


def compare_roads(makers: tuple[Compile, Compile], names: tuple[str, str], depth: str) -> Compared:
    """Compare what two roads make of one kernel.

    Args: makers, what compiles it by each; names, those of the roads in messages; depth, one of
        `DEPTHS`.
    Raises: NKI7012 for another depth.
    """
    if depth not in DEPTHS:
        raise fail(
            NKI7012, current(None), option="level", got=depth, kind="", known=", ".join(DEPTHS)
        )
    first, second = (_made(compile, depth) for compile in makers)
    if not isinstance(first, _Made) or not isinstance(second, _Made):
        return _refused(first, second, names)
    found = _difference(first, second, depth)
    if found is not None:
        return Compared((_shown(found, names, first.target),))
    functions = first.module.functions
    storages = sum(len(fn.used()) for fn in functions)
    count = sum(1 for fn in functions for _ in fn.instructions())
    return Compared((), (), len(functions), count, storages)


@dataclass(frozen=True)
class _Made:
    """What one road made: a module, and the program if that is compared."""

    module: Module
    target: str
    program: Any = None


def _made(compile: Compile, depth: str) -> _Made | tuple[Diagnostic, ...]:
    """What a road makes, or the errors with which it refuses the kernel."""
    from opennki.birpy import Module  # when first needed, as in `compiled`

    try:
        compiled = compile()
        target = compiled.options.target.title
        if depth == "program":
            program = compiled.program
            functions = [core.function for core in program.cores]
            return _Made(Module(functions, program.target.arch), target, program)
        return _Made(compiled.bir if depth == "bir" else _blocks(compiled), target)
    except NkiError as error:
        return tuple(distinct(error.diagnostics))


def _blocks(compiled: Compiled) -> Module:
    """BIR with branches in place of run-time loops."""
    from opennki.birpy import Module
    from opennki.lower.beta2 import KlirToBirCodegen
    from opennki.lower.beta2.control import branched

    if compiled.options.frontend == "beta2":
        lowering = KlirToBirCodegen(compiled.options.target, structure=False)
        return lowering.run_on_kernel(compiled.klr)
    module = compiled.bir
    return Module([branched(function) for function in module.functions], module.arch)


def _difference(left: _Made, right: _Made, depth: str) -> Difference | None:
    from opennki.backend.compare import program_difference
    from opennki.birpy import difference

    if depth == "program":
        return program_difference(left.program, right.program)
    return difference(left.module, right.module)


def _shown(found: Difference, names: tuple[str, str], target: str) -> Diagnostic:
    left, right = names
    one = problem(NKI4503, left=left, right=right, target=target, what=found.what)
    sides = [(left, without_comment(found.left)), (right, without_comment(found.right))]
    notes = []
    if found.function:
        which = f"number {found.place} of " if found.place >= 0 else ""
        notes.append(f"{which}function `{found.function}`")
    return diagnostic(one, found.loc, sides, notes)


def _refused(first: object, second: object, names: tuple[str, str]) -> Compared:
    """What to say when a road refuses the kernel: nothing new if both do so for the same reason."""
    errors = [side if isinstance(side, tuple) else () for side in (first, second)]
    facts = [[(d.code.id, d.file, d.line, d.message) for d in side] for side in errors]
    if facts[0] == facts[1]:
        return Compared(refused=errors[0])
    made = next((side for side in (first, second) if isinstance(side, _Made)), None)
    said = [", ".join(dict.fromkeys(d.code.id for d in side)) or "nothing" for side in errors]
    only = [d for i, side in enumerate(errors) for d in side if not _has(errors[1 - i], d)]
    one = problem(
        NKI4504, left=names[0], right=names[1], first=said[0], second=said[1],
        target="this target" if made is None else made.target,
    )  # fmt: skip
    at = only[0].loc if only else UNKNOWN
    return Compared((diagnostic(one, at), *only))


def _has(found: tuple[Diagnostic, ...], one: Diagnostic) -> bool:
    key = (one.code.id, one.file, one.line, one.message)
    return any((d.code.id, d.file, d.line, d.message) == key for d in found)
