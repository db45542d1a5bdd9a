"""One instruction of a kernel as it reads at every level of the roads that it takes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from opennki.base.codes import NKI7024
from opennki.base.diag import NkiError, fail
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.base.text import nearest, place_text, without_comment
from opennki.ir import Inst
from opennki.penguin import print_instruction as print_penguin

from .compiled import Compiled

if TYPE_CHECKING:
    from opennki import birpy

_LINE: Final = re.compile(r"(.*):(\d+)")


@dataclass(frozen=True)
class Level:
    """An instruction at one level: its name, the roads that agree, and the text, perhaps of many
    lines."""

    name: str
    roads: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Chosen:
    """An instruction: its number, of how many; its kind and place; and what it reads like."""

    number: int
    count: int
    kind: str
    loc: SrcLoc
    levels: tuple[Level, ...]


def chosen(compiled: Sequence[Compiled], wanted: str | None) -> Chosen | None:
    """An instruction of the first program, at every level of the roads in `compiled`.

    Args: wanted, a number, a name or kind, or ``FILE:LINE``; None for the first that is no DMA.
    Returns: None if nothing is wanted of a kernel without instructions.
    Raises: NKI7024 if there is no such instruction.
    """
    insts = list(compiled[0].traces[0].function.instructions())
    if wanted is None and not insts:
        return None
    number = _number(compiled[0].kernel, insts, wanted)
    inst = insts[number]
    found: list[Level] = []
    source = inst.loc.source().strip()
    if source:
        found.append(Level("source", (), source))
    for one in compiled:
        _add(found, one.options.frontend, _levels(one, number, len(insts)))
    return Chosen(number, len(insts), inst.spec.label, inst.loc, tuple(found))


def _number(kernel: str, insts: list[Inst], wanted: str | None) -> int:
    if wanted is None:
        usual = (i for i, inst in enumerate(insts) if not inst.spec.bir.startswith("DMA"))
        wanted = str(next(usual, 0))
    if wanted.isdecimal():
        found = [int(wanted)] if int(wanted) < len(insts) else []
    elif line := _LINE.fullmatch(wanted):
        file, number = line.group(1), int(line.group(2))
        found = [i for i, inst in enumerate(insts) if _is_at(inst.loc, file, number)]
    else:
        found = [i for i, inst in enumerate(insts) if inst.name == wanted]
        found = found or [i for i, inst in enumerate(insts) if inst.spec.label == wanted]
    if not found:
        raise _missing(kernel, insts, wanted)
    return found[0]


def _is_at(loc: SrcLoc, file: str, number: int) -> bool:
    return any(at.line == number and at.file.endswith(file) for at in loc.chain())


def _missing(kernel: str, insts: list[Inst], wanted: str) -> NkiError:
    names = {inst.name or inst.spec.label for inst in insts} | {i.spec.label for i in insts}
    close = "" if wanted[-1:].isdecimal() else nearest(wanted, names)
    facts: dict[str, Any] = {"kernel": kernel, "got": wanted, "count": len(insts), "close": close}
    lines = [place_text(inst.loc) for inst in insts if inst.loc.line]
    return fail(NKI7024, UNKNOWN, line=lines[0] if lines else "", **facts)


def _add(found: list[Level], road: str, levels: list[tuple[str, str]]) -> None:
    """Add what one road makes; where another made the same, the road joins it."""
    for name, text in levels:
        same = [i for i, one in enumerate(found) if (one.name, one.text) == (name, text)]
        if same:
            one = found[same[0]]
            found[same[0]] = Level(name, (*one.roads, road), text)
            continue
        after = [i for i, one in enumerate(found) if _ORDER[one.name] <= _ORDER[name]]
        found.insert(after[-1] + 1 if after else 0, Level(name, (road,), text))


_ORDER: Final = {
    name: i for i, name in enumerate(("source", "penguin", "klr", "bir", "allocated", "program"))
}


def _levels(compiled: Compiled, number: int, count: int) -> list[tuple[str, str]]:
    """Names and texts of the levels of one road."""
    from opennki import birpy  # when first needed, as in `compiled`
    from opennki.backend.program_text import command_text

    made = list(compiled.bir.functions[0].instructions())
    inst = made[len(made) - count + number]  # what is before the kernel's own is the compiler's
    found = [_front(compiled, number), ("bir", without_comment(birpy.print_instruction(inst)))]
    command = next(c for c in compiled.program.cores[0].commands() if c.inst.name == inst.name)
    placed = [without_comment(birpy.print_instruction(command.inst)), *_storages(command.inst)]
    found.append(("allocated", "\n".join(placed)))
    return [*found, ("program", without_comment(command_text(command)))]


def _front(compiled: Compiled, number: int) -> tuple[str, str]:
    """The instruction as the front end builds it."""
    traced = compiled.traces[0]
    inst = list(traced.function.instructions())[number]
    if compiled.options.frontend == "beta3":
        return "penguin", print_penguin(inst)
    from opennki import klr

    return "klr", klr.outline(traced.built.statements[inst])


def _storages(inst: birpy.Instruction) -> list[str]:
    """Declarations of the storages that an instruction names, each once."""
    from opennki import birpy

    named = [a.memloc for a in (*inst.outs, *inst.ins) if isinstance(a, birpy.AccessPattern)]
    named += [a.memloc for a in inst.indices()]
    return [without_comment(birpy.print_memloc(m)) for m in dict.fromkeys(named)]
