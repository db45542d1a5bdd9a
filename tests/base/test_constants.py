"""Contents of constants as text, and back."""

from __future__ import annotations

import numpy as np
import pytest

from opennki.base import constants, dtypes
from opennki.base.constants import base64_text, constant_text, from_base64, read_constant
from opennki.base.diag import NkiError
from opennki.base.text import Reader


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
@pytest.mark.parametrize("shape", [(3, 3), (2, 3), (9,), (0, 0), (1, 1)])
def test_every_constant_reads_back_bit_by_bit(dtype: dtypes.DType, shape: tuple[int, ...]):
    for values in (np.ones(shape, np.float32), np.eye(*shape, dtype=np.float32)[: shape[0]]):
        wanted = np.resize(values, shape).astype(dtype.np)
        found = read_constant(Reader(constant_text(wanted, shape, dtype)), shape, dtype)
        assert (found.shape, found.tobytes()) == (shape, wanted.tobytes())


def test_only_an_identity_matrix_is_spelled_as_one(monkeypatch: pytest.MonkeyPatch):
    eye = np.eye(4)
    assert constant_text(eye, (4, 4), dtypes.bfloat16) == "identity(4)"
    assert constant_text(-eye, (4, 4), dtypes.bfloat16).startswith('"')
    assert constant_text(eye, (16,), dtypes.bfloat16).startswith('"')
    monkeypatch.setattr(constants, "MAX_ELEMENTS", 15)  # what is not read is not written either
    assert constant_text(eye, (4, 4), dtypes.bfloat16).startswith('"')
    with pytest.raises(NkiError, match="NKI4015"):
        read_constant(Reader("identity(4)"), (4, 4), dtypes.bfloat16)


def test_base64_must_fill_the_shape():
    text = base64_text([1, 2], dtypes.int16)
    assert from_base64(text, (2,), dtypes.int16).tolist() == [1, 2]
    assert from_base64(text, (3,), dtypes.int16) is None
    assert from_base64("?", (2,), dtypes.int16) is None
