"""Write the files that follow from the op table, the catalogue and the target tables.

``python tools/generate.py`` writes the stubs under ``src/nki`` and the pages of ``docs/reference``;
with ``--check`` it writes nothing, shows what differs, and fails if anything does. It needs the
packages that opennki needs, and describes the checkout that it lies in. It is not part of the
package, because it looks at all of it, and no layer may.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]

from reference import pages, stubs  # noqa: E402  # they import the checkout's opennki

COMMAND = "python tools/generate.py"


def files() -> dict[str, str]:
    """Every generated file: its path from the repository's root, with slashes, and its text."""
    return {**stubs.files(), **pages.files()}


def stale(made: dict[str, str]) -> list[str]:
    """Files where generated ones go, and that no longer are among `made`."""
    there = [*(ROOT / "src/nki").rglob("*.pyi"), *(ROOT / "docs/reference").glob("*.md")]
    return sorted(p.relative_to(ROOT).as_posix() for p in there if _name(p) not in made)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def differences(made: dict[str, str]) -> list[str]:
    """Lines that say how the checked-in files differ from `made`; none if they do not."""
    lines = [f"{name} is no longer generated: delete it" for name in stale(made)]
    for name, text in made.items():
        path = ROOT / name
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old != text:
            diff = difflib.unified_diff(
                old.splitlines(), text.splitlines(), name, "generated", lineterm="", n=1
            )
            lines += list(diff)[:40]
    return lines


def write(made: dict[str, str]) -> None:
    """Write `made`, and delete what is no longer among it."""
    for name in stale(made):
        (ROOT / name).unlink()
    for name, text in made.items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def main() -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(description="Write the stubs and the reference pages.")
    parser.add_argument("--check", action="store_true", help="only say what differs")
    made = files()
    if not parser.parse_args().check:
        write(made)
        return 0
    found = differences(made)
    if found:
        sys.stdout.write("\n".join([*found, "", f"Generated files are out of date: run {COMMAND}"]))
        sys.stdout.write("\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
