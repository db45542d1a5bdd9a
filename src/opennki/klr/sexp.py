"""KLR as S-expressions: a structure is a list of (field value), a constructor begins with a name.

``(lnc (kernel ((name k) (inputs ()) ...)))``. A constructor without fields is its name; an option
is ``()`` or ``(value)``. Atoms with blanks, brackets, quotes or semicolons are quoted as in JSON; a
comment runs from ``;`` to the end of its line. Floats and opaque contents are as in the JSON form.
Source: KLR abstract syntax; the form is that of its own printer, which does not quote.
"""

from __future__ import annotations

import json
import re
from typing import Final

from opennki.base.codes import NKI4001, NKI4002, NKI4012

from .files import as_contents, check_length
from .kernel import Contents, Kernel, LncKernel
from .syntax import article
from .text_forms import MAX_TEXT_NESTING, Decoder, Encoder, Item, too_deep

WIDTH: Final = 100
"""Columns that lines are broken to fit, where they can be."""

_PLAIN: Final = re.compile(r'[^\s()";\x00-\x1f\x7f]+')
_TOKEN: Final = re.compile(
    r'(?:\s|;[^\n]*)*(?:(?P<mark>[()])|(?P<text>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")'
    r'|(?P<word>[^\s()";]+)|(?P<end>\Z)|(?P<bad>"))'
)

Tree = str | list["Tree"]


def to_sexp(contents: Contents | Kernel | LncKernel) -> str:
    """`contents` as an S-expression, indented for people. Raises: NKI4105 as `write` does."""
    return "\n".join(_lines(_Trees().whole(as_contents(contents)), WIDTH)) + "\n"


def from_sexp(text: str, file: str = "<sexp>") -> Contents:
    """The contents that an S-expression says; `file` is its name in messages.

    Raises: NKI4001, NKI4002 and NKI4012 if it is none, and as `Decoder.node` says; each with line
        and column.
    """
    check_length(text, file)
    decoder = _Decoder(text, file)
    made = decoder.node(_Parser(decoder).document(), Contents)
    assert isinstance(made, Contents)
    return made


class _Trees(Encoder[Tree]):
    """Nested lists of atoms."""

    def structure(self, fields: list[tuple[str, Tree]]) -> Tree:
        return [[name, value] for name, value in fields]

    def choice(self, name: str, fields: list[tuple[str, Tree]]) -> Tree:
        return [name, *([field, value] for field, value in fields)] if fields else name

    def items(self, found: list[Tree]) -> Tree:
        return found

    def option(self, found: Tree | None) -> Tree:
        return [] if found is None else [found]

    def leaf(self, value: bool | int | float | str) -> Tree:
        if isinstance(value, str):
            return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)
        return str(value).lower() if isinstance(value, bool) else repr(value)


def _lines(tree: Tree, width: int) -> list[str]:
    """`tree` on one line if it fits, else its items below each other, further to the right."""
    if isinstance(tree, str):
        return [tree]
    parts = [_lines(item, width - 2) for item in tree]
    if all(len(part) == 1 for part in parts):
        line = "(" + " ".join(part[0] for part in parts) + ")"
        if len(line) <= width:
            return [line]
    indent = "  " if isinstance(tree[0], str) else " "
    found = [indent + line for part in parts for line in part]
    found[0] = "(" + found[0].lstrip()
    found[-1] += ")"
    return found


class _Decoder(Decoder):
    def pairs(self, item: Item, what: str) -> list[tuple[Item, Item]]:
        if item.what != "list":
            raise self.unexpected(item, f"a list of the fields of {what}")
        return [self._pair(entry, what) for entry in item.value]

    def _pair(self, entry: Item, what: str) -> tuple[Item, Item]:
        if entry.what != "list" or len(entry.value) != 2 or entry.value[0].what != "word":
            raise self.unexpected(entry, f"(field value) of {what}")
        return entry.value[0], entry.value[1]

    def chosen(self, item: Item, what: str) -> tuple[Item, list[tuple[Item, Item]]]:
        if item.what == "word":
            return item, []
        if item.what != "list" or not item.value or item.value[0].what != "word":
            raise self.unexpected(item, f"the name of {article(what)}")
        name, *rest = item.value
        return name, [self._pair(entry, name.value[:60]) for entry in rest]

    def option(self, item: Item) -> Item | None:
        if item.what != "list" or len(item.value) > 1:
            raise self.unexpected(item, "() or (value)")
        return item.value[0] if item.value else None

    def is_string(self, item: Item) -> bool:
        return item.what in ("text", "word")


class _Parser:
    """Reads items, one call for each level of nesting."""

    def __init__(self, decoder: _Decoder) -> None:
        self._decoder = decoder
        self._pos = 0
        self._depth = 0

    def document(self) -> Item:
        """The only item of the text."""
        item = self._item(*self._next())
        at, kind, token = self._next()
        if kind != "end":
            end = "the end of the text"
            raise self._decoder.error(NKI4001, at, got=_shown(token), expected=end)
        return item

    def _item(self, at: int, kind: str, token: str) -> Item:
        if kind == "word":
            return Item(at, "word", token)
        if kind == "text":
            return Item(at, "text", self._unquoted(at, token))
        if kind == "end":
            raise self._decoder.error(NKI4002, at, expected="an atom or `(`")
        if token != "(":
            raise self._decoder.error(NKI4001, at, got=_shown(token), expected="an atom or `(`")
        self._depth += 1
        if self._depth > MAX_TEXT_NESTING:
            raise too_deep(self._decoder, at)
        found: list[Item] = []
        while (following := self._next())[2] != ")":
            found.append(self._item(*following))
        self._depth -= 1
        return Item(at, "list", found)

    def _next(self) -> tuple[int, str, str]:
        """Offset, kind and text of the next token; steps over it."""
        text = self._decoder.text
        found = _TOKEN.match(text, self._pos)
        assert found is not None, "every character begins a token"
        kind = found.lastgroup
        assert kind is not None
        at = found.start(kind)
        if kind == "bad":
            begin = ascii(text[at : at + 20])
            raise self._decoder.error(NKI4012, at, text=begin)
        if kind == "end" and self._depth:
            raise self._decoder.error(NKI4002, at, expected="`)`")
        self._pos = found.end()
        return at, kind, found[kind]

    def _unquoted(self, at: int, token: str) -> str:
        try:
            return str(json.loads(token))
        except ValueError:
            expected = "a string with valid escapes"
            raise self._decoder.error(NKI4001, at, got=_shown(token), expected=expected) from None


def _shown(token: str) -> str:
    return f"`{ascii(token[:20])[1:-1]}`"
