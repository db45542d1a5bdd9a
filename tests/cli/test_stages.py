"""`opennki stages`: stages of both roads, and one instruction at every level."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from opennki.backend.pipeline import PASSES
from opennki.base.codes import NKI4501
from opennki.base.diag import fail
from opennki.lower.beta2.rules import RULES

SCALE = ("kernels.py:scale", "--arg", "x=f32[128,4]", "--target", "trn2")
LOOP = '''

@nki.jit
def halves(x):
    """x in two halves, by a loop."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.dynamic_range(0, 128, 64):
        tile = nl.ndarray((64, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i, 64)])
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=0.5, name="half")
        nisa.dma_copy(dst=out[nl.ds(i, 64)], src=tile)
    return out
'''


def plain(text: str) -> str:
    """`text` without what is measured, and without the widths that depend on it."""
    text = re.sub(r" +-?\d+\.\d\d(?= )", " TIME", text)
    text = re.sub(r" +-?[\d.]+ (B|KiB|MiB)\b", " SIZE", text)
    text = re.sub(r"(?<=\S) {2,}", "  ", text)
    return re.sub(r" +$", "", text, flags=re.MULTILINE)


@pytest.fixture(params=[80, 120])
def columns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The width of the terminal."""
    monkeypatch.setenv("COLUMNS", str(request.param))
    return int(request.param)


def document(opennki, *args: str) -> Any:
    """The JSON that the command prints."""
    done = opennki("stages", *args, "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_both_roads_and_an_instruction(opennki, golden, columns: int):
    done = opennki("stages", *SCALE)
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= columns
    assert golden == plain(done.stdout)


def test_every_stage_of_both_roads_is_measured(opennki):
    roads = document(opennki, *SCALE)["roads"]
    assert [road["frontend"] for road in roads] == ["beta3", "beta2"]
    backend = [one.name for one in PASSES]
    for road, first in zip(roads, (["trace", "emit", "lower"], None), strict=True):
        names = [stage["stage"] for stage in road["stages"]]
        assert names[-len(backend) :] == backend
        assert first is None or names == first + backend
        assert all(stage["ms"] > 0 for stage in road["stages"])
        peaks = {stage["stage"]: stage["peak"] for stage in road["stages"]}
        assert all((peak is None) == (name in ("emit", "lay-out")) for name, peak in peaks.items())
        assert all(peak is None or peak > 0 for peak in peaks.values())


def test_counts_name_what_is_counted(opennki):
    beta3, beta2 = document(opennki, *SCALE)["roads"]
    stages = {(road["frontend"], s["stage"]): s for road in (beta3, beta2) for s in road["stages"]}
    assert stages["beta3", "emit"]["class"] == "NeuronCodegen"
    assert stages["beta3", "emit"]["instructions"] == 3
    assert stages["beta3", "emit"]["tensors"] == 3
    assert stages["beta2", "lay-out"]["blocks"] == 1
    assert stages["beta2", "lower"]["storages"] == 3
    assert stages["beta3", "schedule"]["commands"] == 3
    assert "tensors" not in stages["beta3", "lower"]
    assert "commands" not in stages["beta3", "flatten"]


def test_memory_is_that_of_the_stage(opennki):
    """Twice as many instructions take more memory to build."""
    small, large = (
        {s["stage"]: s for s in document(opennki, name, "-a", "x=f32[512,4]")["roads"][0]["stages"]}
        for name in ("tiles.py:two", "tiles.py:four")
    )
    for stage in ("emit", "lower", "schedule"):
        assert large[stage]["held"] > small[stage]["held"] > 0


@pytest.fixture(autouse=True)
def more_kernels(directory) -> None:
    """Kernels with a run-time loop, and of different length."""
    text = (directory / "kernels.py").read_text(encoding="utf-8")
    head = text[: text.index("@nki.jit")]
    (directory / "loop.py").write_text(head + LOOP, encoding="utf-8")
    body = '''
@nki.jit
def {name}(x):
    """x, copied by tiles."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range({count}):
        tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[r * 128 : r * 128 + 128])
        nisa.dma_copy(dst=out[r * 128 : r * 128 + 128], src=tile)
    return out
'''
    kernels = body.format(name="two", count=2) + body.format(name="four", count=4)
    (directory / "tiles.py").write_text(head + kernels, encoding="utf-8")


@pytest.mark.parametrize("wanted", ["1", "half", "tensor_scalar", "loop.py:21", ":21"])
def test_an_instruction_is_chosen(opennki, wanted: str):
    found = document(opennki, "loop.py", "-a", "x=f32[128,4]", "--inst", wanted)["instruction"]
    assert (found["number"], found["kind"], found["line"]) == (1, "tensor_scalar", 21)
    assert found["levels"][0]["text"].startswith("nisa.tensor_scalar(dst=tile")


def test_an_instruction_in_a_loop_has_every_level(opennki):
    found = document(opennki, "loop.py", "-a", "x=f32[128,4]", "-t", "trn2")["instruction"]
    levels = {(one["level"], tuple(one["roads"])): one["text"] for one in found["levels"]}
    assert list(levels) == [
        ("source", ()), ("penguin", ("beta3",)), ("klr", ("beta2",)),
        ("bir", ("beta3", "beta2")), ("allocated", ("beta3", "beta2")),
        ("program", ("beta3", "beta2")),
    ]  # fmt: skip
    assert levels["klr", ("beta2",)] == (
        "half = tensorScalar dst=tile src=tile imm0=0.5 op0=mult reverse=none engine=dve "
        "dtype=float32"
    )
    assert "address=0 partition=0" in levels["allocated", ("beta3", "beta2")]
    assert levels["program", ("beta3", "beta2")].startswith("half wait [")


def test_the_only_instructions_may_be_dmas(opennki):
    found = document(opennki, "tiles.py:two", "-a", "x=f32[256,4]")["instruction"]
    assert (found["number"], found["count"], found["kind"]) == (0, 4, "dma_copy")


def test_a_kernel_without_instructions(opennki, directory):
    text = "import nki\n\n\n@nki.jit\ndef empty():\n    pass\n"
    (directory / "empty.py").write_text(text, encoding="utf-8")
    done = opennki("stages", "empty.py")
    assert done.exit_code == 0
    assert "verify-queues" in done.stdout
    assert "instruction 0" not in done.stdout
    assert document(opennki, "empty.py")["instruction"] is None
    assert "has no instruction 0" in opennki("stages", "empty.py", "--inst", "0").stderr


def test_one_road_alone(opennki):
    made = document(opennki, *SCALE, "--frontend", "beta2")
    assert [road["frontend"] for road in made["roads"]] == ["beta2"]
    assert {tuple(one["roads"]) for one in made["instruction"]["levels"]} == {(), ("beta2",)}


def test_roads_that_make_different_things_are_told_apart(opennki, monkeypatch):
    rule = RULES["ncActivate"]

    def changed(args: Any, site: Any) -> Any:
        made = rule(args, site)
        made.attrs = {**made.attrs, "scale": 3.0}
        return made

    monkeypatch.setitem(RULES, "ncActivate", changed)
    levels = document(opennki, *SCALE)["instruction"]["levels"]
    found = [one["roads"] for one in levels if one["level"] == "bir"]
    assert found == [["beta3"], ["beta2"]]


def test_a_kernel_on_two_cores_shows_the_first_program(opennki):
    done = opennki("stages", "kernels.py:constant", "--grid", "2")
    assert done.stdout.startswith("constant on trn3, grid 2\n")
    assert "instruction 0 of 2 of the first program, counted from 0: memset" in done.stdout


def test_what_one_road_refuses_is_told_with_the_road(opennki, monkeypatch: pytest.MonkeyPatch):
    def refused(args: Any, site: Any) -> Any:
        raise fail(NKI4501, site.loc, what="operator", got="ncActivate", statement="`I-1`")

    monkeypatch.setitem(RULES, "ncActivate", refused)
    done = opennki("stages", *SCALE)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "= note: only the road of beta2 refuses it" in done.stderr


def test_a_kernel_that_both_refuse_has_no_such_note(opennki):
    done = opennki("stages", "kernels.py:scale", "-a", "x=f32[256,4]")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error[NKI3002]" in done.stderr
    assert "only the road" not in done.stderr


@pytest.mark.parametrize("wanted", ["3", "tensor_scaler", "other.py:19", ":1", "-1"])
def test_an_instruction_that_is_not_there(opennki, golden, wanted: str):
    done = opennki("stages", "loop.py", "-a", "x=f32[128,4]", f"--inst={wanted}")
    assert (done.exit_code, done.stdout) == (1, "")
    assert golden == done.stderr
    assert "error[NKI7024]" in done.stderr
