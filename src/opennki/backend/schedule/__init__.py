"""Scheduling: dependences, queues and semaphores."""

from .deps import decode, dependences
from .engines import QUEUES, TRACKS, Tracks, track_name, track_number
from .footprint import Footprint, footprint, overlap, whole
from .order import schedule
from .semaphores import waits_of

__all__ = [
    "QUEUES", "TRACKS", "Footprint", "Tracks", "decode", "dependences", "footprint", "overlap",
    "schedule", "track_name", "track_number", "waits_of", "whole",
]  # fmt: skip
