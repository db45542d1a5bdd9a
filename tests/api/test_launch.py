"""`opennki.launch`: arguments and results per rank, what is refused, and what ranks wait for."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.diag import NkiError


@nki.jit
def scaled(x, factor=1.0, shift=None):
    t = nl.multiply(nl.load(x), factor)
    if shift is not None:
        t = nl.add(t, nl.load(shift))
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


@nki.jit
def summed(x, ranks):
    t = nl.load(x)
    group = ncc.ReplicaGroup([list(range(ranks))])
    ncc.all_reduce(srcs=[t], dsts=[t], replica_group=group, op=nl.add)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, t)
    return out


@nki.jit
def doubled_in_place(x):
    t = nl.load(x)
    nl.store(x, nl.add(t, t))


def one(value):
    return np.full((2, 3), value, np.float32)


def firsts(results):
    return [float(result[0, 0]) for result in results]


def code_of(call):
    with pytest.raises(NkiError) as caught:
        call()
    (found,) = caught.value.diagnostics
    return found.code.id


class TestArguments:
    def test_a_list_has_one_array_per_rank(self):
        assert firsts(opennki.launch(scaled, ranks=2)([one(1), one(2)], 3.0)) == [3, 6]
        assert firsts(opennki.launch(scaled, ranks=2)((one(1), one(2)), factor=3.0)) == [3, 6]

    def test_an_array_is_for_all_ranks(self):
        got = opennki.launch(scaled, ranks=2)([one(1), one(2)], shift=one(10))
        assert firsts(got) == [11, 12]

    def test_tuples_of_arrays_are_given_per_rank(self):
        @nki.jit
        def kernel(pair):
            out = nl.ndarray(pair[0].shape, dtype=nl.float32, buffer=nl.shared_hbm)
            nl.store(out, nl.subtract(nl.load(pair[0]), nl.load(pair[1])))
            return out

        got = opennki.launch(kernel, ranks=2)([(one(5), one(1)), (one(5), one(2))])
        assert firsts(got) == [4, 3]

    def test_lists_without_arrays_are_for_all_ranks(self):
        @nki.jit
        def kernel(x, factors):
            return scaled(x, factors[0] + factors[1])

        assert firsts(opennki.launch(kernel, ranks=3)(one(1), [2, 5])) == [7, 7, 7]

    @pytest.mark.parametrize(
        "x", [[one(1)], [one(1)] * 3, [one(1), 2.0], [one(1), np.ones((2, 4), np.float32)],
              [one(1), one(1).astype(np.int32)], [one(1), (one(1), one(1))]],
    )  # fmt: skip
    def test_what_is_not_one_per_rank_is_refused(self, x):
        assert code_of(lambda: opennki.launch(scaled, ranks=2)(x)) == "NKI2711"

    def test_arrays_at_different_places_are_told_apart(self):
        with pytest.raises(NkiError, match=r"`x` .* is an array on rank 0, .* rank 1 .* `x_0`"):
            opennki.launch(scaled, ranks=2)([one(1), [one(1)]])

    def test_mistakes_in_a_call_are_those_of_the_kernel(self):
        assert code_of(lambda: opennki.launch(scaled, ranks=2)(one(1), scale=2)) == "NKI1004"

    def test_a_kernel_launches_no_other(self):
        @nki.jit
        def kernel(x):
            return opennki.launch(scaled, ranks=2)(x)

        assert code_of(lambda: kernel(one(1))) == "NKI2710"


class TestResults:
    def test_ranks_work_together(self):
        values = [one(v) for v in (1, 2, 3, 4)]
        for lnc in (None, 1):
            assert firsts(opennki.launch(summed, ranks=4, lnc=lnc)(values, 4)) == [10] * 4

    def test_written_arguments_are_those_of_each_rank(self):
        x = [one(1), one(2)]
        assert opennki.launch(doubled_in_place, ranks=2)(x) == [None, None]
        assert firsts(x) == [2, 4]

    def test_ranks_do_not_write_one_array(self):
        x = one(1)
        assert code_of(lambda: opennki.launch(doubled_in_place, ranks=2)([x, x])) == "NKI1037"
        assert code_of(lambda: opennki.launch(doubled_in_place, ranks=2)(x)) == "NKI1037"
        assert firsts([x]) == [1]

    def test_a_warning_is_told_once_for_all_ranks(self):
        @nki.jit
        def kernel(x):
            t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0)
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, t)
            return out

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            opennki.launch(kernel, ranks=3)(one(1))
        assert len([w for w in caught if "NKI6001" in str(w.message)]) == 1

    @pytest.mark.parametrize("level", ["penguin", "bir", "program"])
    def test_what_one_rank_is_told_says_which(self, level):
        @nki.jit
        def kernel(x, row):
            t = nl.ndarray((1, 3), dtype=x.dtype, buffer=nl.sbuf)
            place = nisa.register_alloc()
            nisa.register_load(place, row)
            nisa.dma_copy(dst=t, src=x[nl.ds(place, 1)], oob_mode=nisa.oob_mode.skip)
            out = nl.ndarray((1, 3), dtype=x.dtype, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out, src=t)
            nisa.dma_copy(dst=t, src=x[nl.ds(place, 1)])
            return out

        def rows(*numbers):
            return [np.full((1, 1), number, np.int32) for number in numbers]

        run = opennki.launch(nki.simulate(kernel, level=level), ranks=3)
        with pytest.raises(NkiError) as caught:
            run(one(1), rows(0, 1, 7))
        error, warned = caught.value.diagnostics
        assert (error.code.id, error.notes) == ("NKI6020", ["on rank 2"])
        assert warned.code.id == "NKI6001"

    def test_a_warning_of_one_rank_says_which(self):
        @nki.jit
        def kernel(x, count):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            register = nisa.register_alloc()
            nisa.register_load(register, count)
            for _ in nl.dynamic_range(register):
                nisa.dma_copy(dst=out, src=x)
            return out

        counts = [np.full((1, 1), count, np.int32) for count in (1, 0)]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            opennki.launch(kernel, ranks=2)(one(1), counts)
        (said,) = [str(w.message) for w in caught]
        assert "NKI6001" in said
        assert "= note: on rank 1" in said

    def test_prints_say_their_place(self, capsys):
        @nki.jit
        def kernel(x):
            t = nl.load(x)
            nl.device_print("t", t[0:1, 0:1])
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, t)
            return out

        opennki.launch(kernel, ranks=2)([one(1), one(2)])
        lines = capsys.readouterr().out.splitlines()
        assert [line.partition("]")[0] for line in lines] == ["[rank 0", "[rank 1"]


class TestLaunches:
    def test_calling_a_kernel_is_a_launch_of_one_rank(self):
        for step in (False, True):
            assert firsts([nki.simulate(summed, step=step)(one(3), 1)]) == [3]
            assert code_of(lambda step=step: nki.simulate(summed, step=step)(one(3), 2)) == (
                "NKI2707"
            )

    def test_groups_are_those_of_the_launch(self):
        values = [one(1), one(2)]
        assert code_of(lambda: opennki.launch(summed, ranks=2)(values, 3)) == "NKI2707"
        assert code_of(lambda: opennki.launch(summed, ranks=2)(values, 1)) == "NKI2707"

    def test_numbers_that_are_not_possible(self):
        for ranks, lnc in ((0, None), (-1, None), (1.5, None), (2, 0), (2, 3)):
            assert code_of(lambda r=ranks, n=lnc: opennki.launch(scaled, r, lnc=n)) == "NKI2710"
        assert code_of(lambda: opennki.launch(scaled[2], 2, lnc=1)) == "NKI2710"

    def test_step_mode_is_for_one_rank(self):
        made = nki.simulate(scaled, step=True)
        assert firsts(opennki.launch(made, ranks=1)([one(2)])) == [2]
        assert code_of(lambda: opennki.launch(made, ranks=2)(one(2))) == "NKI2710"

    def test_a_rank_has_as_many_cores_as_it_is_told(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            core, cores = nl.program_id(0), nl.num_programs(0)
            for row in range(core, 2, cores):
                nl.store(out[row : row + 1], nl.multiply(nl.load(x[row : row + 1]), cores))
            return out

        for made, lnc, cores in ((kernel, None, 1), (kernel, 1, 1), (kernel, 2, 2),
                                 (kernel[2], None, 2), (kernel[2], 2, 2)):  # fmt: skip
            assert firsts(opennki.launch(made, 2, lnc)(one(1))) == [cores, cores]

    @pytest.mark.parametrize("level", ["penguin", "bir", "program"])
    def test_cores_that_wait_for_each_other_crosswise(self, level):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            core = nl.program_id(0)
            t = nl.load(x)
            if core == 0:
                pair = ncc.ReplicaGroup([[0, 1]])
                ncc.all_reduce(srcs=[t], dsts=[t], replica_group=pair, op=nl.add)
            nisa.core_barrier(data=out, cores=(0, 1))
            if core == 1:
                nl.store(out, t)
                nisa.core_barrier(data=out, cores=(0, 1))  # the other core has ended
            return out

        made = nki.simulate(kernel, level=level, target="trn2")
        with pytest.raises(NkiError) as caught:
            opennki.launch(made, ranks=2, lnc=2)(one(1))
        (found,) = caught.value.diagnostics
        assert found.code.id == "NKI6025"
        assert "rank 0 core 0 has ended, rank 0 core 1 waits at" in found.message
        assert "rank 1 core 0 has ended, rank 1 core 1 waits at" in found.message


class TestCalls:
    """What `nki.collectives` refuses before there is an instruction."""

    @staticmethod
    def call(body):
        @nki.jit
        def kernel(x):
            t = nl.load(x)
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, t)
            body(x, t, out, ncc.ReplicaGroup([[0]]))
            return out

        return code_of(lambda: kernel(one(1)))

    def test_tensors_come_in_lists(self):
        assert self.call(lambda x, t, out, g: ncc.all_reduce(t, [t], g, nl.add)) == "NKI1007"
        assert self.call(lambda x, t, out, g: ncc.all_reduce([1], [t], g, nl.add)) == "NKI1007"
        assert self.call(lambda x, t, out, g: ncc.all_reduce([], [], g, nl.add)) == "NKI2705"
        assert self.call(lambda x, t, out, g: ncc.all_reduce([t], [], g, nl.add)) == "NKI2705"
        assert self.call(lambda x, t, out, g: ncc.all_to_all([x, x], [out], g, 0)) == "NKI2705"

    def test_several_tensors_are_in_hbm(self):
        assert self.call(lambda x, t, o, g: ncc.all_gather([t, t], [t, t], g, 0)) == "NKI2705"

    def test_permutes_have_one_tensor(self):
        pairs = [(0, 0)]
        call = ncc.collective_permute
        assert self.call(lambda x, t, o, g: call([x, x], [o, o], pairs)) == "NKI2705"
        ring = ncc.collective_permute_implicit
        assert self.call(lambda x, t, o, g: ring([[x, x]], [[o]], g)) == "NKI2705"
        assert self.call(lambda x, t, o, g: ring([x], [[o]], g)) == "NKI1007"

    def test_groups_are_objects_of_their_class(self):
        assert self.call(lambda x, t, o, g: ncc.all_reduce([t], [t], [[0]], nl.add)) == "NKI1007"
        for wrong in ([0, 1], [["a"]], 3, [[0.5]]):
            assert code_of(lambda wrong=wrong: ncc.ReplicaGroup(wrong)) == "NKI1007"

    def test_channels(self):
        ring = ncc.collective_permute_implicit
        for ids in ([1], [0, 2], [0, 1], []):
            assert self.call(lambda x, t, o, g, i=ids: ring([[x]], [[o]], g, i)) == "NKI2708"
        five = list(range(5))
        assert self.call(lambda x, t, o, g: ring([[x]] * 5, [[o]] * 5, g, five)) == "NKI2708"
        assert self.call(lambda x, t, o, g: ring([[x]], [[o]], g, 0)) == "NKI1007"

    def test_a_dimension_must_be_given(self):
        assert self.call(lambda x, t, o, g: ncc.all_gather([t], [t], g, None)) == "NKI1007"

    def test_they_are_called_in_kernels(self):
        group = ncc.ReplicaGroup([[0]])
        assert code_of(lambda: ncc.all_reduce([], [], group, nl.add)) == code_of(
            lambda: nisa.core_barrier(None, (0, 1))
        )
