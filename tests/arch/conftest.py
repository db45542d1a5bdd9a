"""What the architecture tests look at: the repository's Python files, parsed once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOPS = ("src", "tests", "examples", "tools")


@dataclass(frozen=True)
class Source:
    """One Python file. ``name`` is its path from the repository's root, with slashes."""

    name: str
    text: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """Package of opennki the file belongs to; `""` for the root module and other trees."""
        parts = self.name.split("/")
        return parts[2] if parts[:2] == ["src", "opennki"] and len(parts) > 3 else ""

    @property
    def is_package_source(self) -> bool:
        return self.name.startswith("src/")

    def at(self, node: ast.AST) -> str:
        """``file:line`` of a node, the way editors understand it."""
        return f"{self.name}:{getattr(node, 'lineno', 1)}"


def _sources() -> Iterator[Source]:
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            yield Source(path.relative_to(ROOT).as_posix(), text, ast.parse(text, path.name))


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture(scope="session")
def sources() -> list[Source]:
    """Every Python file of src, tests, examples and tools."""
    found = list(_sources())
    assert any(s.name == "src/opennki/__init__.py" for s in found)
    return found


@pytest.fixture(scope="session")
def package_sources(sources: list[Source]) -> list[Source]:
    """Every Python file of src: opennki and the drop-in names."""
    return [s for s in sources if s.is_package_source]
