"""Stages of a compilation: each has an owner, its share of the time, and what it left."""

from __future__ import annotations

import tracemalloc

import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.backend.pipeline import PASSES
from opennki.driver import Measured, Request, Watch, compile_kernel, measure
from opennki.driver.stages import OWNERS


@nki.jit
def twice(x):
    """Twice x, in a region and a run-time loop."""
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for _ in nl.dynamic_range(1):
        nisa.tensor_tensor(dst=tile, data1=tile, data2=tile, op=nl.add)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


X = opennki.driver.ArraySpec.parse("f32[128,4]")


def watched(frontend: str) -> Watch:
    """What the watch of one compilation saw."""
    watch = Watch()
    options = Request(target="trn2", frontend=frontend).resolve()
    compiled = compile_kernel(twice.fn, (X,), {}, options, watch)
    assert compiled.program is not None
    return watch


def test_every_pass_of_the_back_end_has_an_owner():
    missing = {one.name for one in PASSES} - set(OWNERS)
    assert not missing, f"write into OWNERS of driver/stages.py what does {missing}"


@pytest.mark.parametrize(
    ("frontend", "front"),
    [
        ("beta3", ["trace", "emit", "lower"]),
        ("beta2", ["trace", "emit", "lay-out", "assemble", "lower", "structure"]),
    ],
)
def test_stages_come_in_the_order_of_the_road(frontend: str, front: list[str]):
    names = list(watched(frontend).stages)
    assert names[: len(front)] == front
    assert names[-len(PASSES) :] == [one.name for one in PASSES]


def test_counts_are_those_that_a_stage_left():
    """KLR has blocks and branches where BIR has a loop again."""
    stages = watched("beta2").stages
    assert stages["emit"].counts == {"instructions": 3, "tensors": 4, "loops": 1}
    assert stages["lay-out"].counts["blocks"] == 4
    assert stages["lower"].counts["loops"] == 0
    assert stages["structure"].counts["loops"] == 1
    assert stages["lower"].counts["blocks"] == 4
    assert stages["structure"].counts["blocks"] == 2
    assert stages["schedule"].counts["commands"] >= 3


def test_memory_is_zero_unless_it_is_counted():
    assert not tracemalloc.is_tracing()
    stages = watched("beta3").stages
    assert {(one.held, one.peak or 0) for one in stages.values()} == {(0, 0)}


def test_both_are_measured_and_counting_ends():
    options = Request(target="trn2", frontend="beta2").resolve()
    made = measure("beta2", lambda watch: compile_kernel(twice.fn, (X,), {}, options, watch))
    assert not tracemalloc.is_tracing()
    assert made.compiled.observe is None
    for stage, owner in made.stages:
        assert stage.seconds > 0, stage.name
        assert owner
    assert sum(stage.peak or 0 for stage, _ in made.stages) > 0
    assert dict(_owners(made.stages))["emit"] == "KlrCodegen"


def _owners(stages: tuple[tuple[Measured, str], ...]) -> list[tuple[str, str]]:
    return [(stage.name, owner) for stage, owner in stages]


def test_counting_that_was_on_stays_on():
    options = Request(target="trn2").resolve()
    tracemalloc.start()
    try:
        measure("beta3", lambda watch: compile_kernel(twice.fn, (X,), {}, options, watch))
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


def test_a_watched_compilation_makes_the_same():
    options = Request(target="trn2", frontend="beta2").resolve()
    plain = compile_kernel(twice.fn, (X,), {}, options)
    seen = compile_kernel(twice.fn, (X,), {}, options, Watch())
    assert plain.text("klr") == seen.text("klr")
    assert plain.text("program") == seen.text("program")
