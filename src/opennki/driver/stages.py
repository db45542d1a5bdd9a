"""What each stage of a road does to one kernel, how long it takes, and how much memory.

Time and memory are measured in two compilations, because counting allocations takes time. One comes
before both, so that nothing is imported or prepared in them.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from .compiled import Compiled
from .watch import Measured, Watch

Compile = Callable[[Watch], Compiled]

OWNERS: Final = {
    "trace": "TraceContext, sema", "lay-out": "Layout", "assemble": "assemble",
    "structure": "structured", "settle-products": "settle_accumulation",
    "inline-kernels": "inline_kernels", "verify-placement": "backend.verify",
    "allocate": "backend.alloc", "flatten": "Flatten", "set-accumulation": "backend.accumulate",
    "schedule": "backend.schedule", "verify-queues": "backend.verify",
}  # fmt: skip
"""What does the stages of one name on both roads: a class, a function or a room."""

_LOWERING: Final = {"beta2": "KlirToBirCodegen", "beta3": "BirCodeGenLoop"}


@dataclass(frozen=True)
class StagesOfRoad:
    """The stages of one road with what does each; compiled, the kernel on this road."""

    frontend: str
    stages: tuple[tuple[Measured, str], ...]
    compiled: Compiled


def measure(frontend: str, compile: Compile) -> StagesOfRoad:
    """Compile down to the program, three times, and say what every stage took.

    Raises: NkiError for what the road refuses.
    """
    _whole(compile, Watch())
    running = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        memory = Watch()
        _whole(compile, memory)
    finally:
        if not running:
            tracemalloc.stop()
    time = Watch()
    compiled = _whole(compile, time)
    stages = []
    for name, stage in time.stages.items():
        stage.held, stage.peak = memory.stages[name].held, memory.stages[name].peak
        stages.append((stage, _owner(name, frontend, time.builder)))
    return StagesOfRoad(frontend, tuple(stages), compiled)


def _whole(compile: Compile, watch: Watch) -> Compiled:
    """The kernel with its program, of whose making `watch` was told; of what follows it is not."""
    compiled = compile(watch)
    compiled.program  # noqa: B018  # it is made when it is asked for
    compiled.observe = None
    return compiled


def _owner(name: str, frontend: str, builder: str) -> str:
    if name == "emit":
        return builder
    return _LOWERING[frontend] if name == "lower" else OWNERS[name]
