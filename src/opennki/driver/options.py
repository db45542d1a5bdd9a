"""Typed options of a compilation, and the environment variables that set their defaults."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import prod
from typing import Any

from opennki.base.codes import NKI1020, NKI1023, NKI1024, NKI7012, NKI7013, NKI7019
from opennki.base.diag import Code, fail
from opennki.base.loc import current
from opennki.target import CLASSIC, NEWEST, TARGETS, VERSIONS, Dialect, Target, target
from opennki.trace import Edge, plain_int
from opennki.trace.classic.grid import Spmd, spmd

TARGET_VARIABLE = "NEURON_PLATFORM_TARGET_OVERRIDE"
PRECISE_VARIABLE = "NKI_PRECISE_FP"
SIMULATOR_VARIABLE = "NKI_SIMULATOR"
FRONTEND_VARIABLE = "NKI_FRONTEND"
TRIPS_VARIABLE = "OPENNKI_MAX_TRIPS"
MAX_TRIPS = 1_000_000
LEVELS = ("penguin", "bir", "program")
FRONTENDS = ("beta2", "beta3")
"""Routes to BIR: through KLR, and through Penguin."""
NKI_VARIABLE = "NKI_VERSION"
NKI_VERSIONS = VERSIONS
"""Versions of the language whose rules are modelled."""


@dataclass(frozen=True)
class Options:
    """What to compile for and how to run it.

    Attributes: target; grid, sizes of the launch grid (empty: one program); frontend, the route to
    BIR; level, which form the simulator runs; precise, round to narrow dtypes; strict, reading
    memory that nothing wrote is an error; step, run every instruction while it is traced;
    schedule, edges between named instructions; dialect, the language version; max_trips, how often
    a run-time loop may run its body; spmd, the grid of programs that a kernel of the first
    generation is launched with; unroll, trace every trip of the loops of the first generation;
    asked, whether the caller chose the level.
    """

    target: Target
    grid: tuple[int, ...] = ()
    frontend: str = "beta3"
    level: str = "program"
    precise: bool = True
    strict: bool = False
    step: bool = False
    schedule: tuple[Edge, ...] = ()
    dialect: Dialect = NEWEST
    max_trips: int = MAX_TRIPS
    spmd: Spmd | None = None
    unroll: bool = False
    asked: bool = True


@dataclass(frozen=True)
class Request:
    """Options as a caller gives them; None means that of `defaults`, else the environment's."""

    target: str | Target | None = None
    grid: Any = None
    frontend: str | None = None
    level: str | None = None
    precise: bool | None = None
    strict: bool = False
    step: bool = False
    full_traceback: bool = False
    schedule: tuple[Edge, ...] = ()
    nki: str | None = None
    classic: bool = False
    default_target: str = "trn3"
    unroll: bool = False
    environment: Mapping[str, str] | None = None

    def resolve(self) -> Options:
        """The options that hold.

        Raises: NKI1020 for a grid that is none or too large for the target, NKI1023 for an unknown
        target, NKI1024 for a value that an option or its environment variable cannot have, NKI7019
        for an NKI version that is not modelled.
        """
        env = os.environ if self.environment is None else self.environment
        base = _DEFAULTS.get() or self
        flag(env, SIMULATOR_VARIABLE, True)
        precise = flag(env, PRECISE_VARIABLE, True) if self.precise is None else self.precise
        front = self._frontend(base, env)
        least = "penguin" if front == "beta3" else "bir"
        level = self.level or base.level or ("program" if precise else least)
        known_level(level)
        if not precise and level == "program":
            raise _refused(NKI7013, first=f"{PRECISE_VARIABLE}=0", second="the level program")
        step = self.step or base.step
        if level == "penguin" and front == "beta2" and not step:
            raise _refused(NKI7013, first="the level penguin", second="the front end beta2")
        wanted = self.target or base.target or env.get(TARGET_VARIABLE) or self.default_target
        found = resolve_target(wanted)
        launched = spmd(self.grid) if self.classic else None
        grid = normal_grid(self.grid) if launched is None else launched.cores_grid
        if prod(grid) > found.cores:
            why = f"{found.title} has {found.cores} core(s) per logical core"
            raise _refused(NKI1020, grid=list(grid), why=why)
        if step and (self.level or base.level) not in (None, "penguin"):
            raise _refused(NKI7013, first="step mode", second=f"the level {level}")
        strict = self.strict or base.strict
        chosen = self.nki or base.nki or env.get(NKI_VARIABLE)
        dialect = Dialect(known_version(chosen), chosen=True) if chosen else NEWEST
        if self.classic:
            dialect = CLASSIC
        trips = positive(env, TRIPS_VARIABLE, MAX_TRIPS)
        return Options(
            found, grid, front, level, precise, strict, step, self.schedule, dialect, trips,
            launched, self.unroll or base.unroll, bool(self.level or base.level),
        )  # fmt: skip

    def _frontend(self, base: Request, env: Mapping[str, str]) -> str:
        """The road. Raises: NKI7012 for one that a caller, NKI1024 for one that the variable names
        and that does not exist."""
        given = self.frontend or base.frontend
        if given is not None:
            return known_frontend(given)
        return one_of(FRONTEND_VARIABLE, env.get(FRONTEND_VARIABLE) or "beta3", FRONTENDS)


_DEFAULTS: ContextVar[Request | None] = ContextVar("defaults", default=None)


@contextmanager
def defaults(request: Request) -> Iterator[None]:
    """While entered, what `request` gives holds where nothing else is given.

    That is so for its target, level, front end, step, strict, nki and unroll.
    """
    token = _DEFAULTS.set(request)
    try:
        yield
    finally:
        _DEFAULTS.reset(token)


def resolve_target(name: str | Target) -> Target:
    """The target called `name`; raises NKI1023 if there is none, or none that NKI has."""
    with_nki = [t for t in TARGETS if t.has("nki")]
    known = [alias for t in with_nki for alias in t.aliases]
    try:
        found = name if isinstance(name, Target) else target(str(name))
    except KeyError:
        raise _refused(NKI1023, got=name, known=known) from None
    if not found.has("nki"):
        raise _refused(NKI1023, got=name, known=known, least=with_nki[0].title)
    return found


def known_level(level: str) -> str:
    """`level` if it is a form that can be run; raises NKI7012."""
    if level not in LEVELS:
        raise _refused(NKI7012, option="level", got=level, known=", ".join(LEVELS))
    return level


def known_frontend(frontend: str) -> str:
    """`frontend` if it is a route to BIR; raises NKI7012."""
    if frontend not in FRONTENDS:
        known = ", ".join(FRONTENDS)
        raise _refused(NKI7012, option="frontend", got=frontend, kind="", known=known)
    return frontend


def normal_grid(grid: int | tuple[int, ...] | None) -> tuple[int, ...]:
    """The grid as a tuple of positive integers; raises NKI1020."""
    if grid is None:
        return ()
    sizes = tuple(grid) if isinstance(grid, tuple | list) else (grid,)
    for n in sizes:
        size = plain_int(n)
        if size is None or size < 1:
            raise _refused(NKI1020, grid=list(sizes), why=f"{n!r} is not a positive integer")
    return tuple(map(int, sizes))


def known_version(nki: str) -> str:
    """`nki` if the rules of that version are modelled; raises NKI7019."""
    if nki not in NKI_VERSIONS:
        raise _refused(NKI7019, got=nki, known=", ".join(NKI_VERSIONS))
    return nki


def flag(env: Mapping[str, str], name: str, default: bool) -> bool:
    """A variable that is 0 or 1; raises NKI1024."""
    text = env.get(name, "")
    if text == "":
        return default
    return one_of(name, text, ("0", "1")) == "1"


def positive(env: Mapping[str, str], name: str, default: int) -> int:
    """A variable that is a positive integer; raises NKI1024."""
    text = env.get(name, "")
    if text == "":
        return default
    if not text.isdecimal() or int(text) < 1:
        raise _refused(NKI1024, name=name, got=text, known="1, 2, 3, ...")
    return int(text)


def one_of(name: str, value: str, known: tuple[str, ...]) -> str:
    """`value` if it is one of `known`; raises NKI1024."""
    if value not in known:
        raise _refused(NKI1024, name=name, got=value, known=", ".join(known))
    return value


def _refused(code: Code, **facts: object) -> Exception:
    return fail(code, current(None, 3), notes=(), **facts)
