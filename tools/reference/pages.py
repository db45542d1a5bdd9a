"""The pages of ``docs/reference`` and their index, with the names that are not available yet."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import opennki.api.collectives
import opennki.api.isa
import opennki.api.language
from opennki.api.language.absent import LATER
from opennki.base.diag import CATALOGUE
from opennki.driver.options import NKI_VERSIONS
from opennki.isa.registry import BY_NKI

from . import collectives, errors, isa, language, targets, versions
from .markdown import code, page, table

PLACE = "docs/reference"


def files() -> dict[str, str]:
    """Path of each page -> its text."""
    return {
        f"{PLACE}/README.md": _index(),
        f"{PLACE}/isa.md": isa.text(),
        f"{PLACE}/language.md": language.text(),
        f"{PLACE}/collectives.md": collectives.text(),
        f"{PLACE}/errors.md": errors.text(),
        f"{PLACE}/targets.md": targets.text(),
        f"{PLACE}/versions.md": versions.text(),
    }


def _index() -> str:
    later: dict[str, Collection[str]] = {
        "nki.isa": opennki.api.isa._LATER,
        "nki.language": LATER,
        "nki.collectives": opennki.api.collectives._LATER,
    }
    rows = []
    for module, names in later.items():
        surface = _surface(module)
        missing = [name for name in names if name not in surface]
        rows.append([code(module), str(len(surface)), ", ".join(map(code, missing))])
    return page(
        "Reference",
        "These pages are made from the code: the op table, the error catalogue, the target tables "
        "and the\nfunctions themselves. `python tools/generate.py` writes them.",
        table(
            ["page", "what it lists"],
            [
                ["[isa.md](isa.md)", f"the {len(BY_NKI)} calls of `nki.isa`, and what each needs"],
                ["[language.md](language.md)", "the functions and constants of `nki.language`"],
                ["[collectives.md](collectives.md)", "the calls of `nki.collectives`"],
                ["[errors.md](errors.md)", f"the {len(CATALOGUE)} error codes, each with a repair"],
                ["[targets.md](targets.md)", "the numbers and features of every target"],
                ["[versions.md](versions.md)", "what versions of NKI removed or renamed"],
            ],
        ),
        "## Not available yet",
        f"Names of NKI {NKI_VERSIONS[-1]} that opennki does not have yet. A kernel that uses one "
        "gets\n[NKI1029](errors.md#nki1029).",
        table(["module", "names it has", "names still missing"], rows),
    )


def _surface(module: str) -> Collection[str]:
    surfaces: dict[str, Any] = {
        "nki.isa": opennki.api.isa,
        "nki.language": opennki.api.language,
        "nki.collectives": opennki.api.collectives,
    }
    names: Collection[str] = surfaces[module].__all__
    return names
