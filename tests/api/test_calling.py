"""Ways of calling a kernel: arrays, grids, targets, step mode, environment."""

from __future__ import annotations

import bdb
import functools
import sys

import ml_dtypes
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.diag import NkiError, NkiWarning

LEVELS = ("penguin", "bir", "program")
BF16 = ml_dtypes.bfloat16


@nki.jit
def double(x):
    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=2.0)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def double_in_place(x):
    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=x, src=t)


def ramp(shape, dtype=np.float32):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_gives_the_result(level):
    x = ramp((4, 8))
    assert np.array_equal(nki.simulate(double, level=level)(x), 2 * x)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        lambda x: np.asfortranarray(x),
        lambda x: x.astype(">f4"),
        lambda x: np.repeat(x, 2, 0)[::2],
        lambda x: np.flip(np.flip(x, 1).copy(), 1),
        lambda x: x.T.copy().T,
    ],
)
def test_layout_and_byte_order_of_arguments_do_not_matter(make):
    given, want = make(ramp((4, 8))), 2 * ramp((4, 8))
    assert np.array_equal(double(given), want)
    double_in_place(given)
    assert np.array_equal(given, want)


def test_read_only_arguments_may_be_read_but_not_written():
    x = ramp((4, 8))
    x.flags.writeable = False
    assert np.array_equal(double(x), 2 * x)
    with pytest.raises(NkiError) as caught:
        double_in_place(x)
    assert caught.value.code == "NKI1022"


def test_arguments_are_untouched_when_the_kernel_fails():
    @nki.jit
    def fails(x):
        t = nl.zeros(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=x, src=t)
        raise RuntimeError("too late")

    x = ramp((4, 8))
    with pytest.raises(RuntimeError, match="too late"):
        fails(x)
    assert np.array_equal(x, ramp((4, 8)))


def test_errors_of_user_code_keep_their_class():
    @nki.jit
    def fails(x):
        return {}["no such key"]

    with pytest.raises(KeyError) as caught:
        fails(ramp((4, 8)))
    assert isinstance(caught.value, NkiError)
    assert caught.value.diagnostics[0].code.id == "NKI1018"
    assert "no such key" in str(caught.value)


def scaled(x, *, factor=2.0):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.multiply(nl.load(x), factor))
    return out


@pytest.mark.parametrize("ranks", [False, True])
def test_a_wrapper_is_called_with_what_it_takes(ranks):
    @functools.wraps(scaled)
    def narrow(x):
        return scaled(x, factor=3.0)

    @functools.wraps(scaled)
    def hands_on(*args, **kwargs):
        return scaled(*args, **kwargs)

    x = ramp((4, 8))
    for kernel, more, factor in ((narrow, {}, 3), (hands_on, {}, 2), (hands_on, {"factor": 5}, 5)):
        call = opennki.launch(kernel, ranks=1) if ranks else nki.jit(kernel)
        assert np.array_equal(np.ravel(call(x, **more)), np.ravel(factor * x))
    with pytest.raises(NkiError, match="NKI1004"):
        nki.jit(narrow)(x, factor=5)


@pytest.mark.parametrize("exit", [KeyboardInterrupt, SystemExit])
def test_exits_pass_through(exit):
    @nki.jit
    def stops(x):
        raise exit

    with pytest.raises(exit):
        stops(ramp((4, 8)))


def test_results_keep_their_nesting():
    @nki.jit
    def nested(x):
        a, b = (nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm) for _ in range(2))
        nisa.dma_copy(dst=a, src=x)
        nisa.dma_copy(dst=b, src=x)
        return [a, (b, {"again": a, "part": b.reshape((32,))})]

    x = ramp((4, 8))
    first, (second, rest) = nested(x)
    assert np.array_equal(first, x)
    assert np.array_equal(second, x)
    assert np.array_equal(rest["again"], x)
    assert np.array_equal(rest["part"], x.reshape(-1))


def test_arrays_may_be_nested_in_arguments():
    @nki.jit
    def total(tensors, options):
        out = nl.ndarray(tensors[0].shape, dtype=nl.float32, buffer=nl.shared_hbm)
        acc = nl.zeros(out.shape, dtype=nl.float32, buffer=nl.sbuf)
        for t in (*tensors, options["more"]):
            nisa.tensor_tensor(dst=acc, data1=acc, data2=nl.load(t), op=nl.add)
        nisa.tensor_scalar(dst=acc, data=acc, op0=nl.multiply, operand0=options["scale"])
        nisa.dma_copy(dst=out, src=acc)
        return out

    x = ramp((4, 8))
    assert np.array_equal(total([x, x], {"more": x, "scale": 0.5}), 1.5 * x)


def test_a_grid_of_two_splits_the_work():
    @nki.jit
    def halves(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        rows = x.shape[0] // nl.num_programs(0)
        start = nl.program_id(0) * rows
        t = nl.ndarray((rows, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[start : start + rows])
        nisa.dma_copy(dst=out[start : start + rows], src=t)
        return out

    x = ramp((8, 4))
    for level in LEVELS:
        for kernel in (halves, halves[1], halves[2]):
            assert np.array_equal(nki.simulate(kernel, level=level)(x), x)


@pytest.mark.parametrize("writer", [0, 1])
def test_one_program_of_a_launch_may_write_for_all(writer):
    @nki.jit
    def kernel(x, y):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        if nl.program_id(0) == writer:
            nl.store(out, nl.load(x))
        else:
            nl.store(y, nl.load(x))
        return out

    @nki.jit
    def in_place(x):
        if nl.program_id(0) == writer:
            nl.store(x, nl.load(x))

    x, y = ramp((8, 4)), ramp((8, 4)) * 0
    for level in LEVELS:
        assert np.array_equal(nki.simulate(kernel[2], level=level)(x, y), x)
        assert np.array_equal(x, y)
        nki.simulate(in_place[2], level=level)(x)
    assert opennki.check(kernel[2], x, y) == []


def test_what_no_program_of_a_launch_writes_is_named():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.load(x)
        return out

    @nki.jit
    def nothing(x):
        nl.load(x)

    @nki.jit
    def private(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.private_hbm)
        if nl.program_id(0) == 1:
            nl.store(out, nl.load(x))
        return out

    for made, code in ((kernel, "NKI1016"), (nothing, "NKI1013"), (private, "NKI1016")):
        for grid in (1, 2):
            with pytest.raises(NkiError) as caught:
                made[grid](ramp((8, 4)))
            assert [d.code.id for d in caught.value.diagnostics] == [code]
            assert [d.code for d in opennki.check(made[grid], ramp((8, 4)))] == [code]


@pytest.mark.parametrize("level", ["penguin", "bir", "program"])
def test_a_kernel_without_instructions_need_not_return_anything(level, capsys):
    """As one that only prints how it was launched."""

    @nki.jit
    def kernel(x):
        print("on", nl.num_programs(), "core, in all")

    assert nki.simulate(kernel, level=level)(ramp((8, 4))) is None
    assert capsys.readouterr().out == "on 1 core, in all\n"
    assert kernel[2](ramp((8, 4))) is None
    assert opennki.check(kernel, ramp((8, 4))) == []


def test_programs_of_a_launch_return_the_same():
    def kernel(x, which):
        a = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        b = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(a, nl.load(x))
        nl.store(b, nl.load(x))
        return (a, {"b": b}) if nl.program_id(0) == 0 else {"b": b, "a": a, "none": None}[which]

    for which, text in (("a", "`a`"), ("b", "`b`"), ("none", "nothing")):
        with pytest.raises(NkiError) as caught:
            nki.jit(kernel)[2](ramp((8, 4)), which)
        (found,) = caught.value.diagnostics
        assert found.code.id == "NKI1038"
        assert found.message == (
            f"program 1 of the launch returns {text}; program 0 returns (`a`, {{'b': `b`}})"
        )


def test_tensors_that_their_author_placed_on_other_partitions():
    @nki.jit
    def kernel(x):
        low = nl.ndarray((32, 8), dtype=x.dtype, buffer=nl.sbuf, address=(0, 64))
        high = nl.ndarray((32, 8), dtype=x.dtype, buffer=nl.sbuf, address=(32, 64))
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=low, src=x[0:32])
        nisa.dma_copy(dst=high, src=x[32:64])
        nisa.dma_copy(dst=out[0:32], src=low)
        nisa.dma_copy(dst=out[32:64], src=high)
        return out

    x = ramp((64, 8))
    for level in LEVELS:  # with both on partition 0 the program level gives one of them twice
        assert np.array_equal(nki.simulate(kernel, level=level)(x), x)
    assert "partition=32" in opennki.compile(kernel, x).text("bir")


def test_a_kernel_called_by_a_kernel_is_inlined():
    @nki.jit
    def twice(x):
        return double(double(x))

    x = ramp((4, 8))
    assert np.array_equal(twice(x), 4 * x)


def test_plain_functions_can_be_simulated():
    x = ramp((4, 8))
    assert np.array_equal(nki.simulate(double.fn)(x), 2 * x)


def test_the_environment_chooses_the_target(monkeypatch):
    @nki.jit
    def version(x, seen):
        seen.append(nisa.get_nc_version())
        return double.fn(x)

    for name, want in (("trn1", 2), ("gen3", 3), ("trn3", 4)):
        monkeypatch.setenv("NEURON_PLATFORM_TARGET_OVERRIDE", name)
        assert nisa.get_nc_version().value == want
    monkeypatch.setenv("NEURON_PLATFORM_TARGET_OVERRIDE", "tpu")
    with pytest.raises(NkiError) as caught:
        double(ramp((4, 8)))
    assert caught.value.code == "NKI1023"
    monkeypatch.delenv("NEURON_PLATFORM_TARGET_OVERRIDE")
    assert nisa.get_nc_version().name == "gen4"


def test_without_rounding_narrow_floats_are_float32(monkeypatch):
    x = np.full((4, 8), 1.0, BF16)

    @nki.jit
    def third(x):
        t = nl.ndarray(x.shape, dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x)
        nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=1 / 3)
        out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=t)
        return out

    assert third(x)[0, 0] == np.float32(BF16(1 / 3))
    monkeypatch.setenv("NKI_PRECISE_FP", "0")
    assert third(x)[0, 0] == np.float32(1 / 3)
    monkeypatch.setenv("NKI_PRECISE_FP", "yes")
    with pytest.raises(NkiError) as caught:
        third(x)
    assert caught.value.code == "NKI1024"


def test_step_mode_shows_values(capsys):
    @nki.jit
    def shows(x):
        t = nl.load(x)
        print(t)
        nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0)
        print(t[:, 0:2])
        nl.store(x, t)

    x = ramp((2, 4))
    nki.simulate(shows, step=True)(x)
    shown = capsys.readouterr().out
    assert "[0. 1. 2. 3.]" in shown
    assert "[1. 2.]" in shown
    assert np.array_equal(x, ramp((2, 4)) + 1)
    shows(ramp((2, 4)))
    assert "[0. 1. 2. 3.]" not in capsys.readouterr().out


def test_step_mode_of_a_launch_shares_device_memory():
    @nki.jit
    def halves(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        start = nl.program_id(0) * 4
        nl.store(out[start : start + 4], nl.load(x[start : start + 4]))
        twice = nl.multiply(nl.load(x[start : start + 4]), 2.0)
        nl.store(x[start : start + 4], twice)
        return out

    x = ramp((8, 4))
    assert np.array_equal(nki.simulate(halves[2], step=True)(x), ramp((8, 4)))
    assert np.array_equal(x, 2 * ramp((8, 4)))

    @nki.jit
    def races(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.add(nl.load(x), float(nl.program_id(0))))
        return out

    with pytest.warns(NkiWarning, match="NKI6008"):
        nki.simulate(races[2], step=True)(x)


def test_breakpoint_starts_step_mode(monkeypatch):
    seen = []

    @nki.jit
    def stops(x):
        t = nl.load(x)
        breakpoint()
        nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0)
        seen.append(repr(t))
        nl.store(x, t)

    monkeypatch.setattr(sys, "breakpointhook", lambda *args: seen.append("stopped"))
    x = ramp((2, 4))
    stops(x)
    assert seen[0] == "stopped"
    assert "[1. 2. 3. 4.]" in seen[1]
    assert np.array_equal(x, ramp((2, 4)) + 1)
    assert sys.breakpointhook is not sys.__breakpointhook__


def test_leaving_the_debugger_leaves_the_kernel(monkeypatch):
    def leave(*args):
        raise bdb.BdbQuit

    @nki.jit
    def stops(x):
        breakpoint()
        nl.store(x, nl.load(x))

    monkeypatch.setattr(sys, "breakpointhook", leave)
    with pytest.raises(bdb.BdbQuit):
        stops(ramp((2, 4)))
    assert sys.breakpointhook is leave


def test_device_print_prints_when_the_kernel_runs(capsys):
    @nki.jit
    def prints(x):
        t = nl.load(x)
        nl.device_print("tile", t)
        nl.store(x, t)

    for level in LEVELS:
        nki.simulate(prints, level=level)(ramp((1, 4)))
        assert "tile" in (shown := capsys.readouterr().out)
        assert "[0. 1. 2. 3.]" in shown
        assert "core" not in shown


@pytest.mark.filterwarnings("ignore::opennki.NkiWarning")
@pytest.mark.parametrize("options", [{"step": True}, *({"level": level} for level in LEVELS)])
def test_device_print_of_several_cores_says_which(capsys, options: dict[str, object]):
    @nki.jit
    def prints(x):
        nl.device_print("tile", nl.load(x[nl.program_id(0)]))
        out = nl.ndarray((2, 1, 2), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out[nl.program_id(0)], nl.load(x[nl.program_id(0)]))
        return out

    nki.simulate(prints[2], **options)(ramp((2, 1, 2)))
    said = ("[core 0] tile: [[0. 1.]]", "[core 1] tile: [[2. 3.]]")
    assert capsys.readouterr().out.splitlines() == list(said)


def test_reading_what_nothing_wrote_is_reported():
    @nki.jit
    def reads(x):
        t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[:, 0:2], src=x[:, 0:2])
        nl.store(x, t)

    for level in LEVELS:
        x = ramp((2, 4))
        with pytest.warns(NkiWarning, match=r"4 element\(s\) of `t` were never written.*\(0, 2\)"):
            nki.simulate(reads, level=level)(x)
        assert np.isnan(x[:, 2:]).all()
        x = ramp((2, 4))
        with pytest.raises(NkiError) as caught:
            nki.simulate(reads, level=level, strict=True)(x)
        assert caught.value.code == "NKI6002"
        assert np.array_equal(x, ramp((2, 4)))


def test_torch_tensors_come_back_as_torch_tensors():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.int32, torch.uint8):
        x = torch.arange(32).reshape(4, 8).to(dtype)
        got = double(x)
        assert got.dtype == dtype
        assert torch.equal(got.float(), 2 * x.float())
        double_in_place(x)
        assert torch.equal(x.float(), got.float())
    turned = torch.arange(32, dtype=torch.float32).reshape(8, 4).T
    double_in_place(turned)
    assert torch.equal(turned, 2 * torch.arange(32, dtype=torch.float32).reshape(8, 4).T)


@nki.jit
def copy_into(x, y):
    nl.store(x, nl.load(y))


def test_a_written_argument_must_not_share_memory_with_another():
    x = ramp((8, 8))
    copy_into(x[:4], x[4:])
    assert np.array_equal(x[:4], ramp((8, 8))[4:])
    copy_into(x[:, ::2], x[:, 1::2])
    for other in (x[:4], x[2:6]):
        with pytest.raises(NkiError) as caught:
            copy_into(x[:4], other)
        assert caught.value.code == "NKI1037"


def test_step_mode_has_no_other_level():
    with pytest.raises(NkiError) as caught:
        nki.simulate(double, step=True, level="bir")(ramp((4, 8)))
    assert caught.value.code == "NKI7013"
