"""Rules of calls, on instructions of BIR."""

from __future__ import annotations

from random import Random

from opennki.base.loc import UNKNOWN
from opennki.birpy import BasicBlock, Function, Instruction, Module
from opennki.isa.enums import Engine
from opennki.isa.registry import INSTRUCTIONS
from opennki.lower import BirCodeGenLoop, instruction_problems
from opennki.target import TARGETS, of_arch, target
from opennki.testing.instances import choices, instance
from opennki.testing.programs import program_of

NEWEST = TARGETS[-1]


def test_an_instruction_that_the_target_has_not_is_named():
    cls = next(c for c in INSTRUCTIONS if c.__name__ == "Exponential")
    rnd = Random(0)
    program = program_of([instance(cls, choices(cls, NEWEST)[0], NEWEST, rnd)], NEWEST)
    module = BirCodeGenLoop().run_on_module([program])
    codes = {d.code.id for d in instruction_problems(module, target("trn1"))}
    assert "NKI2108" in codes


def test_what_is_no_instruction_of_the_table_is_left_to_the_back_end():
    strange = Instruction("Pool", Engine.DVE, "I-0", (), (), {}, UNKNOWN)
    module = Module([Function("f", {}, [BasicBlock("Block1", [strange])])], "gen3")
    assert list(instruction_problems(module, target("trn2"))) == []


def test_targets_are_found_by_what_bir_calls_them():
    assert [of_arch(t.arch) for t in TARGETS] == [*TARGETS]
    assert of_arch("gen9") is None
