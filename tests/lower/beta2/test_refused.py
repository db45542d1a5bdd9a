"""Operators that are not lowered: refused by name, with the reason."""

from __future__ import annotations

import pytest

from opennki import klr
from opennki.base.diag import NkiError
from opennki.lower.beta2 import KlirToBirCodegen
from opennki.lower.beta2.refused import REFUSED
from opennki.target import target

from .statements import refused, tensor


@pytest.mark.parametrize("kind", REFUSED)
def test_an_operator_without_a_rule_is_refused_with_the_reason(kind: str):
    struct = klr.OPERATORS[kind]
    args = struct.__new__(struct)  # its fields are not looked at
    stmt = klr.Stmt(klr.Operator(kind, args), "wrong", klr.Pos(7, filename="k.py"))
    kernel = klr.LncKernel("k", [], [], [[klr.Block("Block1", False, [stmt])]])
    with pytest.raises(NkiError) as caught:
        KlirToBirCodegen(target("trn2")).run_on_kernel(kernel)
    (found,) = caught.value.diagnostics
    assert found.code.id == "NKI4501"
    assert found.message == f"unsupported operator encountered in `wrong`: {kind}"
    assert found.notes == [REFUSED[kind]]
    assert (found.file, found.line) == ("k.py", 7)


def test_an_operator_of_another_dtype_than_its_result_is_refused():
    args = klr.Reciprocal(tensor("t", (4, 8)), tensor("x", (4, 8)), klr.Dtype.bfloat16)
    assert refused("reciprocal", args) == "dtype of reciprocal to float32: bfloat16"
