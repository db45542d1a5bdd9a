"""Machines and languages as data."""

from typing import Final

from . import cayman, corev4, sunda, tonga
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


__all__ = ["CAYMAN", "COREV4", "SUNDA", "TARGETS", "TONGA", "Target", "target"]
