"""The error catalogue and the diagnostics that are made from it."""

from __future__ import annotations

import ast
import re
from enum import Enum

import pytest

from opennki.base import codes
from opennki.base.diag import (
    CATALOGUE,
    Code,
    Diagnostic,
    NkiError,
    Severity,
    code,
    diagnostic,
    fail,
    fields,
    problem,
)
from opennki.base.loc import UNKNOWN, SrcLoc

EVERY = sorted(CATALOGUE.values(), key=lambda entry: entry.id)

# What the shape grammar, the tracer, the allocator and the simulator state about a violation.
FACTS = {
    "NKI1001": "api",
    "NKI1002": "what tensor size",
    "NKI1003": "op function instruction comparison",
    "NKI1004": "name fn known close",
    "NKI1005": "name fn destination",
    "NKI1006": "fn most got known optional",
    "NKI1007": "name fn expected got",
    "NKI1008": "name fn expected got",
    "NKI1010": "name got why",
    "NKI1011": "name dtype cast",
    "NKI1012": "name shape",
    "NKI1013": "",
    "NKI1014": "got where",
    "NKI1015": "name space",
    "NKI1016": "name",
    "NKI1017": "fn",
    "NKI1018": "type text argument kind",
    "NKI1019": "text",
    "NKI1020": "grid why",
    "NKI1021": "axis grid",
    "NKI1022": "name why",
    "NKI1023": "got known least",
    "NKI1024": "name got known",
    "NKI1048": "kernel what instead",
    "NKI1049": "name dtype framework bytes close",
    "NKI1030": "construct since instead",
    "NKI2101": "operand got other want inst",
    "NKI2102": "operand got other want inst",
    "NKI2103": "operand dim got other want inst",
    "NKI2104": "operand dim got limit inst target",
    "NKI2105": "operand got allowed inst takes source target",
    "NKI2106": "operand got allowed inst target",
    "NKI2107": "operand got want inst larger smaller",
    "NKI2108": "what since target",
    "NKI2109": "operand rank",
    "NKI2110": "operand got limit",
    "NKI2111": "operand got want",
    "NKI2112": "operand start count allowed",
    "NKI2113": "inst got allowed why",
    "NKI2114": "operand inst other",
    "NKI2115": "first second inst",
    "NKI2116": "first first_dtype second second_dtype inst",
    "NKI2117": "op inst allowed instead",
    "NKI2118": "op engine target",
    "NKI2119": "op operand dtype",
    "NKI2120": "op0 op1",
    "NKI2121": "operand got inst",
    "NKI2122": "operand when",
    "NKI2123": "operand when",
    "NKI2124": "name got allowed inst",
    "NKI2125": "operand dtype",
    "NKI2126": "dst src",
    "NKI2128": "operand what got dim limit",
    "NKI3001": "shape why",
    "NKI3002": "got limit target",
    "NKI3003": "got limit space target",
    "NKI3004": "got",
    "NKI3005": "got",
    "NKI3006": "name other",
    "NKI3010": "index dim size negative",
    "NKI3011": "start stop dim size over below back",
    "NKI3012": "step",
    "NKI3013": "got ndim",
    "NKI3014": "got",
    "NKI3015": "start stop dim",
    "NKI3020": "got want",
    "NKI3021": "method",
    "NKI3022": "method why copy",
    "NKI3023": "dims ndim",
    "NKI3024": "dim size",
    "NKI3025": "method dim ndim",
    "NKI3026": "size ratio",
    "NKI3027": "why",
    "NKI3028": "why lead",
    "NKI3029": "last end row",
    "NKI5001": "name address bytes capacity space target",
    "NKI5002": "need capacity space target spill bank",
    "NKI5003": "name address bank",
    "NKI5004": "first second",
    "NKI5005": "name bytes bank",
    "NKI5007": "name address align",
    "NKI5204": "operand first last",
    "NKI6001": "tensor element count inst operand how",
    "NKI6002": "tensor element count inst operand how",
    "NKI6003": "op value low high",
    "NKI6004": "tensor",
    "NKI6005": "tensor",
    "NKI6006": "what",
    "NKI6007": "inst other",
    "NKI9001": "text",
}

WARNINGS = {
    "NKI1051", "NKI1060", "NKI1061", "NKI1099", "NKI1127", "NKI1128", "NKI2125", "NKI2129",
    "NKI2214", "NKI2219", "NKI2311", "NKI2453", "NKI2504", "NKI5004", "NKI6001", "NKI6003",
    "NKI6004", "NKI6005", "NKI6007", "NKI6008", "NKI6009", "NKI6010", "NKI6011", "NKI6015",
    "NKI6018", "NKI6024", "NKI6027",
}  # fmt: skip


@pytest.mark.parametrize("entry", EVERY, ids=repr)
def test_every_code_is_explained(entry: Code) -> None:
    for part in ("title", "template", "hint", "why", "wrong", "right"):
        assert getattr(entry, part).strip() == getattr(entry, part) != "", part
    assert entry.wrong != entry.right
    assert not entry.title.endswith(".")
    assert not entry.template.endswith(".")
    assert entry.why.endswith(".")


@pytest.mark.parametrize("entry", EVERY, ids=repr)
def test_every_message_is_complete_with_its_facts(entry: Code) -> None:
    facts: dict[str, object] = {name: f"[{name}]" for name in entry.facts}
    found = Diagnostic(entry, facts)
    for name in fields(entry.template):
        assert f"[{name}]" in found.message
    for name in fields(entry.hint):
        assert f"[{name}]" in found.hint
    assert "<" not in re.sub(r"`[^`]*`", "", found.message)


@pytest.mark.parametrize("id", sorted(FACTS))
def test_codes_ask_for_no_other_facts_than_are_stated(id: str) -> None:
    assert set(CATALOGUE[id].facts) <= set(FACTS[id].split())


@pytest.mark.parametrize("id", sorted(FACTS))
def test_no_stated_fact_is_lost(id: str) -> None:
    assert set(FACTS[id].split()) <= set(CATALOGUE[id].facts)


OTHER_FORMS = {"NKI5102", "NKI6006"}
"""Besides NKI4xxx and NKI7xxx: their examples are in the text form of a program.

Those of NKI28xx are in the text forms of Penguin and BIR.
"""


@pytest.mark.parametrize(
    "entry",
    [e for e in EVERY if e.id[3] not in "47" and e.id[3:5] != "28" and e.id not in OTHER_FORMS],
    ids=repr,
)
def test_examples_are_python(entry: Code) -> None:
    for example in (entry.wrong, entry.right):
        body = "\n".join("    " + line for line in example.split("\n"))
        ast.parse(f"def kernel():\n  if True:\n{body}")


def test_the_package_exports_every_code_by_its_id() -> None:
    assert all(getattr(codes, id) is entry for id, entry in CATALOGUE.items())
    assert len(CATALOGUE) > 100


def test_ids_have_four_digits_and_titles_are_unique() -> None:
    assert all(re.fullmatch(r"NKI[1-79]\d{3}", id) for id in CATALOGUE)
    assert len({entry.title for entry in EVERY}) == len(EVERY)


def test_only_these_codes_are_warnings() -> None:
    assert {e.id for e in EVERY if e.severity is Severity.warning} == WARNINGS
    others = {e.severity for e in EVERY if e.id not in WARNINGS}
    assert others == {Severity.error, Severity.note}


def test_an_id_is_declared_once() -> None:
    with pytest.raises(ValueError, match="NKI2104 is declared twice"):
        code("NKI2104", "again", "again")


def test_numbers_and_names_are_filled_in() -> None:
    found = problem(
        codes.NKI2104, operand="moving", dim="N", got=640, limit=512, inst="nc_matmul",
        target="sunda",
    )  # fmt: skip
    assert found.operand == "moving"
    assert diagnostic(found, UNKNOWN).message == (
        "operand `moving` has N = 640; nc_matmul takes at most 512 on sunda"
    )


def test_a_forgotten_fact_shows_as_its_name() -> None:
    assert Diagnostic(codes.NKI3010, {"index": 5}).message == (
        "index 5 is out of range for dimension <dim> of size <size>"
    )


def test_hint_clauses_without_their_fact_are_left_out() -> None:
    facts: dict[str, object] = {"name": "mask", "fn": "load", "known": ("src", "dtype")}
    assert Diagnostic(codes.NKI1004, {**facts, "close": ""}).hint == "`load` takes src, dtype"
    assert Diagnostic(codes.NKI1004, facts).hint == "`load` takes src, dtype"
    assert Diagnostic(codes.NKI1004, {**facts, "close": "src"}).hint == (
        "did you mean `src`?; `load` takes src, dtype"
    )


class Color(Enum):
    """Members with words as values, and numbers."""

    red = "rot"
    blue = 3


def test_facts_read_like_words() -> None:
    found = Diagnostic(codes.NKI3004, {"got": Color.red})
    assert found.message.startswith("rot is not")
    found = Diagnostic(codes.NKI3004, {"got": frozenset({Color.blue, Color.red})})
    assert found.message.startswith("blue, rot is not")
    assert Diagnostic(codes.NKI3023, {"dims": [0, 0], "ndim": 2}).message == (
        "(0, 0) is not an order of 2 dimensions"
    )


def test_columns_count_characters_not_bytes(tmp_path) -> None:
    path = tmp_path / "k.py"
    path.write_text("é = f(é)\n", encoding="utf-8")
    found = Diagnostic(codes.NKI1013, {}, SrcLoc(str(path), 1, 5, 10))
    assert found.span == (4, 8)
    assert (found.line, found.col) == (1, 5)


def test_fail_makes_an_error_with_one_diagnostic() -> None:
    error = fail(codes.NKI1021, UNKNOWN, notes=["see"], axis=1, grid=(2,))
    assert isinstance(error, NkiError)
    assert error.code == "NKI1021"
    assert [d.notes for d in error.diagnostics] == [["see"]]
    assert NkiError([]).code == ""
