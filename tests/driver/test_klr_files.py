"""Instructions of KLR files keep the rules that calls keep; legal ones break none."""

from __future__ import annotations

from random import Random

import pytest

from opennki.driver import KlrSource, LoweredKlr
from opennki.driver.klr_files import instruction_problems
from opennki.isa.registry import INSTRUCTIONS
from opennki.klr import LncContents
from opennki.lower import BirCodeGenLoop
from opennki.target import TARGETS, target
from opennki.testing.instances import choices, instance
from opennki.testing.programs import program_of
from opennki.testing.roads import kernel_of

NEWEST = TARGETS[-1]
EACH = 3


@pytest.mark.parametrize("cls", INSTRUCTIONS, ids=lambda cls: cls.__name__)
def test_a_legal_instruction_breaks_no_rule(cls):
    rnd = Random(cls.__name__)
    t = next(t for t in reversed(TARGETS) if t.order >= cls.spec.since and choices(cls, t))
    found = choices(cls, t)
    for choice in rnd.sample(found, min(len(found), EACH)):
        program = program_of([instance(cls, choice, t, rnd)], t)
        kernel = kernel_of(program)
        kernel.sharedConstants = []  # they would be files
        source = KlrSource("k.klr", 0, "CBOR", None, None, LncContents(kernel))
        module = LoweredKlr(source, t).bir
        assert list(instruction_problems(module, t)) == []


def test_an_instruction_that_the_target_has_not_is_named():
    cls = next(c for c in INSTRUCTIONS if c.__name__ == "Exponential")
    rnd = Random(0)
    program = program_of([instance(cls, choices(cls, NEWEST)[0], NEWEST, rnd)], NEWEST)
    module = BirCodeGenLoop().run_on_module([program])
    codes = {d.code.id for d in instruction_problems(module, target("trn1"))}
    assert "NKI2108" in codes
