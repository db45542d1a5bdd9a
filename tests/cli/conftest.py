"""A directory with small kernel files, and the command line run in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from opennki.cli import app

KERNELS = '''\
"""Two kernels, and a script that runs one of them."""

import sys

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def scale(x, factor=2.0):
    """x times factor."""
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation(dst=tile, op=nl.copy, data=tile, scale=factor)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def constant(n=4):
    """n ones in each of 128 rows."""
    tile = nl.ndarray((128, n), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=1.0)
    out = nl.ndarray((128, n), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


if __name__ == "__main__":
    ones = np.ones((128, 4), np.float32)
    for _ in range(2):
        doubled = scale(ones)
    print("arguments", sys.argv[1:], "mean", doubled.mean())
'''


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, which holds ``kernels.py``; no variable chooses a target or colour."""
    for name in ("NEURON_PLATFORM_TARGET_OVERRIDE", "NKI_PRECISE_FP", "NO_COLOR", "NKI_FRONTEND"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels.py").write_text(KERNELS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def opennki() -> Callable[..., Result]:
    """``opennki("check", "kernels.py")``: the result of the command."""
    runner = CliRunner()
    return lambda *args: runner.invoke(app, list(args), prog_name="opennki")
