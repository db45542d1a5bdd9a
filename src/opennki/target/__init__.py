"""Machines and languages as data."""

from typing import Final

from . import cayman, corev4, sunda, tonga
from .dialect import (
    AFFINE_SELECT_ORDER,
    BUFFER_STRINGS,
    CHANGES,
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


__all__ = [
    "AFFINE_SELECT_ORDER", "BUFFER_STRINGS", "CAYMAN", "CHANGES", "COREV4", "ENUM_NUMBERS",
    "MEMORY_NAMES", "NEWEST", "SUNDA", "TARGETS", "TONGA", "VERSIONS", "Change", "Dialect",
    "Target", "keywords", "removed", "target",
]  # fmt: skip
