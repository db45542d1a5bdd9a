"""Sessions in README.md and docs/guide/two-roads.md: their commands print what they show."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def sessions(page: str) -> list[tuple[str, str]]:
    """Each command of the page with the output that follows it."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        for part in block.split("$ opennki ")[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def sizeless(text: str) -> str:
    """`text` without sizes of files, which hold the path of the kernel's source."""
    return re.sub(r"[\d.]+ KiB \(\d+ bytes\)", "SIZE", text)


@pytest.mark.parametrize(("page", "count"), [("README.md", 4), ("docs/guide/two-roads.md", 6)])
def test_a_page_shows_what_commands_print(
    opennki, directory: Path, monkeypatch: pytest.MonkeyPatch, page: str, count: int
):
    monkeypatch.setenv("COLUMNS", "80")
    (directory / "examples").symlink_to(ROOT / "examples")
    shown = sessions((ROOT / page).read_text(encoding="utf-8"))
    assert len(shown) == count
    for command, output in shown:
        done = opennki(*shlex.split(command))
        assert (done.exit_code, done.stderr) == (0, ""), command
        parts = re.split(r"^\.\.\.\n", sizeless(output), flags=re.MULTILINE)
        wanted = ".*".join(map(re.escape, parts))
        shown_now = sizeless(done.stdout)
        assert re.fullmatch(wanted, shown_now, re.DOTALL), f"{command}\n{shown_now}"
