"""`trace`, `lower`, `explain`, `--version`, `--help`. KLR files are in `test_klr_files`."""

from __future__ import annotations

import json
import re

import pytest

from opennki import __version__, klr
from opennki.base.diag import CATALOGUE
from opennki.birpy import Instruction, dumps, loads, parse_module
from opennki.lower.beta2.rules import RULES
from opennki.lower.beta2.site import Site
from opennki.target import TARGETS

SCALE = ("kernels.py:scale", "--arg", "x=f32[128,4]", "--target", "trn2")


def test_trace_prints_penguin(opennki, golden):
    done = opennki("trace", *SCALE)
    assert done.exit_code == 0
    assert golden == done.stdout
    assert done.stdout == opennki("lower", *SCALE, "--to", "penguin").stdout


def test_trace_prints_what_the_front_end_builds(opennki, monkeypatch: pytest.MonkeyPatch):
    klr = opennki("trace", *SCALE, "--frontend", "beta2")
    assert klr.exit_code == 0
    assert klr.stdout.startswith("(lnc\n  (kernel\n    ((name scale)")
    assert klr.stdout == opennki("lower", *SCALE, "--to", "klr").stdout
    monkeypatch.setenv("NKI_FRONTEND", "beta2")
    assert opennki("trace", *SCALE).stdout == klr.stdout
    penguin = opennki("trace", *SCALE, "--frontend", "beta3").stdout
    assert penguin.startswith("penguin.function @scale")
    assert opennki("lower", *SCALE, "--to", "penguin").stdout == penguin


@pytest.mark.parametrize("form", ["bir", "json", "program"])
def test_both_roads_print_what_both_come_to(opennki, form: str):
    """Names that the compiler makes, and the order of storages, may differ; here they do not."""
    first, second = (
        opennki("lower", *SCALE, "--to", form, "--frontend", road) for road in ("beta2", "beta3")
    )
    assert first.exit_code == second.exit_code == 0
    assert sorted(first.stdout.splitlines()) == sorted(second.stdout.splitlines())


def test_klr_json_is_the_same_kernel(opennki):
    text = opennki("lower", *SCALE, "--to", "klr").stdout
    file = opennki("lower", *SCALE, "--to", "klr-json").stdout
    assert klr.from_json(file) == klr.from_sexp(text)


@pytest.mark.parametrize(
    ("args", "first"),
    [
        (("--to", "klr", "--frontend", "beta3"), "the form klr"),
        (("--to", "klr-json", "--frontend", "beta3"), "the form klr"),
        (("--to", "klr-file", "-o", "x.klr", "--frontend", "beta3"), "the form klr"),
        (("--to", "penguin", "--frontend", "beta2"), "the form penguin"),
    ],
)
def test_a_form_of_the_other_road_is_refused(opennki, args: tuple[str, ...], first: str):
    done = opennki("lower", *SCALE, *args)
    assert (done.exit_code, done.stdout) == (1, "")
    road = args[-1]
    assert done.stderr.startswith(
        f"error[NKI7013]: {first} and the front end {road} cannot be used together\n  = help"
    )


@pytest.mark.parametrize(
    "command", [("trace",), ("lower", "--to", "bir"), ("check",), ("run",), ("stages",)]
)
def test_a_road_that_does_not_exist_is_refused(opennki, monkeypatch, command: tuple[str, ...]):
    done = opennki(*command, *SCALE, "--frontend", "beta1")
    assert done.exit_code == 1
    assert "error[NKI7012]: `beta1` is no value of the option frontend" in done.output
    assert "takes one of: beta2, beta3" in done.output
    if command != ("stages",):  # it takes both
        monkeypatch.setenv("NKI_FRONTEND", "beta1")
        done = opennki(*command, *SCALE)
        assert done.exit_code == 1
        assert "error[NKI1024]: environment variable NKI_FRONTEND" in done.output


def test_check_takes_the_road_that_is_asked_for(opennki, monkeypatch: pytest.MonkeyPatch):
    def refused(args: object, site: Site) -> Instruction:
        raise site.unsupported("operator", "ncActivate")

    monkeypatch.setitem(RULES, "ncActivate", refused)
    assert opennki("check", *SCALE).exit_code == 0
    assert opennki("check", *SCALE, "--frontend", "beta3").exit_code == 0
    done = opennki("check", *SCALE, "--frontend", "beta2")
    assert done.exit_code == 1
    assert "error[NKI4501]" in done.stdout


def test_run_takes_the_road_that_is_asked_for(opennki):
    first = opennki("run", *SCALE, "--frontend", "beta2")
    assert "\nscale on trn2, front end beta2, level program\n" in first.stdout
    second = opennki("run", *SCALE)
    assert "front end" not in second.stdout
    assert first.stdout.splitlines()[:2] == second.stdout.splitlines()[:2]
    refused = opennki("run", *SCALE, "--frontend", "beta2", "--level", "penguin")
    assert refused.exit_code == 1
    assert "the level penguin and the front end beta2 cannot be used together" in refused.stderr
    script = opennki("run", "kernels.py", "--frontend", "beta2")
    assert "scale on trn3, front end beta2, level program, 2 runs" in script.stdout


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
    assert opennki("lower", *SCALE, "--to", "neff").exit_code == 2


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
        (("lower", "kernels.py", "--to", "neff"), "'neff' is not one of"),
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


@pytest.mark.parametrize(
    "command", ["run", "trace", "lower", "check", "diff", "stages", "explain", "klr info"]
)
def test_help_has_examples(opennki, command: str):
    done = opennki(*command.split(), "--help")
    assert done.exit_code == 0
    assert f"\n opennki {command} " in done.stdout
    assert f" {command.split()[0]} " in opennki("--help").stdout


def test_what_an_option_takes_is_said_on_one_line(opennki):
    done = opennki("lower", "kernels.py:scale", "--arg", "x=f32[128,4]")
    assert done.exit_code == 2
    forms = "penguin, klr, klr-json, bir, json, program, klr-file"
    assert f"missing option '--to'. Choose from: {forms}\n" in done.stderr


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
