"""One small kernel per rule: each is refused (or warned about) with one code, on one line.

A file in `fail` starts with ``# expect: NKI2104 at line 17`` and perhaps ``# target: trn2``. Its
`kernel` gets a float32 array of (128, 64); where the call itself is at fault, a `main` makes it.
"""

from __future__ import annotations

import importlib.util
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import nki
from opennki.base import codes
from opennki.base.diag import NkiError, NkiWarning, Severity

FILES = sorted((Path(__file__).parent / "fail").glob("*.py"))
HEADER = re.compile(r"# expect: (NKI\d{4}) at line (\d+)\n(?:# target: (\w+)\n)?\"\"\"")
FOUND = re.compile(r"(error|warning)\[(NKI\d{4})\]")
FAMILIES = (
    "NKI100", "NKI101", "NKI102", "NKI103", "NKI210", "NKI211", "NKI212", "NKI220", "NKI221",
    "NKI230", "NKI240", "NKI241", "NKI250", "NKI260", "NKI270", "NKI300", "NKI301", "NKI302",
    "NKI500", "NKI510", "NKI520",
)  # fmt: skip


def problems_of(path: Path, target: str | None) -> set[tuple[str, int]]:
    """Code and line of everything that running the file's kernel reports."""
    spec = importlib.util.spec_from_file_location(f"fail_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = set()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if hasattr(module, "main"):
                module.main()
            else:
                nki.simulate(module.kernel, target=target)(np.zeros((128, 64), np.float32))
        except NkiError as error:
            for one in error.diagnostics:
                assert Path(one.file) == path, one.message
                found.add((one.code.id, one.line))
    for warning in caught:
        assert issubclass(warning.category, NkiWarning), warning
        found.add((FOUND.search(str(warning.message)).group(2), warning.lineno))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_kernel_is_refused_with_its_code_on_its_line(path):
    code, line, target = HEADER.match(path.read_text(encoding="utf-8")).groups()
    assert path.stem.startswith(f"{code}_")
    assert problems_of(path, target) == {(code, int(line))}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_of_rules_has_a_kernel(family):
    assert any(path.stem.startswith(family) for path in FILES)


def test_kernels_expect_codes_that_exist():
    for path in FILES:
        code = getattr(codes, path.stem.partition("_")[0])
        assert code.severity in (Severity.error, Severity.warning)
