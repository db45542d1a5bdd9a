"""What kernels of the first generation import as `neuronxcc.nki.typing`: annotations."""

from __future__ import annotations

from typing import Any, Final

from opennki.api import classic
from opennki.api.typing import mutable_tensor, tensor

__all__: Final = ["immutable", "mutable", "mutable_tensor", "tensor"]


class mutable:  # published name
    """``nt.tensor[nt.mutable]``: the kernel writes the parameter."""


class immutable:  # published name
    """``nt.tensor[nt.immutable]``: the kernel only reads the parameter."""


def __getattr__(name: str) -> Any:
    raise classic.missing(".typing", name, __all__)
