"""How diagnostics look, pinned as exact text."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from opennki.base import codes
from opennki.base.diag import Diagnostic, NkiError, diagnostic, problem
from opennki.base.loc import SrcLoc
from opennki.base.render import as_json, explain, in_order, text

SOURCE = """\
@nki.jit
def attention(q, k):
    for h in range(heads):
        head(q[h], k[h])

def head(q, k):
    nisa.nc_matmul(dst=acc, stationary=q, moving=k[:, 0:640])
    nisa.tensor_copy(
        dst=out,
        src=acc,
    )
\tx = nisa.iota(t,\tp)
    名前 = nisa.iota("長い", 1)
"""

HELP = "  = help: split `moving` into pieces of at most 512 along N; nl.tile_size names the limits"


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kernel file in the current directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "attention.py"
    path.write_text(SOURCE, encoding="utf-8")
    return str(path)


def too_long(loc: SrcLoc, got: int = 640) -> Diagnostic:
    found = problem(
        codes.NKI2104, operand="moving", dim="N", got=got, limit=512, inst="nc_matmul",
        target="sunda",
    )  # fmt: skip
    return diagnostic(found, loc)


def caret_lines(rendered: str) -> list[str]:
    """Source line and caret line without gutters."""
    lines = rendered.split("\n")
    at = next(i for i, line in enumerate(lines) if re.fullmatch(r" *\|", line))
    return [line.split("|", 1)[1] for line in lines[at + 1 : at + 3]]


def test_an_error_with_operands_callers_notes_and_help(kernel: str) -> None:
    call = SrcLoc(kernel, 4, 8, 24, "attention")
    found = too_long(SrcLoc(kernel, 7, 4, 18, "head", call))
    found.operands.append(("moving", "bfloat16[128, 640] in sbuf, view of `k`"))
    found.notes.append("gen4 takes 4096")
    assert text([found]) == (
        "error[NKI2104]: operand `moving` has N = 640; nc_matmul takes at most 512 on sunda\n"
        " --> attention.py:7:5\n"
        "  |\n"
        "7 |     nisa.nc_matmul(dst=acc, stationary=q, moving=k[:, 0:640])\n"
        "  |     ^^^^^^^^^^^^^^\n"
        "  = moving: bfloat16[128, 640] in sbuf, view of `k`\n"
        "  = called from attention.py:4 (`head(q[h], k[h])`)\n"
        "  = note: gen4 takes 4096\n"
        "  = help: split `moving` into pieces of at most 512 along N; "
        "nl.tile_size names the limits\n"
        "\n"
        "1 error"
    )


def test_the_gutter_is_as_wide_as_the_line_number(kernel: str) -> None:
    assert text([too_long(SrcLoc(kernel, 13, 13, 35))]).split("\n")[1:5] == [
        "  --> attention.py:13:10",
        "   |",
        '13 |     名前 = nisa.iota("長い", 1)',
        "   |            ^^^^^^^^^^^^^^^^^^^^",
    ]


def test_without_columns_the_stripped_line_is_underlined(kernel: str) -> None:
    rendered = text([too_long(SrcLoc(kernel, 7))])
    assert " --> attention.py:7:5\n" in rendered
    assert caret_lines(rendered) == [
        "     nisa.nc_matmul(dst=acc, stationary=q, moving=k[:, 0:640])",
        "     " + "^" * len("nisa.nc_matmul(dst=acc, stationary=q, moving=k[:, 0:640])"),
    ]


def test_a_call_over_several_lines_shows_its_first_line(kernel: str) -> None:
    loc = SrcLoc(kernel, 8, 4, 5, end_line=11)
    assert text([too_long(loc)]).split("\n")[1:7] == [
        " --> attention.py:8:5",
        "  |",
        "8 |     nisa.tensor_copy(",
        "  |     ^^^^^^^^^^^^^^^^^",
        "...",
        HELP,
    ]


def test_tabs_become_spaces_in_source_and_carets(kernel: str) -> None:
    assert caret_lines(text([too_long(SrcLoc(kernel, 12, 5, 20))])) == [
        "     x = nisa.iota(t,    p)",
        "         ^^^^^^^^^^^^^^^^^^",
    ]


def test_a_place_outside_of_the_line_still_gets_one_caret(kernel: str) -> None:
    rendered = text([too_long(SrcLoc(kernel, 1, 40, 40 + 5))])
    assert caret_lines(rendered) == [" @nki.jit", "         ^"]


def test_an_unknown_place_has_no_source() -> None:
    assert text([Diagnostic(codes.NKI1013, {})]) == (
        "error[NKI1013]: the kernel returns nothing\n"
        "  = help: return the tensor that it writes: `return out`, where out is in "
        "nl.shared_hbm\n"
        "\n"
        "1 error"
    )


def test_an_unreadable_file_shows_the_place_only(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone.py")
    lines = text([too_long(SrcLoc(gone, 3, 4, 9, caller=SrcLoc(gone, 1)))]).split("\n")
    assert lines[1:4] == [
        f" --> {gone}:3:5",
        f"  = called from {gone}:1",
        HELP,
    ]


def test_a_binary_file_does_not_stop_the_message(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_bytes(b"\xff\xfe\x00 = 1\n")
    assert text([too_long(SrcLoc(str(path), 1, 0, 4))]).startswith("error[NKI2104]: ")


def test_paths_outside_of_the_current_directory_stay_whole(
    kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "atten").mkdir()
    monkeypatch.chdir(tmp_path / "atten")  # a prefix of the file's name is not its directory
    assert f" --> {kernel}:7:5\n" in text([too_long(SrcLoc(kernel, 7))])


@pytest.mark.skipif(os.name == "nt", reason="the current directory cannot be removed there")
def test_a_removed_current_directory_is_no_obstacle(
    kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").mkdir()
    monkeypatch.chdir(tmp_path / "old")
    (tmp_path / "old").rmdir()
    assert f" --> {kernel}:7:5\n" in text([too_long(SrcLoc(kernel, 7))])


def test_equal_diagnostics_are_shown_once_but_all_counted(kernel: str) -> None:
    same = [too_long(SrcLoc(kernel, 7, 4, 18)) for _ in range(3)]
    other = too_long(SrcLoc(kernel, 7, 4, 18), got=700)
    warning = diagnostic(problem(codes.NKI2125, operand="x", dtype="int32"), SrcLoc(kernel, 8))
    rendered = text([*same, other, warning])
    heads = [line for line in rendered.split("\n") if "[NKI" in line]
    assert heads == [
        "error[NKI2104]: operand `moving` has N = 640; nc_matmul takes at most 512 on sunda "
        "(and 2 more like this)",
        "error[NKI2104]: operand `moving` has N = 700; nc_matmul takes at most 512 on sunda",
        "warning[NKI2125]: operand `x` is int32, but this engine computes in float32",
    ]
    assert rendered.endswith("\n\n4 errors, 1 warning")


def test_several_lines_of_text_are_indented() -> None:
    found = Diagnostic(codes.NKI1018, {"type": "KeyError", "text": "one\ntwo"}, notes=["a\nb\n"])
    assert text([found]).split("\n")[:4] == [
        "error[NKI1018]: the kernel's Python raised KeyError: one",
        "                two",
        "  = note: a",
        "    b",
    ]


def test_long_chains_of_callers_show_their_ends(kernel: str) -> None:
    loc = SrcLoc(kernel, 7, 4, 18)
    chain = None
    for line in range(101, 1, -1):
        chain = SrcLoc(kernel, line, 0, 1, caller=chain)
    loc = SrcLoc(kernel, 7, 4, 18, caller=chain)
    called = [line for line in text([loc_found(loc)]).split("\n") if "called from" in line]
    assert len(called) == 10
    assert called[0] == "  = called from attention.py:2 (`def attention(q, k):`)"
    assert called[5] == "  = called from 91 more places"
    assert called[-1] == "  = called from attention.py:101"


def loc_found(loc: SrcLoc) -> Diagnostic:
    return diagnostic(problem(codes.NKI1017, fn="halve"), loc)


def test_source_order_goes_from_the_outermost_call_in(kernel: str) -> None:
    first, second = SrcLoc(kernel, 3, 4), SrcLoc(kernel, 4, 8)
    found = [
        Diagnostic(codes.NKI1013, {}),
        too_long(SrcLoc(kernel, 5)),
        too_long(SrcLoc(kernel, 2, caller=second)),
        too_long(SrcLoc(kernel, 9, caller=first)),
        too_long(SrcLoc(kernel, 7, 9, caller=first)),
        too_long(SrcLoc(kernel, 7, 4, caller=first)),
    ]
    assert [(d.line, d.loc.col) for d in in_order(found)] == [
        (7, 4), (7, 9), (9, 0), (2, 0), (5, 0), (0, 0),
    ]  # fmt: skip
    assert text(found).index(":7:") < text(found).index(":5:")


def test_nothing_found_is_an_empty_text() -> None:
    assert text([]) == ""
    assert json.loads(as_json([])) == {"diagnostics": []}


def test_json_has_every_field(kernel: str) -> None:
    call = SrcLoc(kernel, 4, 8, 24, "attention")
    found = too_long(SrcLoc(kernel, 13, 13, 35, "head", call))
    found.operands.append(("moving", "bfloat16[128, 640] in sbuf"))
    found.notes.append("gen4 takes 4096")
    assert json.loads(as_json([found])) == {
        "diagnostics": [
            {
                "code": "NKI2104",
                "severity": "error",
                "message": "operand `moving` has N = 640; nc_matmul takes at most 512 on sunda",
                "file": kernel,
                "line": 13,
                "col": 10,
                "end_col": 28,
                "hint": "split `moving` into pieces of at most 512 along N; "
                "nl.tile_size names the limits",
                "notes": ["gen4 takes 4096"],
                "operands": [["moving", "bfloat16[128, 640] in sbuf"]],
                "callers": [f"{kernel}:4"],
            }
        ]
    }


def test_color_adds_sequences_and_no_text(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")  # whether to color is the caller's decision
    found = [too_long(SrcLoc(kernel, 8, 4, 5, end_line=11)), Diagnostic(codes.NKI1013, {})]
    colored = text(found, color=True)
    assert colored.startswith("\x1b[1;31merror[NKI2104]\x1b[0m")
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == text(found)


def test_the_error_itself_prints_its_diagnostics(kernel: str) -> None:
    found = [too_long(SrcLoc(kernel, 7, 4, 18))]
    assert str(NkiError(found)) == text(found)


def test_a_code_explains_itself() -> None:
    assert explain("nki2126") == (
        "NKI2126 (error): element counts differ\n"
        "\n"
        "Message: `dst` has <dst> elements and `src` has <src>\n"
        "\n"
        "A DMA moves elements one to one in the order of both access patterns. The shapes may "
        "differ, the\n"
        "counts may not. All targets. Source: NKI ISA reference, dma_copy.\n"
        "\n"
        "Wrong:\n"
        "\n"
        "    nisa.dma_copy(dst=tile, src=x[0:256, 0:64])  # tile is (128, 64)\n"
        "\n"
        "Right:\n"
        "\n"
        "    nisa.dma_copy(dst=tile, src=x[0:128, 0:64])\n"
        "\n"
        "Help: slice the larger side so that both have the same number of elements\n"
    )


def test_explaining_an_unknown_code_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        explain("NKI0000")
