"""Modules as attributes."""

from __future__ import annotations

import pytest

from opennki import __version__
from opennki.base.diag import NkiError
from opennki.birpy import Module
from opennki.birpy.binary import IDENTIFIER, bytes_of, from_bytes, to_binary


def test_a_binary_gives_its_module_back():
    module = Module([], "gen3", 2, {"note": "é"})
    content = bytes_of(to_binary(module))
    assert content is not None
    assert from_bytes(content) == module
    assert __version__ in IDENTIFIER


def test_what_is_no_binary():
    assert bytes_of("?") is None
    assert bytes_of("YQ") is None  # its padding was cut off
    with pytest.raises(NkiError, match="NKI4008"):
        from_bytes(b"\xff")
