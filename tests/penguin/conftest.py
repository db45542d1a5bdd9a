"""Penguin as text in tests: functions around statements, and passes from text to text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opennki.base.diag import Severity
from opennki.base.passes import PassContext, parse_pass
from opennki.penguin import Function, parse_function, print_function, verify
from opennki.penguin.passes import PASSES


def function_text(body: str, tensors: str = "", target: str = "cayman") -> str:
    """A function with these statements; lines of `tensors` declare tensors."""
    lines = [f"tensor {line.strip()}" for line in tensors.strip().splitlines() if line.strip()]
    return "\n".join(
        [f"penguin.function @f target={target} args=[] results=[] {{", *lines, body, "}"]
    )


@pytest.fixture
def function() -> Callable[..., Function]:
    """Makes a function from statements and declarations of tensors, both as text."""
    return lambda body, tensors="", **more: parse_function(function_text(body, tensors, **more))


@pytest.fixture
def check_pass() -> Callable[..., PassContext]:
    """Runs a pass on text and compares with text; valid before and after."""

    def check(name: str, before: str, after: str, tensors: str = "") -> PassContext:
        given = parse_function(function_text(before, tensors))
        wanted = parse_function(function_text(after, tensors))
        assert _errors(given) == []
        cx = PassContext()
        parse_pass(name, PASSES).run(given, cx)
        assert print_function(given) == print_function(wanted)
        assert given == wanted
        assert _errors(given) == []
        return cx

    return check


def _errors(function: Function) -> list[str]:
    return [d.message for d in verify(function) if d.severity is Severity.error]
