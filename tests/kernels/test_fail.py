"""One small kernel per rule: each is refused (or warned about) with one code, on one line.

A file in `fail` starts with ``# expect: NKI2104 at line 17`` and perhaps ``# target: trn2``. Its
`kernel` gets a float32 array of (128, 64); where the call itself is at fault, a `main` makes it.
The comment at its end is what the author of such a kernel is told, and the hint: ``pytest
--update-golden`` writes it.
"""

from __future__ import annotations

import importlib.util
import pickle
import re
import textwrap
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import nki
from opennki.base import codes
from opennki.base.diag import NkiError, NkiWarning, Severity

FILES = sorted((Path(__file__).parent / "fail").glob("*.py"))
HEADER = re.compile(r"# expect: (NKI\d{4}) at line (\d+)\n(?:# target: (\w+)\n)?\"\"\"")
FOUND = re.compile(
    r"warning\[(NKI\d{4})\]: (.*?)\n\s*-->(?:.*\n\s*= help: (.*?)\n\s*\n)?", re.DOTALL
)
FOLDER = re.compile(r"\S*/(?=NKI\w+\.py)")
COLUMN = re.compile(r"(?<=\.py)(:\d+):\d+")  # Python 3.10 knows none
FAMILIES = (
    "NKI100", "NKI101", "NKI102", "NKI103", "NKI210", "NKI211", "NKI212", "NKI220", "NKI221",
    "NKI230", "NKI240", "NKI241", "NKI250", "NKI260", "NKI270", "NKI300", "NKI301", "NKI302",
    "NKI500", "NKI510", "NKI520",
)  # fmt: skip


class Told(NamedTuple):
    """One thing that is reported: its code and line, what it says, and its hint."""

    code: str
    line: int
    message: str
    hint: str

    def comment(self) -> str:
        """Message and hint as the comment that ends the kernel's file."""
        parts = [("says", self.message), ("help", self.hint)]
        lines = [f"{word}: {' '.join(text.split())}" for word, text in parts if text]
        lines = [COLUMN.sub(r"\1", FOLDER.sub("", line)) for line in lines]
        wrap = {"initial_indent": "# ", "subsequent_indent": "#   ", "break_long_words": False}
        return "\n".join(textwrap.fill(line, 100, break_on_hyphens=False, **wrap) for line in lines)


def check_elsewhere(error):
    """Another process gets an error of the same classes that says the same."""
    again = pickle.loads(pickle.dumps(error))
    assert type(again).__mro__[1:] == type(error).__mro__[1:]
    assert str(again) == str(error)


def problems_of(path: Path, target: str | None) -> list[Told]:
    """Everything that running the file's kernel reports."""
    spec = importlib.util.spec_from_file_location(f"fail_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if hasattr(module, "main"):
                module.main()
            else:
                nki.simulate(module.kernel, target=target)(np.zeros((128, 64), np.float32))
        except NkiError as error:
            check_elsewhere(error)
            for one in error.diagnostics:
                assert Path(one.file) == path, one.message
                found.append(Told(one.code.id, one.line, one.message, one.hint))
    for warning in caught:
        assert issubclass(warning.category, NkiWarning), warning
        code, message, hint = FOUND.match(str(warning.message)).groups()
        found.append(Told(code, warning.lineno, message, hint or ""))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_kernel_is_refused_with_its_code_on_its_line(path, request):
    text = path.read_text(encoding="utf-8")
    code, line, target = HEADER.match(text).groups()
    assert path.stem.startswith(f"{code}_")
    found = problems_of(path, target)
    assert {(one.code, one.line) for one in found} == {(code, int(line))}
    body, _, said = text.partition("\n\n\n# says: ")
    if request.config.getoption("--update-golden"):
        path.write_text(f"{body.rstrip()}\n\n\n{found[0].comment()}\n", encoding="utf-8")
    else:
        assert f"# says: {said}".rstrip() == found[0].comment(), "--update-golden accepts it"


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_of_rules_has_a_kernel(family):
    assert any(path.stem.startswith(family) for path in FILES)


def test_kernels_expect_codes_that_exist():
    for path in FILES:
        code = getattr(codes, path.stem.partition("_")[0])
        assert code.severity in (Severity.error, Severity.warning)
