"""The golden fixture tells the truth, and no golden file outlives its test."""

from __future__ import annotations

import re
from pathlib import Path


def test_missing_file_equals_nothing(golden, tmp_path: Path):
    missing = type(golden)(tmp_path / "none.txt", update=False)
    assert missing != ""
    assert "no golden file" in missing.explain("text")[0]


def test_update_records_and_then_holds(golden, tmp_path: Path):
    path = tmp_path / "deep" / "text.txt"
    assert type(golden)(path, update=True) == "one\ntwo"
    kept = type(golden)(path, update=False)
    assert kept == "one\ntwo\n"
    assert kept != "one\nthree"
    assert "-two" in kept.explain("one\nthree")
    assert "+three" in kept.explain("one\nthree")


def test_every_golden_file_has_its_test(root: Path):
    tests = root / "tests"
    orphans = []
    for path in sorted((tests / "golden").rglob("*.txt")):
        file = tests / path.parent.relative_to(tests / "golden").with_suffix(".py")
        test = re.match(r"\w+", path.stem)
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if test is None or f"def {test.group()}(" not in text:
            orphans.append(path.relative_to(root).as_posix())
    assert not orphans, "\n".join(orphans)
