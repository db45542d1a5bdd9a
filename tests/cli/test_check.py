"""`opennki check`: verdicts, exit codes and JSON."""

from __future__ import annotations

import json
import sys

import pytest

ADDED = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def added(x, y):
    left = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    right = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=left, src=x)
    nisa.dma_copy(dst=right, src=y)
    nisa.tensor_tensor(dst=left, data1=left, data2=right, op=nl.add)
    nisa.dma_copy(dst=y, src=left)
"""

FIELDS = {"code", "severity", "message", "file", "line", "col", "hint"}


def test_a_good_kernel(opennki):
    done = opennki("check", "kernels.py:scale", "--arg", "x=bf16[128,512]")
    assert (done.exit_code, done.stdout) == (0, "kernels.py:scale: no problems found\n")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 records no columns")
def test_a_bad_kernel_shows_the_line(opennki, golden):
    done = opennki("check", "kernels.py:scale", "--arg", "x=bf16[256,512]", "--target", "trn2")
    assert done.exit_code == 1
    assert golden == done.stdout


def test_json_has_the_promised_fields(opennki):
    done = opennki("check", "kernels.py:scale", "--arg", "x=bf16[256,512]", "--json")
    assert done.exit_code == 1
    (found,) = json.loads(done.stdout)["diagnostics"]
    assert set(found) >= FIELDS
    assert (found["code"], found["severity"], found["line"]) == ("NKI3002", "error", 15)
    assert found["file"].endswith("kernels.py")
    assert all(isinstance(found[name], str) for name in ("message", "hint"))
    assert found["col"] > 0


def test_json_of_a_good_kernel_is_an_empty_list(opennki):
    done = opennki("check", "kernels.py:scale", "--arg", "x=bf16[128,512]", "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, {"diagnostics": []})


def test_what_a_file_prints_does_not_mix_with_json(opennki, directory):
    with (directory / "kernels.py").open("a", encoding="utf-8") as file:
        file.write("print('while importing')\n")
    done = opennki("check", "kernels.py:constant", "--json")
    assert json.loads(done.stdout) == {"diagnostics": []}
    assert "while importing" in done.stderr


def test_a_file_is_checked_as_far_as_arguments_are_known(opennki):
    done = opennki("check", "kernels.py", "--json")  # `constant` needs no arguments
    (note,) = json.loads(done.stdout)["diagnostics"]
    assert done.exit_code == 0
    assert (note["code"], note["severity"]) == ("NKI7020", "note")
    assert note["message"] == "kernel `scale` was not checked: nothing is given for x"


def test_nothing_checked_is_no_success(opennki, directory):
    (directory / "added.py").write_text(ADDED, encoding="utf-8")
    done = opennki("check", "added.py")
    assert done.exit_code == 2
    assert "error[NKI7021]: nothing was checked: every kernel of added.py lacks" in done.stdout
    assert "= help: add --arg x=... --arg y=..., where an array" in done.stdout
    codes = [
        d["code"] for d in json.loads(opennki("check", "added.py", "--json").stdout)["diagnostics"]
    ]
    assert codes == ["NKI7020", "NKI7021"]


def test_reads_of_what_was_never_written_are_warned_of(opennki, directory):
    text = ADDED.replace("    nisa.dma_copy(dst=right, src=y)\n", "")
    (directory / "added.py").write_text(text, encoding="utf-8")
    done = opennki("check", "added.py", "-a", "x=f32[128,4]", "-a", "y=f32[128,4]", "--json")
    (found,) = json.loads(done.stdout)["diagnostics"]
    assert (done.exit_code, found["code"], found["line"]) == (0, "NKI6015", 11)
    assert found["message"].endswith("writes any of `right`")


def test_arguments_go_to_the_kernels_that_have_them(opennki):
    done = opennki("check", "kernels.py", "-a", "x=bf16[256,512]", "-a", "n=8", "--json")
    assert [d["code"] for d in json.loads(done.stdout)["diagnostics"]] == ["NKI3002"]
    assert opennki("check", "kernels.py", "-a", "x=bf16[128,512]", "-a", "n=8").exit_code == 0


def test_capacity_is_checked(opennki, directory):
    (directory / "added.py").write_text(ADDED, encoding="utf-8")
    args = "-a", "x=f32[128,40000]", "-a", "y=f32[128,40000]", "--target", "trn2"
    done = opennki("check", "added.py", *args, "--json")
    (found,) = json.loads(done.stdout)["diagnostics"]
    assert (done.exit_code, found["code"], found["line"]) == (1, "NKI5002", 11)


def test_a_warning_is_no_failure(opennki, directory):
    text = (directory / "kernels.py").read_text(encoding="utf-8")
    unwritten = text.replace("    nisa.dma_copy(dst=out, src=tile)\n", "")
    (directory / "w.py").write_text(unwritten, encoding="utf-8")
    done = opennki("check", "w.py:constant", "--json")
    found = json.loads(done.stdout)["diagnostics"]
    severities = {d["severity"] for d in found}
    assert (done.exit_code, bool(found)) == (int("error" in severities), True)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("nothing.py",), "NKI7001"),
        (("kernels.py:skale",), "NKI7002"),
        (("kernels.py:scale",), "NKI7005"),
        (("kernels.py", "--arg", "z=3"), "NKI1004"),
        (("kernels.py", "--arg", "x=f32[-1]"), "NKI7004"),
        (("kernels.py", "--target", "trn9"), "NKI1023"),
        (("kernels.py", "--grid", "x"), "NKI7012"),
        (("kernels.py", "--nki", "0.1"), "NKI7019"),
        (("empty.py",), "NKI7017"),
        (("syntax.py",), "NKI7003"),
        (("missing.py",), "NKI7003"),
        (("exits.py",), "NKI7003"),
    ],
)
def test_bad_input_is_a_diagnostic_too(opennki, directory, args: tuple[str, ...], code: str):
    files = {"empty": "", "syntax": "def f(:\n", "missing": "import no_such_module\n"}
    for name, text in {**files, "exits": "raise SystemExit(3)\n"}.items():
        (directory / f"{name}.py").write_text(text)
    done = opennki("check", *args, "--json")
    found = json.loads(done.stdout)["diagnostics"]
    assert done.exit_code == 1
    assert code in [d["code"] for d in found]
    assert all(set(d) >= FIELDS for d in found)


def test_an_import_error_is_at_its_line(opennki, directory):
    (directory / "m.py").write_text("x = 1\nimport no_such_module\n")
    done = opennki("check", "m.py")
    assert "error[NKI7003]: importing m.py raised ModuleNotFoundError" in done.stdout
    assert "--> m.py:2:" in done.stdout
