"""opennki: an open implementation of the NKI compiler stack. Here: the version and lazy names."""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from opennki.api.check import ArraySpec, Compiled, Finding, check, compile
    from opennki.api.jit import Kernel, jit, simulate
    from opennki.api.launch import Launch, launch
    from opennki.base.diag import NkiError, NkiWarning

__all__ = [
    "ArraySpec", "Compiled", "Finding", "Kernel", "Launch", "NkiError", "NkiWarning", "check",
    "compile", "jit", "launch", "simulate",
]  # fmt: skip

_HOMES = {
    "opennki.api": ("Kernel", "jit", "simulate"),
    "opennki.api.check": ("ArraySpec", "Compiled", "Finding", "check", "compile"),
    "opennki.api.launch": ("Launch", "launch"),
    "opennki.base.diag": ("NkiError", "NkiWarning"),
}
"""Module -> public names that it has; loaded on first use, so that importing the root is cheap."""


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            import_module("opennki.base.render")  # teaches NkiError to print itself
            value = globals()[name] = getattr(import_module(home), name)
            return value
    raise AttributeError(f"module 'opennki' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})
