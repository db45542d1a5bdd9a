"""Both roads give the same BIR: generated instructions of every class, on every target."""

from __future__ import annotations

from random import Random

import pytest

from opennki.birpy import difference
from opennki.builder.klr_emit import EMITTERS
from opennki.builder.klr_places import Places
from opennki.isa.registry import INSTRUCTIONS
from opennki.target import target
from opennki.testing.instances import choices, instance
from opennki.testing.programs import program_of
from opennki.testing.roads import both

TARGETS = ("trn1", "trn2", "trn3")
EACH = 150
"""Instructions of a class on a target. Finding out what there are takes most of the time."""


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("cls", INSTRUCTIONS, ids=lambda cls: cls.__name__)
def test_an_instruction_is_the_same_bir_by_both_roads(cls, name):
    found = choices(cls, target(name))
    if not found:
        pytest.skip(f"{name} has no {cls.__name__}")
    rnd = Random(f"{cls.__name__} {name}")
    for choice in rnd.sample(found, min(len(found), EACH)):
        inst = instance(cls, choice, target(name), rnd)
        first, second = both(program_of([inst], target(name)))
        wrong = difference(first, second)
        assert wrong is None, f"{choice}: {wrong}"


@pytest.mark.parametrize("cls", INSTRUCTIONS, ids=lambda cls: cls.__name__)
def test_an_instruction_is_the_operator_that_the_table_names(cls):
    """A register that is copied to another one is the exception: KLR adds 0 to it."""
    named = cls.spec.klr[:1].lower() + cls.spec.klr[1:]
    newest = target("trn3")
    for choice in choices(cls, newest)[:8]:
        inst = instance(cls, choice, newest, Random(0))
        copied = cls.spec.name == "register_move" and not isinstance(inst.src, int)
        kind = EMITTERS[cls](inst, Places(0)).kind
        assert kind == ("registerAluOp" if copied else named), choice
