"""Who may import whom: the table of docs/design/layers.md, checked on parsed imports."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

DROP_INS = ("nki", "neuronxcc")

# Where each third-party package may be imported: prefixes of paths inside src/opennki.
OUTSIDERS = {
    "numpy": ("",),
    "ml_dtypes": ("",),
    "typing_extensions": ("",),
    "llvmlite": ("sim/jit/",),
    "torch": ("interop/",),
    "jax": ("interop/",),
    "jaxlib": ("interop/",),
    "typer": ("cli/",),
    "rich": (
        "cli/",
        "base/render.py",
    ),
    "pytest": ("testing/",),
    "hypothesis": ("testing/",),
}


@pytest.fixture(scope="module")
def levels(root: Path) -> dict[str, int]:
    """Level of each package, from the table in the design page."""
    text = (root / "docs/design/layers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", text, re.MULTILINE)
    assert len(rows) == len({name for _, name in rows}) > 0
    return {name: int(level) for level, name in rows}


def imports(tree: ast.Module, module: str) -> Iterator[tuple[ast.stmt, str]]:
    """Each import statement with each dotted name it may load; `module` resolves relative ones."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = module.split(".")[: -node.level]
                base = ".".join([*parent, base] if base else parent)
            for alias in node.names:
                yield node, f"{base}.{alias.name}"


def module_name(name: str) -> str:
    """Dotted module of a file below src; a package's `__init__` counts as a module in it."""
    return name.removeprefix("src/").removesuffix(".py").replace("/", ".")


def test_every_package_has_a_level(root: Path, levels):
    package = root / "src/opennki"
    here = {d.name for d in package.iterdir() if d.is_dir() and any(d.rglob("*.py"))}
    assert here - set(levels) == set()
    plain = {f.stem for f in package.glob("*.py")}
    assert plain <= {"__init__", "__main__"}, "modules belong into a package"


def test_planned_packages_are_those_that_are_not_there(root: Path):
    text = (root / "docs/design/layers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d+ \| `(\w+)` \| (planned: )?", text, re.MULTILINE)
    package = root / "src/opennki"
    missing = {name for name, _ in rows if not any((package / name).rglob("*.py"))}
    assert {name for name, planned in rows if planned} == missing


def test_isa_lies_below_the_containers(levels):
    assert levels["isa"] < min(levels[name] for name in ("penguin", "birpy", "klr"))


def test_imports_point_downwards(package_sources, levels):
    wrong = []
    for source in package_sources:
        if source.package == "":
            continue
        for node, target in imports(source.tree, module_name(source.name)):
            parts = target.split(".")
            if parts[0] in DROP_INS:
                wrong.append(f"{source.at(node)}: imports the drop-in name {target}")
            if parts[0] != "opennki" or target == "opennki.__version__":
                continue
            package = parts[1] if len(parts) > 1 else ""
            if package == source.package:
                continue
            if package not in levels:
                wrong.append(f"{source.at(node)}: imports {target} from the root")
            elif levels[package] >= levels[source.package]:
                arrow = f"{source.package} (level {levels[source.package]})"
                wrong.append(f"{source.at(node)}: {arrow} imports {target} ({levels[package]})")
    assert not wrong, "\n".join(wrong)


DEFERRED = (
    "opennki.backend", "opennki.birpy", "opennki.builder.klr_codegen", "opennki.klr",
    "opennki.lower", "opennki.sim.ref",
)  # fmt: skip
"""What the driver imports when a kernel first needs it, so that ``import nki`` is quick."""

ELSEWHERE = {"src/opennki/backend/load_kernels.py": "opennki.lower.beta2.stored"}
"""Files that import something when it is first needed, and what."""


def test_no_import_of_ours_hides_in_a_function(package_sources):
    hidden = set()
    for source in package_sources:
        for scope in ast.walk(source.tree):
            if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            body = ast.Module(body=scope.body, type_ignores=[])
            for node, target in imports(body, module_name(source.name)):
                if source.package == "driver" and target.startswith(DEFERRED):
                    continue
                if target == ELSEWHERE.get(source.name):
                    continue
                if target.split(".")[0] in {"opennki", *DROP_INS}:
                    hidden.add(f"{source.at(node)}: {target} inside {scope.name}")
    assert not hidden, "\n".join(sorted(hidden))


def test_outside_packages_stay_in_their_rooms(package_sources):
    wrong = set()
    for source in package_sources:
        place = source.name.removeprefix("src/opennki/")
        for node, target in imports(source.tree, module_name(source.name)):
            top = target.split(".")[0]
            if top in sys.stdlib_module_names or top in {"opennki", *DROP_INS}:
                continue
            if not place.startswith(OUTSIDERS.get(top, ())):
                wrong.add(f"{source.at(node)}: {top} may not be imported here")
    assert not wrong, "\n".join(sorted(wrong))


def test_drop_in_names_hold_no_logic(package_sources):
    wrong = []
    for source in package_sources:
        if source.name.split("/")[1] not in DROP_INS:
            continue
        for node in source.tree.body:
            plain = isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign)
            if not plain and not _is_docstring(node):
                wrong.append(f"{source.at(node)}: {type(node).__name__}")
        for node, target in imports(source.tree, module_name(source.name)):
            if not target.startswith(("opennki.api", "__future__", *DROP_INS)):
                wrong.append(f"{source.at(node)}: imports {target}, not opennki.api")
    assert not wrong, "\n".join(wrong)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
