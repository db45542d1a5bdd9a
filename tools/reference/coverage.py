"""The page of coverage: where each public name runs, which rules are checked, and what pins it."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator
from typing import Any

from opennki.base.codes import (
    NKI2101,
    NKI2102,
    NKI2103,
    NKI2104,
    NKI2105,
    NKI2106,
    NKI2107,
    NKI2108,
    NKI2113,
    NKI2114,
    NKI2121,
)
from opennki.base.diag import Code
from opennki.ir import Access, Inst, Operand, Space
from opennki.isa.alu import SINCE
from opennki.isa.enums import Engine
from opennki.isa.registry import BY_NKI

from . import language, mentions, names, spelling
from .isa import own_codes
from .markdown import code, page, table
from .reach import codes

SHOWN = {
    "nki": "Functions.",
    "nki.isa": "Instructions, then enumerations and functions of the target.",
    "nki.language": "Functions, then dtypes, memories and classes.",
    "nki.language.NkiTensor": "Attributes and methods of tensors.",
    "nki.collectives": "Functions and classes.",
}


def text() -> str:
    """The whole page."""
    listed = names.public()
    found = mentions.all_uses()
    parts = []
    for home, members in listed.items():
        if home in SHOWN:
            rows = [_row(home, name, found) for name in members]
            parts.append(
                f"## {home}\n\n{SHOWN[home]}\n\n"
                + table(["name", "targets", "engines", "rules", "tests"], rows)
            )
    return page(
        "Coverage",
        "Every public name of the NKI API reference, and what opennki has for it. Rules are the\n"
        "[codes](errors.md) that the declaration and the checks of a name can give, besides those "
        "of\n[every operand](isa.md#what-every-instruction-needs); a \\* means that a kernel in "
        "`tests/kernels/fail`\nwhich uses the name breaks just that rule. Tests are files under "
        "`tests` that use the name, those\nnearest to it first.",
        _missing(listed),
        *parts,
        _members(listed),
    )


def _missing(listed: dict[str, list[str]]) -> str:
    rows = [
        [code(f"{home}.{name}"), said if " " in said else _link(said)]
        for home, members in listed.items()
        for name in members
        if (said := names.absent(home, name))
    ]
    total = sum(map(len, listed.values()))
    head = f"## Missing\n\n{len(rows)} of {total} names."
    if not rows:
        return head
    return f"{head} Inside of a kernel each gives {_link('NKI1029')}.\n\n" + table(
        ["name", "what is said of it"], rows
    )


def _row(home: str, name: str, found: list[mentions.Uses]) -> list[str]:
    if names.absent(home, name):
        return [code(name), "missing", "", "", ""]
    item = getattr(names.home_of(home), name)
    cls = BY_NKI.get(name) if home == "nki.isa" else None
    if cls is not None:
        where = spelling.lifetime(cls.spec.since, cls.spec.until)
        engines, rules = spelling.engines(cls.spec.engines), [*declared(cls), *own_codes(cls)]
    else:
        where, engines, rules = "", "", []
        if inspect.isfunction(item) or isinstance(item, property):
            where, engines, rules = _function(home, item)
    classes = {cls.__name__} if cls is not None else set()
    users = [one.file for one in found if one.has(home, name, classes)]
    broken = {code_of(file) for file in users if file.startswith(FAIL)}
    ids = sorted({one.id for one in rules})
    shown = ", ".join(one + ("\\*" if one in broken else "") for one in ids)
    return [code(name), where, engines, shown, _tests(users)]


FAIL = "kernels/fail/"


def code_of(file: str) -> str:
    """The code that a kernel of `FAIL` gives, by its name."""
    return file.removeprefix(FAIL).partition("_")[0]


def declared(cls: type[Inst]) -> Iterator[Code]:
    """Codes that follow from what an instruction declares: memories, dtypes, sizes, engines."""
    operands = [o for o in cls.spec.operands if o.access is not Access.STATE]
    words = Counter(word for o in operands for word in {*o.shape} - {"*", "...", "1"})
    if operands:
        yield NKI2105
    for operand in operands:
        yield from _of_operand(operand)
    again = {word for word, count in words.items() if count > 1 and not word.isdigit()}
    yield from (NKI2101 for _ in again & {"P"})
    yield from (NKI2102 for _ in again & {"F"})
    yield from (NKI2103 for _ in again - {"P", "F"})
    if len(cls.spec.engines) < len(_COMPUTING):
        yield NKI2113
    if Engine.POOL in cls.spec.engines and any(Space.psum in o.spaces for o in operands):
        yield NKI2114
    oldest = spelling.MACHINES[0].order
    if max([cls.spec.since, *(s for a in cls.spec.attrs for s in a.since.values())]) > oldest:
        yield NKI2108


_COMPUTING = (Engine.PE, Engine.ACT, Engine.DVE, Engine.POOL, Engine.SP)


def _of_operand(operand: Operand) -> Iterator[Code]:
    if operand.dtypes is not None:
        yield NKI2106
    if operand.limits:
        yield NKI2104
    if any(word.isdigit() for word in operand.shape):
        yield NKI2107
    if not operand.number:
        yield NKI2121


def _function(home: str, item: Any) -> tuple[str, str, list[Code]]:
    """Targets, engines and codes of a function or method."""
    package = language.SEMA if home == "nki.language" else "opennki"
    fn = item.fget if isinstance(item, property) else item
    if home in ("nki", "nki.isa"):
        return "", "", []
    if home != "nki.language":
        return "", "", codes(fn, "opennki.trace", names.home_of(home))
    emitted = [BY_NKI[name] for name in language.emitted(fn)]
    engines = {e: None for cls in emitted for e in cls.spec.engines}
    operator = getattr(fn, "__nki_alu__", None)
    since = SINCE.get(operator, 0)
    return spelling.lifetime(since, None), spelling.engines(tuple(engines)), codes(fn, package)


def _tests(users: list[str]) -> str:
    pinned = [
        code(file.removesuffix(".py"))
        for file in users
        if not file.startswith(FAIL) and not file.endswith("conftest.py")
    ]
    return ", ".join(pinned[: mentions.MOST] + (["more"] if len(pinned) > mentions.MOST else []))


def _members(listed: dict[str, list[str]]) -> str:
    rows = [
        [code(home), ", ".join(code(n) for n in members if not names.absent(home, n))]
        for home, members in listed.items()
        if home not in SHOWN
    ]
    return "## Members\n\nOf enumerations and other classes.\n\n" + table(["class", "has"], rows)


def _link(id_: str) -> str:
    return f"[{id_}](errors.md#{id_.lower()})"
