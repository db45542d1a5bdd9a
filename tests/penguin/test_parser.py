"""Texts that are not Penguin are refused with a code, a line and a column, whatever they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opennki.base.diag import CATALOGUE, NkiError
from opennki.penguin import parse_function

from .test_printer import TEXT

HEAD = "penguin.function @f target=sunda args=[] results=[] {"
TILE = "tensor %t: float32[128, 64] sbuf"

WRONG = [
    ("", "NKI4002", 1, 1),
    ("bir.module {", "NKI4001", 1, 1),
    ("penguin.function @f target=trn9 args=[] results=[] {}", "NKI4003", 1, 28),
    ("penguin.function @f target=sunda core=1 cores=1 args=[] results=[] {}", "NKI4015", 1, 47),
    ("penguin.function @f target=sunda args=[x] results=[] {}", "NKI4005", 1, 40),
    (f"{HEAD}\n{TILE}\n{TILE}\n}}", "NKI4004", 3, 8),
    (f"{HEAD}\ntensor %t: float33[2] sbuf\n}}", "NKI4003", 2, 12),
    (f"{HEAD}\ntensor %t: float32[-2] sbuf\n}}", "NKI4015", 2, 20),
    (f"{HEAD}\ntensor %t: float32[2] sram\n}}", "NKI4003", 2, 23),
    (f"{HEAD}\ntensor %t: float32[2] sbuf address=-4\n}}", "NKI4015", 2, 36),
    (f"{HEAD}\ntensor %t: int8[2] sbuf const data=\"AAA\"\n}}", "NKI4001", 2, 36),
    (f"{HEAD}\ntensor %t: int8[2] sbuf const data=\"AAAA\"\n}}", "NKI4001", 2, 36),
    (f"{HEAD}\ntensor %t: int8[2, 3] sbuf const data=identity(2)\n}}", "NKI4015", 2, 48),
    (f"{HEAD}\n{TILE}\nmemse dst=%t, value=0\n}}", "NKI4003", 3, 1),
    (f"{HEAD}\n{TILE}\nmemset.victor dst=%t, value=0\n}}", "NKI4003", 3, 1),
    (f"{HEAD}\n{TILE}\nmemset dst=%t, valeu=0\n}}", "NKI4011", 3, 16),
    (f"{HEAD}\n{TILE}\nmemset dst=%t\n}}", "NKI4009", 3, 1),
    (f"{HEAD}\n{TILE}\nmemset dst=%t, value=0, value=1\n}}", "NKI4004", 3, 25),
    (f"{HEAD}\n{TILE}\nmemset dst=%u, value=0\n}}", "NKI4005", 3, 12),
    (f"{HEAD}\n{TILE}\nmemset dst=3, value=0\n}}", "NKI4001", 3, 12),
    (f"{HEAD}\n{TILE}\nmemset dst=none, value=0\n}}", "NKI4001", 3, 12),
    (f"{HEAD}\n{TILE}\nmemset dst=%t, value=1.5.0\n}}", "NKI4001", 3, 25),
    (f"{HEAD}\n{TILE}\nmemset dst=%t[i; 64*128, 1*64], value=0\n}}", "NKI4005", 3, 15),
    (f"{HEAD}\n{TILE}\nmemset dst=%t[0; 64*-1], value=0\n}}", "NKI4015", 3, 21),
    (f"{HEAD}\n{TILE}\nmemset dst=%t, value=\"0\n}}", "NKI4012", 3, 22),
    (f"{HEAD}\n{TILE}\ntensor_copy dst=%t, src=%t after [x]\n}}", "NKI4005", 3, 35),
    (f"{HEAD}\n{TILE}\ntensor_copy dst=%t, src=%t after [#0]\n}}", "NKI4005", 3, 35),
    (f"{HEAD}\n{TILE}\nx = memset dst=%t, value=0\nx = memset dst=%t, value=0\n}}",
     "NKI4004", 4, 1),
    (f"{HEAD}\n{TILE}\ntensor_reduce dst=%t, op=plus, data=%t, axis=[1]\n}}", "NKI4003", 3, 26),
    (f"{HEAD}\n{TILE}\ntensor_reduce dst=%t, op=add, data=%t, axis=1\n}}", "NKI4001", 3, 45),
    (f"{HEAD}\n{TILE}\ntensor_reduce dst=%t, op=add, data=%t, axis=[1], negate=1\n}}",
     "NKI4001", 3, 57),
    (f"{HEAD}\nfor i in unordered(0, 2) {{\n}}\n}}", "NKI4003", 2, 10),
    (f"{HEAD}\nfor i in affine(0, 2, 0) {{\n}}\n}}", "NKI4015", 2, 23),
    (f"{HEAD}\nfor i in affine(0, 2) {{ for i in affine(0, 2) {{ }} }}\n}}", "NKI4004", 2, 29),
    (f"{HEAD}\nno_reorder {{\n", "NKI4002", 3, 1),
    (f"{HEAD}\n}}\n}}", "NKI4001", 3, 1),
    (f"{HEAD}\n{'no_reorder { ' * 65}", "NKI4015", 2, 844),
    (f"{HEAD}\n{TILE}\niota dst=%t, pattern={'[' * 70}", "NKI4001", 3, 86),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "line", "col"), WRONG)
def test_what_is_wrong_and_where(text, code, line, col):
    with pytest.raises(NkiError) as refused:
        parse_function(text, "f.penguin")
    (found,) = refused.value.diagnostics
    assert (found.code.id, found.loc.file, found.loc.line, found.loc.col + 1) == (
        code, "f.penguin", line, col,
    )  # fmt: skip


def test_the_hint_names_what_is_close():
    with pytest.raises(NkiError) as refused:
        parse_function(f"{HEAD}\n{TILE}\nmemse dst=%t, value=0\n}}")
    assert refused.value.diagnostics[0].hint == "did you mean `memset`?"


PIECES = ["", " ", "}", "{", "[", "]", ",", "=", "%", "%t", "#", "#0", '"', "-", "nan", "1e999",
          "none", "for", "0x", "\x00", "after", ":", "é", "9" * 5000]  # fmt: skip


@given(st.integers(0, len(TEXT)), st.integers(0, 8), st.sampled_from(PIECES))
def test_no_damage_raises_anything_but_a_diagnostic(start, length, piece):
    found = refusal(TEXT[:start] + piece + TEXT[start + length :])
    if found is not None:
        assert found.code.startswith("NKI40")
        assert found.diagnostics[0].loc.line > 0


def refusal(text: str) -> NkiError | None:
    """Why a text is refused; None if it is not."""
    try:
        parse_function(text)
    except NkiError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("code", "before"),
    [
        ("NKI4001", f"{TILE}\n{TILE.replace('%t', '%x')}\n{TILE.replace('%t', '%y')}\n"),
        ("NKI4003", f"{TILE.replace('%t', '%x')}\n{TILE.replace('%t', '%y')}\n"),
        ("NKI4004", ""),
        ("NKI4005", ""),
        ("NKI4006", f"{TILE}\n"),
        ("NKI4012", ""),
        ("NKI4015", ""),
    ],
)
def test_examples_of_the_catalogue_are_what_they_say(code: str, before: str):
    entry = CATALOGUE[code]
    parse_function(f"{HEAD}\n{before}{entry.right}\n}}")
    with pytest.raises(NkiError) as caught:
        parse_function(f"{HEAD}\n{before}{entry.wrong}\n}}")
    assert caught.value.code == code
