"""A scheduled program as text and as JSON; both read back to an equal program.

    program target=sunda {
      core @main {
        queue DVE {
          I-2 wait [sp.ring >= 1] -> dve = 1  // Activation scale.py:7
        }
        queue SP {
          I-1 -> sp.ring = 1  // DMACopy scale.py:6
          I-3 wait [dve >= 1] -> sp.ring = 2  // DMACopy scale.py:9
        }
      }
    }
    bir.module arch=sunda version=2 { ... }

A run-time loop is ``loop Loop-0 { ... }`` with the queues of its body inside; queues before, in and
after a loop belong to different segments. The queues name the instructions of the BIR module that
follows, which also has the memory map; what
a command does follows it as a comment.
``x = n`` is what the semaphore of the engine or ring x has reached when the command is complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opennki.backend.program import (
    Command,
    Core,
    Program,
    Queue,
    Repeat,
    Section,
    Segment,
    Semaphore,
    Waits,
)
from opennki.backend.schedule import QUEUES, track_name, track_number
from opennki.base.codes import NKI4003
from opennki.base.diag import fail
from opennki.base.loc import UNKNOWN
from opennki.base.text import Reader, Writer, name_text, place_text
from opennki.birpy import BasicBlock, DynamicLoop, Function, Instruction, Module, While
from opennki.birpy.parser import parse_module
from opennki.birpy.printer import print_module
from opennki.birpy.serde import from_json, to_json
from opennki.isa.enums import Engine
from opennki.target import TARGETS, Target

_HEAD = "bir.module "


def print_program(program: Program, *, constants: bool = True) -> str:
    """The text of `program`; `constants` as in BIR's text."""
    out = Writer()
    with out.block(f"program target={program.target.name}"):
        for core in program.cores:
            with out.block(f"core @{name_text(core.name)}"):
                _write(out, core.sections)
    return out.text() + print_module(_module(program), constants=constants)


def _write(out: Writer, sections: list[Section]) -> None:
    for section in sections:
        if isinstance(section, Repeat):
            with out.block(f"loop {name_text(section.loop.name)}"):
                _write(out, section.body)
            continue
        for queue in section.queues.values():
            with out.block(f"queue {queue.engine.name}"):
                for command in queue.commands:
                    out.line(command_text(command))


def parse_program(text: str, file: str = "<program>") -> Program:
    """The program that `text` describes.

    Raises: NKI4001 and its like when the text does not have the form.
    """
    at = 0 if text.startswith(_HEAD) else text.find("\n" + _HEAD) + 1
    module = parse_module(text[at:], file)
    r = Reader(text[:at], file)
    r.expect("program", "target", "=")
    where = r.here()
    name = r.word("the name of a target")
    known = {t.name: t for t in TARGETS}
    if name not in known:
        raise r.unknown("target", name, known, where)
    r.expect("{")
    rows: list[list[_Part]] = []
    for function in module.functions:
        r.expect("core")
        where = r.here()
        if r.sigil("@", "a function") != function.name:
            raise r.unexpected(f"`@{function.name}`", where)
        r.expect("{")
        rows.append(list(_parts(r, {i.name for i in function.instructions()}, _loops(function))))
    r.expect("}")
    r.expect_end()
    return _assemble(known[name], module, rows)


def to_dict(program: Program) -> dict[str, Any]:
    """`program` as a JSON document: its queues, and the BIR module that they name.

    Raises: as the JSON form of BIR.
    """
    cores = [{"name": c.name, "sections": _to_list(c.sections)} for c in program.cores]
    return {"target": program.target.name, "cores": cores, "bir": to_json(_module(program))}


def _to_list(sections: list[Section]) -> list[dict[str, Any]]:
    return [
        {"loop": section.loop.name, "sections": _to_list(section.body)}
        if isinstance(section, Repeat)
        else {
            "queues": [
                {
                    "engine": queue.engine.name,
                    "commands": [
                        [c.inst.name, [[track_name(s), v] for s, v in c.waits],
                         track_name(c.signal), c.value]
                        for c in queue.commands
                    ],
                }
                for queue in section.queues.values()
            ]
        }
        for section in sections
    ]  # fmt: skip


def from_dict(document: dict[str, Any]) -> Program:
    """The program that a document of `to_dict` describes. Raises: NKI4003 if it is none."""
    try:
        target = {t.name: t for t in TARGETS}[document["target"]]
        module = from_json(document["bir"])
        rows = [list(_from_list(core["sections"])) for core in document["cores"]]
        return _assemble(target, module, rows)
    except (KeyError, TypeError, ValueError) as error:
        raise fail(
            NKI4003, UNKNOWN, path="the document", expected="a program", got=repr(error)
        ) from None


def _from_list(sections: list[dict[str, Any]]) -> Iterator[_Part]:
    for section in sections:
        if "loop" in section:
            yield section["loop"], list(_from_list(section["sections"]))
            continue
        for queue in section["queues"]:
            rows = [
                (name, tuple((_track(s), int(v)) for s, v in waits), _track(on), int(value))
                for name, waits, on, value in queue["commands"]
            ]
            yield Engine[queue["engine"]], rows


_Row = tuple[str, Waits, int, int]
"""Name of the instruction, waits, semaphore and value of a command."""

_Part = tuple[Engine | str, list[Any]]
"""An engine with the rows of its commands, or a loop's name with the parts of its body."""


def command_text(command: Command) -> str:
    """One command on one line, as the text of a program has it."""
    waits = ""
    if command.waits:
        pairs = ", ".join(f"{track_name(s)} >= {v}" for s, v in command.waits)
        waits = f" wait [{pairs}]"
    inst = command.inst
    place = "" if inst.loc is UNKNOWN else f" {place_text(inst.loc)}"
    name = name_text(inst.name)
    return (
        f"{name}{waits} -> {track_name(command.signal)} = {command.value}  // {inst.opcode}{place}"
    )


def _parts(r: Reader, names: set[str], loops: dict[str, Loop]) -> Iterator[_Part]:
    """Read queues and run-time loops, up to the brace that closes their owner."""
    while not r.accept("}"):
        if r.accept("loop"):
            where = r.here()
            name = r.name("the name of a loop")
            if name not in loops:
                raise r.undefined("loop", name, sorted(loops), where)
            r.expect("{")
            yield name, list(_parts(r, names, loops))
            continue
        r.expect("queue")
        where = r.here()
        engine = Engine.__members__.get(r.word("an engine"))
        if engine is None or engine not in QUEUES:
            raise r.unexpected(f"one of {', '.join(e.name for e in QUEUES)}", where)
        r.expect("{")
        yield engine, list(_rows(r, names))


def _rows(r: Reader, names: set[str]) -> Iterator[_Row]:
    """Read the commands of a queue, up to its closing brace."""
    while not r.accept("}"):
        where = r.here()
        name = r.name("the name of an instruction")
        if name not in names:
            raise r.undefined("instruction", name, sorted(names), where)
        waits: list[tuple[int, int]] = []
        if r.accept("wait"):
            r.expect("[")
            for _ in r.items("]"):
                semaphore = _semaphore(r)
                r.expect(">=")
                waits.append((semaphore, r.integer()))
        r.expect("->")
        signal = _semaphore(r)
        r.expect("=")
        yield name, tuple(waits), signal, r.integer()


def _semaphore(r: Reader) -> int:
    where = r.here()
    found = track_number(r.word("an engine or a ring"))
    if found is None:
        raise r.unexpected("an engine or a ring, such as `dve` or `sp.ring`", where)
    return found


def _track(name: str) -> int:
    found = track_number(name)
    if found is None:
        raise ValueError(f"no semaphore is called {name}")
    return found


def _module(program: Program) -> Module:
    functions = [core.function for core in program.cores]
    return Module(functions, program.target.arch, attributes=program.attributes)


Loop = DynamicLoop | While


def _loops(function: Function) -> dict[str, Loop]:
    """The run-time loops of a function by name."""
    found: dict[str, Loop] = {}

    def visit(blocks: list[BasicBlock]) -> None:
        for block in blocks:
            for item in block.instructions:
                if isinstance(item, DynamicLoop | While):
                    found[item.name] = item
                    visit(item.blocks)

    visit(function.blocks)
    return found


def _assemble(target: Target, module: Module, rows: list[list[_Part]]) -> Program:
    """The program whose commands are `rows`."""
    cores = []
    for function, parts in zip(module.functions, rows, strict=True):
        named = {i.name: i for i in function.instructions()}
        cores.append(Core(function, _sections(parts, named, _loops(function))))
    return Program(target, cores, module.attributes)


def _sections(
    parts: list[_Part], named: dict[str, Instruction], loops: dict[str, Loop]
) -> list[Section]:
    made: list[Section] = []
    for key, items in parts:
        if isinstance(key, str):
            made.append(Repeat(loops[key], _sections(items, named, loops)))
            continue
        if not made or not isinstance(made[-1], Segment):
            made.append(Segment({}, {}))
        segment = made[-1]
        assert isinstance(segment, Segment)
        queue = segment.queues.setdefault(key, Queue(key))
        for name, waits, signal, value in items:
            segment.semaphores[signal] = Semaphore(signal, track_name(signal))
            ring = QUEUES[signal - len(QUEUES)] if signal >= len(QUEUES) else None
            queue.commands.append(Command(named[name], waits, signal, value, ring))
    for section in made:
        if isinstance(section, Segment):
            section.semaphores = dict(sorted(section.semaphores.items()))
    return made or [Segment({}, {})]
