"""`trace`, `lower`, `explain`, `--version`, `--help`."""

from __future__ import annotations

import json
import re

import pytest

from opennki import __version__
from opennki.base.diag import CATALOGUE
from opennki.birpy import dumps, loads, parse_module
from opennki.target import TARGETS

SCALE = ("kernels.py:scale", "--arg", "x=f32[128,4]", "--target", "trn2")


def test_trace_prints_penguin(opennki, golden):
    done = opennki("trace", *SCALE)
    assert done.exit_code == 0
    assert golden == done.stdout
    assert done.stdout == opennki("lower", *SCALE, "--to", "penguin").stdout


def test_bir_and_json_are_the_same_module(opennki):
    text = opennki("lower", *SCALE, "--to", "bir").stdout
    file = opennki("lower", *SCALE, "--to", "json").stdout
    assert loads(dumps(parse_module(text))) == loads(file)


def test_program_has_queues_and_addresses(opennki):
    done = opennki("lower", *SCALE, "--to", "program")
    assert re.findall(r"queue (\w+)", done.stdout) == ["ACT", "SP"]
    assert "address=0" in done.stdout
    assert re.search(
        r"I-1 wait \[sp.ring >= 1\] -> act = 1  // Activation kernels.py:17$",
        done.stdout,
        re.MULTILINE,
    )


def test_output_goes_to_a_file(opennki, directory):
    done = opennki("lower", *SCALE, "--to", "json", "-o", "scale.json")
    assert (done.exit_code, done.output) == (0, "")
    assert json.loads((directory / "scale.json").read_text(encoding="utf-8"))


def test_a_file_that_cannot_be_written(opennki):
    done = opennki("trace", *SCALE, "-o", "no/such/directory")
    assert done.exit_code == 1
    assert "error[NKI7007]" in done.stderr


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("nothing.py:scale",), "NKI7001"),
        (("kernels.py:skale",), "NKI7002"),
        (("kernels.py",), "NKI7006"),
        (("kernels.py:scale",), "NKI7005"),
        (("kernels.py:scale", "--arg", "x=f32[256,4]"), "NKI3002"),
        (("kernels.py:constant", "--target", "trn9"), "NKI1023"),
    ],
)
def test_bad_input_is_refused(opennki, args: tuple[str, ...], code: str):
    for command in (("trace",), ("lower", "--to", "bir")):
        done = opennki(*command, *args)
        assert (done.exit_code, done.stdout) == (1, "")
        assert f"error[{code}]" in done.stderr


def test_a_form_must_be_chosen_from_the_list(opennki):
    assert opennki("lower", *SCALE).exit_code == 2
    assert opennki("lower", *SCALE, "--to", "klr").exit_code == 2


def test_explain_shows_example_and_repair(opennki):
    done = opennki("explain", "NKI2104")
    assert done.stdout == opennki("explain", "nki2104").stdout == opennki("explain", "2104").stdout
    assert done.exit_code == 0
    assert done.stdout.startswith("NKI2104 (error): ")
    assert "Wrong:\n\n" in done.stdout
    assert "Right:\n\n" in done.stdout


def test_explain_list_has_every_code(opennki):
    lines = opennki("explain", "--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == sorted(CATALOGUE)


def test_explain_refuses_an_unknown_code(opennki):
    done = opennki("explain", "NKI2999")
    assert done.exit_code == 1
    assert "error[NKI7008]: there is no error code NKI2999" in done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("check", "kernels.py", "--jsn"), "no such option: --jsn"),
        (("chek", "kernels.py"), "no such command 'chek'"),
        (("check",), "missing argument"),
        (("lower", "kernels.py", "--to", "klr"), "'klr' is not one of"),
        (("--colour", "check"), "no such option: --colour"),
    ],
)
def test_a_command_line_that_cannot_be_read_is_an_error_like_others(
    opennki, args: tuple[str, ...], said: str
):
    done = opennki(*args)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error[NKI7022]: ")
    assert said in done.stderr
    assert "--help` lists what it takes" in done.stderr


def test_without_arguments_there_is_the_help(opennki):
    assert "Usage: opennki" in opennki().output


def test_help_lists_the_grammar_of_arguments_and_the_targets(opennki):
    text = " ".join(opennki("check", "--help").stdout.replace("│", " ").split())
    for word in ("bf16", "f8e4m3", "normal, rand, ones, zeros, arange", "x=@file.npy", "flag=true"):
        assert word in text
    for target in TARGETS:
        assert all((name in text) == target.has("nki") for name in target.aliases)


def test_explain_wants_a_code_or_the_list(opennki):
    assert opennki("explain").exit_code == 2
    assert opennki("explain", "NKI2104", "--list").exit_code == 2


def test_version(opennki):
    assert opennki("--version").stdout == f"opennki {__version__}\n"


@pytest.mark.parametrize("command", ["run", "trace", "lower", "check", "explain"])
def test_help_has_examples(opennki, command: str):
    done = opennki(command, "--help")
    assert done.exit_code == 0
    assert f"\n opennki {command} " in done.stdout
    assert f" {command} " in opennki("--help").stdout


def test_what_an_option_takes_is_said_on_one_line(opennki):
    done = opennki("lower", "kernels.py:scale", "--arg", "x=f32[128,4]")
    assert done.exit_code == 2
    assert "missing option '--to'. Choose from: penguin, bir, json, program\n" in done.stderr


def test_a_grid_of_zero_programs(opennki):
    done = opennki("lower", "kernels.py:scale", "--to", "bir", "--grid", "0")
    assert "`0` is no value of the option --grid" in done.stderr
    assert "it takes the number of programs on every axis, 1 or more, as in 2 or 2,1" in done.stderr
    assert "one of" not in done.stderr


def test_a_number_for_an_array(opennki):
    done = opennki("lower", "kernels.py:scale", "--to", "bir", "--arg", "x=5")
    assert "`x` is an int" in done.stderr
    assert "--arg x=f32[128,512]" in done.stderr


def test_a_directory_is_no_file(opennki):
    done = opennki("check", ".")
    assert done.exit_code == 1
    assert ". is a directory: name a file in it, such as kernels.py" in done.output
    assert "did you mean" not in done.output
    assert "current directory" not in done.output
