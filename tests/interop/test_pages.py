"""The examples of the pages about frameworks run as they are written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = re.compile(r"^```py(?:thon)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/guide/frameworks.md"])
@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_examples_of_pages_run(page, framework, tmp_path):
    pytest.importorskip(framework)
    kernel, *rest = EXAMPLE.findall((ROOT / page).read_text(encoding="utf-8"))
    mine = [example for example in rest if f"import {framework}\n" in example.replace(",", "\n")]
    assert len(mine) == 1
    script = tmp_path / "example.py"
    script.write_text(kernel + mine[0], encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = "3.|3\\.0" if framework == "torch" else "6\\."
    assert page != "README.md" or re.search(shown, done.stdout)
