"""How much a representation holds: instructions, tensors, blocks, loops, storages, commands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from opennki.ir import Inst, Record, Region

if TYPE_CHECKING:
    from opennki.birpy import BasicBlock, Module

COUNTED: Final = ("instructions", "tensors", "storages", "blocks", "loops", "commands")
"""What is counted. Instructions of KLR are its statements; loop bodies count once."""

Counts = dict[str, int]


def counts_of(made: object) -> Counts:
    """What `made` holds of each of `COUNTED` that its kind has; nothing for what is no form."""
    from opennki import klr  # when first needed, as in `compiled`
    from opennki.backend.program import Program
    from opennki.birpy import Module
    from opennki.builder.klr_codegen import Body

    if isinstance(made, Record):
        return _record(made)
    if isinstance(made, Body):
        return _blocks(made.blocks)
    if isinstance(made, klr.LncKernel):
        return _blocks([block for body in made.bodies for block in body], made)
    if isinstance(made, Module):
        return _module(made)
    if isinstance(made, Program):
        commands = sum(1 for core in made.cores for _ in core.commands())
        functions = Module([core.function for core in made.cores], made.target.arch)
        return {"commands": commands, **_module(functions)}
    return {}


def _record(record: Record[Any]) -> Counts:
    return {
        "instructions": sum(record.counts().values()),
        "tensors": len(record.tensors),
        "loops": _loops_of_record(record.body),
    }


def _loops_of_record(body: Iterable[Any]) -> int:
    return sum(
        (not isinstance(item, Region)) + _loops_of_record(item.body)
        for item in body
        if not isinstance(item, Inst)
    )


def _blocks(blocks: list[Any], kernel: object = None) -> Counts:
    from opennki import klr

    nodes = klr.walk(blocks if kernel is None else kernel)
    tensors = {node.name for node in nodes if isinstance(node, klr.TensorName)}
    count = sum(len(block.body) for block in blocks)
    return {"instructions": count, "tensors": len(tensors), "blocks": len(blocks)}


def _module(module: Module) -> Counts:
    found = {"instructions": 0, "storages": 0, "blocks": 0, "loops": 0}
    for function in module.functions:
        found["storages"] += len(function.memlocs)
        _count(function.blocks, found)
    return found


def _count(blocks: list[BasicBlock], found: Counts) -> None:
    from opennki.birpy import Instruction

    for block in blocks:
        found["blocks"] += 1
        for item in block.instructions:
            if isinstance(item, Instruction):
                found["instructions"] += 1
            else:
                found["loops"] += 1
                _count(item.blocks, found)
