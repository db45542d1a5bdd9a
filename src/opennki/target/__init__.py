"""Machines and languages as data."""

from typing import Final

from . import cayman, corev4, sunda, tonga
from .dialect import (
    AFFINE_SELECT_ORDER,
    BUFFER_STRINGS,
    CHANGES,
    CLASSIC,
    ENUM_NUMBERS,
    MEMORY_NAMES,
    NEWEST,
    VERSIONS,
    Change,
    Dialect,
    keywords,
    removed,
)
from .target import CAYMAN, COREV4, SUNDA, TONGA, Target

TARGETS: Final[tuple[Target, ...]] = (
    tonga.TARGET, sunda.TARGET, cayman.TARGET, corev4.TARGET,
)  # fmt: skip


def target(name: str) -> Target:
    """The target with this name or alias (``trn2``, ``gen3``, ``cayman``); KeyError if unknown."""
    for found in TARGETS:
        if name.lower() in found.aliases:
            return found
    raise KeyError(name)


def of_arch(arch: str) -> Target | None:
    """The target that BIR calls `arch` (``gen3``); None if it is unknown."""
    return next((found for found in TARGETS if found.arch == arch), None)


__all__ = [
    "AFFINE_SELECT_ORDER", "BUFFER_STRINGS", "CAYMAN", "CHANGES", "CLASSIC", "COREV4",
    "ENUM_NUMBERS", "MEMORY_NAMES", "NEWEST", "SUNDA", "TARGETS", "TONGA", "VERSIONS", "Change",
    "Dialect", "Target", "keywords", "of_arch", "removed", "target",
]  # fmt: skip
