"""Whether two scheduled programs are the same, up to names that the compiler made.

The modules that the programs hold are compared first (`birpy.difference`), with the addresses of
their storages; then every queue, command by command: which instruction, its waits, its signal.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from opennki.backend.program import Command, Core, Program, Repeat, Section
from opennki.backend.program_text import command_text
from opennki.base.loc import UNKNOWN
from opennki.birpy import Difference, Module, difference

_END = "nothing: the queue ends"


def program_difference(left: Program, right: Program) -> Difference | None:
    """The first difference of two programs; None if there is none."""
    found = difference(_module(left), _module(right))
    if found is not None:
        return found
    for a, b in zip(left.cores, right.cores, strict=True):
        found = _Queues(a, b).sections(a.sections, b.sections)
        if found is not None:
            return found
    return None


def _module(program: Program) -> Module:
    return Module([core.function for core in program.cores], program.target.arch)


class _Queues:
    """Compares the queues of two cores whose functions are the same."""

    def __init__(self, left: Core, right: Core) -> None:
        self._name = left.name
        self._left = _places(left)
        self._right = _places(right)

    def sections(self, left: Sequence[Section], right: Sequence[Section]) -> Difference | None:
        """The first difference of two lists of sections."""
        if [type(s) for s in left] != [type(s) for s in right]:
            return self._found("number of sections", str(len(left)), str(len(right)))
        for a, b in zip(left, right, strict=True):
            if isinstance(a, Repeat) and isinstance(b, Repeat):
                found = self.sections(a.body, b.body)
                if found is not None:
                    return found
                continue
            assert not isinstance(a, Repeat)
            assert not isinstance(b, Repeat)
            if list(a.queues) != list(b.queues):
                one, other = (", ".join(e.name for e in s.queues) for s in (a, b))
                return self._found("queues", one, other)
            for engine, queue in a.queues.items():
                found = self._commands(queue.commands, b.queues[engine].commands)
                if found is not None:
                    return found
        return None

    def _commands(self, left: list[Command], right: list[Command]) -> Difference | None:
        for a, b in zip_longest(left, right):
            what = self._differing(a, b)
            if what:
                one, other = (_END if c is None else command_text(c) for c in (a, b))
                return self._found(what, one, other, a if a is not None else b)
        return None

    def _differing(self, a: Command | None, b: Command | None) -> str:
        """In what two commands differ."""
        if a is None or b is None:
            return "number of commands"
        if self._left[a.inst.name] != self._right[b.inst.name]:
            return "order of commands"
        if a.waits != b.waits:
            return "waits"
        return "" if (a.signal, a.value, a.ring) == (b.signal, b.value, b.ring) else "signal"

    def _found(
        self, what: str, left: str, right: str, command: Command | None = None
    ) -> Difference:
        loc = UNKNOWN if command is None else command.inst.loc
        place = -1
        if command is not None:
            places = self._left if command.inst.name in self._left else self._right
            place = places[command.inst.name]
        return Difference(what, left, right, loc, self._name, place)


def _places(core: Core) -> dict[str, int]:
    """Name of each instruction -> its place in the function."""
    return {inst.name: place for place, inst in enumerate(core.function.instructions())}
