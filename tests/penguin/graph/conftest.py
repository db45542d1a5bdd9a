"""Functions with one graph op in tests: built, checked and run at the level of Penguin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from opennki.base import dtypes
from opennki.base.diag import Severity
from opennki.ir import Role, Space, Tensor, View
from opennki.penguin import Function, IRBuilder, parse_function, verify
from opennki.target import CAYMAN, target
from opennki.testing.programs import run

TARGET = target("trn2")


@pytest.fixture
def builder() -> IRBuilder:
    """Of a new function for trn2."""
    assert TARGET.order == CAYMAN
    return IRBuilder(Function("f", TARGET))


@pytest.fixture
def argument(builder) -> Callable[..., View]:
    """Makes an argument of the function."""

    def make(name: str, *shape: int, dtype: dtypes.DType = dtypes.float32) -> View:
        tensor = Tensor(name, shape, dtype, Space.private_hbm, role=Role.input)
        return builder.tensor(tensor)

    return make


@pytest.fixture
def meaning() -> Callable[..., np.ndarray]:
    """Runs a function of one result at the level of Penguin."""

    def evaluate(function: Function, result: View, **arrays: np.ndarray) -> np.ndarray:
        function.results.append(result.tensor.name)
        return run(function, arrays, "penguin")[result.tensor.name]

    return evaluate


@pytest.fixture
def refused() -> Callable[[str, str], list[tuple[str, str]]]:
    """What the verifier says of one statement among tensors, both as text."""

    def check(tensors: str, statement: str) -> list[tuple[str, str]]:
        lines = "\n".join(f"tensor {one.strip()} private_hbm" for one in tensors.split(";"))
        text = f"penguin.function @f target=cayman args=[] results=[] {{\n{lines}\n{statement}\n}}"
        found = [d for d in verify(parse_function(text)) if d.severity is Severity.error]
        return [(d.code.id, d.message) for d in found]

    return check
