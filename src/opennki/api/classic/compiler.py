"""What kernels of the first generation import as `neuronxcc.nki.compiler`.

Allocators place tensors; decorators chose stages of the first compiler, which this one lacks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from opennki.api import classic
from opennki.api.jit import unknown_option
from opennki.trace.classic.directives import NoReorder as no_reorder
from opennki.trace.classic.placement import psum, sbuf

__all__: Final = [
    "enable_stack_allocator", "force_auto_alloc", "no_reorder", "psum", "sbuf",
    "skip_middle_end_transformations",
]  # fmt: skip


def _decorator(name: str, what: str) -> Callable[..., Any]:
    def decorate(fn: Callable[..., Any] | None = None, **options: Any) -> Any:
        for option in options:
            if option != "log_level":
                raise unknown_option(f"nki.compiler.{name}", option, ("log_level",))
        return (lambda decorated: decorated) if fn is None else fn

    decorate.__name__ = decorate.__qualname__ = name
    decorate.__doc__ = f"""The kernel itself: {what}

    Args: log_level, of that stage. Raises: NKI1004 for any other option.
    """
    return decorate


skip_middle_end_transformations = _decorator(
    "skip_middle_end_transformations",
    "the first compiler could rearrange kernels before it placed tiles, and this one does not.",
)
enable_stack_allocator = _decorator(
    "enable_stack_allocator",
    "tiles are placed where nothing else lives anyway, which is what it asked for.",
)
force_auto_alloc = _decorator(
    "force_auto_alloc", "tiles that the author does not place are placed by the compiler anyway."
)


def __getattr__(name: str) -> Any:
    raise classic.missing(".compiler", name, __all__)
