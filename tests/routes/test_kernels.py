"""The examples in every textual form, and rebuilt from their texts."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from opennki.penguin import parse_function, print_function

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def example(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"opennki_route_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_survives_every_text(path, texts, monkeypatch):
    compiled = []
    runs = {
        (module, name): getattr(module, name)
        for module, name in (
            (importlib.import_module("opennki.api.jit"), "execute"),
            (importlib.import_module("opennki.api.launch"), "execute_ranks"),
        )
    }

    def patch(see):
        for (module, name), run in runs.items():
            monkeypatch.setattr(module, name, lambda c, *rest, run=run: run(see(c), *rest))

    patch(lambda c: compiled.append(c) or c)
    got, _ = example(path).run(target="trn2", level="penguin")
    assert compiled
    for one in compiled:
        texts(one.penguin)
    # the same kernel, with functions that were read from text
    patch(reread)
    again, _ = example(path).run(target="trn2", level="program")
    assert again.tobytes() == got.tobytes()


def reread(compiled):
    """`compiled` with every function replaced by what its text gives."""
    for traced in compiled.traces:
        made = parse_function(print_function(traced.function))
        assert made == traced.function
        traced.function = made
        traced.arrays = [(made.tensors[tensor.name], array) for tensor, array in traced.arrays]
    return compiled
