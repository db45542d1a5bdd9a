"""The road from a BIR module to a scheduled program, as one list of passes.

Allocation sets addresses on the module that is given, or on what it becomes when it calls kernels;
loops are expanded into a new one. After an
error nothing that needs the broken state runs, and there is no program.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

from opennki.backend.accumulate import set_accumulation
from opennki.backend.alloc import (
    forget_unused,
    liveness,
    place_dram,
    place_psum,
    place_sbuf,
)
from opennki.backend.flatten import Flatten
from opennki.backend.inline_kernels import inline_kernels
from opennki.backend.program import Program
from opennki.backend.schedule import schedule
from opennki.backend.verify import (
    check_banks,
    check_edges,
    check_overlaps,
    check_placement,
    check_queues,
)
from opennki.base.diag import Diagnostic, NkiError, Severity
from opennki.base.passes import Observe
from opennki.birpy import Module
from opennki.target import Target


@dataclass
class Build:
    """What the passes work on.

    Attributes: module, as it is after the passes so far; target; program, once it is scheduled;
    problems that were found; flatten, options of loop expansion.
    """

    module: Module
    target: Target
    flatten: Flatten = field(default_factory=Flatten)
    program: Program | None = None
    problems: list[Diagnostic] = field(default_factory=list)

    def report(self, found: Iterable[Diagnostic]) -> None:
        """Add problems."""
        self.problems.extend(found)

    @property
    def failed(self) -> bool:
        """Whether one of the problems is an error."""
        return any(d.severity is Severity.error for d in self.problems)


@dataclass(frozen=True)
class BackendPass:
    """One step: its name in texts and times, and the states it needs and brings about."""

    name: str
    run: Callable[[Build], None]
    requires: str
    ensures: str


def expand_calls(build: Build) -> None:
    """Expand calls of kernels: the module is then as if a front door had made it without them."""
    build.module = inline_kernels(build.module)


def verify_placement(build: Build) -> None:
    """Check the addresses that the author chose, and the edges between instructions."""
    for function in build.module.functions:
        build.report(check_placement(function, build.target))
        build.report(check_edges(function))


def allocate(build: Build) -> None:
    """Place every storage, and check what that led to."""
    build.report(place_dram(build.module, build.target))
    for function in build.module.functions:
        live = liveness(function)
        forget_unused(live)
        build.report(check_overlaps(live))
        build.report(place_sbuf(live, build.target))
        build.report(place_psum(live, build.target))
        if not build.failed:
            build.report(check_banks(function, build.target))


def flatten(build: Build) -> None:
    """Expand loops; banks are checked again where trips were too many to check them before."""
    before = build.module
    build.module = build.flatten.module(before)
    for old, new in zip(before.functions, build.module.functions, strict=True):
        if old is not new:
            build.report(check_banks(new, build.target))


def accumulate(build: Build) -> None:
    """Set the accumulation flags of matmuls."""
    for function in build.module.functions:
        set_accumulation(function, build.target)


def make_queues(build: Build) -> None:
    """Order instructions by dependences, queues and semaphores."""
    cores = [schedule(function) for function in build.module.functions]
    build.program = Program(build.target, cores, dict(build.module.attributes))


def verify_queues(build: Build) -> None:
    """Check that every command can run."""
    if build.program is not None:
        for core in build.program.cores:
            build.report(check_queues(core))


PASSES: Final = (
    BackendPass("inline-kernels", expand_calls, "", "TRACED"),
    BackendPass("verify-placement", verify_placement, "TRACED", "VERIFIED"),
    BackendPass("allocate", allocate, "VERIFIED", "ALLOCATED"),
    BackendPass("flatten", flatten, "ALLOCATED", "FLAT"),
    BackendPass("set-accumulation", accumulate, "FLAT", "FLAT"),
    BackendPass("schedule", make_queues, "FLAT", "SCHEDULED"),
    BackendPass("verify-queues", verify_queues, "SCHEDULED", "SCHEDULED"),
)
"""Every pass, in order."""


def build(
    module: Module,
    target: Target,
    observe: Observe | None = None,
    *,
    until: str = "SCHEDULED",
    flatten: Flatten | None = None,
) -> tuple[Program | None, list[Diagnostic]]:
    """Make the program of `module` for `target`.

    Args: observe, told after every pass; until, the state to stop in (``ALLOCATED`` is what a check
        needs); flatten, options of loop expansion.
    Returns: the program (None after an error, or when stopped before), and all problems.
    """
    work = Build(module, target, flatten or Flatten())
    collecting = gc.isenabled()
    gc.disable()  # many objects are made, none of them in cycles that die before the end
    try:
        for one in PASSES:
            start = perf_counter()
            try:
                one.run(work)
            except NkiError as error:
                work.report(error.diagnostics)
            if observe is not None:
                made = work.module if work.program is None else work.program
                observe(one.name, made, perf_counter() - start)
            if work.failed or (one.ensures == until and one is _last(until)):
                break
    finally:
        if collecting:
            gc.enable()
    return (None if work.failed else work.program), work.problems


def _last(state: str) -> BackendPass:
    """The last pass that leaves the module in `state`."""
    return [one for one in PASSES if one.ensures == state][-1]
