"""Reordering by explicit edges, from text to text; and which instructions depend on which."""

from __future__ import annotations

import pytest

from opennki.ir import DynamicLoop, crossing, keep_edges, strangers
from opennki.penguin import parse_function, print_function, verify

TENSORS = """tensor %t: float32[64, 32] sbuf
tensor %u: float32[64, 32] sbuf
tensor %v: float32[64, 32] sbuf
tensor %p: float32[64, 32] sbuf address=1024
tensor %q: float32[64, 32] sbuf address=1024
tensor %h: float32[8, 4] shared_hbm
tensor %g: float32[8, 4] shared_hbm
tensor %r: int32[1, 1] register
tensor %i: int32[1, 1] register
"""


def function(body):
    return parse_function(
        "penguin.function @f target=cayman core=0 cores=2 args=[] results=[] {\n"
        f"{TENSORS}{body}\n}}"
    )


def named(fn):
    return {inst.name: inst for inst in fn.instructions() if inst.name}


def ordered(body, *edges):
    """Names in order after keeping `edges`, pairs of names, and what could not be kept."""
    fn = function(body)
    insts = named(fn)
    for later, earlier in edges:
        insts[later].depends_on(insts[earlier])
    wrong = keep_edges(fn)
    if not wrong:
        assert verify(fn) == []
    return " ".join(named(fn)), [" ".join(i.name for i in w.chain) for w in wrong]


def memsets(*places):
    return "\n".join(
        f"{name} = memset.vector dst=%{view}, value=0"
        for name, view in zip("abcdef", places, strict=False)
    )


FREE = memsets("t", "u", "v")


def test_edges_that_hold_leave_the_text_alone():
    fn = function(FREE)
    named(fn)["c"].depends_on(named(fn)["a"])
    before = print_function(fn)
    assert keep_edges(fn) == []
    assert print_function(fn) == before


@pytest.mark.parametrize(
    ("edges", "want"),
    [
        ([("a", "b")], "b a c"), ([("a", "c")], "b c a"), ([("b", "c")], "a c b"),
        ([("a", "b"), ("b", "c")], "c b a"), ([("b", "c"), ("a", "b")], "c b a"),
        ([("a", "c"), ("c", "b")], "b c a"),
    ],
)  # fmt: skip
def test_an_instruction_moves_behind_what_it_must_follow(edges, want):
    assert ordered(FREE, *edges) == (want, [])


def test_what_depends_on_a_moved_instruction_moves_along():
    body = """a = memset.vector dst=%t, value=0
b = tensor_copy.vector dst=%u, src=%t
c = memset.vector dst=%v, value=0"""
    assert ordered(body, ("a", "c")) == ("c a b", [])


@pytest.mark.parametrize(
    "second",
    [
        "tensor_copy.vector dst=%u, src=%t", "tensor_copy.vector dst=%t, src=%u",
        "memset.vector dst=%t[31; 32*64, 1*1], value=0",
    ],
)  # fmt: skip
def test_shared_bytes_keep_their_order(second):
    body = f"a = memset.vector dst=%t, value=0\nb = {second}"
    assert ordered(body, ("a", "b")) == ("a b", ["a b"])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("t[0; 32*64, 1*16]", "t[16; 32*64, 1*16]"), ("t[0; 32*32, 1*32]", "t[1024; 32*32, 1*32]"),
        ("t[0; 32*64, 2*16]", "t[1; 32*64, 2*16]"), ("p", "t"),
    ],
)  # fmt: skip
def test_disjoint_elements_have_no_order(first, second):
    assert ordered(memsets(first, second), ("a", "b")) == ("b a", [])


def test_placed_storages_are_taken_to_overlap():
    assert ordered(memsets("p", "q"), ("a", "b")) == ("a b", ["a b"])


def test_reading_twice_has_no_order():
    body = "a = tensor_copy.vector dst=%u, src=%t\nb = tensor_copy.vector dst=%v, src=%t"
    assert ordered(body, ("a", "b")) == ("b a", [])


def test_a_cycle_of_edges_is_told_with_its_chain():
    _, wrong = ordered(FREE, ("b", "a"), ("c", "b"), ("a", "c"))
    assert wrong == ["a b c"]


def test_a_region_becomes_edges_when_something_must_move():
    body = f"no_reorder {{\n{memsets('t', 'u')}\n}}\nc = memset.vector dst=%v, value=0"
    assert ordered(body, ("b", "c")) == ("a c b", [])
    assert ordered(body, ("a", "b")) == ("a b c", ["a b"])


def test_edges_to_other_functions():
    fn, other = function(FREE), function(FREE)
    named(fn)["b"].depends_on(named(fn)["a"], named(other)["a"])
    assert [(i.name, o is named(other)["a"]) for i, o in strangers(fn)] == [("b", True)]
    assert list(strangers(other)) == []


# ---- run-time loops, indices and other cores ---------------------------------------------------


@pytest.mark.parametrize(
    "second",
    [
        "tensor_copy.vector dst=%u[0; 32*64, 1*1], src=%t[0; 32*64, 1*1; %r*1 < 32]",
        "tensor_copy.vector dst=%t[0; 32*64, 1*1; %r*1 < 32], src=%u[0; 32*64, 1*1]",
    ],
)
def test_a_window_at_a_run_time_index_may_be_anywhere(second):
    body = f"a = memset.vector dst=%t[3; 32*64, 1*1], value=0\nb = {second}"
    assert ordered(body, ("a", "b")) == ("a b", ["a b"])


LOOP = """a = register_move.all dst=%r, src=3
for %i in dynamic(0, %r) {
  b = memset.vector dst=%t, value=0
}
"""


def test_what_a_loop_counts_to_is_set_before_it():
    body = LOOP + "c = memset.vector dst=%u, value=0"
    assert ordered(body, ("a", "c")) == ("c a b", [])


def test_what_a_loop_counts_to_changes_after_it():
    body = (
        LOOP
        + """d = register_move.all dst=%r, src=0
c = memset.vector dst=%u, value=0"""
    )
    assert ordered(body, ("b", "c")) == ("a c b d", [])


def test_a_while_loop_follows_its_condition():
    body = LOOP.replace("for %i in dynamic(0, %r)", "while %r")
    body += "c = memset.vector dst=%u, value=0"
    assert ordered(body, ("a", "c")) == ("c a b", [])


@pytest.mark.parametrize("head", ["for %i in dynamic(0, 3)", "while %r"])
def test_instructions_move_within_the_body_of_their_loop(head):
    fn = function(f"{head} {{\nno_reorder {{\n{FREE}\n}}\n}}")
    named(fn)["a"].depends_on(named(fn)["b"])
    (wrong,) = keep_edges(fn)
    assert [i.name for i in wrong.chain] == ["a", "b"]
    fn = function(f"{head} {{\n{FREE}\n}}\nd = memset.vector dst=%t, value=1")
    named(fn)["a"].depends_on(named(fn)["b"])
    assert keep_edges(fn) == []
    assert " ".join(named(fn)) == "b a c d"
    assert verify(fn) == []


def test_edges_into_a_loop_cross_its_border_in_both_directions():
    fn = function(LOOP + "c = memset.vector dst=%u, value=0")
    insts = named(fn)
    insts["a"].depends_on(insts["b"])
    insts["b"].depends_on(insts["a"], insts["c"])
    insts["c"].depends_on(insts["b"])
    assert [(i.name, p.name) for i, p in crossing(fn)] == [("a", "b"), ("c", "b")]
    assert any(isinstance(item, DynamicLoop) for item in fn.body)


BARRIER = "core_barrier.vector data=%h, cores=[0, 1]"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (BARRIER, "dma_copy.sync dst=%t[0; 32*8, 1*4], src=%h"),
        ("dma_copy.sync dst=%h, src=%t[0; 32*8, 1*4]", BARRIER),
        (BARRIER, "core_barrier.vector data=%g, cores=[0, 1]"),
    ],
)
def test_nothing_crosses_a_barrier_on_what_it_touches(first, second):
    assert ordered(f"a = {first}\nb = {second}", ("a", "b")) == ("a b", ["a b"])


def test_what_a_barrier_does_not_name_crosses_it():
    body = f"a = {BARRIER}\nb = memset.vector dst=%t, value=0"
    assert ordered(body, ("a", "b")) == ("b a", [])
