"""What route tests share: targets to look at, and the checks that every lowered form must pass."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable

import numpy as np
import pytest

from opennki import birpy
from opennki.base.diag import NkiError, Severity
from opennki.lower import BirCodeGenLoop
from opennki.penguin import Function, parse_function, print_function, verify
from opennki.testing.programs import RUNNERS, Arrays, differences, inputs_of, run


def check_levels(function: Function) -> None:
    """Runs on random inputs, which depend on the function only, agree bit for bit."""
    seed = zlib.crc32(print_function(function).encode())
    arrays = inputs_of(function, np.random.default_rng(seed))
    results = {level: outcome(function, arrays, level) for level in RUNNERS}
    expected = results["penguin"]
    assert expected
    for level, found in results.items():
        if isinstance(expected, list) or isinstance(found, list):
            assert expected == found, level
        else:
            assert differences(expected, found) == [], level


def outcome(function: Function, arrays: Arrays, level: str) -> Arrays | list[str]:
    """What a run leaves; or, if an instruction stops it, the code that says why."""
    try:
        return run(function, arrays, level)
    except NkiError as error:
        errors = [found for found in error.diagnostics if found.severity is Severity.error]
        codes = [found.code.id for found in errors]
        if codes != ["NKI6021"]:
            raise
        return codes


def check_texts(functions: list[Function]) -> None:
    """Penguin and BIR are valid, and their texts and the JSON of BIR give them back."""
    for function in functions:
        assert [d.message for d in verify(function) if d.severity is Severity.error] == []
        text = print_function(function)
        again = parse_function(text)
        assert again == function
        assert _without_comments(print_function(again)) == _without_comments(text)
    module = BirCodeGenLoop().run_on_module(functions)
    assert [d.message for d in birpy.verify(module) if d.severity is Severity.error] == []
    written, stored = birpy.print_module(module), birpy.dumps(module)
    assert _without_comments(birpy.print_module(birpy.parse_module(written))) == (
        _without_comments(written)
    )
    assert birpy.dumps(birpy.loads(stored)) == stored


def _without_comments(text: str) -> list[str]:
    return [line.partition("  // ")[0] for line in text.splitlines()]


@pytest.fixture(scope="session")
def texts() -> Callable[[list[Function]], None]:
    """See `check_texts`."""
    return check_texts


@pytest.fixture(scope="session")
def levels() -> Callable[[Function], None]:
    """See `check_levels`."""
    return check_levels


@pytest.fixture(autouse=True)
def _quiet() -> object:
    """Warnings about values (domains of functions, uninitialised reads) are not the subject."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
