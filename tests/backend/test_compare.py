"""Whether two programs are the same: instructions, addresses, queues and waits."""

from __future__ import annotations

import pytest

from opennki.backend.compare import program_difference
from opennki.backend.program import Program, Repeat, Segment
from opennki.backend.program_text import parse_program
from opennki.isa.enums import Engine

TEXT = """\
program target=sunda {
  core @main {
    queue DVE {
      I-1 wait [sp.ring >= 1] -> dve = 1
      I-2 -> dve = 2
    }
    queue SP {
      I-0 -> sp.ring = 1
    }
  }
}
bir.module arch=sunda version=2 {
  function @main inputs=[x] outputs=[x] {
    memloc %x: float32[128, 4] DRAM ExternalInput
    memloc %t: float32[128, 4] SB Internal address=0 partition=0
    block Block1 {
      I-0 = DMACopy SP outs(%t) ins(%x) {mode=Copy}
      I-1 = Memset DVE outs(%t) ins() {constant=0, mode=Const}
      I-2 = Memset DVE outs(%t) ins() {constant=1, mode=Const}
    }
  }
}
"""
LOOP = """\
program target=sunda {
  core @main {
    loop L1 {
      queue DVE {
        I-0 -> dve = 1
      }
    }
  }
}
bir.module arch=sunda version=2 {
  function @main inputs=[] outputs=[] {
    memloc %t: float32[128, 4] SB Internal address=0 partition=0
    memloc %n: int32[1, 1] REG Internal
    block Block1 {
      dynamic L1 %n = 0..4 {
        block Block2 {
          I-0 = Memset DVE outs(%t) ins() {constant=0, mode=Const}
        }
      }
    }
  }
}
"""


def programs(old: str = "", new: str = "", text: str = TEXT) -> tuple[Program, Program]:
    """The program of `text`, and the one in which `new` is in place of `old`."""
    assert old in text
    return parse_program(text), parse_program(text.replace(old, new, 1) if old else text)


def segment(program: Program) -> Segment:
    """The first segment."""
    (found,) = program.cores[0].sections
    assert isinstance(found, Segment)
    return found


@pytest.mark.parametrize("text", [TEXT, LOOP])
def test_equal_programs(text: str):
    assert program_difference(*programs(text=text)) is None


def test_names_of_the_compiler_s_may_differ():
    text = TEXT.replace("I-2", "I-9")
    assert program_difference(parse_program(TEXT), parse_program(text)) is None


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("address=0 ", "address=64 ", "storage t"),
        ("constant=1", "constant=2", "attribute constant: 1 and 2"),
        ("sp.ring >= 1", "sp.ring >= 2", "waits"),
        ("-> dve = 2", "-> dve = 3", "signal"),
    ],
)
def test_what_differs_is_named(old: str, new: str, what: str):
    found = program_difference(*programs(old, new))
    assert found is not None
    assert found.what.startswith(what)


def test_commands_in_another_order():
    left, right = programs()
    segment(right).queues[Engine.DVE].commands.reverse()
    found = program_difference(left, right)
    assert found is not None
    assert (found.what, found.function, found.place) == ("order of commands", "main", 1)
    assert found.left.startswith("I-1 wait [sp.ring >= 1] -> dve = 1")
    assert found.right.startswith("I-2 -> dve = 2")


def test_a_queue_that_ends_early():
    left, right = programs()
    segment(right).queues[Engine.DVE].commands.pop()
    found = program_difference(left, right)
    assert found is not None
    assert (found.what, found.right) == ("number of commands", "nothing: the queue ends")
    other = program_difference(right, left)
    assert other is not None
    assert (other.left, other.place) == ("nothing: the queue ends", 2)


def test_other_queues():
    left, right = programs()
    del segment(right).queues[Engine.SP]
    found = program_difference(left, right)
    assert found is not None
    assert (found.what, found.left, found.right) == ("queues", "DVE, SP", "DVE")


def test_differences_in_loops_are_found():
    found = program_difference(*programs("-> dve = 1", "-> dve = 2", LOOP))
    assert found is not None
    assert found.what == "signal"


def test_other_sections():
    left, right = programs(text=LOOP)
    (loop,) = right.cores[0].sections
    assert isinstance(loop, Repeat)
    right.cores[0].sections[:] = loop.body
    found = program_difference(left, right)
    assert found is not None
    assert found.what == "number of sections"
