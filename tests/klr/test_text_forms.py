"""The JSON and the S-expression form: how values look, exact round trips, errors with a place."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from opennki.base.diag import NkiError
from opennki.klr import (
    AluOp,
    Block,
    CollectiveOp,
    Contents,
    FloatImm,
    HloContents,
    IntImm,
    Kernel,
    LncContents,
    LncKernel,
    MemSet,
    Named,
    Node,
    Operator,
    Pos,
    RegisterAluOp,
    RegisterRef,
    Stmt,
    files,
)
from opennki.klr.enums import Dtype, Engine
from opennki.klr.files import write
from opennki.klr.floats import from_bits
from opennki.klr.json_form import from_json, to_json
from opennki.klr.sexp import from_sexp, to_sexp

FORMS = pytest.mark.parametrize(("to", "of"), [(to_json, from_json), (to_sexp, from_sexp)])


def kernel_of(op: Operator) -> Kernel:
    return Kernel("k", [], [], [Block("b", False, [Stmt(op, None, Pos(1))])])


ALU = kernel_of(Operator("registerAluOp", RegisterAluOp("a", "b c", -3, AluOp.add)))


def test_json_is_as_the_published_derivation_writes_it():
    block = json.loads(to_json(ALU))["kernel"]["kernel"]["body"][0]
    pos = {"line": 1, "column": 0, "lineEnd": None, "columnEnd": None, "filename": None}
    args = {"dst": "a", "src": "b c", "imm": -3, "op": "add"}
    stmt = {"oper": {"op": {"registerAluOp": {"op": args}}, "name": None, "pos": pos}}
    assert block == {"label": "b", "noReorder": False, "body": [stmt]}


def test_choices_without_arguments_are_strings():
    group = CollectiveOp([], [], replicaGroup=Named("x"))
    op = json.loads(to_json(kernel_of(Operator("allReduce", group))))
    args = op["kernel"]["kernel"]["body"][0]["body"][0]["oper"]["op"]["allReduce"]["op"]
    assert args["replicaGroup"] == {"named": {"name": "x"}}
    op = json.loads(to_json(kernel_of(Operator("allReduce", CollectiveOp([], [])))))
    args = op["kernel"]["kernel"]["body"][0]["body"][0]["oper"]["op"]["allReduce"]["op"]
    assert args["replicaGroup"] == "unspecified"


def test_an_s_expression_is_indented_for_people():
    assert to_sexp(ALU) == (
        "(kernel\n"
        "  (kernel\n"
        "    ((name k)\n"
        "     (inputs ())\n"
        "     (outputs ())\n"
        "     (body\n"
        "       (((label b)\n"
        "         (noReorder false)\n"
        "         (body\n"
        "           ((oper\n"
        '              (op (registerAluOp (op ((dst a) (src "b c") (imm -3) (op add)))))\n'
        "              (name ())\n"
        "              (pos ((line 1) (column 0) (lineEnd ()) (columnEnd ()) (filename ())))))))"
        ")))))\n"
    )


@FORMS
def test_a_kernel_comes_back(
    to: Callable[[LncKernel], str], of: Callable[[str], Contents], kernel: LncKernel
):
    assert of(to(kernel)) == LncContents(kernel)


@FORMS
@pytest.mark.parametrize("extensions", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_whatever_the_syntax_allows_comes_back_exactly(
    seed: int, extensions: bool, to: Callable[[Contents], str], of: Callable[[str], Contents],
    draw: Callable[[type[Node], int, bool], Contents],
):  # fmt: skip
    drawn = draw(Contents, seed, extensions)
    assert write(of(to(drawn))) == write(drawn)


def memset(value: float) -> Kernel:
    args = MemSet(RegisterRef(0), FloatImm(value), Dtype.float32, Engine.dve)
    return kernel_of(Operator("memSet", args))


@FORMS
@pytest.mark.parametrize(
    ("bits", "text"),
    [(0x7FC00000, "NaN"), (0x7F800001, "NaN:7f800001"), (0x7F800000, "Infinity"),
     (0xFF800000, "-Infinity"), (0x80000000, "-0.0"), (0x3DCCCCCD, "0.10000000149011612"),
     (1, "1.401298464324817e-45"), (0x7F7FFFFF, "3.4028234663852886e+38")],
)  # fmt: skip
def test_floats_keep_their_bits(
    bits: int, text: str, to: Callable[[Kernel], str], of: Callable[[str], Contents]
):
    kernel = memset(from_bits(bits))
    written = to(kernel)
    assert text in written
    assert write(of(written)) == write(kernel)


@FORMS
def test_floats_of_people_are_rounded(to: Callable[[Kernel], str], of: Callable[[str], Contents]):
    text = to(memset(0.5)).replace("0.5", "0.1")
    assert write(of(text)) == write(memset(0.1))
    assert write(of(to(memset(0.5)).replace("0.5", "3"))) == write(memset(3.0))


@FORMS
def test_fields_with_defaults_may_be_left_out(
    to: Callable[[Kernel], str], of: Callable[[str], Contents]
):
    text = to(ALU).replace('"column": 0, ', "").replace("(column 0) ", "")
    assert "column " not in text
    assert write(of(text)) == write(ALU)


def test_comments_and_quotes_of_an_s_expression():
    assert from_sexp('; a call\n(hlo (name "a;b")) ; end') == HloContents("a;b")
    assert from_sexp("(hlo (name a\\b))") == HloContents("a\\b")


@pytest.mark.parametrize("name", ["", " ", "a b", "(", '"', ";", "\n", "\x00", "ö", "\u2028", "1"])
def test_any_name_is_an_atom(name: str):
    assert from_sexp(to_sexp(HloContents(name))) == HloContents(name)
    assert from_json(to_json(HloContents(name))) == HloContents(name)


# ---- refused ----------------------------------------------------------------------------------


def message(of: Callable[[str, str], Contents], text: str) -> str:
    with pytest.raises(NkiError) as caught:
        of(text, "k")
    (found,) = caught.value.diagnostics
    return f"{found.loc.line}:{found.col} {found.code.id}: {found.message}"


KERNEL = '{"kernel": {"kernel":\n {"name": "k", "inputs": [], "outputs": [], "body": BODY}}}'
BLOCK = '[{"label": "b", "noReorder": false, "body": [STMT]}]'
MOVE = (
    '{"oper": {"op": {"registerMove": {"op": {"dst": "i", "imm": IMM}}}, "name": null, '
    '"pos": {"line": 1}}}'
)


def json_with(body: str) -> str:
    return KERNEL.replace("BODY", body)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1:1 NKI4002: the text ends where a value is expected"),
        ("{", "1:2 NKI4002: the text ends where a key in quotes is expected"),
        ('{"lnc" 1}', "1:8 NKI4008: this is not JSON: `:` is expected, not '1}'"),
        ('{"hlo": {"name": "k"}} x', "1:24 NKI4008: this is not JSON: unexpected 'x'"),
        ('{"hlo": {"name": "k"}} 1', "1:24 NKI4008: this is not JSON: something follows the end "
         "of the value"),
        ('{"hlo": {"name": "\\x"}}', "1:18 NKI4008: this is not JSON: Invalid \\escape"),
        ("{'hlo'", "1:2 NKI4008: this is not JSON: unexpected \"'hlo'\""),
        ('{"klr": {}}', "1:2 NKI4003: there is no constructor of Contents named `klr`"),
        ('{"hlo": {}}', "1:1 NKI4009: hlo has no field `name`"),
        ('{"hlo": {"name": 1}}', "1:18 NKI4010: field `name` of hlo must be a text, and is `1`"),
        ('{"hlo": {"name": "\\ud800"}}', "1:18 NKI4010: field `name` of hlo must be a text of "
         "Unicode characters, and is `\\ud800`"),
        ('{"hlo": {"name": "k", "nam": 1}}', "1:23 NKI4011: hlo has no field called `nam`"),
        ('{"hlo": {"name": "k", "name": "k"}}', "1:23 NKI4004: field `name` is defined twice"),
        ('["hlo"]', "1:1 NKI4001: found a list where a name or an object of one key, a Contents, "
         "is expected"),
        (json_with('"x"'), "2:53 NKI4010: field `body` of Kernel must be a list, and is `x`"),
        (json_with("[1]"), "2:54 NKI4001: found `1` where an object of Block is expected"),
        (json_with(BLOCK.replace("STMT", MOVE.replace("IMM", "1.5"))), "2:158 NKI4006: `1.5` is "
         "not an integer from -2**31 to 2**31 - 1"),
        (json_with(BLOCK.replace("STMT", MOVE.replace("IMM", "2147483648"))), "2:158 NKI4015: "
         "RegisterMove.imm is 2147483648; an integer from -2**31 to 2**31 - 1 is allowed"),
        (json_with(BLOCK.replace("STMT", MOVE.replace("IMM", "null"))), "2:158 NKI4010: field "
         "`imm` of RegisterMove must be an integer from -2**31 to 2**31 - 1, and is `null`"),
        (to_json(memset(1.0)).replace("1.0", "1e39"), "NKI4015: float.f is 1e39; a number that a "
         "float32 can hold is allowed"),
        (to_json(memset(1.0)).replace("1.0", '"1.0"'), "NKI4010: field `f` of float must be a "
         "number, Infinity, -Infinity or NaN, and is `1.0`"),
        (to_json(memset(1.0)).replace('"dve"', '"dvd"'), "NKI4003: there is no Engine named `dvd`"),
        ('{"python": {"kernel": "8"}}', "1:23 NKI4010: field `kernel` of python must be one CBOR "
         "item in hexadecimal, and is `8`"),
        ('{"python": {"kernel": "81"}}', "1:23 NKI4010: field `kernel` of python must be one CBOR "
         "item in hexadecimal, and is `81`"),
        ("[" * 1000, "1:251 NKI4104: the nesting of the text is 251; at most 250 can be read"),
    ],
)  # fmt: skip
def test_json_errors_have_a_line_and_a_column(text: str, expected: str):
    assert expected in message(from_json, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1:1 NKI4002: the text ends where an atom or `(` is expected"),
        ("(hlo (name k)", "1:14 NKI4002: the text ends where `)` is expected"),
        (")", "1:1 NKI4001: found `)` where an atom or `(` is expected"),
        ("(hlo (name k)) x", "1:16 NKI4001: found `x` where the end of the text is expected"),
        ("(hlo\n (name k) k)", "2:11 NKI4001: found `k` where (field value) of hlo is expected"),
        ('(hlo (name "k))', "1:12 NKI4012: the string that begins with '\"k))' has no closing "
         "quote on its line"),
        ('(hlo (name "\\q"))', "1:12 NKI4001: found `\"\\\\q\"` where a string with valid escapes "
         "is expected"),
        ("(klr)", "1:2 NKI4003: there is no constructor of Contents named `klr`"),
        ("hlo", "1:1 NKI4009: hlo has no field `name`"),
        ("()", "1:1 NKI4001: found a list where the name of a Contents is expected"),
        ("(kernel (kernel k))", "1:17 NKI4001: found `k` where a list of the fields of Kernel is "
         "expected"),
        (to_sexp(ALU).replace("(filename ())", "(filename f)"), "NKI4001: found `f` where () or "
         "(value) is expected"),
        (to_sexp(ALU).replace("-3", '"3"'), "NKI4010: field `imm` of RegisterAluOp must be an "
         "integer from -2**31 to 2**31 - 1, and is `3`"),
        (to_sexp(ALU).replace("false", "0"), "NKI4010: field `noReorder` of Block must be true or "
         "false, and is `0`"),
        (to_sexp(ALU).replace("(op add)", "(op (add))"), "NKI4001: found a list where an AluOp is "
         "expected"),
        ("(" * 1000, "1:251 NKI4104: the nesting of the text is 251; at most 250 can be read"),
    ],
)  # fmt: skip
def test_s_expression_errors_have_a_line_and_a_column(text: str, expected: str):
    assert expected in message(from_sexp, text)


@pytest.mark.parametrize("to", [to_json, to_sexp])
def test_what_no_file_can_hold_is_not_written(to: Callable[[Kernel], str]):
    with pytest.raises(NkiError) as caught:
        to(kernel_of(Operator("registerAluOp", RegisterAluOp("a", "b", 1 << 40, AluOp.add))))
    assert caught.value.code == "NKI4105"


@pytest.mark.parametrize("of", [from_json, from_sexp])
def test_a_long_text_is_refused(
    of: Callable[[str, str], Contents], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(files, "MAX_CHARACTERS", 5)
    expected = "the length of k is 6 characters; at most 5 can be read"
    assert message(of, "(hlo a") == f"0:1 NKI4104: {expected}"


def test_integers_are_not_floats():
    args = MemSet(RegisterRef(0), IntImm(1), Dtype.int32, Engine.dve)
    text = to_json(kernel_of(Operator("memSet", args)))
    assert '{"int": {"i": 1}}' in text
