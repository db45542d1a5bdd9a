"""What the simulator warns of while it runs, at every level, on the kernel's line."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.base.diag import NkiWarning

LEVELS = ("penguin", "bir", "program")


def warned(kernel, *arrays, target="trn3"):
    """Ids of the warnings that every level gives alike."""
    found = []
    for level in LEVELS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            nki.simulate(kernel, level=level, target=target)(*arrays)
        assert all(issubclass(w.category, NkiWarning) for w in caught)
        assert all(w.filename == __file__ for w in caught)
        found.append([str(w.message).split("[")[1][:7] for w in caught])
    assert found[0] == found[1] == found[2]
    return found[0]


def activate(op):
    def kernel(x):
        t = nl.load(x)
        nisa.activation(dst=t, op=op, data=t)
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, t)
        return out

    return kernel


@pytest.mark.parametrize(
    ("op", "inside", "outside"),
    [
        (nl.sin, 3.0, 9.0),
        (nl.arctan, 1.5, 1.6),
        (nl.log, 2.0**-64, 0.0),
        (nl.sqrt, 2.0**118, 2.0**119),
        (nl.rsqrt, 2.0**-87, -1.0),
        (nl.reciprocal, -(2.0**42), 2.0**-43),
    ],
)
def test_inputs_outside_the_range_of_a_function(op, inside, outside):
    assert warned(activate(op), np.full((4, 8), inside, np.float32)) == []
    assert warned(activate(op), np.full((4, 8), outside, np.float32)) == ["NKI6003"]


def transpose(x):
    t = nl.load(x)
    turned = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=t, engine=nisa.engine.tensor)
    out = nl.ndarray(turned.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.copy(turned))
    return out


def test_transposes_that_spread_nan_and_infinity():
    finite = np.ones((4, 8), np.float32)
    special = finite.copy()
    special[0, 0] = np.inf
    assert warned(transpose, finite, target="trn1") == []
    assert warned(transpose, special, target="trn1") == ["NKI2214"]
    assert warned(transpose, special, target="trn2") == []


def accumulate(first, *flags):
    def kernel(a, b):
        at, bt = nl.load(a), nl.load(b)
        acc = nl.ndarray((a.shape[1], b.shape[1]), dtype=nl.float32, buffer=nl.psum)
        if first:
            nisa.memset(dst=acc, value=0.0)
        for flag in flags:
            nisa.nc_matmul(dst=acc, stationary=at, moving=bt, accumulate=flag)
        out = nl.ndarray(acc.shape, dtype=nl.float32, buffer=nl.shared_hbm)
        nl.store(out, nl.copy(acc))
        return out

    return kernel


@pytest.mark.parametrize(
    ("first", "flags", "target", "want"),
    [
        (True, (True, True), "trn1", ["NKI6005"]),
        (True, (True, True), "trn2", ["NKI6005"]),
        (True, (True, True), "trn3", []),
        (True, (None, None), "trn1", []),
        (False, (False, True), "trn1", []),
        (False, (None, None), "trn1", []),
        (False, (True, True), "trn3", ["NKI6004"]),
    ],
)
def test_accumulation_onto_what_no_product_wrote(first, flags, target, want):
    a, b = np.ones((8, 4), np.float32), np.ones((8, 16), np.float32)
    kernel = accumulate(first, *flags)
    assert warned(kernel, a, b, target=target) == want
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.array_equal(nki.simulate(kernel, target=target)(a, b), np.full((4, 16), 16.0))


def test_two_sums_in_one_set_of_registers():
    def kernel(x, mask):
        t, m = nl.load(x), nl.load(mask)
        total = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
        sums = {"op0": nl.add, "operand0": 0.0, "reduce_op": nl.add, "reduce_res": total}
        nisa.tensor_scalar_reduce(dst=t, data=t, **sums)
        nisa.select_reduce(
            dst=t, predicate=m, on_true=t, on_false=0.0,
            reduce_cmd=nisa.reduce_cmd.reset_reduce, reduce_op=nl.maximum,
        )  # fmt: skip
        nisa.tensor_scalar_reduce(dst=t, data=t, reduce_cmd=nisa.reduce_cmd.reduce, **sums)
        out = nl.ndarray(total.shape, dtype=nl.float32, buffer=nl.shared_hbm)
        nl.store(out, total)
        return out

    x = np.ones((4, 8), np.float32)
    assert warned(kernel, x, np.ones((4, 8), np.uint8)) == ["NKI6007"]


IDLE = nisa.reduce_cmd.idle


@pytest.mark.parametrize("label", ["exponential", "select_reduce", "range_select"])
def test_an_idle_instruction_of_the_vector_engine_may_change_a_sum(label):
    def kernel(x, mask):
        t, m = nl.load(x), nl.load(mask)
        total = nl.full((x.shape[0], 1), 8.0, dtype=nl.float32)
        sums = {"op0": nl.add, "operand0": 0.0, "reduce_op": nl.add, "reduce_res": total}
        nisa.tensor_scalar_reduce(dst=t, data=t, **sums)
        if label == "exponential":
            nisa.exponential(dst=t, src=t, reduce_cmd=IDLE)
        elif label == "select_reduce":
            nisa.select_reduce(dst=t, predicate=m, on_true=t, on_false=0.0, reduce_cmd=IDLE)
        else:
            nisa.range_select(t, t, nl.greater_equal, nl.less, total, total, reduce_cmd=IDLE)
        nisa.tensor_scalar_reduce(dst=t, data=t, reduce_cmd=nisa.reduce_cmd.reduce, **sums)
        nl.store(x, t)

    x, mask = np.ones((4, 8), np.float32), np.ones((4, 8), np.uint8)
    with pytest.warns(NkiWarning, match=f"after an idle {label}"):
        nki.simulate(kernel, target="trn3")(x, mask)
    assert warned(kernel, x, mask) == ["NKI6007"]


def test_an_idle_instruction_of_the_scalar_engine_changes_no_sum():
    def kernel(x):
        t = nl.load(x)
        total = nl.ndarray((x.shape[0], 1), dtype=nl.float32)
        nisa.activation_reduce(t, nl.square, t, nl.add, None)
        nisa.activation(t, nl.copy, t)
        nisa.activation(t, nl.copy, t, reduce_op=nl.add, reduce_res=total,
                        reduce_cmd=nisa.reduce_cmd.reduce)  # fmt: skip
        out = nl.ndarray(total.shape, dtype=nl.float32, buffer=nl.shared_hbm)
        nl.store(out, total)
        return out

    assert warned(kernel, np.ones((4, 8), np.float32)) == []


class TestIntegersInFloat32:
    def test_what_float32_cannot_hold_is_named(self):
        def kernel(x):
            t = nl.load(x)
            nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=1.0)
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, t)
            return out

        odd = np.full((4, 8), 2**24 + 1, np.int32)
        assert warned(kernel, odd) == ["NKI6009"]
        assert warned(kernel, odd - 1) == []
        assert warned(kernel, odd.astype(np.uint32)) == ["NKI6009"]

    @pytest.mark.parametrize(
        ("start", "op", "operand", "lost"),
        [
            (2**24 - 1, nl.add, 1.0, False),
            (2**24, nl.add, 1.0, True),
            (4097, nl.multiply, 4097.0, True),
            (4097, nl.multiply, 8192.0, False),
            (2**23, nl.subtract, -(2.0**23) - 1, True),
            (3, nl.multiply, 2.0**60, False),  # saturates
            (2**24, nl.maximum, 5.0, False),
        ],
    )
    def test_results_that_float32_cannot_hold(self, start, op, operand, lost):
        def kernel(x):
            t = nl.load(x)
            nisa.tensor_scalar(dst=t, data=t, op0=op, operand0=operand)
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, t)
            return out

        found = warned(kernel, np.full((4, 8), start, np.int32))
        assert found == (["NKI6010"] if lost else [])

    def test_sums_that_float32_cannot_hold(self):
        def kernel(x):
            t = nl.load(x)
            s = nl.ndarray((x.shape[0], 1), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_reduce(dst=s, op=nl.add, data=t, axis=1)
            out = nl.ndarray(s.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, s)
            return out

        rows = np.full((4, 8), 2**22, np.int32)
        assert warned(kernel, rows) == []
        rows[2, 3] += 1
        assert warned(kernel, rows) == ["NKI6010"]

    def test_moving_and_exact_arithmetic_lose_nothing(self):
        def kernel(x):
            t = nl.load(x)
            nisa.tensor_tensor(dst=t, data1=t, data2=t, op=nl.add)
            nisa.tensor_scalar(dst=t, data=t, op0=nl.bitwise_and, operand0=-2)
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, t)
            return out

        assert warned(kernel, np.full((4, 8), 2**24 + 1, np.int32)) == []


def halves(split, same=False):
    """Each of two programs stores its half, or all of it unless `split`."""

    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        p = nl.program_id(0)
        part = slice(p * 64, p * 64 + 64) if split else slice(0, 64)
        t = nl.load(x[part])
        nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=0.0 if same else float(p))
        nl.store(out[part], t)
        return out

    return kernel


class TestRaces:
    x = np.arange(128 * 4, dtype=np.float32).reshape(128, 4)

    def test_programs_with_parts_of_their_own_do_not_race(self):
        assert warned(nki.jit(halves(split=True))[2], self.x, target="trn2") == []

    def test_writing_what_is_there_already_is_no_race(self):
        found = warned(nki.jit(halves(split=False, same=True))[2], self.x, target="trn2")
        assert found == ["NKI6001"]  # nobody wrote the other half

    def test_overwriting_what_another_program_wrote(self):
        found = warned(nki.jit(halves(split=False))[2], self.x, target="trn2")
        assert found == ["NKI6008", "NKI6001"]

    def test_reading_what_another_program_wrote(self, monkeypatch):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=nl.bfloat16, buffer=nl.shared_hbm)
            p = nl.program_id(0)
            if p == 0:
                nl.store(out, nl.load(x, dtype=nl.bfloat16))
            else:
                t = nl.load(out.view(nl.uint16))
                nl.store(out, t.view(nl.bfloat16))
            return out

        assert warned(kernel[2], self.x, target="trn2") == ["NKI6008"]
        monkeypatch.setenv("NKI_PRECISE_FP", "0")
        with pytest.warns(NkiWarning, match="NKI6008.*reads 512 element"):
            nki.simulate(kernel[2], target="trn2")(self.x)

    def test_one_writes_again_what_both_wrote_and_reads_it(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nl.load(x))
            nl.store(out, nl.load(out))
            return out

        assert warned(kernel[2], self.x, target="trn2") == []

    def test_overwriting_what_another_program_read(self):
        @nki.jit
        def kernel(x):
            t = nl.load(x)
            if nl.program_id(0) == 1:
                nl.store(x, nl.add(t, 1.0))
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.private_hbm)
            nl.store(out, t)
            return out

        assert warned(kernel[2], self.x.copy(), target="trn2") == ["NKI6008"]

    def test_reading_before_another_program_writes(self):
        @nki.jit
        def kernel(x):
            middle = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            if nl.program_id(0) == 0:
                nl.store(out, nl.load(middle))
            else:
                nl.store(middle, nl.load(x))
            return out

        assert warned(kernel[2], self.x, target="trn2") == ["NKI6001", "NKI6008"]

    def test_zeros_by_both_and_values_by_one(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nl.zeros(x.shape, x.dtype))
            if nl.program_id(0) == 1:
                nl.store(out, nl.load(x))
            return out

        assert warned(kernel[2], self.x + 1, target="trn2") == ["NKI6008"]

    @pytest.mark.parametrize("first", [0, 1])
    def test_halves_of_elements(self, first):
        @nki.jit
        def kernel(x):
            middle = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
            out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
            halves = middle.view(nl.bfloat16)
            p = nl.program_id(0)
            nl.store(halves[:, (p + first) % 2 :: 2], nl.load(x, dtype=nl.bfloat16))
            if p == 1:
                nl.store(out, nl.load(middle))
            return out

        assert warned(kernel[2], self.x, target="trn2") == ["NKI6008"]


def test_elements_are_those_of_the_tensor(recwarn):
    def kernel(x):
        t = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=t[0:64], value=0)
        nisa.memset(dst=t[64:128, 0:6], value=0)
        out = nl.ndarray((64, 4), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, t[64:128, 4:8])
        return out

    nki.simulate(kernel)(np.zeros((4, 4), np.float32))
    assert "128 element(s) of `t` were never written, the first at (64, 6)" in str(
        recwarn[0].message
    )


def test_a_tile_that_is_two_operands_is_named_once():
    def kernel(x):
        t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=t, data1=t, data2=t, op=nl.add)
        nl.store(x, t)

    assert warned(kernel, np.zeros((4, 8), np.float32)) == ["NKI6001"]


def test_a_line_in_a_loop_is_named_once():
    def kernel(x):
        t = nl.ndarray((4, 64), dtype=x.dtype, buffer=nl.sbuf)
        for i in range(8):
            nisa.tensor_scalar(dst=t[:, 8 * i : 8 * i + 4], data=t[:, 8 * i + 4 : 8 * i + 8],
                               op0=nl.add, operand0=0.0)  # fmt: skip
        nl.store(x, t[:, 0:8])

    found = warned(kernel, np.zeros((4, 8), np.float32))
    assert found == ["NKI6001", "NKI6001"]  # one line in the loop, and the store
