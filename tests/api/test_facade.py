"""`opennki.compile`, `opennki.check` and the lazy names of the root."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki

FIELDS = [
    "code", "severity", "message", "file", "line", "col", "hint", "end_col", "operands", "callers",
    "notes",
]  # fmt: skip


@nki.jit
def scale(x, factor=2.0):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation(dst=tile, op=nl.copy, data=tile, scale=factor)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def added(x, y):
    left = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    right = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=left, src=x)
    nisa.dma_copy(dst=right, src=y)
    nisa.tensor_tensor(dst=left, data1=left, data2=right, op=nl.add)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=left)
    return out


@nki.jit
def overwrite(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=7.0)
    nisa.dma_copy(dst=x, src=tile)


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NEURON_PLATFORM_TARGET_OVERRIDE", "NKI_PRECISE_FP", "NKI_FRONTEND"):
        monkeypatch.delenv(name, raising=False)


def random(*shape: int) -> np.ndarray:
    return np.random.rand(*shape).astype(np.float32)


def test_compiled_runs_on_other_arrays(rng):
    compiled = opennki.compile(scale, "f32[128,16]", target="trn2")
    for _ in range(2):
        x = random(128, 16)
        np.testing.assert_array_equal(compiled.run(x), 2 * x)


@pytest.mark.parametrize("level", ["penguin", "bir", "program"])
def test_compiled_runs_at_every_level(level: str):
    x = random(128, 16)
    compiled = opennki.compile(scale, x, factor=3.0)
    np.testing.assert_array_equal(compiled.run(x, level=level), 3 * x)


def test_compiled_updates_arrays_that_it_writes():
    x = random(128, 4)
    assert opennki.compile(overwrite, "f32[128,4]").run(x) is None
    assert (x == 7).all()


def test_compiled_refuses_arrays_that_do_not_fit():
    compiled = opennki.compile(scale, "f32[128,16]")
    for arrays in (
        [],
        [random(128, 8)],
        [random(128, 16)] * 2,
        [np.ones((128, 16), np.int32)],
        [3],
    ):
        with pytest.raises(opennki.NkiError, match="NKI7018"):
            compiled.run(*arrays)


def test_forms_and_texts_agree():
    compiled = opennki.compile(scale, opennki.ArraySpec((128, 16), "float32"), target="trn2")
    assert [fn.name for fn in compiled.penguin] == ["scale"]
    assert compiled.program.target.name == compiled.penguin[0].target.name == "cayman"
    starts = {
        "penguin": "penguin.function @scale ",
        "bir": "bir.module ",
        "json": "{",
        "program": "program target=cayman {",
    }
    for form, start in starts.items():
        assert compiled.text(form).startswith(start)
    with pytest.raises(opennki.NkiError, match="NKI7012"):
        compiled.text("hlo")
    with pytest.raises(opennki.NkiError, match="NKI7013"):
        compiled.text("klr")


def test_each_road_has_a_form_of_its_own():
    compiled = opennki.compile(scale, "f32[128,16]", target="trn2", frontend="beta2")
    assert compiled.klr.name == "scale"
    assert compiled.text("klr").startswith("(")
    assert compiled.text("bir").startswith("bir.module ")
    with pytest.raises(opennki.NkiError, match="NKI7013"):
        compiled.text("penguin")


def test_forms_are_short_to_show_and_print_as_text():
    compiled = opennki.compile(scale, "f32[128,16]", target="trn2", grid=2)
    assert repr(compiled) == "<compiled scale for trn2, grid 2: 6 instructions>"
    forms = [compiled.penguin[0], compiled.bir, compiled.bir.functions[0], compiled.program]
    assert all(len(repr(form)) < 80 and "scale" in repr(form) for form in forms)
    assert "".join(map(str, compiled.penguin)) == compiled.text("penguin").replace("\n\n", "\n")
    assert str(compiled.bir) == compiled.text("bir")
    assert str(compiled.program) == compiled.text("program")


def test_scheduling_leaves_the_bir_without_addresses():
    compiled = opennki.compile(scale, "f32[128,16]")
    before = compiled.text("bir")
    assert "address=" in compiled.text("program")
    assert compiled.text("bir") == before
    assert "address=" not in before


def test_key_follows_content():
    keys = [
        opennki.compile(scale, "f32[128,16]").key,
        opennki.compile(scale, "f32[128,16]", factor=3.0).key,
        opennki.compile(scale, "bf16[128,16]").key,
        opennki.compile(scale, "f32[128,16]", target="trn2").key,
    ]
    assert len(set(keys)) == len(keys)
    assert opennki.compile(scale, random(128, 16)).key == keys[0]


def test_compile_reports_what_is_wrong():
    with pytest.raises(opennki.NkiError, match="NKI3002"):
        opennki.compile(scale, "f32[256,16]")
    with pytest.raises(opennki.NkiError, match="NKI7016"):
        opennki.compile(scale, "f33[256,16]")


def test_grid_makes_one_function_per_program():
    assert len(opennki.compile(scale, "f32[128,16]", grid=2).penguin) == 2


def test_check_gives_plain_fields():
    (found,) = opennki.check(scale, "f32[256,16]")
    assert [f.name for f in dataclasses.fields(found) if not f.name.startswith("_")] == FIELDS
    assert (found.code, found.severity) == ("NKI3002", "error")
    assert Path(found.file).name == "test_facade.py"
    assert found.line == scale.fn.__code__.co_firstlineno + 2
    assert str(found).startswith("error[NKI3002]: ")
    assert "^^^" in str(found)


@nki.jit
def outer(x):
    return scale(x)


def test_findings_have_operands_callers_and_columns():
    (found,) = opennki.check(outer, "f32[256,16]")
    line = outer.fn.__code__.co_firstlineno + 2
    assert [c.rpartition(":")[2] for c in found.callers] == [str(line)]
    assert found.end_col > found.col
    (found,) = opennki.check(unwritten, "f32[128,16]")
    assert ("data", "float32[128, 16] in sbuf") in found.operands


@nki.jit
def unwritten(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    part = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=part[0:64], value=0.0)
    for _ in nl.affine_range(2):
        nisa.activation(dst=tile, op=nl.copy, data=tile, bias=part[:, 0:1])
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


def test_check_warns_of_what_nothing_has_written():
    """Once per tensor and line, and not for what is written in part or later in a loop before."""
    (found,) = opennki.check(unwritten, "f32[128,16]")
    assert (found.code, found.severity) == ("NKI6015", "warning")
    assert found.message.startswith("activation reads `data`: no instruction before it writes any")
    assert found.line == unwritten.fn.__code__.co_firstlineno + 6


@nki.jit
def loops(x):
    tiles = [nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf) for _ in range(2)]
    nisa.dma_copy(dst=tiles[0], src=x)
    for i in nl.sequential_range(3):
        if i == 0:
            nisa.tensor_copy(dst=tiles[1], src=tiles[0])
        nisa.tensor_copy(dst=tiles[0], src=tiles[1])
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tiles[0])
    return out


def test_check_accepts_what_is_written_before_it_is_read():
    assert opennki.check(loops, "f32[128,16]") == []


def test_check_takes_either_road():
    for road in ("beta2", "beta3"):
        assert opennki.check(scale, "f32[128,16]", frontend=road) == []
    with pytest.raises(opennki.NkiError, match="`beta1` is no value of the option frontend"):
        opennki.check(scale, "f32[128,16]", frontend="beta1")


def test_check_finds_nothing_in_a_good_kernel():
    assert opennki.check(scale, random(128, 16)) == []
    assert opennki.check(scale.fn, "bf16[128,16]", factor=0.5, target="trn1", nki="0.6") == []


def test_check_finds_what_allocation_finds():
    (found,) = opennki.check(added, "f32[128,40000]", "f32[128,40000]")
    assert found.code == "NKI5002"


def test_check_reports_a_missing_argument():
    assert [f.code for f in opennki.check(scale)] == ["NKI1005"]


def test_check_of_a_file(tmp_path: Path):
    path = tmp_path / "k.py"
    path.write_text(
        "import nki\nimport nki.language as nl\n\n\n@nki.jit\ndef k(x, n=1):\n"
        "    nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n",
        encoding="utf-8",
    )
    assert [f.code for f in opennki.check(path)] == ["NKI7020", "NKI7021"]
    assert "NKI3002" in [f.code for f in opennki.check(f"{path}:k", "f32[256,2]")]
    assert "NKI3002" in [f.code for f in opennki.check(path, "f32[256,2]")]
    assert [f.code for f in opennki.check(f"{path}:j", "f32[256,2]")] == ["NKI7002"]
    assert [f.code for f in opennki.check(tmp_path / "j.py")] == ["NKI7001"]


@pytest.mark.parametrize(
    ("options", "code"),
    [({"nki": "0.1"}, "NKI7019"), ({"target": "trn9"}, "NKI1023"), ({"grid": 0}, "NKI1020")],
)
def test_check_refuses_unknown_options(options: dict[str, object], code: str):
    with pytest.raises(opennki.NkiError, match=code):
        opennki.check(scale, "f32[128,16]", **options)


def test_compile_takes_functions_only():
    with pytest.raises(opennki.NkiError, match="NKI1025"):
        opennki.compile(3)


def test_every_public_name_is_there():
    assert dir(opennki) == sorted([*opennki.__all__, "__version__"])
    assert all(getattr(opennki, name) is not None for name in opennki.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = opennki.nothing


def test_the_root_loads_nothing_until_asked():
    code = "import sys, opennki; print([m for m in sys.modules if m.startswith('opennki.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_names_of_the_experimental_module_are_those_of_the_language():
    assert nki.experimental.while_loop is nl.while_loop
