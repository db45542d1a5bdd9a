"""Internal kernels are found by name and traced with the front end of the options."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki import birpy, klr
from opennki.backend.load_kernels import load_kernels
from opennki.base.diag import NkiError
from opennki.birpy import difference, print_module
from opennki.birpy.binary import bytes_of
from opennki.driver import CompiledGraph, Options, compile_functions
from opennki.lower import BUILT_IN, InternalKernel, Registry
from opennki.penguin import Function, parse_function
from opennki.target import target

OPTIONS = Options(target("trn2"))


@nki.jit
def halves(src):
    """Each of two cores writes its half of the rows: half of what it reads."""
    out = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.shared_hbm, name="halves_out")
    rows = src.shape[0] // nl.num_programs(0)
    mine = slice(nl.program_id(0) * rows, (nl.program_id(0) + 1) * rows)
    tile = nl.ndarray((rows, src.shape[1]), dtype=src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=src[mine])
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=0.5)
    nisa.dma_copy(dst=out[mine], src=tile)
    return out


@nki.jit
def into(src, dst):
    """Writes half of what it reads to a parameter."""
    tile = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=src)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=0.5)
    nisa.dma_copy(dst=dst, src=tile)


@nki.jit
def spoils(src):
    """Changes its operand."""
    tile = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=src)
    nisa.dma_copy(dst=src, src=tile)
    out = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def by_constant(src):
    """The product of a constant and what it reads, which has eight rows."""
    out = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.shared_hbm)
    factor = nl.shared_constant(np.diag(np.arange(1, 9)).astype(np.float32))
    held, tile, made = (
        nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf) for a in (factor, src, src)
    )
    nisa.dma_copy(dst=held, src=factor)
    nisa.dma_copy(dst=tile, src=src)
    product = nl.ndarray(src.shape, dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(product, held, tile)
    nisa.tensor_copy(dst=made, src=product)
    nisa.dma_copy(dst=out, src=made)
    return out


@pytest.fixture(autouse=True)
def mine(monkeypatch) -> None:
    """A module with these kernels."""
    made = ModuleType("my_kernels")
    made.halves, made.into, made.spoils, made.plain = halves, into, spoils, len  # type: ignore[attr-defined]
    made.by_constant = by_constant  # type: ignore[attr-defined]
    made.pair = halves[2]  # type: ignore[attr-defined]
    made.old = nki.jit(into.fn, platform_target="trn1")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_kernels", made)


def functions(cores: int = 1) -> list[Function]:
    space = "shared_hbm" if cores > 1 else "private_hbm"
    return [
        parse_function(f"""penguin.function @main target=cayman \
{f"core={core} cores={cores}" if cores > 1 else ""} args=[x] results=[y] {{
  tensor %x: float32[8, 4] {space} input
  tensor %y: float32[8, 4] {space} output
  softmax dst=%y, src=%x
}}""")
        for core in range(cores)
    ]


def compiled(
    kernel_func: str, cores: int = 1, frontend: str = "beta3", prebuilt: bool = False, **more
) -> CompiledGraph:
    registry = BUILT_IN.with_kernels(InternalKernel("softmax", kernel_func, **more))
    options = replace(OPTIONS, frontend=frontend)
    return compile_functions(functions(cores), options, registry=registry, prebuilt=prebuilt)


EVERY_FORM = [
    pytest.param({"frontend": frontend, "prebuilt": prebuilt}, id=f"{frontend}-{form}")
    for frontend in ("beta2", "beta3")
    for prebuilt, form in ((False, "readable"), (True, "prebuilt"))
]


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("softmax", "which is not of the form module:function"),
        ("my_kernels:", "which is not of the form module:function"),
        ("no_such:softmax", "and there is no no_such"),
        ("opennki.kernels.nothing:softmax", "and there is no opennki.kernels.nothing"),
        ("my_kernels:softmax", "and my_kernels has no softmax"),
        ("my_kernels:plain", "which nki.jit does not decorate"),
        ("my_kernels:pair", "whose launch grid is (2,), and it is called on 1 core(s)"),
        ("my_kernels:old", "which is for trn1 (sunda), and the function for trn2 (cayman)"),
    ],
)
def test_a_kernel_that_cannot_be_called(place, why):
    with pytest.raises(NkiError) as caught:
        _ = compiled(place).bir
    (found,) = caught.value.diagnostics
    assert (found.code.id, found.message) == (
        "NKI2810",
        f"internal kernel 'softmax' is registered as {place}, {why}",
    )


def test_an_error_in_importing_a_kernel_is_not_hidden(tmp_path, monkeypatch):
    (tmp_path / "broken_kernels.py").write_text("import missing_module_of_mine\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="missing_module_of_mine"):
        _ = compiled("broken_kernels:softmax").bir


@pytest.mark.parametrize("how", EVERY_FORM)
@pytest.mark.parametrize("name", ["halves", "pair"])
def test_a_kernel_on_two_cores_divides_the_work(name, how):
    made = compiled(f"my_kernels:{name}", 2, requires_multicore_grid=True, **how)
    x = np.arange(32, dtype=np.float32).reshape(8, 4)
    for level in ("bir", "program"):
        first, second = made.run({"x": x}, level)
        assert (first["y"] == x / 2).all()
        assert (second["y"] == x / 2).all()
    names = [] if made.prebuilt else ["softmax_core0", "softmax_core1"]
    assert [kernel.name for kernel in made.bir.nki_functions] == names
    first_road = compiled(f"my_kernels:{name}", 2, requires_multicore_grid=True)
    assert difference(first_road.expanded, made.expanded) is None


@pytest.mark.parametrize("how", EVERY_FORM)
def test_a_kernel_may_write_a_parameter(how):
    made = compiled("my_kernels:into", output_is_parameter=True, **how)
    x = np.arange(32, dtype=np.float32).reshape(8, 4)
    assert (made.run({"x": x}, "program")[0]["y"] == x / 2).all()


@pytest.mark.parametrize("how", EVERY_FORM)
def test_a_kernel_may_have_constants(how):
    made = compiled("my_kernels:by_constant", **how)
    x = np.arange(32, dtype=np.float32).reshape(8, 4)
    want = x * np.arange(1, 9, dtype=np.float32)[:, None]
    for level in ("bir", "program"):
        np.testing.assert_array_equal(made.run({"x": x}, level)[0]["y"], want)
    assert difference(compiled("my_kernels:by_constant").expanded, made.expanded) is None


@pytest.mark.parametrize("frontend", ["beta2", "beta3"])
def test_a_call_says_by_which_road_its_kernel_came(frontend):
    (call,) = compiled("my_kernels:by_constant", frontend=frontend).bir.functions[0].instructions()
    assert call.attrs["kernel_source_val"].name == frontend.title()


@pytest.mark.parametrize("frontend", ["beta2", "beta3"])
def test_a_prebuilt_kernel_is_a_file_of_its_road(frontend):
    made = compiled("my_kernels:by_constant", frontend=frontend, prebuilt=True)
    (call,) = made.bir.functions[0].instructions()
    octets = bytes_of(call.attrs["klir_binary"])
    if frontend == "beta3":
        assert call.attrs["kernel_format"] == "bir"
        assert [function.name for function in birpy.loads(octets).functions] == ["by_constant"]
        return
    assert call.attrs["kernel_format"] == "klr"
    file = klr.read(octets)
    assert (file.format, klr.lowerable(file.contents).name) == (klr.PLAIN, "by_constant")
    (loaded,) = load_kernels(made.bir).functions[0].instructions()
    assert loaded.attrs["kernel_source_val"].name == "Beta2"


def test_making_prebuilt_kernels_leaves_the_traced_ones_as_they_are():
    made = compiled("my_kernels:by_constant", frontend="beta2", prebuilt=True)
    text = print_module(made.bir)
    readable = replace(made, prebuilt=False)  # with the same cache
    assert difference(readable.expanded, made.expanded) is None
    assert print_module(replace(made).bir) == text
    assert len(made.cache) == 1


def test_a_kernel_may_not_change_an_operand():
    with pytest.raises(NkiError, match=r"NKI2808.*leaves the operand `src` changed"):
        _ = compiled("my_kernels:spoils").bir


def test_an_error_in_a_kernel_is_reported():
    registry = Registry({"softmax": InternalKernel("softmax", "my_kernels:into")})
    made = compile_functions(functions(), OPTIONS, registry=registry)
    with pytest.raises(NkiError, match="NKI1005"):
        _ = made.bir
