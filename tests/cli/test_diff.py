"""`opennki diff`: what both roads make of a kernel."""

from __future__ import annotations

from typing import Any

import pytest

from opennki.backend.program import Program
from opennki.base.codes import NKI4501
from opennki.base.diag import fail
from opennki.birpy import AccessPattern
from opennki.driver import Compiled
from opennki.lower.beta2.rules import RULES
from opennki.target import TARGETS

SCALE = ("kernels.py:scale", "--arg", "x=f32[128,4]")


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch):
    """``changed(kind, change)``: the second road lowers operators of a kind otherwise."""

    def change(kind: str, function) -> None:
        rule = RULES[kind]
        monkeypatch.setitem(RULES, kind, lambda args, site: function(rule(args, site), site))

    return change


@pytest.mark.parametrize("level", ["bir", "cfg", "program"])
def test_equal_roads_say_what_was_compared(opennki, golden, level: str):
    done = opennki("diff", *SCALE, "--level", level, "--target", "trn2")
    assert done.exit_code == 0
    assert golden == done.stdout


def test_every_target(opennki):
    done = opennki("diff", *SCALE, "--target", "all")
    assert done.exit_code == 0
    names = [t.aliases[0] for t in TARGETS if t.has("nki")]
    assert [line.split()[2] for line in done.stdout.splitlines()] == [f"{n}:" for n in names]


def test_a_grid_compares_every_function(opennki):
    done = opennki("diff", "kernels.py:constant", "--grid", "2")
    assert done.exit_code == 0
    assert "(2 functions, " in done.stdout


@pytest.mark.parametrize("roads", ["beta2,beta2", "beta3,beta2"])
def test_any_two_roads_can_be_compared(opennki, roads: str):
    done = opennki("diff", *SCALE, "--frontend", roads)
    assert f": {roads.replace(',', ' and ')} give the same BIR" in done.stdout


@pytest.mark.parametrize("level", ["bir", "program"])
def test_a_difference_is_shown_on_its_line(opennki, changed, golden, level: str):
    changed("ncActivate", lambda inst, site: _shifted(inst))
    done = opennki("diff", *SCALE, "--target", "trn2", "--level", level)
    assert done.exit_code == 1
    assert "error[NKI4503]" in done.stdout
    assert golden == done.stdout


def _shifted(inst: Any) -> Any:
    """A copy that reads another column."""
    read = inst.ins[0]
    other = AccessPattern(read.memloc, 1, (read.ap[0], (1, 3)), read.dtype)
    inst.ins = (other, *inst.ins[1:])
    return inst


def test_what_only_one_road_refuses_is_a_difference(opennki, changed, golden):
    def refuse(inst: Any, site: Any) -> None:
        raise fail(NKI4501, inst.loc, what="operator", got="ncActivate", statement=inst.name)

    changed("ncActivate", refuse)
    done = opennki("diff", *SCALE, "--target", "trn2")
    assert done.exit_code == 1
    assert "error[NKI4504]" in done.stdout
    assert golden == done.stdout


def test_what_both_roads_refuse_is_an_error_of_the_kernel(opennki):
    done = opennki("diff", "kernels.py:scale", "--arg", "x=f32[256,4]")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error[NKI3002]" in done.stderr
    assert done.stderr.endswith("\n1 error\n")


def test_targets_that_refuse_the_kernel_are_named(opennki, directory):
    text = (directory / "kernels.py").read_text(encoding="utf-8")
    newer = "nisa.exponential(dst=tile, src=tile)"
    old = "nisa.activation(dst=tile, op=nl.copy, data=tile, scale=factor)"
    assert old in text
    (directory / "kernels.py").write_text(text.replace(old, newer), encoding="utf-8")
    done = opennki("diff", *SCALE, "--target", "all")
    lines = done.stdout.splitlines()
    assert lines[0] == "scale on trn1: beta2 and beta3 refuse it, both with NKI2108"
    assert "give the same BIR" in lines[-1]
    assert done.exit_code == 0


def test_a_difference_of_queues_is_found(opennki, monkeypatch: pytest.MonkeyPatch, golden):
    whole = Compiled.program.func

    def program(self: Compiled) -> Program:
        made: Program = whole(self)
        if self.options.frontend == "beta2":
            command = next(made.cores[0].commands())
            command.waits = (*command.waits, (9, 1))
        return made

    monkeypatch.setattr(Compiled, "program", property(program))
    done = opennki("diff", *SCALE, "--target", "trn2", "--level", "program")
    assert done.exit_code == 1
    assert golden == done.stdout


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("--frontend", "beta2"), "NKI7012", "two of beta2 and beta3, as in beta2,beta3"),
        (("--frontend", "beta2,beta4"), "NKI7012", "`beta2,beta4` is no value"),
        (("--target", "trn9"), "NKI1023", "there is no target named trn9"),
        (("--grid", "two"), "NKI7012", "`two` is no value of the option --grid"),
    ],
)
def test_bad_options_are_refused(opennki, args: tuple[str, ...], code: str, said: str):
    done = opennki("diff", *SCALE, *args)
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"error[{code}]" in done.stderr
    assert said in done.stderr


def test_an_unknown_level_is_refused(opennki):
    done = opennki("diff", *SCALE, "--level", "penguin")
    assert done.exit_code == 2
    assert "'penguin' is not one of" in done.stderr
