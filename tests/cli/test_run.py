"""`opennki run`: scripts, and kernels on generated arrays."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest


def timeless(text: str) -> str:
    """`text` without its wall times."""
    return re.sub(r"\d+\.\d+ m?s", "TIME", text)


def test_a_script_runs_as_main_and_its_kernels_are_summed_up(opennki, golden):
    done = opennki("run", "kernels.py", "--target", "trn2", "--", "--steps", "3")
    assert done.exit_code == 0
    assert golden == timeless(done.stdout)


def test_a_kernel_runs_on_generated_arrays(opennki, golden):
    done = opennki("run", "kernels.py:scale", "--target", "trn2", "-a", "x=f32[128,4]:arange")
    assert done.exit_code == 0
    assert golden == timeless(done.stdout)


def test_the_only_kernel_needs_no_name(opennki, directory):
    text = (directory / "kernels.py").read_text(encoding="utf-8")
    (directory / "one.py").write_text(text.replace("@nki.jit\ndef constant", "def constant"))
    done = opennki("run", "one.py", "--arg", "x=f32[128,4]:ones", "--arg", "factor=3.0")
    assert done.exit_code == 0
    assert re.search(r"^out +result +128x4 +float32 +3 +3 +3 +0$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("level", ["penguin", "bir", "program"])
def test_every_level_gives_the_same_numbers(opennki, level: str):
    done = opennki("run", "kernels.py:scale", "-a", "x=bf16[128,4]", "--level", level)
    reference = opennki("run", "kernels.py:scale", "-a", "x=bf16[128,4]", "--step")
    assert f"level {level}" in done.stdout
    assert "step by step" in reference.stdout
    assert done.stdout.splitlines()[:2] == reference.stdout.splitlines()[:2]


def test_level_and_step_hold_for_kernels_of_a_script(opennki):
    assert "level bir" in opennki("run", "kernels.py", "--level", "bir").stdout
    assert "step by step" in opennki("run", "kernels.py", "--step").stdout


def test_seed_changes_the_arrays(opennki):
    first, again, other = (
        opennki("run", "kernels.py:scale", "-a", "x=f32[128,4]", "--seed", seed).stdout.split("\n")
        for seed in ("0", "0", "1")
    )
    assert first[1] == again[1] != other[1]


def test_grid_runs_one_program_per_index(opennki):
    done = opennki("run", "kernels.py:constant", "--grid", "2")
    assert "grid 2" in done.stdout
    assert "vector 2" in done.stdout or "gpsimd 2" in done.stdout


def test_default_arguments_are_used(opennki):
    assert re.search(
        r"^out +result +128x4 ", opennki("run", "kernels.py:constant").stdout, re.MULTILINE
    )


def test_an_argument_that_is_missing_is_named_with_its_form(opennki):
    done = opennki("run", "kernels.py:scale")
    assert done.exit_code == 1
    assert "error[NKI7005]: kernel `scale` needs an argument for `x`" in done.stderr
    assert "--arg x=float32[128,512]" in done.stderr


def test_an_unknown_parameter_is_refused_with_the_nearest(opennki):
    done = opennki("run", "kernels.py:scale", "-a", "x=f32[128,4]", "-a", "facto=3")
    assert done.exit_code == 1
    assert "error[NKI1004]" in done.stderr
    assert "did you mean `factor`?" in done.stderr


def test_a_kernel_that_is_wrong_shows_its_line_and_no_trace(opennki):
    done = opennki("run", "kernels.py:scale", "-a", "x=f32[256,4]")
    assert done.exit_code == 1
    assert "error[NKI3002]" in done.stderr
    assert "--> kernels.py:15:" in done.stderr
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("nothing.py",), "NKI7001"),
        (("kernels.py:skale",), "NKI7002"),
        (("kernels.py", "--arg", "x=f32[3]"), "NKI7006"),
        (("kernels.py:scale", "--arg", "x=f32"), "NKI1018"),
        (("kernels.py:scale", "--arg", "x"), "NKI7004"),
        (("kernels.py:scale", "--grid", "two", "--arg", "x=f32[128,4]"), "NKI7012"),
        (("kernels.py", "--target", "trn9"), "NKI1023"),
        (("kernels.py", "--grid", "2"), "NKI7013"),
        (("kernels.py", "--seed", "2"), "NKI7013"),
        (("kernels.py:constant", "--", "word"), "NKI7013"),
    ],
)
def test_bad_input_is_refused(opennki, args: tuple[str, ...], code: str):
    done = opennki("run", *args)
    assert done.exit_code == 1
    assert f"error[{code}]" in done.stderr
    assert "Traceback" not in done.output


def test_an_exception_of_a_script_shows_its_own_frames_only(opennki, directory):
    (directory / "s.py").write_text("def f():\n    raise ValueError('oops')\n\nf()\n")
    done = opennki("run", "s.py")
    assert done.exit_code == 1
    assert re.findall(r'File "(.*)", line (\d)', done.stderr) == [("s.py", "4"), ("s.py", "2")]


def test_runs_of_a_compiled_kernel_are_summed_up_too(opennki, directory):
    (directory / "c.py").write_text(
        "import numpy as np\nimport opennki\nfrom kernels import scale\n"
        "x = np.ones((128, 4), np.float32)\nopennki.compile(scale, x).run(x)\n"
    )
    assert "scale on trn3, level program" in opennki("run", "c.py").stdout


def test_the_exit_code_of_a_script_is_passed_on(opennki, directory):
    (directory / "s.py").write_text("import sys\nsys.exit(5)\n")
    assert opennki("run", "s.py").exit_code == 5


def test_a_script_without_kernels_says_so(opennki, directory):
    (directory / "s.py").write_text("print('hello')\n")
    done = opennki("run", "s.py")
    assert (done.exit_code, done.stdout) == (0, "hello\n")
    assert done.stderr == "s.py: no kernel ran\n"


def test_warnings_are_shown_once_and_counted(opennki, directory):
    text = (directory / "kernels.py").read_text(encoding="utf-8")
    (directory / "w.py").write_text(text.replace("    nisa.dma_copy(dst=tile, src=x)\n", ""))
    done = opennki("run", "w.py")
    assert done.exit_code == 0
    assert done.stderr.count("warning[NKI6001]") == 1
    assert re.search(r"warnings +1$", done.stdout, re.MULTILINE)


def test_arguments_that_are_written_are_shown_as_such(opennki, directory):
    text = (directory / "kernels.py").read_text(encoding="utf-8")
    text = text.replace(
        "    return out\n", "    nisa.dma_copy(dst=x, src=tile)\n    return out\n", 1
    )
    (directory / "w.py").write_text(text, encoding="utf-8")
    done = opennki("run", "w.py:scale", "-a", "x=f32[128,4]:arange")
    assert re.search(r"^out +result .* 0 +511 +1022 +0$", done.stdout, re.MULTILINE)
    assert re.search(r"^x +argument written .* 0 +511 +1022 +0$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("where", [("w.py",), ("w.py:scale", "-a", "x=f32[128,4]")])
def test_strict_makes_reading_unwritten_memory_an_error(opennki, directory, where):
    text = (directory / "kernels.py").read_text(encoding="utf-8")
    (directory / "w.py").write_text(text.replace("    nisa.dma_copy(dst=tile, src=x)\n", ""))
    assert opennki("run", *where).exit_code == 0
    done = opennki("run", *where, "--strict")
    assert done.exit_code == 1
    assert "error[NKI6002]" in done.stderr


def test_an_error_of_our_own_says_so(opennki, monkeypatch):
    def broken(*args: object) -> None:
        raise AssertionError("broken invariant")

    monkeypatch.setattr("opennki.cli.running.make_arrays", broken)
    done = opennki("run", "kernels.py:constant")
    assert done.exit_code == 3
    assert "error[NKI9001]: opennki made a mistake: AssertionError: broken invariant" in done.stderr


def test_the_installed_program_is_plain_when_piped():
    command = [sys.executable, "-m", "opennki", "run", "kernels.py"]
    env = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "GITHUB_ACTIONS")}
    done = subprocess.run(command, capture_output=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert b"scale on trn3" in done.stdout
    assert b"\x1b" not in done.stdout + done.stderr
