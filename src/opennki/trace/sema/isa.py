"""The ISA calls, one module attribute per instruction of the op table."""

from __future__ import annotations

from typing import Any

from opennki.isa.registry import BY_NKI

from .surface import CALLS as CALLS
from .surface import isa_call

CALLS.update({name: isa_call(cls) for name, cls in BY_NKI.items()})


def __getattr__(name: str) -> Any:
    try:
        return CALLS[name]
    except KeyError:
        raise AttributeError(name) from None


memset: Any = CALLS["memset"]
