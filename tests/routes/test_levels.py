"""Every generated instruction gives the same bits at every level, and survives every text."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from opennki.ir import Inst, Space
from opennki.isa.registry import INSTRUCTIONS
from opennki.target import target
from opennki.testing.instances import instances
from opennki.testing.programs import agree, program_of


@pytest.mark.parametrize("cls", INSTRUCTIONS, ids=lambda cls: cls.spec.label)
@given(data=st.data())
@settings(max_examples=40)
def test_instruction(cls, texts, levels, data):
    having = [n for n in ("trn2", "trn3") if target(n).order >= cls.spec.since]
    t = target(data.draw(st.sampled_from(having)))
    function = program_of([data.draw(instances(t, cls))], t)
    texts([function])
    levels(function)


@given(data=st.data())
@settings(max_examples=60)
def test_instructions_of_one_program(texts, levels, data):
    t = target(data.draw(st.sampled_from(["trn1", "trn2", "trn3"])))
    drawn = data.draw(st.lists(instances(t), min_size=2, max_size=5))
    assume(psum_tensors(drawn) <= t.psum_banks and agree(drawn))
    function = program_of(drawn, t)
    texts([function])
    levels(function)


@given(data=st.data())
@settings(max_examples=60)
def test_instructions_that_share_tensors(texts, levels, data):
    t = target("trn2")
    drawn = data.draw(st.lists(instances(t), min_size=3, max_size=6))
    assume(psum_tensors(drawn) <= t.psum_banks and agree(drawn))
    function = program_of(drawn, t, share=True)
    texts([function])
    levels(function)


def psum_tensors(insts: list[Inst]) -> int:
    """Tensors in PSUM, of which each takes a bank and lives to the end."""
    tensors = {view.tensor for inst in insts for _, view in inst.views()}
    return sum(tensor.space is Space.psum for tensor in tensors)
