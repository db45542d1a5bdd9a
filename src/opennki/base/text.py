"""Lexing and writing of text: shared by the textual forms of Penguin, BIR and Program.

Here are tokens, quoting and positions; what a form means is up to its own printer and parser.

The text is a sequence of tokens; blanks and line ends separate them and mean nothing else, and a
comment runs from ``//`` to the end of its line. Tokens are:

- names: ``op``, ``float8_e4m3``, ``dma.queue``, ``I-3``, ``unroll-loops`` (inner dashes and dots,
  one at a time)
- names with a sigil: ``%tile``, ``@add``; any other name is quoted: ``%"my tile"``, ``"0"``
- integers ``-12``, ``0x1f``; floats ``1.5``, ``-1e-05``, ``0x1.8p+1``, ``inf``, ``-inf``, ``nan``
- strings ``"..."`` with the escapes of JSON
- ``..``, ``->``, ``==``, ``<=``, ``>=``, ``+=`` and every other single character

A sign belongs to the number that follows it without a blank: ``i - 3`` is three tokens, ``-3`` one.
Every name and every number that `name_text`, `string_text` and `number_text` write reads back
exactly, whatever characters a name has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice
from json.encoder import encode_basestring_ascii
from math import inf
from operator import length_hint
from typing import Final

from .codes import NKI4001, NKI4002, NKI4003, NKI4004, NKI4005, NKI4006, NKI4012, NKI4015
from .diag import NkiError, fail
from .loc import SrcLoc

_STRING: Final = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_NAME: Final = r"[A-Za-z_]\w*(?:[.-]\w+)*"  # single dots: `..` is a token after a name, too
_HEX: Final = r"0x[0-9a-fA-F]+(?:\.[0-9a-fA-F]+)?(?:p[-+]?\d+)?"
_DECIMAL: Final = r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_TOKEN: Final = re.compile(
    rf"//.*|[%@]?(?:{_NAME}|{_STRING})|-?(?:{_HEX}|{_DECIMAL}|inf(?![\w.-]))|\.\.|->|[=<>+]=|\S",
    re.ASCII,
)
_PLAIN: Final = re.compile(_NAME, re.ASCII)
_COMMENT: Final = re.compile(r"  // [^\"\n]*$")
_NAME_START: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_DIGITS: Final = frozenset("0123456789")
_SPECIAL_FLOATS: Final = frozenset({"inf", "-inf", "nan"})

Position = tuple[int, int]
"""Where a token is: its line (1-based) and how many tokens follow it on that line."""


def name_text(name: str, reserved: Collection[str] = ()) -> str:
    """`name` as a token: bare if it is a plain identifier and not in `reserved`, else quoted."""
    if _PLAIN.fullmatch(name) and name not in reserved:
        return name
    return encode_basestring_ascii(name)


def string_text(text: str) -> str:
    """`text` as a quoted token, in ASCII."""
    return encode_basestring_ascii(text)


def place_text(loc: SrcLoc) -> str:
    """File (without its directories) and line of `loc` as comments have it: ``add.py:7``."""
    file = loc.file.replace("\\", "/").rpartition("/")[2]
    return f"{string_text(file)[1:-1]}:{loc.line}"


def without_comment(line: str) -> str:
    """One line of a text without the comment at its end."""
    return _COMMENT.sub("", line)


def number_text(value: int | float) -> str:
    """`value` as a token that reads back as the same int or float (``nan`` has no payload)."""
    return float.__repr__(value) if isinstance(value, float) else str(int(value))


def nearest(name: str, known: Iterable[str]) -> str:
    """The name in `known` that is most like `name`; the first few of them if none is like it."""
    names = list(islice(known, 1000))
    close = get_close_matches(name, names, 1)
    return close[0] if close else ", ".join(names[:8]) or "nothing"


class Reader:
    """Tokens of a text, one at a time.

    Attributes: token, the current one as it is spelled; ``""`` at the end of the text. Tokens are
    made line by line, so a long text needs no list of all of them.
    """

    __slots__ = ("_file", "_line", "_lines", "_tokens", "token")

    def __init__(self, text: str, file: str = "<text>") -> None:
        self._file = file
        self._lines = text.split("\n")
        self._line = 0
        self._tokens: Iterator[str] = iter(())
        self.token = ""
        self.advance()

    def advance(self) -> None:
        """Make the next token the current one."""
        for token in self._tokens:
            self.token = token
            return
        while self._line < len(self._lines):
            tokens = _TOKEN.findall(self._lines[self._line])
            self._line += 1
            if tokens and tokens[-1].startswith("//"):
                tokens.pop()
            if tokens:
                self._tokens = iter(tokens)
                self.token = next(self._tokens)
                return
        self.token = ""

    def accept(self, token: str) -> bool:
        """Step over the current token if it is spelled `token`; say whether it was."""
        if self.token == token:
            self.advance()
            return True
        return False

    def expect(self, *tokens: str) -> None:
        """Step over `tokens`. Raises: NKI4001 when one of them is not there."""
        for token in tokens:
            if self.token != token:
                raise self.unexpected(f"`{token}`")
            self.advance()

    def expect_end(self) -> None:
        """Raises: NKI4001 when tokens are left."""
        if self.token:
            raise self.unexpected("the end of the text")

    def name(self, what: str = "a name") -> str:
        """Step over a bare or quoted name and return it. Raises: NKI4001, expecting `what`."""
        token = self.token
        if token and token[0] in _NAME_START:
            self.advance()
            return token
        return self.string(what)

    def word(self, what: str) -> str:
        """Step over a bare name and return it. Raises: NKI4001, expecting `what`."""
        token = self.token
        if not token or token[0] not in _NAME_START:
            raise self.unexpected(what)
        self.advance()
        return token

    def sigil(self, sigil: str, what: str = "a name") -> str:
        """Step over a name with the sigil ``%`` or ``@`` and return it without the sigil.

        Raises: NKI4001, expecting `what`.
        """
        token = self.token
        if len(token) < 2 or token[0] != sigil:
            raise self.unexpected(f"{what} with `{sigil}`")
        name = token[1:] if token[1] != '"' else self._unquote(token[1:], what)
        self.advance()
        return name

    def string(self, what: str = "a string") -> str:
        """Step over a quoted string and return its contents. Raises: NKI4001."""
        token = self.token
        if len(token) < 2 or token[0] != '"':
            raise self.unexpected(what)
        text = self._unquote(token, what)
        self.advance()
        return text

    def at_number(self) -> bool:
        """Whether the current token is an integer or a float."""
        token = self.token
        return token in _SPECIAL_FLOATS or token.lstrip("-")[:1] in _DIGITS

    def integer(self, what: str = "an integer") -> int:
        """Step over an integer and return it. Raises: NKI4001, expecting `what`."""
        token = self.token
        if not self.at_number():
            raise self.unexpected(what)
        try:
            value = int(token, 16 if "x" in token else 10)
        except ValueError:
            raise self._malformed("an integer") from None
        self.advance()
        return value

    def number(self, what: str = "a number") -> int | float:
        """Step over an integer or a float and return it. Raises: NKI4001, expecting `what`."""
        token = self.token
        if not self.at_number():
            raise self.unexpected(what)
        value: int | float
        try:
            if "x" in token:
                value = float.fromhex(token) if "." in token or "p" in token else int(token, 16)
            else:
                value = int(token) if token.lstrip("-").isdigit() else float(token)
        except (ValueError, OverflowError):
            raise self._malformed("a number") from None
        if value in (inf, -inf) and token not in _SPECIAL_FLOATS:
            raise self._malformed("a number that a float can hold")
        self.advance()
        return value

    def here(self) -> Position:
        """The position of the current token, for an error that is found later."""
        return self._line, length_hint(self._tokens)

    def loc(self, at: Position | None = None) -> SrcLoc:
        """Location in the text of the current token, or of the one at `at`."""
        line, following = at or self.here()
        text = self._lines[line - 1]
        spans = [m.span() for m in _TOKEN.finditer(text) if not m.group().startswith("//")]
        if (at is None and not self.token) or not spans:
            return SrcLoc(self._file, line, len(text), len(text))
        start, end = spans[-1 - following]
        return SrcLoc(self._file, line, start, end)

    def unexpected(self, expected: str, at: Position | None = None) -> NkiError:
        """The error that `expected` is not there (NKI4001, NKI4002, NKI4012). To be raised."""
        loc = self.loc(at)
        text = self._lines[loc.line - 1]
        if at is None and not self.token:
            return fail(NKI4002, loc, expected=expected)
        if text[loc.col : loc.end_col] == '"':
            return fail(NKI4012, loc, text=f"`{text[loc.col :].strip()[:20]}`")
        return fail(NKI4001, loc, got=f"`{text[loc.col : loc.end_col]}`", expected=expected)

    def unknown(
        self, kind: str, name: str, known: Iterable[str], at: Position | None = None
    ) -> NkiError:
        """The error NKI4003: no word of a fixed table is spelled `name`. To be raised."""
        return fail(NKI4003, self.loc(at), kind=kind, name=name, close=nearest(name, known))

    def undefined(
        self, kind: str, name: str, known: Iterable[str], at: Position | None = None
    ) -> NkiError:
        """The error NKI4005: the text defines no `kind` called `name`. To be raised."""
        return fail(NKI4005, self.loc(at), kind=kind, name=name, close=nearest(name, known))

    def twice(self, kind: str, name: str, at: Position | None = None) -> NkiError:
        """The error NKI4004: the name is taken. To be raised."""
        return fail(NKI4004, self.loc(at), kind=kind, name=name)

    def out_of_range(
        self, field: str, got: object, allowed: str, at: Position | None = None
    ) -> NkiError:
        """The error NKI4015: a value is not in a range. To be raised."""
        return fail(NKI4015, self.loc(at), field=field, got=got, allowed=allowed)

    def _malformed(self, kind: str) -> NkiError:
        return fail(NKI4006, self.loc(), text=self.token[:40], kind=kind)

    def _unquote(self, token: str, what: str) -> str:
        try:
            text = json.loads(token)
        except ValueError:
            raise self.unexpected(f"{what} with valid escapes") from None
        return str(text)

    def items(self, close: str) -> Iterator[None]:
        """Stop at every item of a comma-separated list that ends with the token `close`.

        ``[r.integer() for _ in r.items("]")]`` reads the rest of ``[1, 2, 3]``. Raises: NKI4001.
        """
        if self.accept(close):
            return
        while True:
            yield
            if self.accept(close):
                return
            if not self.accept(","):
                raise self.unexpected(f"`,` or `{close}`")


class Writer:
    """Lines of text with indentation."""

    __slots__ = ("_indent", "lines")

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._indent = ""

    def line(self, text: str) -> None:
        """Add one line (which holds no line end of its own)."""
        self.lines.append(self._indent + text)

    @contextmanager
    def block(self, head: str, comment: str = "") -> Iterator[None]:
        """Write ``head {``, what the body writes one level deeper, and ``}``."""
        outer = self._indent
        self.lines.append(f"{outer}{head} {{{comment}")
        self._indent = outer + "  "
        yield
        self._indent = outer
        self.lines.append(outer + "}")

    def text(self) -> str:
        """Everything that was written, ending with a line end."""
        return "\n".join(self.lines) + "\n"
