"""Files are exchanged with klr-lang, the published program for KLR, where it is installed.

`OPENNKI_KLR` names its command `klr`; without that, the search path does. Release 0.0.12 of it
knows syntax trees and call sites, and no kernels yet, so this is about the file format: header,
format, kind of contents, and every byte of the trees, which are carried and not looked into.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from opennki.base.diag import NkiError
from opennki.klr import HloContents, NkiContents, PythonContents, lowerable, read, write

VERSION = "0.0.12"
SOURCE = "def double(a, b):\n    c = a + 1\n    return [c, 'x', 1.5, None, b[0:3]]\n"


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """What a command prints, which must succeed."""
    where = {**os.environ, "PYTHONPATH": str(cwd)} if cwd else None
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=where, timeout=120, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def klr() -> Path:
    """The command; skips the test where there is none, or another one of this name."""
    named = os.environ.get("OPENNKI_KLR")
    if named:
        return Path(named)
    found = shutil.which("klr")
    if found is None:
        pytest.skip("klr-lang is not installed: no OPENNKI_KLR, and no `klr` on the search path")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    if said.stdout.strip() != VERSION:
        pytest.skip(f"{found} is not klr-lang {VERSION}")
    return Path(found)


@pytest.fixture(scope="module")
def gathered(klr: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file that klr-lang makes of a Python function."""
    directory = tmp_path_factory.mktemp("gather")
    (directory / "doubling.py").write_text(SOURCE, encoding="utf-8")
    run(klr.with_name("klr-gather"), "doubling", "double", directory / "out.klr", cwd=directory)
    return (directory / "out.klr").read_bytes()


def text(value: str) -> bytes:
    return bytes((0x60 + len(value),)) + value.encode()


def tree() -> bytes:
    """The Python syntax tree of a kernel `k` with one function that has one argument, no body."""
    none = bytes.fromhex("d9ff0080")
    args = bytes.fromhex("d90c0087 80 81") + text("a") + b"\x80" + none + b"\x80\x80" + none
    function = bytes.fromhex("d90d0085") + text("k") + b"\x01" + text("def k") + args + b"\x80"
    return bytes.fromhex("d90e0086") + text("k") + b"\x81" + function + b"\x80" * 4


def test_klr_reads_the_files_that_we_write(klr: Path, tmp_path: Path):
    (tmp_path / "k.klr").write_bytes(write(PythonContents(tree())))
    shown = run(klr, "info", tmp_path / "k.klr").splitlines()
    assert shown[:2] == ["AST summary for Python Core kernel k", "Source Functions: k"]


def test_we_read_the_files_that_klr_writes(gathered: bytes):
    file = read(gathered)
    assert (file.version, file.format) == ((0, 0, 12), "KLR")
    assert isinstance(file.contents, PythonContents)
    assert file.contents.kernel[:4] == bytes.fromhex("d90e0086")
    assert b"doubling.double" in file.contents.kernel


def test_trees_pass_through_unchanged(klr: Path, gathered: bytes, tmp_path: Path):
    ours = write(read(gathered).contents)
    assert ours == gathered.replace(b"\x63KLR", b"\x63NKI", 1)
    shown = []
    for name, octets in (("theirs.klr", gathered), ("ours.klr", ours)):
        (tmp_path / name).write_bytes(octets)
        shown.append(run(klr, "info", "--dump", "json", tmp_path / name))
    assert shown[0] == shown[1]
    assert "doubling.double" in shown[0]


def test_a_tree_is_not_lowered(gathered: bytes):
    with pytest.raises(NkiError) as caught:
        lowerable(read(gathered).contents)
    assert caught.value.code == "NKI4109"


def test_simplified_trees_and_call_sites_are_read(klr: Path, tmp_path: Path):
    python = klr.with_name("python")
    if not python.exists():
        pytest.skip(f"{klr} has no `python` beside it, which could call klr-lang's functions")
    (tmp_path / "doubling.py").write_text("def double(a):\n    return a\n", encoding="utf-8")
    script = (
        "import doubling, klr.frontend as frontend\n"
        "kernel = frontend.Kernel(doubling.double)\n"
        "kernel.specialize((1,))\n"
        "open('call.klr', 'wb').write(kernel.serialize('nki.klr'))\n"
    )
    run(python, "-c", script, cwd=tmp_path)
    simplified = read((tmp_path / "nki.klr").read_bytes())
    assert isinstance(simplified.contents, NkiContents)
    assert read((tmp_path / "call.klr").read_bytes()).contents == HloContents("nki.klr")
    (tmp_path / "ours.klr").write_bytes(write(simplified.contents))
    assert "AST summary for NKI kernel doubling.double" in run(klr, "info", tmp_path / "ours.klr")
