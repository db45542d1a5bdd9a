"""Prebuilt kernels: a whole module as the value of the attribute `klir_binary`.

Source: KLR lowering, "How a KLR kernel enters a BIR module": an instruction carries a binary and
its format. Model: the binary is base64, because attributes are text; format ``bir`` is BIR's JSON
file; the version identifier is that of opennki, whose own fields may change between versions.
"""

from __future__ import annotations

import base64
import binascii
from typing import Final

from opennki import __version__

from .module import Module
from .serde import dumps, loads

FORMAT: Final = "bir"
"""The value of `kernel_format` for BIR's JSON file."""

IDENTIFIER: Final = f"opennki {__version__}"
"""What `nki_binary_version_identifier` says of a binary that this version makes."""


def to_binary(module: Module) -> str:
    """`module` as a binary of the format ``bir``."""
    return base64.b64encode(dumps(module).encode()).decode("ascii")


def bytes_of(text: str) -> bytes | None:
    """The bytes that a binary stands for, None if it is no base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def from_bytes(content: bytes) -> Module:
    """The module of a binary of the format ``bir``. Raises: as `serde.loads`."""
    return loads(content)
