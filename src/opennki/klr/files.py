"""Whole KLR files: a version, a format, and contents. `read` and `write` are exact inverses.

Source: KLR abstract syntax, "File format". A file that uses none of our extensions says the
published format and holds nothing but the published syntax; one that does says `EXTENDED`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from opennki.base.codes import (
    NKI4007,
    NKI4103,
    NKI4104,
    NKI4106,
    NKI4107,
    NKI4109,
)
from opennki.base.diag import amount, fail
from opennki.base.loc import UNKNOWN, SrcLoc

from .cbor_reader import Reader, hexadecimal
from .cbor_writer import TAG, encode
from .kernel import (
    EXTENDED,
    OLDER,
    PLAIN,
    VERSION,
    Contents,
    HloContents,
    Kernel,
    KernelContents,
    KLRFile,
    KLRMetaData,
    LncContents,
    LncKernel,
    NkiContents,
    PythonContents,
)

MAGIC: Final = bytes((TAG, KLRFile.schema.tag, KLRFile.schema.index, 0x83))
"""The first bytes of every KLR file."""

MAX_BYTES: Final = 256 << 20
"""Larger files are not read. Model: a hundred thousand statements have about 30 MiB."""

MAX_CHARACTERS: Final = 128_000_000
"""Longer texts are not read: every character may become an object."""

_FORMATS: Final = (PLAIN, OLDER, EXTENDED)


@dataclass(frozen=True, slots=True)
class File:
    """What a KLR file holds: its version, the format it says, and the contents."""

    version: tuple[int, int, int]
    format: str
    contents: Contents


def read(octets: bytes, file: str = "<klr>") -> File:
    """The KLR file that `octets` are; `file` is its name in messages.

    Raises: NKI4103 if it is none, NKI4007 for another version, NKI4106 for another format, NKI4101
        and NKI4102 with the byte for what is not as it should be, NKI4104 beyond a limit, NKI4107
        for bytes at the end, NKI4108 for extensions in a file that says it has none.
    """
    reader = Reader(octets, file)
    loc = reader.loc
    if len(octets) > MAX_BYTES:
        what, got, limit = f"the size of {file}", amount(len(octets)), amount(MAX_BYTES)
        raise fail(NKI4104, loc, what=what, got=got, limit=limit)
    if not octets.startswith(MAGIC) and not MAGIC.startswith(octets):
        raise _foreign(octets, file)
    header = reader.node(KLRFile)
    assert isinstance(header, KLRFile)
    version = (header.major, header.minor, header.patch)
    if version != VERSION:
        raise fail(NKI4007, loc, form="KLR", got=_dotted(version), want=_dotted(VERSION))
    meta = reader.node(KLRMetaData)
    assert isinstance(meta, KLRMetaData)
    if meta.format not in _FORMATS:
        raise fail(NKI4106, loc, got=meta.format[:60], known=_FORMATS)
    reader.extended = meta.format == EXTENDED
    if meta.format == OLDER:
        older = (PythonContents, NkiContents, HloContents)
        reader.older[Contents.schema.tag] = [c.schema for c in older]
    contents = reader.node(Contents)
    assert isinstance(contents, Contents)
    if reader.pos < len(octets):
        raise fail(NKI4107, loc, offset=reader.pos, count=len(octets) - reader.pos)
    return File(version, meta.format, contents)


def check_length(text: str, file: str) -> None:
    """Raises: NKI4104 for a text of more than `MAX_CHARACTERS`."""
    if len(text) > MAX_CHARACTERS:
        what, got = f"the length of {file}", f"{len(text)} characters"
        raise fail(NKI4104, SrcLoc(file, 0), what=what, got=got, limit=MAX_CHARACTERS)


def write(contents: Contents | Kernel | LncKernel) -> bytes:
    """A KLR file with these contents. Raises: NKI4105 for what a file cannot hold."""
    body, extended = encode(as_contents(contents))
    header, _ = encode(KLRFile(*VERSION))
    meta, _ = encode(KLRMetaData(EXTENDED if extended else PLAIN))
    return header + meta + body


def as_contents(value: Contents | Kernel | LncKernel) -> Contents:
    """`value` as the contents of a file."""
    if isinstance(value, Kernel):
        return KernelContents(value)
    return LncContents(value) if isinstance(value, LncKernel) else value


def lowerable(contents: Contents) -> Kernel | LncKernel:
    """The kernel in `contents`. Raises: NKI4109 if they are an earlier stage of one."""
    if isinstance(contents, (KernelContents, LncContents)):
        return contents.kernel
    kind = contents.wire().name
    if isinstance(contents, HloContents):
        what = f"the name {contents.name!r} of a kernel that is elsewhere"
    else:
        language = "Python" if isinstance(contents, PythonContents) else "NKI"
        what = f"a kernel as a syntax tree of {language}"
    raise fail(NKI4109, UNKNOWN, kind=kind, what=what)


def detect(octets: bytes) -> str:
    """Which form a file has: ``"cbor"``, ``"json"``, ``"sexp"``, or ``""`` for none of them."""
    if octets.startswith(MAGIC):
        return "cbor"
    first = octets.lstrip()[:1]
    return {b"{": "json", b'"': "json", b"(": "sexp", b";": "sexp"}.get(first, "")


def _foreign(octets: bytes, file: str) -> Exception:
    form = detect(octets[:4096])
    advice = f"it looks like the {form} form, which has a reader of its own" if form else ""
    got = hexadecimal(octets[:4])
    return fail(NKI4103, SrcLoc(file, 0), file=file, got=got, advice=advice)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
