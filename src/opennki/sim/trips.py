"""Trips of run-time loops: what every interpreter does to registers before each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from opennki.base.codes import NKI6026
from opennki.base.diag import fail
from opennki.base.loc import SrcLoc

from .machine import Machine


def counted(machine: Machine, register: Any, trips: range, new: Sequence[Any]) -> Iterator[int]:
    """Set `register` to every number of `trips` in turn, with `new` tensors begun anew.

    The loop counts by itself, whatever the body writes to the register.
    """
    for number in trips:
        machine.set_register(register, number)
        machine.renew(new)
        yield number


def span(machine: Machine, start: int | Any, stop: int | Any, step: int, loc: SrcLoc) -> range:
    """The numbers that a counted loop at `loc` goes through; ends are integers or registers.

    Raises: NKI6026 if there are more of them than the options allow.
    """
    ends = [
        end if isinstance(end, int) else machine.register(end, loc, name)
        for name, end in (("start", start), ("stop", stop))
    ]
    trips, limit = range(ends[0], ends[1], step), machine.options.max_trips
    if len(trips) > limit:
        what = f"from {ends[0]} to {ends[1]} it runs {len(trips)} times"
        instead = "look at where its bounds are loaded from"
        raise fail(NKI6026, loc, what=what, limit=limit, instead=instead)
    return trips


def while_set(machine: Machine, condition: Any, loc: SrcLoc, new: Sequence[Any]) -> Iterator[int]:
    """The numbers of the trips as long as the register `condition` is not 0, as in `counted`.

    Raises: NKI6026 when there are more of them than the options allow.
    """
    limit = machine.options.max_trips
    for number in count():
        if not machine.register(condition, loc, "condition"):
            return
        if number == limit:
            what = f"it has run {limit} times and its condition is still not 0"
            instead = "update the register in the body: nisa.register_load(reg, flag), or return "
            instead += "the next condition from the body of nl.while_loop"
            raise fail(NKI6026, loc, what=what, limit=limit, instead=instead)
        machine.renew(new)
        yield number
