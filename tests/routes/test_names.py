"""Names of authors that the compiler gives as well, or that cores use for different things."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki import birpy, klr
from opennki.backend.compare import program_difference
from opennki.base.diag import NkiError

from .forms import result, tile
from .test_roads_of_programs import agree

SQUARE = np.arange(32 * 32, dtype=np.float32).reshape(32, 32)


def gives(kernel: Any, want: Any, grid: int | None = None) -> opennki.Compiled:
    """Require that the roads agree, that files of the kernel are legal, and what it computes."""
    made = agree(kernel, SQUARE, grid=grid)
    assert not klr.verify(made.klr)
    for frontend in ("beta2", "beta3"):
        call = nki.simulate(kernel, target="trn2", frontend=frontend)
        got = (call if grid is None else call[grid])(SQUARE)
        np.testing.assert_array_equal(got[0] if isinstance(got, tuple) else got, want)
    return made


@pytest.mark.parametrize("name", ["identity_float32", "identity_float32_sb"])
@pytest.mark.parametrize("used", [True, False])
def test_a_tile_is_called_as_the_identity_matrix_of_transposes_is(name, used):
    @nki.jit
    def kernel(x):
        own = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf, name=name)
        moved = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.psum)
        t = tile(x)
        if used:
            nisa.memset(own, 3)
            nisa.tensor_copy(t, t, name="load_identity_float32_1")
            nisa.tensor_tensor(t, t, own[0:32, 0:32], op=nl.add)
        nisa.nc_transpose(moved, t, engine=nisa.engine.tensor)
        nisa.tensor_copy(t, moved)
        return result(t)

    made = gives(kernel, SQUARE.T + 3 * used)
    memlocs = made.bir.functions[0].memlocs
    assert f"identity_float32_{2 if used else 'sb'}" in memlocs


def test_an_instruction_is_called_as_the_compiler_calls_others():
    @nki.jit
    def kernel(x):
        t = tile(x)
        for _ in nl.dynamic_range(2):
            nisa.tensor_copy(t, t, name="Loop-0")
        nisa.tensor_copy(t, t, name="I-2")
        before = nisa.reciprocal(t, t)
        nisa.reciprocal(t, t, name=".edge.0").depends_on(before)
        nisa.reciprocal(t, t, name=".branch.0")
        nisa.reciprocal(t, t)
        return result(t)

    made = agree(kernel, SQUARE)
    assert not birpy.verify(made.bir)
    names = [inst.name for inst in made.bir.functions[0].instructions()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ["a b", ".counter.0", 'a"b'])
@pytest.mark.parametrize("used", [True, False])
def test_a_tile_in_psum_that_begins_anew_has_an_odd_name_or_no_use(name, used):
    @nki.jit
    def kernel(x):
        t = tile(x)
        for _ in nl.dynamic_range(2):
            new = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.psum, name=name)
            if used:
                nisa.nc_matmul(new, t, t)
                nisa.tensor_copy(t, new)
        return result(t)

    made = agree(kernel, SQUARE)
    (loop,) = (i for i in made.bir.functions[0].blocks[0].instructions if hasattr(i, "new"))
    assert [memloc.name for memloc in loop.new] == [name] * used


def test_edges_are_in_the_order_of_what_comes_before():
    @nki.jit
    def kernel(x):
        t, u = tile(x), tile(x)
        first = nisa.reciprocal(t, t)
        second = nisa.reciprocal(u, u)
        nisa.reciprocal(u, u).depends_on(second)
        nisa.tensor_tensor(t, t, u, op=nl.add).depends_on(second, first).depends_on(first)
        return result(t)

    made = agree(kernel, SQUARE)
    (found,) = (i for i in made.bir.functions[0].instructions() if i.opcode == "TensorTensor")
    assert len(found.dependencies) == 2


def test_cores_use_one_name_for_different_private_tensors():
    @nki.jit
    def kernel(x):
        t, core = tile(x), nl.program_id(0)
        width = 16 if core else 32
        part = nl.ndarray((32, width), dtype=nl.float32, buffer=nl.sbuf, name="part")
        nisa.tensor_copy(part, t[:, 0:width])
        if core:
            own = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.private_hbm, name="first")
            nisa.dma_copy(own, part)
        out = nl.ndarray(
            (32, 32), dtype=nl.float32, buffer=nl.private_hbm, name="other" if core else "first"
        )
        nisa.dma_copy(out, t)
        return out

    gives(kernel, SQUARE, grid=2)


def test_cores_return_private_tensors_in_another_order():
    @nki.jit
    def kernel(x):
        t, core = tile(x), nl.program_id(0)
        a, b = (
            nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.private_hbm, name=name)
            for name in ("a", "b")
        )
        for to in (a, b, a):
            nisa.dma_copy(to, t)
        return (b, a) if core else (a, b)

    gives(kernel, SQUARE, grid=2)


def test_a_register_is_called_as_a_result_of_another_core():
    @nki.jit
    def kernel(x):
        t, core = tile(x), nl.program_id(0)
        if core:
            a = nisa.register_alloc(1)
            for _ in nl.dynamic_range(a):
                nisa.tensor_copy(t, t)
            b = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.private_hbm, name="b")
        else:
            b = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.private_hbm, name="a")
        nisa.dma_copy(b, t)
        return b

    gives(kernel, SQUARE, grid=2)


@pytest.mark.parametrize("frontend", ["beta2", "beta3"])
def test_a_constant_of_all_cores_has_one_content(frontend):
    @nki.jit
    def kernel(x):
        core = nl.program_id(0)
        ones = nl.shared_constant(np.full((32, 32), core + 1, np.float32))
        out = nl.ndarray((2, 32, 32), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(out[core], tile(ones))
        return out

    with pytest.raises(NkiError) as caught:
        opennki.compile(kernel, SQUARE, target="trn2", grid=2, frontend=frontend)
    (found,) = caught.value.diagnostics
    assert found.code.id == "NKI1038"
    assert found.message == (
        "program 1 of the launch makes `ones` as a constant float32[32, 32] with other contents; "
        "program 0 makes it as a constant float32[32, 32]"
    )


@pytest.mark.parametrize("frontend", ["beta2", "beta3"])
def test_cores_return_private_tensors_that_do_not_correspond(frontend):
    def kernel(x, which):
        t = tile(x)
        a, b = (nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.private_hbm) for _ in "ab")
        nisa.dma_copy(a, t)
        nisa.dma_copy(b, t)
        return {"twice": (a, a), "argument": (a, x)}[which] if nl.program_id(0) else (a, b)

    for which, text in (
        ("twice", "float32[32, 32] of private_hbm (result 0 again)"), ("argument", "`x`")
    ):  # fmt: skip
        with pytest.raises(NkiError) as caught:
            opennki.compile(
                nki.jit(kernel), SQUARE, which, target="trn2", grid=2, frontend=frontend
            )
        (found,) = caught.value.diagnostics
        assert found.code.id == "NKI1038"
        assert found.message == (
            f"program 1 of the launch returns (float32[32, 32] of private_hbm, {text}); program 0 "
            "returns (float32[32, 32] of private_hbm, float32[32, 32] of private_hbm)"
        )


def test_memory_that_nothing_wrote_is_the_same_whatever_is_unused():
    """A tile that nothing uses has a place, too, and another pattern for NaN."""

    @nki.jit
    def kernel(x):
        nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.psum)
        unset = nl.ndarray((32, 32), dtype=nl.bfloat16, buffer=nl.psum)
        t = tile(x)
        nisa.tensor_copy(t, unset)
        return result(t)

    compiled = [
        opennki.compile(kernel, SQUARE, target="trn2", frontend=frontend)
        for frontend in ("beta2", "beta3")
    ]
    assert program_difference(*(one.program for one in compiled)) is None
    for one in compiled:
        with pytest.warns(opennki.NkiWarning, match="NKI6001"):
            assert np.isnan(one.run(SQUARE)).all()
