"""Damaged, cut, and random files: nothing but a named error comes out, and quickly."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from opennki.base.diag import NkiError
from opennki.klr import Contents, LncKernel, Node
from opennki.klr.files import read, write
from opennki.klr.json_form import from_json, to_json
from opennki.klr.sexp import from_sexp, to_sexp

INSERTS = (
    b"\xff", b"\x9b" + b"\xff" * 8, b"\x9b\x10" + bytes(7), b"\x7b" + b"\xff" * 8, b"\xbb",
    bytes.fromhex("d97d0381") * 100, b"\xd9\xff\x01\x81", b"\x1f\x5f\x9f",
)  # fmt: skip
LETTERS = '()[]{}",:;\\0123456789-eE. \n\tanNIu\x00\ud800é'
SNIPPETS = (
    "(" * 300, "[" * 3000, "9" * 5000, '"\\ud800"', "1e999", '{"a":' * 300, "NaN", "null", "-",
    '"' + "x" * 50, "NaN:7f800000", "0x10", "1_000",
)  # fmt: skip


def holds(reader: Callable[[object], object], text: object) -> str:
    """The code of the error, or "" for what can be read and written again."""
    try:
        found = reader(text)
    except NkiError as error:
        return error.code if str(error) else "an error without a text"
    assert write(getattr(found, "contents", found))
    return ""


def test_a_file_that_is_cut_anywhere_is_an_error(kernel: LncKernel):
    octets = write(kernel)
    codes = {holds(read, octets[:end]) for end in range(len(octets))}
    assert codes == {"NKI4102", "NKI4104"}


def test_every_single_byte_may_be_wrong(kernel: LncKernel):
    octets = write(kernel)
    rng = random.Random(1)
    codes = set()
    for at in range(len(octets)):
        for bit in range(8) if at < 20 else [rng.randrange(8)]:
            damaged = bytearray(octets)
            damaged[at] ^= 1 << bit
            codes.add(holds(read, bytes(damaged)))
    assert codes >= {"", "NKI4007", "NKI4101", "NKI4103", "NKI4106"}


@pytest.mark.parametrize("seed", range(30))
def test_damage_gives_named_errors(seed: int, draw: Callable[[type[Node], int, bool], Contents]):
    octets = write(draw(Contents, seed, seed % 2 == 0))
    for damaged in damages(octets, random.Random(seed), 60):
        holds(read, damaged)


def damages(octets: bytes, rng: random.Random, count: int) -> Iterator[bytes]:
    for _ in range(count):
        found = bytearray(octets)
        for _ in range(rng.choice((1, 1, 2, 5))):
            at, what = rng.randrange(11, max(12, len(found))), rng.randrange(4)
            if what == 0:
                found[at : at + 1] = rng.randbytes(1)
            elif what == 1:
                del found[at : at + rng.randrange(1, 9)]
            elif what == 2:
                found[at:at] = rng.choice(INSERTS)
            else:
                found[at:] = b""
        yield bytes(found)


@pytest.mark.parametrize("seed", range(10))
def test_random_bytes_give_named_errors(seed: int):
    rng = random.Random(seed)
    head = bytes.fromhex("d9d9f783 00000c d9eb0081 634e4b49 d9ec0381")
    for size in (0, 1, 3, 4, 5, 100, 5000):
        assert holds(read, rng.randbytes(size))
        assert holds(read, head + rng.randbytes(size))


@pytest.mark.parametrize("inner", ["81", "c1", "d9ff0181", "9b1000000000000000", "a1"])
def test_deep_syntax_trees_do_not_exhaust_the_stack(inner: str):
    octets = bytes.fromhex("d9d9f783 00000c d9eb0081 634e4b49 d9ec0081")
    octets += bytes.fromhex(inner) * 200_000
    assert holds(read, octets) == "NKI4102"


@pytest.mark.parametrize(("to", "of"), [(to_json, from_json), (to_sexp, from_sexp)])
@pytest.mark.parametrize("seed", range(20))
def test_damaged_texts_give_named_errors(
    seed: int, to: Callable[[Contents], str], of: Callable[[str], Contents],
    draw: Callable[[type[Node], int, bool], Contents],
):  # fmt: skip
    rng = random.Random(seed)
    text = to(draw(Contents, seed, seed % 2 == 0))
    for _ in range(40):
        found = list(text)
        for _ in range(rng.choice((1, 2, 5))):
            at, what = rng.randrange(len(found) + 1), rng.randrange(4)
            if what == 0:
                found[at : at + 1] = rng.choice(LETTERS)
            elif what == 1:
                del found[at : at + rng.randrange(1, 20)]
            elif what == 2:
                found[at:at] = rng.choice(SNIPPETS)
            else:
                found[at:] = ""
        holds(of, "".join(found))


@pytest.mark.parametrize("of", [from_json, from_sexp])
@pytest.mark.parametrize("text", ["", " \n", "(" * 100_000, "[" * 100_000, '{"lnc":' * 100_000])
def test_texts_that_only_open_are_errors(text: str, of: Callable[[str], Contents]):
    assert holds(of, text) in ("NKI4001", "NKI4002", "NKI4003", "NKI4008", "NKI4104")
