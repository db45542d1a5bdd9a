"""Reordering by explicit edges, from text to text; and which instructions depend on which."""

from __future__ import annotations

import pytest

from opennki.penguin import keep_edges, parse_function, print_function, strangers, verify

TENSORS = """tensor %t: float32[64, 32] sbuf
tensor %u: float32[64, 32] sbuf
tensor %v: float32[64, 32] sbuf
tensor %p: float32[64, 32] sbuf address=1024
tensor %q: float32[64, 32] sbuf address=1024
"""


def function(body):
    return parse_function(
        f"penguin.function @f target=cayman args=[] results=[] {{\n{TENSORS}{body}\n}}"
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
