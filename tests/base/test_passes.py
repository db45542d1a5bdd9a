"""Passes as text, and pipelines in which a pass needs what nothing before it brings about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from opennki.base.diag import NkiError
from opennki.base.passes import (
    ALLOCATED,
    FLAT,
    TRACED,
    VERIFIED,
    Pass,
    PassContext,
    State,
    parse_pass,
    unmet,
)


@dataclass(frozen=True)
class Shout(Pass[list]):
    """Append what it was told."""

    name: ClassVar[str] = "shout-it"
    requires: ClassVar[frozenset[State]] = frozenset({TRACED})
    ensures: ClassVar[frozenset[State]] = frozenset({VERIFIED})
    word: str = "hey"
    times: int = 1
    loud: bool = False
    gain: float = 1.0

    def run(self, ir: list, cx: PassContext) -> None:
        ir += [self.word.upper() if self.loud else self.word] * self.times
        cx.count("words", self.times)


@dataclass(frozen=True)
class Forget(Pass[list]):
    """Drop everything."""

    name: ClassVar[str] = "forget"
    requires: ClassVar[frozenset[State]] = frozenset({VERIFIED})
    ensures: ClassVar[frozenset[State]] = frozenset({FLAT})
    breaks: ClassVar[frozenset[State]] = frozenset({VERIFIED})

    def run(self, ir: list, cx: PassContext) -> None:
        ir.clear()


KNOWN = (Shout, Forget)


@pytest.mark.parametrize(
    "one",
    [Shout(), Shout('a "b"', -2, True, -0.5), Shout(gain=float("inf")), Forget()],
)
def test_text_reads_back(one):
    assert parse_pass(one.text, KNOWN) == one


def test_options_that_are_not_given_have_their_defaults():
    assert parse_pass("shout-it", KNOWN) == Shout()
    assert parse_pass("shout-it{times=3, loud=true}", KNOWN) == Shout(times=3, loud=True)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("shut-it", "NKI4003"), ("shout-it{tims=3}", "NKI4011"), ("shout-it{times=3.0}", "NKI4010"),
        ("shout-it{times=true}", "NKI4010"), ("shout-it{times=1, times=2}", "NKI4004"),
        ("shout-it{times}", "NKI4001"), ("shout-it{", "NKI4002"), ("shout-it forget", "NKI4001"),
        ("", "NKI4002"),
    ],
)  # fmt: skip
def test_wrong_text_is_refused(text, code):
    with pytest.raises(NkiError) as refused:
        parse_pass(text, KNOWN)
    assert refused.value.code == code


def test_running_changes_the_ir_and_counts():
    cx, ir = PassContext(), ["a"]
    Shout("b", 2, loud=True).run(ir, cx)
    Shout("c").run(ir, cx)
    assert ir == ["a", "B", "B", "c"]
    assert cx.counts == {"words": 3}


def test_states_that_nothing_ensures_are_named():
    first, second = Shout(), Forget()
    assert unmet([first, second], {TRACED}) == []
    assert unmet([second, first], {TRACED}) == [(second, VERIFIED)]
    assert unmet([first, second, second], {TRACED, ALLOCATED}) == [(second, VERIFIED)]
