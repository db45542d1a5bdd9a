"""Runs the cores of a launch side by side, in turns: each goes on until it waits for others.

An interpreter is a generator. It runs what its core can do alone and yields what it waits with;
when instructions of other cores have come that complete some of it, all of them run as one, and
each interpreter is told what was done. Nothing here depends on the form that is interpreted.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from opennki.base.codes import NKI6025
from opennki.base.diag import NkiError, diagnostic, fail
from opennki.base.loc import short_path
from opennki.ir import Company, Inst, Place

from .machine import Machine


class Wait(NamedTuple):
    """What a core waits with: instructions that need company; `final`, it can do nothing else."""

    insts: tuple[Inst, ...]
    final: bool = True


Steps = Generator[Wait, Sequence[Inst], None]
"""An interpreter: it yields waits, and is sent those of their instructions that were done."""


@dataclass
class Party:
    """One core of a launch.

    Attributes: rank and core, its place; machine; steps, its interpreter; wait, what it waits
    with, None when it has ended (or not begun); done, what of that was done since.
    """

    rank: int
    core: int
    machine: Machine
    steps: Steps
    wait: Wait | None = None
    done: list[Inst] = field(default_factory=list)
    awake: bool = True

    def advance(self) -> None:
        """Go on to the next wait, or to the end."""
        done, self.done = self.done, []
        self.awake = False
        try:
            self.wait = next(self.steps) if self.wait is None else self.steps.send(done)
        except StopIteration:
            self.wait = None


def run(parties: Sequence[Party]) -> None:
    """Run all to their ends.

    Raises: NKI6025 if some wait for what never comes, NKI6022 if what comes does not fit.
    """
    try:
        while any(party.awake for party in parties):
            for party in parties:
                if party.awake:
                    party.advance()
            if not _meet(parties):
                waits = [(party, party.wait) for party in parties if party.wait is not None]
                if waits and all(wait.final for _, wait in waits):
                    raise _deadlock(parties)
                for party, wait in waits:
                    party.awake = not wait.final
    finally:
        for party in parties:
            party.steps.close()


def run_alone(machine: Machine, steps: Steps) -> None:
    """Run a core that has no others beside it. Raises: as `run`."""
    run([Party(0, 0, machine, steps)])


def _meet(parties: Sequence[Party]) -> bool:
    """Run what has all its company; whether there was any."""
    found = False
    there: dict[Company, dict[Place, tuple[Party, Inst]]] = {}
    for party in parties:
        for inst in party.wait.insts if party.wait is not None else ():
            company = inst.company(party.rank, party.core)
            present = there.setdefault(company, {})
            present.setdefault((party.rank, party.core), (party, inst))
            if present.keys() >= set(company.places):
                together({at: (present[at][0].machine, present[at][1]) for at in company.places})
                for at in company.places:
                    present[at][0].done.append(present[at][1])
                    present[at][0].awake = True
                del there[company]
                found = True
    return found


def together(present: Mapping[Place, tuple[Machine, Inst]]) -> None:
    """Run instructions at different places as one: all are read before any is written.

    Raises: NkiError for what `check_company` finds.
    """
    for _, inst in present.values():
        others = [other for _, other in present.values() if other is not inst]
        for found in inst.check_company(others):
            raise NkiError([diagnostic(found, inst.loc)])
    met = {place: machine.gather(inst) for place, (machine, inst) in present.items()}
    for place, (machine, inst) in present.items():
        machine.warn(inst, inst.watch(place, met))
        machine.put(inst, inst.sem(place, met))  # type: ignore[attr-defined]  # every class has one
    for views in zip(*(inst.orders() for _, inst in present.values()), strict=True):
        next(iter(present.values()))[0].order(views)


def _deadlock(parties: Sequence[Party]) -> NkiError:
    """The error that tells where every core is."""
    several = len({party.rank for party in parties}) > 1
    said = []
    first: Inst | None = None
    for party in parties:
        name = f"rank {party.rank} core {party.core}" if several else f"core {party.core}"
        if party.wait is None:
            said.append(f"{name} has ended")
            continue
        for inst in party.wait.insts:
            first = first or inst
            said.append(
                f"{name} waits at {short_path(inst.loc.file)}:{inst.loc.line} ({_what(inst)})"
            )
    assert first is not None, "only instructions that need company wait"
    return fail(NKI6025, first.loc, what=", ".join(said))


def _what(inst: Inst) -> str:
    """An instruction with its first operand or the pipe that it waits on."""
    pipe = getattr(inst, "pipe_id", None)
    if pipe is not None:
        return f"{inst.spec.label} with pipe_id {pipe}"
    return f"{inst.spec.label} on `{next(inst.views())[1].tensor.name}`"
