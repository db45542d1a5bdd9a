"""Functions with graph ops on their road: forms, problems, runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.base.diag import NkiError, NkiWarning
from opennki.birpy import parse_module, print_module
from opennki.driver import Options, check_functions, compile_functions
from opennki.lower import InternalKernel, KernelCache, Registry
from opennki.penguin import Function, parse_function, print_function
from opennki.target import target

OPTIONS = Options(target("trn2"))


def function(body: str = "softmax dst=%y, src=%x", more: str = "") -> Function:
    return parse_function(f"""penguin.function @main target=cayman args=[x] results=[y] {{
  tensor %x: float32[8, 4] private_hbm input
  tensor %y: float32[8, 4] private_hbm output
  {more}
  {body}
}}""")


def test_every_form_has_a_text():
    made = compile_functions([function()], OPTIONS)
    assert made.text("penguin") == print_function(function())
    assert parse_module(made.text("bir")).nki_functions[0].name == "softmax"
    assert json.loads(made.text("json"))["nki_functions"][0]["name"] == "softmax"
    assert "inst__softmax/I-0" in made.text("program")
    with pytest.raises(NkiError, match="NKI7012"):
        made.text("klr")


def test_building_a_program_leaves_the_bir_without_addresses():
    made = compile_functions([function()], OPTIONS)
    before = made.text("bir")
    assert made.program is made.program
    assert made.text("bir") == before
    assert "NKIKernel" not in print_module(made.expanded)


def test_wrong_functions_are_refused_before_anything_is_lowered():
    with pytest.raises(NkiError, match="NKI2804"):
        compile_functions([function("softmax dst=%y, src=%x, axis=7")], OPTIONS)


def test_functions_fit_the_options_and_each_other():
    with pytest.raises(NkiError, match="NKI7013"):
        compile_functions([function()], Options(target("trn1")))
    first = function()
    first.cores = 2
    with pytest.raises(NkiError, match="`main` in its launch is core 0 of 1; core 1 of 2"):
        compile_functions([first, function()], OPTIONS)


@pytest.mark.parametrize(
    ("arrays", "code"),
    [
        ({}, "NKI7018"),
        ({"x": np.zeros((8, 5), np.float32)}, "NKI7018"),
        ({"x": np.zeros((8, 4), np.int32)}, "NKI7018"),
        ({"y": np.zeros((8, 4), np.float32)}, "NKI7018"),
    ],
)
def test_arrays_must_be_the_arguments(arrays, code):
    with pytest.raises(NkiError, match=code):
        compile_functions([function()], OPTIONS).run(arrays)


def test_levels_are_those_of_kernels():
    x = np.zeros((8, 4), np.float32)
    made = compile_functions([function()], OPTIONS)
    assert (made.run({"x": x})[0]["y"] == 0.25).all()
    with pytest.raises(NkiError, match="NKI7012"):
        made.run({"x": x}, "hlo")


def test_a_cache_may_be_shared():
    cache = KernelCache()
    for prebuilt in (False, True):
        made = compile_functions([function()], OPTIONS, cache=cache, prebuilt=prebuilt)
        assert made.bir.functions
        assert len(cache) == 1


def test_check_finds_what_every_step_finds():
    assert check_functions([function()], OPTIONS) == []
    large = parse_function("""penguin.function @main target=cayman args=[q] results=[y] {
      tensor %q: float32[8, 5000] private_hbm input
      tensor %y: float32[8, 5000] private_hbm output
      attention dst=%y, query=%q, key=%q, value=%q
    }""")
    assert [d.code.id for d in check_functions([large], OPTIONS)] == ["NKI2809", "NKI2809"]
    wrong = function("softmax dst=%y, src=%x, axis=7")
    assert [d.code.id for d in check_functions([wrong], OPTIONS)] == ["NKI2804"]
    full = function(more="tensor %t: float32[128, 60000] sbuf", body="""
        softmax dst=%y, src=%x
        memset.vector dst=%t, value=0.0
    """)  # fmt: skip
    assert [d.code.id for d in check_functions([full], OPTIONS)] == ["NKI5002"]


def test_what_the_back_end_refuses_is_raised_with_the_program():
    full = function(more="tensor %t: float32[128, 60000] sbuf", body="""
        softmax dst=%y, src=%x
        memset.vector dst=%t, value=0.0
    """)  # fmt: skip
    made = compile_functions([full], OPTIONS)
    with pytest.raises(NkiError, match="NKI5002"):
        _ = made.program
    assert [d.code.id for d in made.problems] == ["NKI5002"]


def test_reading_what_nothing_has_written_is_told():
    fn = function("softmax dst=%y, src=%t", "tensor %t: float32[8, 4] private_hbm")
    assert [d.code.id for d in check_functions([fn], OPTIONS)] == ["NKI6015"]
    made = compile_functions([fn], OPTIONS)
    x = {"x": np.zeros((8, 4), np.float32)}
    for level in ("penguin", "bir", "program"):
        with pytest.warns(NkiWarning, match="NKI6001"):
            made.run(x, level)
    strict = compile_functions([fn], replace(OPTIONS, strict=True))
    with pytest.raises(NkiError, match="NKI6002"):
        strict.run(x)


def test_what_a_kernel_prints_is_printed(capsys, monkeypatch):
    made = ModuleType("printing_kernels")
    made.prints = prints  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "printing_kernels", made)
    registry = Registry({"softmax": InternalKernel("softmax", "printing_kernels:prints")})
    compiled = compile_functions([function()], OPTIONS, registry=registry)
    compiled.run({"x": np.full((8, 4), 3, np.float32)})
    assert capsys.readouterr().out.startswith("tile: [[3. 3. 3. 3.]")


def test_the_examples_of_the_guide_run(tmp_path):
    """As one script: a later example uses names of an earlier one."""
    page = Path(__file__).parents[2] / "docs/guide/graph-ops.md"
    examples = re.findall(r"^```py\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    assert len(examples) == 3
    checks = (
        "want = layer.run({'x': x, 'weight': np.ones(64, np.float32)}, level='penguin')[0]\n"
        "assert np.abs(results['out'] - want['out']).max() < 1e-5\n"
        "assert again.text('bir') == layer.text('bir')\n"
        "assert np.abs(weights.sum(axis=1) - 1).max() < 1e-5 and mixed.shape == x.shape\n"
    )
    script = tmp_path / "example.py"
    script.write_text("".join([*examples, checks]), encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@nki.jit
def prints(src):
    tile = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=src)
    nl.device_print("tile:", tile)
    out = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out
