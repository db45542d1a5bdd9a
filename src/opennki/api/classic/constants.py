"""What kernels of the first generation import as `neuronxcc.nki.language.constants`."""

from __future__ import annotations

from typing import Any, Final

from opennki.api import classic
from opennki.base.dtypes import tensor_dtype

__all__: Final = ["sizeinbytes"]


def sizeinbytes(dtype: Any) -> int:
    """Bytes of one element. Raises: KeyError for what is no dtype of tensors."""
    return tensor_dtype(dtype).itemsize


def __getattr__(name: str) -> Any:
    raise classic.missing(".language.constants", name)
