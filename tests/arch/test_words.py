"""Words and calls with no place here: machine paths, bare reminders, print, swallowed errors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TEXT_SUFFIXES = {".py", ".pyi", ".md", ".toml", ".txt", ".json", ".html", ".yml", ".cfg", ""}
TEXT_PLACES = ("src", "tests", "docs", "examples", "tools", ".ci")

FORBIDDEN = {
    "path of one machine": re.compile(r"(?<![\w.:/>-])/(?:work|root|home|tmp|Users)/\w"),
    "reminder without issue number": re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b(?!\(#\d+\):|`)"),
    "thing outside the repository": re.compile(
        r"\bcorpus_(?:run|cases|fetch)\b|\bshared/(?:spec|tools|hooks)\b|(?i:\bsub-?agent\b)"
    ),
}

MACHINE_NAMES = {"tonga", "sunda", "cayman", "corev4", "trn1", "trn2", "trn3", "inf1", "inf2"}


def text_files(root: Path) -> Iterator[Path]:
    """Every text file of the repository, without this one, which has to spell the words."""
    yield from (p for p in root.iterdir() if p.suffix in {".md", ".toml"})
    for place in TEXT_PLACES:
        for path in sorted((root / place).rglob("*")):
            plain = path.is_file() and path.suffix in TEXT_SUFFIXES
            if plain and "__pycache__" not in path.parts and path != Path(__file__):
                yield path


def test_no_forbidden_words(root: Path):
    found = []
    for path in text_files(root):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for kind, pattern in FORBIDDEN.items():
                if hit := pattern.search(line):
                    where = f"{path.relative_to(root).as_posix()}:{number}"
                    found.append(f"{where}: {kind}: {hit.group()}")
    assert not found, "\n".join(found)


def test_only_the_command_line_prints(package_sources):
    found = [
        source.at(node)
        for source in package_sources
        if source.package != "cli"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"print", "breakpoint"}
    ]
    assert not found, "\n".join(found)


def test_no_handler_swallows_every_error(package_sources):
    found = [
        source.at(node)
        for source in package_sources
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"})
        and not isinstance(node.body[-1], ast.Raise)
    ]
    assert not found, "\n".join(found)


def test_no_condition_asks_for_a_machine_by_name(package_sources):
    found = [
        f"{source.at(node)}: {ast.unparse(node)}"
        for source in package_sources
        if source.package != "target"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Compare) and _names_a_machine(node)
    ]
    assert not found, "\n".join(found)


def _names_a_machine(node: ast.Compare) -> bool:
    for leaf in ast.walk(node):
        spelled = leaf.value if isinstance(leaf, ast.Constant) else getattr(leaf, "id", None)
        if isinstance(spelled, str) and spelled.lower() in MACHINE_NAMES:
            return True
    return False
