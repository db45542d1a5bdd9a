"""Memories by name, and questions about them: `sbuf`, `psum`, `hbm`, `is_sbuf`, ..."""

from __future__ import annotations

from typing import Any, Final

from opennki.base.codes import NKI3005
from opennki.ir import Space
from opennki.trace.fault import fault

sbuf: Final = Space.sbuf
psum: Final = Space.psum
private_hbm: Final = Space.private_hbm
shared_hbm: Final = Space.shared_hbm
hbm: Final = Space.private_hbm


def _space(buffer: Any) -> Space:
    if not isinstance(buffer, Space):
        raise fault(NKI3005, got=repr(buffer))
    return buffer


def is_hbm(buffer: Any) -> bool:
    """Whether `buffer` is in device memory, private or shared. Raises: NKI3005 if it is none."""
    return _space(buffer).is_hbm


def is_on_chip(buffer: Any) -> bool:
    """Whether `buffer` is SBUF or PSUM."""
    return _space(buffer).on_chip


def is_psum(buffer: Any) -> bool:
    """Whether `buffer` is PSUM."""
    return _space(buffer) is Space.psum


def is_sbuf(buffer: Any) -> bool:
    """Whether `buffer` is SBUF."""
    return _space(buffer) is Space.sbuf
