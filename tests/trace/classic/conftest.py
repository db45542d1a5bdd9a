"""Fixtures of the first generation: both roads, and what a kernel that is refused is told."""

from __future__ import annotations

import pytest

import neuronxcc.nki as nki
from opennki.base.diag import NkiError


@pytest.fixture(params=["beta3", "beta2"])
def road(request, monkeypatch):
    """The road that kernels of the test take; a test with it runs once on each."""
    monkeypatch.setenv("NKI_FRONTEND", request.param)
    return request.param


@pytest.fixture
def told():
    """A function that runs a kernel which is refused: ``told(kernel, *arrays)`` is what it says."""

    def run(kernel, *arrays, target="trn1"):
        with pytest.raises(NkiError) as caught:
            nki.jit(kernel, platform_target=target)(*arrays)
        return [f"{one.code.id}: {one.message}" for one in caught.value.diagnostics]

    return run
