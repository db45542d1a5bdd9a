"""`opennki lower` to KLR files and from them, and `opennki klr info`."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from opennki import klr
from opennki.birpy import difference, loads, parse_module

PLACE = re.compile(r"  // [\w ]*kernels\.py:\d+")
SCALE = ("kernels.py:scale", "--arg", "x=f32[128,4]", "--target", "trn2")


@pytest.fixture
def file(opennki, directory: Path) -> Path:
    """A KLR file of `scale`."""
    done = opennki("lower", *SCALE, "--to", "klr-file", "-o", "scale.klr")
    assert (done.exit_code, done.output) == (0, "")
    return directory / "scale.klr"


def test_a_binary_form_is_not_printed(opennki, golden):
    done = opennki("lower", *SCALE, "--to", "klr-file")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error[NKI7014]" in done.stderr
    assert golden == done.stderr


def test_a_file_has_the_published_format(file: Path):
    found = klr.read(file.read_bytes())
    assert (found.version, found.format) == ((0, 0, 12), "NKI")


@pytest.mark.parametrize("form", ["bir", "json", "program"])
def test_a_file_is_lowered_to_what_its_kernel_is(opennki, file: Path, form: str):
    first = opennki("lower", file.name, "--to", form, "--target", "trn2")
    assert first.exit_code == 0
    second = opennki("lower", *SCALE, "--to", form, "--frontend", "beta2").stdout
    if form == "program":  # but for where tensors were made, which a file does not say
        assert PLACE.sub("", first.stdout) == PLACE.sub("", second)
        return
    read = parse_module if form == "bir" else loads
    assert difference(read(first.stdout), read(second)) is None


def test_the_target_of_a_file_can_be_chosen(opennki, file: Path):
    for target, arch in (("trn2", "gen3"), ("trn3", "core_v4")):
        done = opennki("lower", file.name, "--to", "bir", "--target", target)
        assert done.stdout.startswith(f"bir.module arch={arch} ")


@pytest.mark.parametrize("form", ["klr", "klr-json", "klr-file"])
def test_every_form_of_klr_is_read_back(opennki, file: Path, directory: Path, form: str):
    done = opennki("lower", file.name, "--to", form, "-o", "copy.text")
    assert (done.exit_code, done.output) == (0, "")
    text = opennki("lower", file.name, "--to", "klr").stdout
    assert opennki("lower", "copy.text", "--to", "klr").stdout == text
    bir = opennki("lower", file.name, "--to", "bir").stdout
    assert opennki("lower", "copy.text", "--to", "bir").stdout == bir


def test_a_kernel_of_a_file_may_be_named(opennki, file: Path):
    assert opennki("lower", "scale.klr:scale", "--to", "bir").exit_code == 0
    done = opennki("lower", "scale.klr:skale", "--to", "bir")
    assert done.exit_code == 1
    assert "error[NKI7002]: scale.klr has no kernel `skale`" in done.stderr


TRANSPOSED = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def transposed(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    ones = nl.shared_constant({contents})
    nisa.dma_copy(dst=tile, src=ones)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""


@pytest.fixture
def constant(directory: Path) -> str:
    """A kernel that reads a constant of the host's."""
    text = TRANSPOSED.format(contents="np.arange(512, dtype=np.float32).reshape(128, 4)")
    (directory / "constant.py").write_text("import numpy as np\n" + text, encoding="utf-8")
    return "constant.py"


@pytest.mark.parametrize("form", ["klr-file", "klr", "klr-json"])
def test_constants_lie_beside_the_file(opennki, directory: Path, constant: str, form: str):
    args = (constant, "-a", "x=f32[128,4]")
    (directory / "made").mkdir()
    done = opennki("lower", *args, "--to", form, "-o", "made/file.klr")
    assert (done.exit_code, done.output) == (0, "")
    (file,) = (directory / "made/shared_constants").iterdir()
    first = opennki("lower", "made/file.klr", "--to", "bir").stdout
    second = opennki("lower", *args, "--to", "bir").stdout
    assert difference(parse_module(first), parse_module(second)) is None
    assert "data=" in first
    file.write_bytes(file.read_bytes()[:-4])
    done = opennki("lower", "made/file.klr", "--to", "bir")
    assert done.exit_code == 1
    assert "error[NKI4110]" in done.stderr


@pytest.mark.parametrize(
    ("args", "first"),
    [
        (("--to", "penguin"), "the form penguin"),
        (("--to", "bir", "--arg", "x=f32[128,4]"), "--arg"),
        (("--to", "bir", "--grid", "2"), "--grid"),
        (("--to", "bir", "--frontend", "beta3"), "the front end beta3"),
    ],
)
def test_what_a_file_has_settled_is_not_asked_for(opennki, file: Path, args, first: str):
    done = opennki("lower", file.name, *args)
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"error[NKI7013]: {first} and the KLR file scale.klr cannot be used" in done.stderr


@pytest.mark.parametrize("command", ["run", "check", "trace", "diff", "stages"])
def test_other_commands_say_what_reads_it(opennki, file: Path, command: str):
    done = opennki(command, file.name)
    assert done.exit_code == 1
    assert "error[NKI7023]: scale.klr is a KLR file; kernels in Python are wanted" in done.output
    assert "`opennki lower scale.klr --to bir` lowers it" in done.output


# ---- files that are not as they should be ----------------------------------------------------


@pytest.mark.parametrize("name", ["truncated", "damaged", "version", "foreign", "text", "bytes"])
def test_a_bad_file_is_refused_with_the_place(opennki, golden, file: Path, name: str):
    octets = file.read_bytes()
    bad = {
        "truncated": octets[:200],
        "damaged": octets[:60] + b"\xff" + octets[61:],
        "version": octets[:6] + b"\x0b" + octets[7:],
        "foreign": b"\x7fELF" + octets,
        "text": b"(lnc\n  (kernel ((name x) (inputs ()) (outputs ()) (body ()))))\n",
        "bytes": b'{"lnc": "\xff"}',
    }[name]
    (file.parent / "bad.klr").write_bytes(bad)
    done = opennki("klr", "info", "bad.klr")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "bad.klr" in done.stderr
    assert golden == done.stderr
    assert opennki("lower", "bad.klr", "--to", "bir").stderr == done.stderr


def test_a_file_that_is_not_there(opennki, file: Path):
    for command in (("lower", "--to", "bir"), ("klr", "info")):
        done = opennki(*command, "scales.klr")
        assert "error[NKI7001]: there is no file scales.klr" in done.stderr
        assert "did you mean scale.klr?" in done.stderr


def test_a_kernel_that_breaks_rules_is_refused(opennki, file: Path, directory: Path):
    text = opennki("lower", file.name, "--to", "klr").stdout
    broken = text.replace("(parDim 128) (freeDims (4))", "(parDim 128) (freeDims (9))", 1)
    assert broken != text
    (directory / "broken.sexp").write_text(broken, encoding="utf-8")
    done = opennki("lower", "broken.sexp", "--to", "bir")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error[NKI42" in done.stderr
    assert opennki("klr", "info", "broken.sexp").exit_code == 0


def test_an_instruction_that_breaks_rules_is_refused(opennki, golden, file: Path, directory: Path):
    text = opennki("lower", file.name, "--to", "klr").stdout
    broken = re.sub(r"\(num 4\)", "(num 2)", text, count=1)
    (directory / "broken.sexp").write_text(broken, encoding="utf-8")
    done = opennki("lower", "broken.sexp", "--to", "bir", "--target", "trn2")
    assert (done.exit_code, done.stdout) == (1, "")
    assert golden == done.stderr
    assert re.findall(r"error\[NKI2\d{3}\]", done.stderr)


def test_a_file_that_cannot_be_written(opennki, directory: Path, constant: str):
    for args in (SCALE, (constant, "-a", "x=f32[128,4]")):
        for path in ("kernels.py/file.klr", "nowhere/file.klr"):
            done = opennki("lower", *args, "--to", "klr-file", "-o", path)
            assert done.exit_code == 1
            assert f"error[NKI7007]: {path} cannot be written: " in done.stderr
    assert not (directory / "nowhere").exists()


# ---- info ------------------------------------------------------------------------------------


def test_info_says_what_a_file_holds(opennki, golden, file: Path):
    done = opennki("klr", "info", file.name)
    assert done.exit_code == 0
    assert f"{file.stat().st_size} bytes)\n" in done.stdout  # it holds the path of its source
    assert golden == re.sub(r"(, )[^,\n]+$", r"\1SIZE", done.stdout, count=1, flags=re.MULTILINE)


def test_info_of_text_forms_has_no_version(opennki, file: Path):
    opennki("lower", file.name, "--to", "klr-json", "-o", "scale.json")
    first = opennki("klr", "info", file.name).stdout.splitlines()
    second = opennki("klr", "info", "scale.json").stdout.splitlines()
    assert first[1:] == second[1:]
    assert second[0].startswith("scale.json: KLR as JSON, ")


def test_info_counts_names_and_extensions(opennki, directory: Path):
    move = klr.Operator("registerMove", klr.RegisterMove("r", 1))
    body = [klr.Block("Block1", False, [klr.Stmt(move, "first", klr.Pos(1))])]
    edges = [klr.Edges("first", ["first"], core=0)]
    kernel = klr.LncKernel("k", [], [], [body, []], [], [], edges)
    (directory / "k.klr").write_bytes(klr.write(kernel))
    lines = opennki("klr", "info", "k.klr").stdout.splitlines()
    assert lines[0].startswith("k.klr: KLR 0.0.12, format NKI+opennki in CBOR, ")
    assert "  cores       2" in lines
    assert "  statements  1, 1 of them with a name" in lines
    assert "  extensions  field Edges.core 1" in lines
    assert "  edges       1" in lines


def test_info_as_json(opennki, file: Path):
    found = json.loads(opennki("klr", "info", file.name, "--json").stdout)
    assert found["size"] == os.stat(file).st_size
    assert (found["version"], found["format"], found["kind"]) == ("0.0.12", "NKI", "lnc")
    assert found["operators"] == {"ncDmaCopy": 2, "ncActivate": 1}
    assert found["inputs"] == [
        {"name": "x", "dtype": "float32", "shape": [128, 4], "memory": "private_hbm"}
    ]


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        (klr.PythonContents(b"\x80"), "python: the syntax tree of a kernel in Python"),
        (klr.NkiContents(b"\x80"), "nki: the syntax tree of a kernel in NKI"),
        (klr.HloContents("softmax"), "hlo: the name of a kernel that is called in a graph"),
    ],
)
def test_info_of_earlier_stages(opennki, directory: Path, contents: klr.Contents, said: str):
    (directory / "early.klr").write_bytes(klr.write(contents))
    done = opennki("klr", "info", "early.klr")
    assert done.exit_code == 0
    assert said in done.stdout
    lowered = opennki("lower", "early.klr", "--to", "bir")
    assert lowered.exit_code == 1
    assert "error[NKI4109]" in lowered.stderr


def test_klr_alone_shows_its_commands(opennki):
    done = opennki("klr")
    assert done.exit_code == 2
    assert "info" in done.output
    assert "error" not in done.output
