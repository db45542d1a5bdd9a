"""Tests of the shared lexer and writer."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opennki.base.diag import NkiError
from opennki.base.text import Reader, Writer, name_text, nearest, number_text, string_text


def tokens(text: str) -> list[str]:
    r = Reader(text)
    found = []
    while r.token:
        found.append(r.token)
        r.advance()
    return found


def failure(text: str, read) -> tuple[str, int, int]:
    with pytest.raises(NkiError) as caught:
        read(Reader(text, "a.txt"))
    found = caught.value.diagnostics[0]
    assert found.file == "a.txt"
    return found.code.id, found.line, found.col


def test_names_may_have_inner_dots_and_dashes():
    assert tokens("I-3 dma.queue unroll-loops{limit=3}") == [
        "I-3", "dma.queue", "unroll-loops", "{", "limit", "=", "3", "}",
    ]  # fmt: skip


def test_a_sign_belongs_to_the_number_that_follows_it():
    assert tokens("i - 3*j -3 512*-1") == ["i", "-", "3", "*", "j", "-3", "512", "*", "-1"]


def test_a_range_is_not_a_float():
    assert tokens("0..8 -1.5..2") == ["0", "..", "8", "-1.5", "..", "2"]


def test_a_range_may_begin_with_a_name():
    assert tokens("%i..%r.1 %i..8 a..b") == ["%i", "..", "%r.1", "%i", "..", "8", "a", "..", "b"]


@pytest.mark.parametrize("name", ["a.", "a-", "a..b", "a.-b", "a--b", ".a"])
def test_names_that_would_not_be_one_token_are_quoted(name):
    assert name_text(name) == f'"{name}"'


def test_comments_end_with_their_line():
    assert tokens('a // b "c\n// d\n"// e" f') == ["a", '"// e"', "f"]


def test_operators_of_two_characters_are_one_token():
    assert tokens("a->b == c <= d += e") == ["a", "->", "b", "==", "c", "<=", "d", "+=", "e"]


@given(st.text(), st.sampled_from(["", "%", "@"]))
def test_every_name_reads_back(name, sigil):
    r = Reader(f"{sigil}{name_text(name)} ;")
    assert (r.sigil(sigil) if sigil else r.name()) == name
    r.expect(";")
    r.expect_end()


@given(st.text())
def test_every_string_reads_back(text):
    written = string_text(text)
    assert written.isascii()
    assert Reader(written).string() == text


@given(st.floats() | st.integers(-(10**40), 10**40))
def test_every_number_reads_back(value):
    got = Reader(number_text(value)).number()
    assert type(got) is type(value)
    assert (math.isnan(got) and math.isnan(value)) or (
        got == value and math.copysign(1, got) == math.copysign(1, value)
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_hex_floats_are_exact(value):
    assert Reader(value.hex()).number() == value


def test_reserved_words_are_quoted_as_names():
    assert name_text("loop", {"loop"}) == '"loop"'
    assert name_text("loops", {"loop"}) == "loops"


def test_items_reads_a_list():
    r = Reader("1, 2, 3] 4")
    assert [r.integer() for _ in r.items("]")] == [1, 2, 3]
    assert r.integer() == 4
    r = Reader("] x")
    assert [r.integer() for _ in r.items("]")] == []
    assert r.name() == "x"


def test_unexpected_text_has_line_and_column():
    assert failure("a\n  b c // x", lambda r: r.expect("a", "b", "d")) == ("NKI4001", 2, 5)


def test_the_end_of_the_text_is_reported_as_such():
    assert failure("a {\n", lambda r: r.expect("a", "{", "}"))[0] == "NKI4002"


def test_an_unterminated_string_is_reported_where_it_begins():
    assert failure('a\n "b c', lambda r: (r.expect("a"), r.string())) == ("NKI4012", 2, 2)
    assert failure('%"b c', lambda r: r.sigil("%"))[0] == "NKI4001"


def test_bad_escapes_are_refused():
    assert failure(r'"\q"', Reader.string) == ("NKI4001", 1, 1)
    assert failure('"a\tb"', Reader.string) == ("NKI4001", 1, 1)


def test_a_number_with_too_many_digits_is_malformed():
    assert failure("9" * 5000, Reader.integer)[0] == "NKI4006"
    assert failure("9" * 5000, Reader.number)[0] == "NKI4006"


def test_a_float_that_is_too_large_is_malformed():
    assert failure("1e999", Reader.number)[0] == "NKI4006"
    assert failure("0x1p9999", Reader.number)[0] == "NKI4006"


def test_a_float_is_no_integer():
    assert failure("1.5", Reader.integer)[0] == "NKI4006"
    assert failure("nan", Reader.integer)[0] == "NKI4006"


def test_digits_of_other_scripts_are_no_numbers():
    assert failure("\N{ARABIC-INDIC DIGIT THREE}", Reader.integer)[0] == "NKI4001"


def test_what_is_left_over_is_reported():
    assert failure("a b", lambda r: (r.expect("a"), r.expect_end())) == ("NKI4001", 1, 3)


def test_errors_can_point_back():
    def read(r):
        at = r.here()
        name = r.name()
        r.expect("=", "1")
        raise r.undefined("tensor", name, ["tile", "x"], at)

    with pytest.raises(NkiError) as caught:
        read(Reader("\n  til = 1 // tile"))
    found = caught.value.diagnostics[0]
    assert (found.code.id, found.line, found.col) == ("NKI4005", 2, 3)
    assert found.message == "tensor `til` is used but not defined"
    assert "`tile`" in found.hint


def test_nearest_falls_back_to_the_first_names():
    assert nearest("addd", ["max", "add"]) == "add"
    assert nearest("zzz", ["max", "add"]) == "max, add"
    assert nearest("zzz", []) == "nothing"


def test_writer_indents_blocks():
    out = Writer()
    with out.block("a", "  // why"):
        out.line("b")
        with out.block("c"):
            out.line("d")
    out.line("e")
    assert out.text() == "a {  // why\n  b\n  c {\n    d\n  }\n}\ne\n"
