"""Kernels of the first generation that are refused: unrolling changes nothing of what is said."""

from __future__ import annotations

import importlib.util
import re
import warnings
from pathlib import Path

import pytest

from opennki.base.diag import NkiError
from opennki.driver import Request, defaults

FAIL = Path(__file__).parents[2] / "kernels" / "fail"
FILES = [p for p in sorted(FAIL.glob("*.py")) if "import neuronxcc.nki as nki" in p.read_text()]


def told(module, **options):
    """What is said of the kernel: code, line and message of every diagnostic, without numbers.

    Of a loop that is rolled, the indices of all trips are said to be beyond a tensor.
    """
    with warnings.catch_warnings(), defaults(Request(**options)):
        warnings.simplefilter("ignore")
        try:
            module.main()
        except NkiError as error:
            return [(d.code.id, d.line, re.sub(r"\d+", "", d.message)) for d in error.diagnostics]
    return []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_unrolling_changes_no_diagnostic(path):
    spec = importlib.util.spec_from_file_location(f"classic_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rolled = told(module)
    assert told(module, unroll=True) == rolled


def test_every_error_of_the_guide_has_a_kernel():
    assert len(FILES) > 30
