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

The queues name the instructions of the BIR module that follows, which also has the memory map; what
a command does follows it as a comment.
``x = n`` is what the semaphore of the engine or ring x has reached when the command is complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opennki.backend.program import Command, Core, Program, Queue, Semaphore, Waits
from opennki.backend.schedule import QUEUES, track_name, track_number
from opennki.base.codes import NKI4003
from opennki.base.diag import fail
from opennki.base.loc import UNKNOWN
from opennki.base.text import Reader, Writer, name_text, place_text
from opennki.birpy import Instruction, Module
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
                for queue in core.queues.values():
                    with out.block(f"queue {queue.engine.name}"):
                        for command in queue.commands:
                            out.line(_command_text(command))
    return out.text() + print_module(_module(program), constants=constants)


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
    rows: list[list[tuple[Engine, list[_Row]]]] = []
    for function in module.functions:
        r.expect("core")
        where = r.here()
        if r.sigil("@", "a function") != function.name:
            raise r.unexpected(f"`@{function.name}`", where)
        r.expect("{")
        rows.append(list(_queues(r, {i.name for i in function.instructions()})))
    r.expect("}")
    r.expect_end()
    return _assemble(known[name], module, rows)


def to_dict(program: Program) -> dict[str, Any]:
    """`program` as a JSON document: its queues, and the BIR module that they name.

    Raises: as the JSON form of BIR.
    """
    cores = [
        {
            "name": core.name,
            "queues": [
                {
                    "engine": queue.engine.name,
                    "commands": [
                        [c.inst.name, [[track_name(s), v] for s, v in c.waits],
                         track_name(c.signal), c.value]
                        for c in queue.commands
                    ],
                }
                for queue in core.queues.values()
            ],
        }
        for core in program.cores
    ]  # fmt: skip
    return {"target": program.target.name, "cores": cores, "bir": to_json(_module(program))}


def from_dict(document: dict[str, Any]) -> Program:
    """The program that a document of `to_dict` describes. Raises: NKI4003 if it is none."""
    try:
        target = {t.name: t for t in TARGETS}[document["target"]]
        module = from_json(document["bir"])
        rows = [
            [
                (
                    Engine[queue["engine"]],
                    [
                        (name, tuple((_track(s), int(v)) for s, v in waits), _track(on), int(value))
                        for name, waits, on, value in queue["commands"]
                    ],
                )
                for queue in core["queues"]
            ]
            for core in document["cores"]
        ]
        return _assemble(target, module, rows)
    except (KeyError, TypeError, ValueError) as error:
        raise fail(
            NKI4003, UNKNOWN, path="the document", expected="a program", got=repr(error)
        ) from None


_Row = tuple[str, Waits, int, int]
"""Name of the instruction, waits, semaphore and value of a command."""


def _command_text(command: Command) -> str:
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


def _queues(r: Reader, names: set[str]) -> Iterator[tuple[Engine, list[_Row]]]:
    """Read the queues of a core, up to its closing brace."""
    while r.accept("queue"):
        where = r.here()
        engine = Engine.__members__.get(r.word("an engine"))
        if engine not in QUEUES:
            raise r.unexpected(f"one of {', '.join(e.name for e in QUEUES)}", where)
        r.expect("{")
        rows: list[_Row] = []
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
            rows.append((name, tuple(waits), signal, r.integer()))
        yield engine, rows
    r.expect("}")


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


def _assemble(
    target: Target, module: Module, rows: list[list[tuple[Engine, list[_Row]]]]
) -> Program:
    """The program whose commands are `rows`."""
    cores = []
    for function, queues in zip(module.functions, rows, strict=True):
        named: dict[str, Instruction] = {i.name: i for i in function.instructions()}
        made: dict[Engine, Queue] = {}
        used = set()
        for engine, commands in queues:
            made[engine] = Queue(engine)
            for name, waits, signal, value in commands:
                used.add(signal)
                ring = QUEUES[signal - len(QUEUES)] if signal >= len(QUEUES) else None
                made[engine].commands.append(Command(named[name], waits, signal, value, ring))
        semaphores = {s: Semaphore(s, track_name(s)) for s in sorted(used)}
        cores.append(Core(function, made, semaphores))
    return Program(target, cores, module.attributes)
