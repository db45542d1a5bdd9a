"""What a change must not forget: each test names the place that CONTRIBUTING.md's recipes ask for.

For every instruction of the op table, and for every code of the error catalogue.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import nki.isa
from opennki.base import codes
from opennki.base.diag import CATALOGUE
from opennki.birpy import OPCODES
from opennki.builder.klr_emit import EMITTERS
from opennki.ir import Inst
from opennki.isa.registry import FAMILIES, INSTRUCTIONS
from opennki.isa.stats import SundaBNAggr
from opennki.klr import OPERATORS
from opennki.lower.beta2.refused import REFUSED
from opennki.lower.beta2.rules import RULES
from opennki.target import TARGETS
from opennki.testing import instances
from opennki.testing.instances import advice, choices

CODE = re.compile(r"\bNKI\d{4}\b")
CATALOGUE_FILES = "src/opennki/base/codes/"

of_each_instruction = pytest.mark.parametrize("cls", INSTRUCTIONS, ids=lambda c: c.__name__)


# ---- instructions ----------------------------------------------------------------------------


def test_every_family_is_registered(root: Path):
    """A module of isa that declares instructions is one of the registry's families."""
    declaring = {
        path.stem
        for path in (root / "src/opennki/isa").glob("*.py")
        if re.search(r"^@instruction\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert declaring == {family.__name__.rpartition(".")[2] for family in FAMILIES}


@of_each_instruction
def test_an_instruction_says_where_its_facts_come_from(cls: type[Inst]):
    assert re.search(r"\b(Source|Model): \S", cls.spec.doc), (
        f"write into the docstring of {cls.__name__} a line `Source: NKI ISA reference, <call>.` "
        "or `Model: <what we assume, and why>.`"
    )


@of_each_instruction
def test_an_instruction_has_worked_examples(cls: type[Inst], root: Path):
    family = cls.__module__.rpartition(".")[2]
    path = root / f"tests/isa/test_{family}.py"
    words = set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    assert {cls.__name__, cls.spec.name} & words, (
        f"write into tests/isa/{path.name} an example of {cls.__name__} with numbers that are "
        "worked out by hand"
    )


@of_each_instruction
def test_an_instruction_can_be_written_as_bir(cls: type[Inst]):
    assert cls.spec.bir in OPCODES, (
        f"bir={cls.spec.bir!r} of {cls.__name__} is no opcode: take one of birpy/opcodes.py"
    )
    assert OPCODES[cls.spec.bir].fields is not None, (
        f"write into _FIELDS of birpy/opcodes.py the row {cls.spec.bir!r} with its attributes, or "
        f"let {cls.__name__} own the opcode (owner=True), from whose attributes they follow"
    )


@of_each_instruction
def test_an_instruction_can_be_generated_for_tests(cls: type[Inst]):
    target = next(t for t in TARGETS if t.order >= cls.spec.since)
    assert choices(cls, target), advice(cls, target)


def test_advice_names_the_code_that_is_in_the_way(monkeypatch: pytest.MonkeyPatch):
    cls, target = SundaBNAggr, TARGETS[-1]
    monkeypatch.delitem(instances.REPAIRS, "NKI2411")
    said = advice(cls, target)
    assert "NKI2411 (" in said
    assert "REPAIRS" in said


@of_each_instruction
def test_an_instruction_can_be_written_as_klr(cls: type[Inst]):
    family = cls.__module__.rpartition(".")[2]
    assert cls in EMITTERS, (
        f"write into builder/klr_emit/{family}.py a function that makes the operator of "
        f"{cls.__name__}, and its row in EMITTERS"
    )


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_of_klr_is_lowered_or_refused_with_the_reason(operator: str):
    assert (operator in RULES) != bool(REFUSED.get(operator)), (
        f"write into a file of lower/beta2/rules a function that lowers {operator!r}, and its row "
        "in RULES; or write into lower/beta2/refused.py why no kernel needs it; not both"
    )


def test_only_operators_of_klr_are_lowered_or_refused():
    unknown = {*RULES, *REFUSED} - set(OPERATORS)
    assert not unknown, f"{unknown}: no such operators in klr/operators.py"


@pytest.mark.parametrize(
    ("package", "name"), [("builder.klr_emit", "EMITTERS"), ("lower.beta2.rules", "RULES")]
)
def test_every_family_of_the_second_road_is_registered(root: Path, package: str, name: str):
    """A row in a file of a family is a row of the whole table."""
    whole = getattr(import_module(f"opennki.{package}"), name)
    for path in (root / "src/opennki" / package.replace(".", "/")).glob("[a-z]*.py"):
        family = import_module(f"opennki.{package}.{path.stem}")
        missing = {key for key in getattr(family, name, {}) if key not in whole}
        assert not missing, f"{path.stem}.{name} is not part of {name} in {package}"


def test_every_opcode_has_one_owner():
    owners = Counter(c.spec.bir for c in INSTRUCTIONS if c.spec.owner)
    wrong = {bir for bir in {c.spec.bir for c in INSTRUCTIONS} if owners[bir] != 1}
    assert not wrong, (
        f"{wrong}: of the instructions with one bir= exactly one is what the opcode means when "
        "read back; the others say owner=False"
    )


def test_names_mean_one_instruction():
    for name in ("name", "emit"):
        used = Counter(getattr(c.spec, name) for c in INSTRUCTIONS if getattr(c.spec, name))
        assert not [n for n, count in used.items() if count > 1]


def test_every_call_is_on_the_surface():
    calls = {c.spec.name for c in INSTRUCTIONS if c.spec.name}
    assert calls <= set(nki.isa.__all__)
    assert all(hasattr(nki.isa, name) for name in calls)


# ---- error codes -----------------------------------------------------------------------------


def given(tree: ast.Module) -> Iterator[str]:
    """Codes that a module names to give them: not in an import, and not to compare with them."""
    compared = {
        id(side)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for part in (node.left, *node.comparators)
        for side in ast.walk(part)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and id(node) not in compared:
            spelled = node.id if isinstance(node, ast.Name) else node.attr
            if CODE.fullmatch(spelled) and isinstance(node.ctx, ast.Load):
                yield spelled


def mentioned(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Every code that a module's code spells, imports among it; docstrings and comments not."""
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            words = node.name
        else:
            words = getattr(node, "id", None) or getattr(node, "attr", None)
        if isinstance(words, str) and CODE.fullmatch(words):
            yield node, words


def texts(tree: ast.Module) -> Iterator[str]:
    """String constants of a module that are not docstrings."""
    plain = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in plain:
            yield node.value


def test_every_code_that_is_named_exists(sources):
    unknown = {
        f"{source.at(node)}: {spelled}"
        for source in sources
        if source.name.startswith(("src/", "tools/"))
        for node, spelled in mentioned(source.tree)
        if spelled not in CATALOGUE
    }
    assert not unknown, "\n".join(sorted(unknown))


def test_the_catalogue_holds_a_code_under_its_own_name():
    assert all(getattr(codes, id) is entry for id, entry in CATALOGUE.items())


def test_every_code_is_given_somewhere(package_sources):
    found = {
        spelled
        for source in package_sources
        if not source.name.startswith(CATALOGUE_FILES) and source.package != "testing"
        for spelled in given(source.tree)
    }
    unused = sorted(set(CATALOGUE) - found)
    assert not unused, f"nothing gives {', '.join(unused)}: remove, or find the mistake"


def test_every_code_has_a_test(sources, root: Path):
    """A kernel in tests/kernels/fail, a golden text, or a test that names the code."""
    found = {path.stem.partition("_")[0] for path in (root / "tests/kernels/fail").glob("*.py")}
    for path in (root / "tests/golden").rglob("*.txt"):
        found.update(CODE.findall(path.read_text(encoding="utf-8")))
    for source in sources:
        if source.name.startswith("tests/") and not source.name.startswith("tests/kernels/fail/"):
            found.update(spelled for _, spelled in mentioned(source.tree))
            for text in texts(source.tree):
                found.update(CODE.findall(text))
    untested = sorted(set(CATALOGUE) - found)
    assert not untested, f"no test triggers {', '.join(untested)}"
