"""Every example agrees with NumPy on every target, bit for bit at every level of the simulator."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from opennki.base.diag import NkiError

EXAMPLES = Path(__file__).parents[2] / "examples"
TARGETS = ("trn1", "trn2", "trn3")
LEVELS = ("penguin", "bir", "program")

# example, its function that gives (kernel's results, NumPy's), and sizes with remainders everywhere
CASES = [
    ("tensor_add", "run", {"rows": 130, "columns": 2100, "dtype": "float32"}),
    ("tensor_add", "run", {"rows": 60, "columns": 70, "dtype": "bfloat16"}),
    ("matmul", "matmul_tiles", {"m": 256, "k": 256, "n": 512, "dtype": "float32"}),
    ("matmul", "matmul_hoisted", {"m": 256, "k": 256, "n": 1024, "dtype": "bfloat16"}),
    ("matmul", "matmul_blocked_mn", {"m": 640, "k": 128, "n": 1536, "dtype": "bfloat16"}),
    ("matmul", "matmul_blocked_mnk", {"m": 128, "k": 1152, "n": 1536, "dtype": "float32"}),
    ("matmul", "matmul_blocked_mnk", {"m": 640, "k": 128, "n": 512, "dtype": "bfloat16"}),
    ("transpose2d", "run", {"rows": 530, "columns": 200, "dtype": "float32"}),
    ("transpose2d", "run", {"rows": 100, "columns": 30, "dtype": "bfloat16"}),
    ("transpose2d", "run_free", {"rows": 130, "height": 5, "width": 7, "dtype": "bfloat16"}),
    ("average_pool", "run", {"channels": 130, "height": 11, "width": 8, "window": 3, "stride": 2}),
    ("average_pool", "run", {"channels": 3, "height": 8, "width": 8, "window": 4, "stride": 4}),
    ("softmax", "run", {"rows": 130, "columns": 300, "dtype": "float32"}),
    ("softmax", "run", {"rows": 3, "columns": 40, "dtype": "bfloat16"}),
    ("rms_norm", "run", {"rows": 130, "columns": 300, "dtype": "float32"}),
    ("rms_norm", "run", {"rows": 3, "columns": 40, "dtype": "bfloat16"}),
    ("layer_norm", "run", {"rows": 130, "columns": 700}),
    ("layer_norm", "run", {"rows": 3, "columns": 40}),
    ("state_space_scan", "run", {"channels": 130, "states": 2, "time": 530}),
    ("conv2d", "run", {"in_channels": 130, "out_channels": 129, "size": 8, "dtype": "float32"}),
    ("conv2d", "run", {"in_channels": 3, "out_channels": 4, "size": 30, "dtype": "bfloat16"}),
    ("spmd_add", "run", {"rows": 131, "columns": 20, "cores": 1}),
    ("spmd_add", "run", {"rows": 131, "columns": 20, "cores": 2}),
    ("tensor_parallel", "run", {"ranks": 3, "rows": 5, "depth": 96, "columns": 33}),
    ("embedding_bag", "run", {"count": 9, "width": 30, "bags": 3, "longest": 5}),
    ("embedding_bag", "run", {"count": 200, "width": 64, "bags": 2, "longest": 1}),
    ("flash_attention", "run", {"seq": 128, "dim": 128, "causal": False, "dtype": "float32"}),
    ("flash_attention", "run", {"seq": 640, "dim": 32, "causal": False, "dtype": "bfloat16"}),
    ("flash_attention", "run", {"seq": 640, "dim": 64, "causal": True, "dtype": "float32"}),
    ("flash_attention", "run", {"seq": 256, "dim": 128, "causal": True, "dtype": "bfloat16"}),
]
IDS = [f"{name}-{runner}-{'x'.join(map(str, sizes.values()))}" for name, runner, sizes in CASES]


def example(name: str) -> ModuleType:
    """The example as a module, loaded once."""
    key = f"opennki_example_{name}"
    if key not in sys.modules:
        spec = importlib.util.spec_from_file_location(key, EXAMPLES / f"{name}.py")
        sys.modules[key] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[key]


def results(name: str, runner: str, sizes: dict, **options) -> tuple[np.ndarray, np.ndarray]:
    """What the kernel gives, and what NumPy gives in float64."""
    module = example(name)
    if name == "matmul":
        got, want = module.run(getattr(module, runner), **sizes, **options)
    else:
        got, want = getattr(module, runner)(**sizes, **options)
    return got, want.astype(np.float64)


def tolerance(name: str, sizes: dict) -> float:
    """The largest error that the example itself allows."""
    module = example(name)
    if name == "matmul":
        return module.tolerance(sizes["k"], sizes["dtype"])
    if isinstance(module.TOLERANCE, dict):
        return next(v for k, v in module.TOLERANCE.items() if str(k) == sizes["dtype"])
    return module.TOLERANCE


def test_every_example_has_a_case():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {name for name, _, _ in CASES}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("name", "runner", "sizes"), CASES, ids=IDS)
def test_example_agrees_with_numpy_at_every_level(name, runner, sizes, target):
    if target == "trn1" and sizes.get("cores") == 2:
        with pytest.raises(NkiError) as refused:
            results(name, runner, sizes, target=target)
        assert [d.code.id for d in refused.value.diagnostics] == ["NKI1020"]
        return
    first, want = results(name, runner, sizes, target=target, level=LEVELS[0])
    assert first.shape == want.shape
    assert np.abs(first.astype(np.float64) - want).max() <= tolerance(name, sizes)
    for level in LEVELS[1:]:
        got, _ = results(name, runner, sizes, target=target, level=level)
        assert got.dtype == first.dtype
        assert got.tobytes() == first.tobytes(), level


@pytest.mark.parametrize("name", sorted({name for name, _, _ in CASES} - {"flash_attention"}))
def test_example_checks_itself(name, capsys):
    assert example(name).main() == 0
    out = capsys.readouterr().out
    assert "pass" in out
    assert "FAIL" not in out


@pytest.mark.parametrize(
    "arguments",
    [[], ["--seq", "2048", "--causal"], ["--seq", "1024", "--dim", "64", "--dtype", "bfloat16"]],
    ids=" ".join,
)
def test_flash_attention_reports_error_and_engines(arguments, capsys):
    assert example("flash_attention").main(arguments) == 0
    out = capsys.readouterr().out
    assert "max error" in out
    for engine in ("PE", "ACT", "DVE", "SP"):
        assert f"\n  {engine:5} " in out


@pytest.mark.parametrize("name", ["tensor_add", "layer_norm", "conv2d"])
def test_example_fails_when_results_are_off(name, monkeypatch, capsys):
    module = example(name)
    none = -1.0
    if isinstance(module.TOLERANCE, dict):
        none = dict.fromkeys(module.TOLERANCE, none)
    monkeypatch.setattr(module, "TOLERANCE", none)
    assert module.main() == 1
    assert "FAIL" in capsys.readouterr().out


def test_flash_attention_fails_when_results_are_off(monkeypatch, capsys):
    module = example("flash_attention")
    monkeypatch.setitem(module.TOLERANCE, "float32", 0.0)
    assert module.main(["--seq", "128"]) == 1
    assert "FAIL" in capsys.readouterr().out
