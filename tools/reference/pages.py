"""The pages of ``docs/reference`` and their index, with the names that are not available yet."""

from __future__ import annotations

from typing import Any

import opennki.api.collectives
import opennki.api.isa
import opennki.api.language
from opennki.base.diag import CATALOGUE
from opennki.driver.options import NKI_VERSIONS
from opennki.isa.registry import BY_NKI

from . import collectives, coverage, errors, isa, klr, language, targets, versions
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
        f"{PLACE}/klr.md": klr.text(),
        f"{PLACE}/coverage.md": coverage.text(),
    }


def _index() -> str:
    rows = [[code(module), str(len(surface.__all__))] for module, surface in _SURFACES.items()]
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
                ["[klr.md](klr.md)", "the types, enumerations and operators of KLR"],
                ["[versions.md](versions.md)", "what versions of NKI removed or renamed"],
                ["[coverage.md](coverage.md)", "every public name: its rules, and its tests"],
            ],
        ),
        "## Names",
        f"Every public name of NKI {NKI_VERSIONS[-1]} is there. A kernel that asks for another one "
        "gets\n[NKI1029](errors.md#nki1029), or, if an earlier version had it, what to write "
        "instead.",
        table(["module", "names"], rows),
    )


_SURFACES: dict[str, Any] = {
    "nki.isa": opennki.api.isa,
    "nki.language": opennki.api.language,
    "nki.collectives": opennki.api.collectives,
}
