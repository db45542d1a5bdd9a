"""The pages people read first hold: links, the commands CI takes from them, the kernel shown."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest


def test_links_between_pages_lead_somewhere(root: Path):
    dead = []
    for page in [*root.glob("*.md"), *(root / "docs").rglob("*.md")]:
        prose = re.sub(
            r"^```.*?^```$|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S
        )
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", prose):
            if not (page.parent / target).exists():
                dead.append(f"{page.relative_to(root).as_posix()}: {target}")
    assert not dead, "\n".join(dead)


@pytest.mark.parametrize("name", ["run", "test"])
def test_readme_holds_one_line_for_each_ci_command(root: Path, name: str):
    readme = (root / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(rf"^<!-- ci:{name} -->\n```sh\n(.+)\n```\n<!-- /ci -->$", readme, re.M)
    assert len(blocks) == 1


def test_readme_kernel_runs(root: Path, tmp_path: Path):
    if not (root / "src/nki/__init__.py").exists():
        pytest.skip("nki does not exist yet")
    readme = (root / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```$", readme, re.M | re.S)
    script = tmp_path / "readme.py"
    script.write_text(example, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
