"""Whole files: bytes as published, exact round trips, and files that are something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opennki.base.diag import NkiError
from opennki.klr import (
    Abstract,
    Access,
    AccumCmd,
    Address,
    BirAccessPattern,
    BirPattern,
    Block,
    CollectiveOp,
    Contents,
    HloContents,
    IntImm,
    Kernel,
    KernelContents,
    LncContents,
    LncKernel,
    Memory,
    NcDmaCopy,
    NkiContents,
    Node,
    Operator,
    Pos,
    PythonContents,
    RegisterMove,
    RegisterRef,
    Shape,
    Simple,
    Slice,
    Stmt,
    TensorName,
    TensorScalarReduce,
    TensorStore,
    TopK,
)
from opennki.klr import files as klr_files
from opennki.klr.cbor_writer import _Writer, encode
from opennki.klr.enums import Dtype
from opennki.klr.files import as_contents, detect, lowerable, read, write

HEAD = bytes.fromhex("d9d9f783 00000c d9eb0081 634e4b49")
EMPTY = Kernel("k", [], [], [])
TOPK = Operator("topk", TopK(RegisterRef(0), RegisterRef(1), RegisterRef(2), 4))


def test_an_empty_kernel_is_these_bytes():
    assert write(EMPTY) == HEAD + bytes.fromhex("d9ec0281 d9690084 616b 80 80 80")


def test_a_statement_is_these_bytes():
    stmt = Stmt(Operator("registerMove", RegisterMove("i", -1)), "s", Pos(300))
    body = "d9670083 d9da2d81 d9c00082 6169 20 d9ff0181 6173"
    pos = "d9640085 19012c 00 d9ff0080 d9ff0080 d9ff0080"
    assert encode(stmt)[0] == bytes.fromhex(body + pos)


def test_proofs_count_and_take_no_bytes():
    address = Address("p", Memory.sbuf, 4, 8)
    name = TensorName("t", Dtype.int16, Shape(4, [4]), address, 4)
    octets = encode(name)[0]
    assert octets[:4] == bytes.fromhex("d9720088")
    assert encode(Slice(0, 4, -2))[0] == bytes.fromhex("d9730084 00 04 21")


@pytest.mark.parametrize(
    ("value", "octets"),
    [(0, "00"), (23, "17"), (24, "1818"), (255, "18ff"), (256, "190100"), (65536, "1a00010000"),
     ((1 << 31) - 1, "1a7fffffff"), (-1, "20"), (-24, "37"), (-25, "3818"),
     (-(1 << 31), "3a7fffffff")],
)  # fmt: skip
def test_integers_are_as_short_as_possible(value: int, octets: str):
    assert encode(IntImm(value))[0] == bytes.fromhex("d9830281" + octets)


def test_a_kernel_comes_back(kernel: LncKernel):
    octets = write(kernel)
    file = read(octets)
    assert file.version == (0, 0, 12)
    assert file.format == "NKI"
    assert file.contents == LncContents(kernel)
    assert write(file.contents) == octets


@pytest.mark.parametrize("extensions", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_whatever_the_syntax_allows_comes_back_exactly(
    seed: int, extensions: bool, draw: Callable[[type[Node], int, bool], Contents]
):
    octets = write(draw(Contents, seed, extensions))
    file = read(octets)
    assert write(file.contents) == octets
    assert extensions or file.format == "NKI"


def test_a_file_with_extensions_says_so():
    file = read(write(Kernel("k", [], [], [Block("a", False, [], ["acc"])])))
    assert file.format == "NKI+opennki"
    assert file.contents.kernel.body[0].begins == ["acc"]  # type: ignore[attr-defined]


def test_equal_tensors_of_a_file_are_one_object(kernel: LncKernel):
    found = read(write(kernel)).contents
    assert isinstance(found, LncContents)
    first, _, store = found.kernel.bodies[0][1].body[:3]
    assert first.op.args.dst.access.access.tensor is store.op.args.src.access.access.tensor  # type: ignore[attr-defined]


def test_other_tensors_of_the_same_name_stay_apart():
    small, large = (
        TensorName("t", Dtype.int8, Shape(1, [n]), Address("a", Memory.hbm, 1, n), n)
        for n in (1, 2)
    )
    kernel = Kernel("k", [small, large, small], [], [])
    assert read(write(kernel)).contents == KernelContents(kernel)


@pytest.mark.parametrize(
    ("value", "field", "octets", "meaning"),
    [
        (NcDmaCopy, "priority", "86", None),
        (TensorScalarReduce, "reduceCmd", "88", AccumCmd.ZeroAccumulate),
        (CollectiveOp, "priority", "88", None),
    ],
)
def test_files_of_before_the_last_fields_are_read(
    value: type[Node], field: str, octets: str, meaning: object,
    draw: Callable[[type[Node], int, bool], Node],
):  # fmt: skip
    """The older file is made by leaving out the fields, and lowering the count."""
    drawn = draw(value, 3, False)
    later = [f for f in value.schema.fields if f.name in value.schema.later]
    kept = [f for f in value.schema.fields if f not in later and not f.extension]
    kind = next(s for s in Operator.schema.constructors if s.fields[0].kind is value)
    inner = b"".join(_bytes_of(drawn, f.name) for f in kept)
    older = bytes((0xD9, value.schema.tag, 0, 0x80 + len(kept))) + inner
    whole = _in_a_file(kind.build(drawn), encode(drawn)[0], older)
    found = read(whole).contents.kernel.body[0].body[0].op.args  # type: ignore[attr-defined]
    assert getattr(found, field) is meaning
    assert _bytes_of(found, kept[0].name) == _bytes_of(drawn, kept[0].name)


def _in_a_file(op: Node, old: bytes, new: bytes) -> bytes:
    assert isinstance(op, Operator)
    octets = write(Kernel("k", [], [], [Block("b", False, [Stmt(op, None, Pos(1))])]))
    assert octets.count(old) == 1
    return octets.replace(old, new)


def _bytes_of(value: Node, name: str) -> bytes:
    """Bytes of one field: what is left of the whole without the fields before and after it."""
    found = getattr(value, name)
    writer = _Writer()
    kind = next(f.kind for f in value.wire().fields if f.name == name)
    writer._value(found, kind)
    return bytes(writer.out)


# ---- other contents ---------------------------------------------------------------------------


def test_older_files_number_call_sites_2():
    octets = bytes.fromhex("d9d9f783 00000c d9eb0081 634b4c52 d9ec0281 616b")
    file = read(octets)
    assert (file.format, file.contents) == ("KLR", HloContents("k"))


def test_syntax_trees_are_passed_on_as_they_are():
    tree = bytes.fromhex("d90e0083 616b a161618101 c2 41ff")
    octets = write(PythonContents(tree))
    assert read(octets).contents == PythonContents(tree)
    assert read(write(NkiContents(b"\x00"))).contents == NkiContents(b"\x00")


@pytest.mark.parametrize(
    ("contents", "text"),
    [
        (PythonContents(b"\x00"), "`python`, a kernel as a syntax tree of Python"),
        (NkiContents(b"\x00"), "`nki`, a kernel as a syntax tree of NKI"),
        (HloContents("f"), "`hlo`, the name 'f' of a kernel that is elsewhere"),
    ],
)
def test_only_kernels_can_be_lowered(contents: Contents, text: str):
    with pytest.raises(NkiError) as caught:
        lowerable(contents)
    (found,) = caught.value.diagnostics
    assert found.code.id == "NKI4109"
    assert found.message == f"the contents are {text}; `kernel` or `lnc` can be lowered"


def test_a_kernel_can_be_lowered(kernel: LncKernel):
    assert lowerable(as_contents(kernel)) is kernel
    assert lowerable(as_contents(EMPTY)) is EMPTY


# ---- refused ----------------------------------------------------------------------------------


def message(octets: bytes, file: str = "k.klr") -> str:
    with pytest.raises(NkiError) as caught:
        read(octets, file)
    (found,) = caught.value.diagnostics
    return f"{found.code.id}: {found.message}"


@pytest.mark.parametrize(
    ("octets", "text"),
    [
        (b"\x7fELF....", "NKI4103: k.klr does not begin like a KLR file: its first bytes are "
         "7f 45 4c 46, and should be d9 d9 f7 83"),
        (b"", "NKI4102: the file ends at byte 0, where a KLRFile is expected (in the value "
         "itself)"),
        (bytes.fromhex("d9d9f783 00000b"), "NKI4007: this is KLR version 0.0.11; version 0.0.12 "
         "can be read"),
        (bytes.fromhex("d9d9f783 00000c d9eb0081 634e4b4a"), "NKI4106: the file says that its "
         "format is `NKJ`; known are NKI, KLR, NKI+opennki"),
        (HEAD + b"\xd9\xec\x05\x81", "NKI4101: byte 15 begins with d9 ec 05 81, where a Contents "
         "with a constructor from 0 to 4 is expected (in the value itself)"),
        (HEAD + bytes.fromhex("d9ec0281 d96a0084"), "NKI4101: byte 19 begins with d9 6a 00 84, "
         "where a Kernel (d9 69) is expected (in kernel)"),
        (HEAD + bytes.fromhex("d9ec0281 d9690085"), "NKI4101: byte 19 begins with d9 69 00 85, "
         "where a Kernel with 4 arguments is expected (in kernel)"),
        (HEAD + bytes.fromhex("d9ec0281 d9690084 616b 80 80 03"), "NKI4101: byte 27 begins with "
         "03 (a natural number), where a list is expected (in kernel.body)"),
        (HEAD + bytes.fromhex("d9ec0481 62ff61"), "NKI4101: byte 20 begins with ff (a simple "
         "value), where UTF-8 is expected (in name)"),
        (HEAD + bytes.fromhex("d9ec0481 6561"), "NKI4102: the file ends at byte 21, where a text "
         "of 5 bytes, begun at byte 19, is expected (in name)"),
        (write(EMPTY) + b"\x00\x00", "NKI4107: the contents end at byte 28, and 2 more bytes "
         "follow"),
        (HEAD + bytes.fromhex("d9ec0281 d9690084 616b 80 80 9b1000000000000000"), "NKI4104: the "
         "number of entries of the list at byte 27 is 1152921504606846976; at most 0, the bytes "
         "left, can be read"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(octets: bytes, text: str):
    assert message(octets) == text


def test_a_text_form_is_recognised_in_the_hint():
    with pytest.raises(NkiError) as caught:
        read(b'{"lnc": {}}')
    assert "it looks like the json form" in caught.value.diagnostics[0].hint


@pytest.mark.parametrize(
    ("octets", "form"),
    [(HEAD, "cbor"), (b' \n{"a":1}', "json"), (b"(lnc)", "sexp"), (b"; c\n(lnc)", "sexp"),
     (b"\x00", ""), (b"", "")],
)  # fmt: skip
def test_the_form_of_a_file_is_detected(octets: bytes, form: str):
    assert detect(octets) == form


@pytest.mark.parametrize(
    ("kernel", "what"),
    [
        (Kernel("k", [], [], [Block("a", False, [], ["t"])]), "a Block with 4 arguments"),
        (Kernel("k", [], [], [Block("a", False, [Stmt(TOPK, None, Pos(1))])]),
         "constructor topk of Operator"),
        (Kernel("k", [TensorName("t", Dtype.bool, Shape(1, []), Address("t", Memory.hbm, 1, 1), 1)],
                [], []), "Dtype bool"),
    ],
)  # fmt: skip
def test_a_plain_file_has_no_extensions(kernel: Kernel, what: str):
    octets = write(kernel).replace(b"\x6bNKI+opennki", b"\x63NKI")
    text = message(octets)
    assert text.startswith("NKI4108: byte ")
    assert f"begins {what}, an extension of opennki, but the format is `NKI`" in text


def test_a_large_file_is_refused_by_its_size(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(klr_files, "MAX_BYTES", 20)
    text = message(write(EMPTY))
    assert text == "NKI4104: the size of k.klr is 28 bytes; at most 20 bytes can be read"


def test_deep_nesting_is_refused(kernel: LncKernel):
    octets = HEAD + bytes.fromhex("d9ec0281 d9690084 616b 80 80 81 d9680083 6162 f4 81 d9670083")
    octets += bytes.fromhex("d9da2c81 d9bf0082 d9800081") + _nested(1000)
    text = message(octets)
    assert text.startswith("NKI4104: the nesting of values at byte ")
    assert text.endswith(" is 65; at most 64 can be read")


def _nested(depth: int) -> bytes:
    """The beginning of accesses, each by the value of the next."""
    name = encode(TensorName("t", Dtype.int8, Shape(1, []), Address("t", Memory.hbm, 1, 1), 1))[0]
    level = bytes.fromhex("d97d0381 d97c0087") + name + bytes.fromhex("00 80 d9ff0080 d9ff0181")
    return level * depth


def _deep(depth: int) -> Operator:
    """A store by way of accesses, each by the value of the next."""
    of = TensorName("t", Dtype.int8, Shape(1, []), Address("t", Memory.hbm, 1, 1), 1)
    access: Access = Simple(of)
    for _ in range(depth):
        access = BirPattern(BirAccessPattern(of, 0, [], vectorOffset=access))
    return Operator("tensorStore", TensorStore(Abstract(access), "i"))


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        (Kernel("\ud800", [], [], []), "kernel.name is '\\ud800'; a KLR file holds a text of "
         "Unicode characters there"),
        (Kernel("k", [], [], [Block("a", False, [Stmt(Operator("registerMove", RegisterMove(
            "i", 1 << 31)), None, Pos(1))])]), "kernel.body[0].body[0].op.op.imm is 2147483648; a "
         "KLR file holds an integer from -2**31 to 2**31 - 1 there"),
        (Kernel("k", [], [], [Block("a", False, [Stmt(Operator("registerMove", RegisterMove(
            "i", 1)), None, Pos(-1))])]), "kernel.body[0].body[0].pos.line is -1; a KLR file holds "
         "an integer from 0 to 2**64 - 1 there"),
        (Kernel("k", [], [], [Block("a", False, [Stmt(_deep(40), None, Pos(1))])]), None),
        (Kernel("k", None, [], []), "kernel.inputs is None; a KLR file holds a list there"),  # type: ignore[arg-type]
        (Kernel("k", [Shape(1, [])], [], []), "kernel.inputs[0] is a Shape; "  # type: ignore[list-item]
         "a KLR file holds a TensorName there"),
        (Kernel("k", [], [], [Block("a", 1, [])]), "kernel.body[0].noReorder is 1; a KLR file "  # type: ignore[arg-type]
         "holds True or False there"),
    ],
)  # fmt: skip
def test_what_no_file_can_hold_is_not_written(kernel: Kernel, text: str | None):
    with pytest.raises(NkiError) as caught:
        write(kernel)
    (found,) = caught.value.diagnostics
    if text is None:
        assert found.message.endswith("values that are nested at most 64 deep there")
        return
    assert f"{found.code.id}: {found.message}" == f"NKI4105: {text}"
