"""Every public name of the API reference exists here."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import nki.isa as nisa
import nki.language as nl
from opennki.base.diag import NkiError
from opennki.target import target
from opennki.trace import TraceContext

LIST = Path(__file__).parents[2] / "tools/reference/public_names.txt"
LINES = [
    line.split() for line in LIST.read_text(encoding="utf-8").splitlines() if line[:1].isalpha()
]
NAMES = [(home, name) for home, *names in LINES for name in names]


def answer(home: str, name: str) -> str:
    """What a kernel that asks for the name is told; "" if it gets it."""

    def kernel():
        if home == "nki.language.NkiTensor":
            owner = nl.ndarray((128, 4), nl.float32)
        elif home.count(".") > 1:
            module, _, last = home.rpartition(".")
            owner = getattr(importlib.import_module(module), last)
        else:
            owner = importlib.import_module(home)
        getattr(owner, name)
        return nl.full((1, 1), 0, nl.float32, nl.shared_hbm)

    try:
        TraceContext(kernel, target("trn3")).trace_kernel((), {})
    except NkiError as error:
        (found,) = error.diagnostics
        return f"{found.code.id} {found.message}"
    return ""


@pytest.mark.parametrize(("home", "name"), NAMES, ids=[f"{h}.{n}" for h, n in NAMES])
def test_a_published_name_is_there(home, name):
    assert answer(home, name) == ""


def test_no_name_is_listed_twice():
    assert len(set(NAMES)) == len(NAMES)


def test_a_name_that_is_not_published_is_refused():
    assert answer("nki.isa", "nc_convolve").startswith("NKI1029")
    assert answer("nki.language.NkiTensor", "astype").startswith("NKI3031")


NUMBERS = {
    nisa.engine: "unknown tensor scalar gpsimd dma vector sync",
    nisa.reduce_cmd: "idle reset reduce reset_reduce load_reduce",
    nisa.dge_mode: "unknown swdge hwdge none",
    nisa.oob_mode: "error skip",
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_members_are_numbered_as_published(kind):
    assert [kind(number).name for number in range(len(kind))] == NUMBERS[kind].split()


def test_other_members_have_the_published_values():
    assert [member.value for member in nisa.dma_engine] == [1, 2]
    assert nisa.dma_engine.gpsimd_dma.value == 2
    assert nisa.matmul_perf_mode.double_row.value == "double_row"
    assert nisa.nc_version.gen2.value == 2
    assert nisa.nc_version.gen4 > nisa.nc_version.gen3
    assert nisa.unknown_engine is nisa.engine.unknown


def test_calls_give_instructions_and_wrong_ones_raise_the_published_error():
    made = []

    def kernel():
        tile = nl.ndarray((128, 4), nl.float32)
        made.append(nisa.memset(tile, 0))
        made.append(nisa.memset(tile, 1, engine=nisa.unknown_engine).depends_on(made[0]))
        assert nisa.get_nc_sub_version() == 0
        assert nisa.get_nc_version() == nisa.nc_version.gen4
        nisa.memset(tile, "one")

    with pytest.raises(nisa.NkiValidationError):
        TraceContext(kernel, target("trn3")).trace_kernel((), {})
    assert all(isinstance(one, nisa.NkiInstruction) for one in made)
    assert made[1].after == (made[0],)
