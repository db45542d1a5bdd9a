"""Which cores and ranks generated instructions name: a few, so that all can be simulated."""

from __future__ import annotations

from random import Random
from typing import Any

from opennki.isa.cores import CORES
from opennki.target import Target


def cores(fields: dict[str, Any], target: Target, rnd: Random) -> object:
    """Both cores of a logical core."""
    return CORES


def replica_groups(fields: dict[str, Any], target: Target, rnd: Random) -> object:
    """Groups of one or two ranks; of devices of four for collectives of variable length."""
    if "metadata" in fields:
        return ((0, 1, 2, 3), (4, 5, 6, 7)) if target.has("neuron_switch") else ((0, 1, 2, 3),)
    return rnd.choice((((0,),), ((0, 1),), ((1, 0),), ((0, 2), (3, 1))))


def source_target_pairs(fields: dict[str, Any], target: Target, rnd: Random) -> object:
    """Ranks that exchange, that go around, or of which one sends to another."""
    return rnd.choice((((0, 0),), ((0, 1), (1, 0)), ((0, 1),), ((0, 1), (1, 2), (2, 0))))
