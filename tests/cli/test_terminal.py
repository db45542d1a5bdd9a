"""When there is colour, and which problems have a place."""

from __future__ import annotations

import io

import pytest

from opennki.base.codes import NKI1023
from opennki.base.diag import fail
from opennki.base.loc import UNKNOWN
from opennki.cli.terminal import colored, show_problems


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO) -> str:
    show_problems(fail(NKI1023, UNKNOWN, got="x", known="trn1").diagnostics, stream)
    return stream.getvalue()


def test_terminals_have_colour_and_files_do_not(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[" in shown(Terminal())
    assert shown(io.StringIO()).startswith("error[NKI1023]: there is no target named x\n")


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("NO_COLOR", ""), ("TERM", "dumb")])
def test_colour_can_be_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    assert colored(Terminal()) == (name == "NO_COLOR" and value == "")


def test_problems_of_options_have_no_place(opennki):
    done = opennki("check", "kernels.py", "--target", "trn9")
    assert "-->" not in done.output
