"""Cores that run side by side: what waits for what, what races, and what can never go on."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.base.diag import NkiError, NkiWarning
from opennki.penguin import parse_function
from opennki.sim import cores
from opennki.sim.cores import Party
from opennki.sim.machine import Machine
from opennki.sim.memory import Memory
from opennki.testing.programs import RUNNERS

LEVELS = ("penguin", "bir", "program")
X = np.arange(8 * 4, dtype=np.float32).reshape(8, 4)


def line_of(text):
    """The number of the one line here that ends with this comment."""
    with open(__file__, encoding="utf-8") as file:
        (found,) = [n for n, line in enumerate(file, 1) if line.rstrip().endswith(f"# {text}")]
    return found


def run(kernel, *arrays, **options):
    """The result of every level (all are equal), and the ids and lines of all warnings."""
    results, found = [], set()
    for level in LEVELS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results.append(nki.simulate(kernel[2], level=level, target="trn2")(*arrays))
        assert all(issubclass(w.category, NkiWarning) for w in caught)
        found.add(tuple(sorted((str(w.message).split("[")[1][:7], w.lineno) for w in caught)))
    assert all(np.array_equal(results[0], other) for other in results)
    (same,) = found
    return results[0], list(same)


def error(kernel, *arrays, **options):
    with pytest.raises(NkiError) as caught:
        nki.simulate(kernel[2], target="trn2", **options)(*arrays)
    (found,) = caught.value.diagnostics
    return found


def races(kernel, *arrays):
    """What every level says of the races that it finds."""
    found = []
    for level in LEVELS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            nki.simulate(kernel[2], level=level, target="trn2")(*arrays)
        found.append([str(w.message) for w in caught if "NKI6008" in str(w.message)])
    return found


def shared(x, name=None):
    return nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm, name=name)


def parts():
    core = nl.program_id(0)
    return slice(core * 4, core * 4 + 4), slice(4 - core * 4, 8 - core * 4)


class TestBarriers:
    def test_each_phase_waits_for_the_other_core(self):
        @nki.jit
        def kernel(x):
            middle, out = shared(x), shared(x)
            mine, theirs = parts()
            t = nl.load(x[mine])
            for _ in range(3):
                nl.store(middle[mine], t)
                nisa.core_barrier(data=middle, cores=(0, 1))
                t = nl.add(t, nl.load(middle[theirs]))
                nisa.core_barrier(data=middle, cores=(0, 1))
            nl.store(out[mine], t)
            return out

        result, found = run(kernel, X)
        both = X[:4] + X[4:]
        assert np.array_equal(result, 4 * np.concatenate([both, both]))
        assert found == []

    def test_without_the_second_barrier_of_a_phase_there_is_a_race(self):
        @nki.jit
        def kernel(x):
            middle, out = shared(x), shared(x)
            mine, theirs = parts()
            t = nl.load(x[mine])
            for _ in range(2):
                nl.store(middle[mine], t)
                nisa.core_barrier(data=middle, cores=(0, 1))
                t = nl.add(t, nl.load(middle[theirs]))
            nl.store(out[mine], t)
            return out

        assert all(races(kernel, X))

    def test_a_barrier_on_another_tensor_orders_nothing(self):
        @nki.jit
        def kernel(x):
            middle, other, out = shared(x), shared(x), shared(x)
            mine, theirs = parts()
            nl.store(middle[mine], nl.load(x[mine]))
            nisa.core_barrier(data=other, cores=(0, 1))
            nl.store(out[mine], nl.load(middle[theirs]))
            return out

        assert all(races(kernel, X))

    def test_a_barrier_on_a_part_orders_that_part(self):
        def kernel_of(rows):
            @nki.jit
            def kernel(x):
                middle, out = shared(x), shared(x)
                mine, theirs = parts()
                nl.store(middle[mine], nl.load(x[mine]))
                nisa.core_barrier(data=middle[0:rows], cores=(0, 1))
                nl.store(out[mine], nl.load(middle[theirs]))
                return out

            return kernel

        assert run(kernel_of(8), X)[1] == []
        for found in races(kernel_of(7), X):
            assert len(found) == 1
            assert "reads 4 element(s)" in found[0]

    def test_what_both_cores_name_is_ordered(self):
        def kernel_of(first, second):
            @nki.jit
            def kernel(x):
                middle, out = shared(x), shared(x)
                mine, theirs = parts()
                nl.store(middle[mine], nl.load(x[mine]))
                rows = first if nl.program_id(0) == 0 else second
                nisa.core_barrier(data=middle[0:rows], cores=(0, 1))
                nl.store(out[mine], nl.load(middle[theirs]))
                return out

            return kernel

        assert run(kernel_of(8, 8), X)[1] == []
        for rows in ((8, 7), (7, 8)):
            assert all(len(found) == 1 for found in races(kernel_of(*rows), X))

    def test_only_the_queue_of_its_engine_waits(self):
        """Each barrier is first on one core and second on the other, on engines of their own."""

        @nki.jit
        def kernel(x):
            a, b, out = shared(x), shared(x), shared(x)
            mine, theirs = parts()
            t = nl.load(x[mine])
            nl.store(a[mine], t)
            nl.store(b[mine], t)
            engines = [(a, nisa.engine.scalar), (b, nisa.engine.vector)]
            for data, engine in engines if nl.program_id(0) == 0 else engines[::-1]:
                nisa.core_barrier(data=data, cores=(0, 1), engine=engine)
            nl.store(out[mine], nl.add(nl.load(a[theirs]), nl.load(b[theirs])))
            return out

        result = nki.simulate(kernel[2], level="program", target="trn2")(X)
        assert np.array_equal(result, 2 * np.roll(X, 4, 0))

    def test_a_barrier_does_not_write(self):
        @nki.jit
        def kernel(x):
            out = shared(x)
            nisa.core_barrier(data=out, cores=(0, 1))
            return out

        found = error(kernel, X)
        assert found.code.id == "NKI1016"


class TestDeadlocks:
    @pytest.mark.parametrize("options", [{"level": level} for level in LEVELS] + [{"step": True}])
    def test_one_core_ends(self, options):
        @nki.jit
        def kernel(x):
            out = shared(x)
            mine, _ = parts()
            nl.store(out[mine], nl.load(x[mine]))
            if nl.program_id(0) == 1:
                nisa.core_barrier(data=out, cores=(0, 1))  # ended
            return out

        found = error(kernel, X, **options)
        assert (found.code.id, found.line) == ("NKI6025", line_of("ended"))
        assert "core 0 has ended, core 1 waits at" in found.message

    @pytest.mark.parametrize("options", [{"level": level} for level in LEVELS] + [{"step": True}])
    def test_cores_wait_at_different_barriers(self, options):
        @nki.jit
        def kernel(x):
            out, other = shared(x, "out"), shared(x, "other")
            mine, _ = parts()
            nl.store(out[mine], nl.load(x[mine]))
            if nl.program_id(0) == 0:
                nisa.core_barrier(data=out, cores=(0, 1))  # core 0
            else:
                nisa.core_barrier(data=other, cores=(0, 1))  # core 1
            return out

        found = error(kernel, X, **options)
        assert found.code.id == "NKI6025"
        first, second = line_of("core 0"), line_of("core 1")
        assert f"test_cores.py:{first} (core_barrier on `out`)" in found.message
        assert f"test_cores.py:{second} (core_barrier on `other`)" in found.message

    @pytest.mark.parametrize("level", LEVELS)
    def test_pipes_that_nobody_shares(self, level):
        @nki.jit
        def kernel(x):
            out = shared(x)
            mine, _ = parts()
            core = nl.program_id(0)
            t = nl.load(x[mine])
            nisa.sendrecv(t, t, 1 - core, 1 - core, pipe_id=core)
            nl.store(out[mine], t)
            return out

        found = error(kernel, X, level=level)
        assert found.code.id == "NKI6025"
        assert "(sendrecv with pipe_id 0)" in found.message
        assert "(sendrecv with pipe_id 1)" in found.message

    @pytest.mark.parametrize("level", LEVELS)
    def test_a_transfer_does_not_meet_a_barrier(self, level):
        @nki.jit
        def kernel(x):
            out = shared(x)
            mine, _ = parts()
            t = nl.load(x[mine])
            if nl.program_id(0) == 0:
                nisa.sendrecv(t, t, 1, 1, pipe_id=0)
            else:
                nisa.core_barrier(data=out, cores=(0, 1))
            nl.store(out[mine], t)
            return out

        assert error(kernel, X, level=level).code.id == "NKI6025"

    @pytest.mark.parametrize("level", LEVELS)
    def test_tiles_that_do_not_fit(self, level):
        @nki.jit
        def kernel(x):
            out = shared(x)
            mine, _ = parts()
            core = nl.program_id(0)
            t = nl.load(x[mine])
            part = t[0 : core + 1]
            nisa.sendrecv(part, part, 1 - core, 1 - core, pipe_id=0)
            nl.store(out[mine], t)
            return out

        found = error(kernel, X, level=level)
        assert found.code.id == "NKI6022"
        assert "receives float32[1, 4] and the other one sends float32[2, 4]" in found.message


class TestStepMode:
    def test_python_waits_at_a_barrier_and_at_a_transfer(self, capsys):
        @nki.jit
        def kernel(x):
            middle, out = shared(x), shared(x)
            mine, theirs = parts()
            core = nl.program_id(0)
            t = nl.load(x[mine])
            nl.store(middle[mine], t)
            nisa.core_barrier(data=middle, cores=(0, 1))
            u = nl.load(middle[theirs])
            nisa.sendrecv(u, t, 1 - core, 1 - core, pipe_id=0)
            print("core", core, "has", u[0:1, 0:1], t[0:1, 0:1])
            nl.store(out[mine], u)
            return out

        result = nki.simulate(kernel[2], target="trn2", step=True)(X)
        assert np.array_equal(result, np.roll(X, 4, 0))
        said = capsys.readouterr().out
        assert "core 0 has" in said
        assert "[[16.]]" in said
        assert "[[0.]]" in said

    def test_an_error_of_one_core_ends_the_other(self):
        @nki.jit
        def kernel(x):
            out = shared(x)
            mine, _ = parts()
            nl.store(out[mine], nl.load(x[mine]))
            if nl.program_id(0) == 1:
                raise ValueError("on core 1")
            nisa.core_barrier(data=out, cores=(0, 1))
            return out

        with pytest.raises(NkiError, match="on core 1"):
            nki.simulate(kernel[2], target="trn2", step=True)(X)

    def test_a_breakpoint_cannot_wait_for_a_core_that_is_not_stepped(self, monkeypatch):
        @nki.jit
        def kernel(x):
            out = shared(x)
            mine, _ = parts()
            nl.store(out[mine], nl.load(x[mine]))
            nisa.core_barrier(data=out, cores=(0, 1))  # breakpoint
            breakpoint()
            return out

        monkeypatch.setenv("PYTHONBREAKPOINT", "0")
        found = error(kernel, X)
        assert (found.code.id, found.line) == ("NKI6023", line_of("breakpoint"))
        result = nki.simulate(kernel[2], target="trn2", step=True)(X)
        assert np.array_equal(result, X)


LOOP = """penguin.function @k target=cayman core={core} cores=2 args=[x] results=[out] {{
  tensor %x: float32[2, 4] shared_hbm input
  tensor %out: float32[2, 12] shared_hbm output
  tensor %middle: float32[2, 4] shared_hbm
  tensor %t: float32[1, 4] sbuf
  tensor %u: float32[1, 4] sbuf
  dma_copy.sync dst=%t, src=%x[{core}*4; 4*1, 1*4]
  for i in sequential(0, 3) {{
    dma_copy.sync dst=%middle[{core}*4; 4*1, 1*4], src=%t
    core_barrier.{engine} data=%middle, cores=[0, 1]
    dma_copy.sync dst=%u, src=%middle[{other}*4; 4*1, 1*4]
    tensor_tensor.vector dst=%t, data1=%t, data2=%u, op=add
    core_barrier.{engine} data=%middle, cores=[0, 1]
    dma_copy.sync dst=%out[4*i + {core}*12; 12*1, 1*4], src=%t
  }}
}}"""


@pytest.mark.parametrize("engine", ["gpsimd", "vector", "sync"])
@pytest.mark.parametrize("level", RUNNERS)
def test_barriers_in_a_loop(level, engine):
    texts = [LOOP.format(core=c, other=1 - c, engine=engine) for c in (0, 1)]
    functions = [parse_function(_numbers(text)) for text in texts]
    shared = {}
    parties, memories = [], []
    for core, function in enumerate(functions):
        memory = Memory(shared=shared)
        store = memory.find(function.tensors["x"])
        store.fill(np.array([[1] * 4, [10] * 4], np.float32))
        machine = Machine(memory.find, core=core)
        parties.append(Party(0, core, machine, RUNNERS[level](function, machine, memory)))
        memories.append(memory)
    cores.run(parties)
    out = memories[0].find(functions[0].tensors["out"]).values()
    assert out[:, ::4].tolist() == [[11, 22, 44], [11, 22, 44]]
    assert [d for party in parties for d in party.machine.diagnostics] == []


def _numbers(text):
    """`text` with its products of numbers worked out."""
    return re.sub(r"\b([01])\*(4|12)(?=;)", lambda m: str(int(m[1]) * int(m[2])), text)
