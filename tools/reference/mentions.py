"""Which test files use a name of NKI, from their syntax trees.

A file uses ``nki.isa.iota`` if it says ``nisa.iota``, imports or names the class that is its row of
the op table, or has the text "iota" beside a ``getattr(nisa, ...)``. Methods of tensors are
attributes of anything, outside of the tests of the op table, which has no tensors of NKI.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"

ALIASES = {"nisa": "nki.isa", "nl": "nki.language", "nki": "nki", "ncc": "nki.collectives"}
"""What tests call the modules."""

FIRST = ("isa", "trace", "reference", "routes", "sim", "api", "kernels")
"""Folders whose tests pin what a call does, the nearest first; tests of other rooms only use it."""

MOST = 5
"""How many files are named for one name."""


@dataclass
class Uses:
    """What one test file uses: attributes of modules, of anything, plain names, and texts."""

    file: str
    of: set[tuple[str, str]] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    looked_up: set[str] = field(default_factory=set)

    def has(self, home: str, name: str, classes: set[str]) -> bool:
        """Whether the file uses `name` of the module or class `home`."""
        if home == "nki.language.NkiTensor":
            return name in self.attributes and not self.file.startswith("isa/")
        if home.count(".") > 1:  # an enumeration, or the sizes of a target
            return (home.rpartition(".")[2], name) in self.of
        if (home, name) in self.of or classes & self.names:
            return True
        return home in self.looked_up and name in self.texts


def uses(path: Path) -> Uses:
    """What a file uses."""
    found = Uses(path.relative_to(TESTS).as_posix())
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            found.attributes.add(node.attr)
            owner = node.value
            last = getattr(owner, "attr", getattr(owner, "id", ""))
            found.of.add((ALIASES.get(last, last), node.attr))
        elif isinstance(node, ast.Name):
            found.names.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.texts.update(node.value.split())
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr":
            found.looked_up.add(ALIASES.get(getattr(node.args[0], "id", ""), ""))
    return found


def all_uses() -> list[Uses]:
    """Every test file of the folders in `FIRST`, in the order of the folders, then by name."""
    return [uses(path) for folder in FIRST for path in sorted((TESTS / folder).rglob("*.py"))]
