"""KLR as JSON: structures are objects, constructors strings or objects of one key, none is null.

``{"lnc": {"kernel": {"name": "k", ...}}}``. Floats that JSON lacks are "NaN", "Infinity" and
"-Infinity", a NaN with a payload "NaN:7f800001"; opaque contents are hexadecimal. The reader keeps
where everything stands, so that errors have a line and a column.
Source: KLR abstract syntax; the form is what Lean derives for its types.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from opennki.base.codes import NKI4002, NKI4008
from opennki.base.diag import NkiError

from .files import as_contents, check_length
from .kernel import Contents, Kernel, LncKernel
from .syntax import article
from .text_forms import MAX_TEXT_NESTING, Decoder, Encoder, Item, too_deep

_TOKEN: Final = re.compile(
    r'[ \t\r\n]*(?:(?P<text>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")'
    r"|(?P<word>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\w.])"
    r"|(?:true|false|null)\b)|(?P<mark>[][{}:,])|(?P<end>\Z))"
)


def to_json(contents: Contents | Kernel | LncKernel, indent: int | None = None) -> str:
    """`contents` as JSON text. Raises: NKI4105 for what no file can hold."""
    document = _Plain().whole(as_contents(contents))
    return json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)


def from_json(text: str, file: str = "<json>") -> Contents:
    """The contents that JSON `text` says; `file` is its name in messages.

    Raises: NKI4008 and NKI4002 if it is not JSON, and as `Decoder.node` says; each with line and
        column.
    """
    check_length(text, file)
    decoder = _Decoder(text, file)
    made = decoder.node(_Parser(decoder).document(), Contents)
    assert isinstance(made, Contents)
    return made


class _Plain(Encoder[Any]):
    """Dicts, lists and leaves for `json.dumps`."""

    def structure(self, fields: list[tuple[str, Any]]) -> Any:
        return dict(fields)

    def choice(self, name: str, fields: list[tuple[str, Any]]) -> Any:
        return {name: dict(fields)} if fields else name

    def items(self, found: list[Any]) -> Any:
        return found

    def option(self, found: Any) -> Any:
        return found

    def leaf(self, value: bool | int | float | str) -> Any:
        return value


class _Decoder(Decoder):
    def pairs(self, item: Item, what: str) -> list[tuple[Item, Item]]:
        if item.what != "object":
            raise self.unexpected(item, f"an object of {what}")
        found: list[tuple[Item, Item]] = item.value
        return found

    def chosen(self, item: Item, what: str) -> tuple[Item, list[tuple[Item, Item]]]:
        if item.what == "text":
            return item, []
        if item.what != "object" or len(item.value) != 1:
            raise self.unexpected(item, f"a name or an object of one key, {article(what)},")
        ((name, inner),) = item.value
        return name, self.pairs(inner, name.value[:60])

    def option(self, item: Item) -> Item | None:
        return None if item.what == "word" and item.value == "null" else item


class _Parser:
    """Reads items, one call for each level of nesting."""

    def __init__(self, decoder: _Decoder) -> None:
        self._decoder = decoder
        self._text = decoder.text
        self._pos = 0
        self._depth = 0

    def document(self) -> Item:
        """The only item of the text."""
        item = self._item()
        at, kind, _ = self._next()
        if kind != "end":
            raise self._error(at, "something follows the end of the value")
        return item

    def _item(self) -> Item:
        at, kind, token = self._next()
        if kind == "word":
            return Item(at, "word", token)
        if kind == "text":
            return Item(at, "text", self._unquoted(at, token))
        if token not in ("[", "{"):
            raise self._unexpected(at, kind, "a value")
        self._depth += 1
        if self._depth > MAX_TEXT_NESTING:
            raise too_deep(self._decoder, at)
        found: list[Any] = []
        close = "]" if token == "[" else "}"
        if not self._at(close):
            while True:
                found.append(self._item() if token == "[" else self._pair())
                at_mark, kind, mark = self._next()
                if mark == close:
                    break
                if mark != ",":
                    raise self._unexpected(at_mark, kind, f"`,` or `{close}`")
        self._depth -= 1
        return Item(at, "list" if token == "[" else "object", found)

    def _pair(self) -> tuple[Item, Item]:
        at, kind, token = self._next()
        if kind != "text":
            raise self._unexpected(at, kind, "a key in quotes")
        key = Item(at, "text", self._unquoted(at, token))
        at, kind, mark = self._next()
        if mark != ":":
            raise self._unexpected(at, kind, "`:`")
        return key, self._item()

    def _at(self, mark: str) -> bool:
        """Step over `mark` if it is next, and say whether it was."""
        pos = self._pos
        if self._next()[2] == mark:
            return True
        self._pos = pos
        return False

    def _next(self) -> tuple[int, str, str]:
        """Offset, kind and text of the next token; steps over it."""
        found = _TOKEN.match(self._text, self._pos)
        if found is None:
            at = self._pos + len(self._text[self._pos :]) - len(self._text[self._pos :].lstrip())
            raise self._error(at, f"unexpected {self._text[at : at + 20]!a}")
        kind = found.lastgroup
        assert kind is not None
        self._pos = found.end()
        return found.start(kind), kind, found[kind]

    def _unquoted(self, at: int, token: str) -> str:
        try:
            return str(json.loads(token))
        except ValueError as error:
            raise self._error(at, str(error).partition(":")[0]) from None

    def _unexpected(self, at: int, kind: str, expected: str) -> NkiError:
        if kind == "end":
            return self._decoder.error(NKI4002, at, expected=expected)
        return self._error(at, f"{expected} is expected, not {self._text[at : at + 20]!a}")

    def _error(self, at: int, text: str) -> NkiError:
        return self._decoder.error(NKI4008, at, text=text)
