"""Published rules of what GpSimd gathers and lists: calls that keep a rule, or break it."""

from __future__ import annotations

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16, I32, U16, U32 = nl.float32, nl.bfloat16, nl.int32, nl.uint16, nl.uint32
GEN3 = ("trn2", "trn3")


def t(*shape, dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape or (128, 64), dtype, buffer)


def filled(*shape, dtype=F32, buffer=nl.sbuf):
    made = t(*shape, dtype=dtype, buffer=buffer)
    nisa.memset(dst=made, value=0)
    return made


def local(**more):
    fields = {
        "dst": t(), "src_buffer": filled(), "index": filled(128, 4, dtype=U16),
        "num_elem_per_idx": 1, "num_valid_indices": None,
    }  # fmt: skip
    nisa.local_gather(**(fields | more))


def gather(**more):
    fields = {"dst": t(128, 4), "data": filled(), "indices": filled(128, 4, dtype=U32)}
    nisa.nc_n_gather(**(fields | more))


def flattened(**more):
    nl.gather_flattened(**({"data": filled(), "indices": filled(128, 4, dtype=U32)} | more))


def nonzero(**more):
    nisa.nonzero_with_count(**({"dst": t(128, 65, dtype=I32), "src": filled()} | more))


def topk(**more):
    fields = {
        "val_dst": t(16, 4, dtype=BF16), "idx_dst": t(16, 4, dtype=U32),
        "src": filled(16, 4, dtype=BF16), "n": 42,
    }  # fmt: skip
    nisa.topk(**(fields | more))


# What the rule says: its code, calls that keep it, calls that break it.
RULES = {
    "partitions come in groups of 16": (
        "NKI2451",
        [lambda: local(dst=t(48, 64), src_buffer=filled(48, 64), index=filled(48, 4, dtype=U16))],
        [lambda: local(dst=t(40, 64), src_buffer=filled(40, 64), index=filled(40, 4, dtype=U16)),
         lambda: topk(val_dst=t(8, 4, dtype=BF16), idx_dst=t(8, 4, dtype=U32),
                      src=filled(8, 4, dtype=BF16))],
    ),
    "all operands have as many partitions": (
        "NKI2101",
        [lambda: gather(dst=t(1, 4), data=filled(1, 9), indices=filled(1, 4, dtype=U32))],
        [lambda: local(index=filled(64, 4, dtype=U16)), lambda: gather(data=filled(64, 4)),
         lambda: flattened(data=filled(64, 4)),
         lambda: topk(src=filled(32, 4, dtype=BF16))],
    ),
    "an index stands for a power of two up to 32": (
        "NKI2124",
        [lambda n=n: local(dst=t(128, 4 * n), num_elem_per_idx=n, num_valid_indices=4)
         for n in (1, 2, 4, 8, 16, 32)],
        [lambda n=n: local(dst=t(128, 64), num_elem_per_idx=n, num_valid_indices=4)
         for n in (0, 3, 5, 64)],
    ),
    "valid indices are in the tile of indices": (
        "NKI2124",
        [lambda: local(num_valid_indices=64), lambda: local(dst=t(128, 1), num_valid_indices=1)],
        [lambda: local(num_valid_indices=65), lambda: local(num_valid_indices=0)],
    ),
    "a core takes 4096 indices": (
        "NKI2104",
        [lambda: local(dst=t(128, 4096), index=filled(128, 256, dtype=U16))],
        [lambda: local(dst=t(128, 4112), index=filled(128, 257, dtype=U16))],
    ),
    "the destination has what is gathered": (
        "NKI2452",
        [lambda: local(dst=t(128, 4, 16)),
         lambda: local(dst=t(128, 100)[:, 0:8], num_elem_per_idx=2, num_valid_indices=4)],
        [lambda: local(dst=t(128, 4)), lambda: local(dst=t(128, 65)),
         lambda: local(dst=t(128, 64), num_elem_per_idx=2, num_valid_indices=64)],
    ),
    "a gather gives one element for each index": (
        "NKI2102",
        [lambda: gather(dst=t(128, 2, 2))],
        [lambda: gather(dst=t(128, 5)), lambda: gather(dst=t(128, 64))],
    ),
    "gathers do not cast": (
        "NKI2116",
        [lambda: local(dst=t(dtype=BF16), src_buffer=filled(dtype=BF16)),
         lambda: gather(dst=t(128, 4, dtype=I32), data=filled(dtype=I32))],
        [lambda: local(dst=t(dtype=BF16)), lambda: gather(data=filled(dtype=I32))],
    ),
    "dtypes": (
        "NKI2106",
        [lambda: flattened(dtype=BF16), lambda: topk(),
         lambda: flattened(indices=filled(128, 4, dtype=I32))],
        [lambda: local(index=filled(128, 4, dtype=U32)),
         lambda: gather(indices=filled(128, 4, dtype=U16)),
         lambda: gather(indices=filled(128, 4, dtype=I32)),
         lambda: flattened(indices=filled(128, 4, dtype=F32)),
         lambda: topk(src=filled(16, 4)), lambda: topk(val_dst=t(16, 4)),
         lambda: topk(idx_dst=t(16, 4, dtype=I32))],
    ),
    "everything is in SBUF": (
        "NKI2105",
        [lambda: local()],
        [lambda: local(dst=t(buffer=nl.psum)), lambda: local(src_buffer=filled(buffer=nl.psum)),
         lambda: gather(data=filled(buffer=nl.psum)), lambda: gather(dst=t(128, 4, buffer=nl.psum)),
         lambda: flattened(data=filled(buffer=nl.psum)),
         lambda: flattened(data=t(buffer=nl.shared_hbm))],
    ),
    "there is one axis to gather along": (
        "NKI2124",
        [lambda: flattened(axis=0)],
        [lambda: flattened(axis=1), lambda: flattened(axis=-1)],
    ),
    "arguments have their types": (
        "NKI1007",
        [lambda: local(num_elem_per_idx=1)],
        [lambda: local(num_elem_per_idx=1.5), lambda: local(index=0), lambda: gather(indices=3),
         lambda: flattened(data=1.0), lambda: flattened(axis="free"), lambda: topk(n=None),
         lambda: topk(n=8.5)],
    ),
    "topk has 8 elements or more, and not more than the source": (
        "NKI2124",
        [lambda: topk(n=8), lambda: topk(n=64)],
        [lambda: topk(n=7), lambda: topk(n=65), lambda: topk(n=-8)],
    ),
    "topk has as many elements as results": (
        "NKI2104",
        [lambda: topk(val_dst=t(16, 8, dtype=BF16), idx_dst=t(16, 8, dtype=U32), n=8)],
        [lambda: topk(val_dst=t(16, 9, dtype=BF16), idx_dst=t(16, 9, dtype=U32), n=8)],
    ),
    "values and indices of topk are as many": (
        "NKI2103",
        [lambda: topk()],
        [lambda: topk(idx_dst=t(16, 5, dtype=U32)), lambda: topk(val_dst=t(16, 5, dtype=BF16))],
    ),
    # nonzero_with_count
    "both sides of nonzero_with_count have as many partitions": (
        "NKI2101", GEN3,
        [lambda: nonzero(dst=t(9, 65, dtype=I32), src=filled(9, 64))],
        [lambda: nonzero(src=filled(64, 64))],
    ),
    "the list of positions has a place for their number": (
        "NKI2107", GEN3,
        [lambda: nonzero()],
        [lambda: nonzero(dst=t(128, 64, dtype=I32)), lambda: nonzero(dst=t(128, 66, dtype=I32))],
    ),
    "nonzero elements are float32 or int32, positions int32": (
        "NKI2106", GEN3,
        [lambda: nonzero(src=filled(dtype=I32))],
        [lambda: nonzero(src=filled(dtype=BF16)), lambda: nonzero(src=filled(dtype=U32)),
         lambda: nonzero(dst=t(128, 65)), lambda: nonzero(dst=t(128, 65, dtype=U32))],
    ),
    "nonzero elements are in SBUF, and so are their positions": (
        "NKI2105", GEN3,
        [lambda: nonzero()],
        [lambda: nonzero(src=filled(buffer=nl.psum)),
         lambda: nonzero(dst=t(128, 65, dtype=I32, buffer=nl.psum))],
    ),
    "the numbers of nonzero_with_count are int32": (
        "NKI2605", GEN3,
        [lambda: nonzero(index_offset=2**31 - 1, padding_val=-(2**31))],
        [lambda: nonzero(index_offset=2**31), lambda: nonzero(padding_val=-(2**31) - 1)],
    ),
    "the numbers of nonzero_with_count are integers": (
        "NKI1007", GEN3,
        [lambda: nonzero(index_offset=7)],
        [lambda: nonzero(index_offset=0.5), lambda: nonzero(padding_val="x")],
    ),
}  # fmt: skip


def test_a_call_that_keeps_the_rule_is_accepted(kept):
    told, due = kept
    assert told == due


def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(broken):
    told, due = broken
    assert told == due


def test_nonzero_with_count_needs_gen3(rules):
    assert rules(nonzero, "trn1") == ["NKI2108"]


def test_a_warning_asks_for_the_number_of_indices(rules):
    def without():
        local(dst=t(128, 128), num_elem_per_idx=2)

    def with_number():
        local(dst=t(128, 128), num_elem_per_idx=2, num_valid_indices=64)

    assert rules(without) == ["NKI2453"]
    assert rules(with_number) == []


def test_the_message_names_all_numbers(said):
    message, hint = said(lambda: local(dst=t(128, 4)))
    assert message == (
        "operand `dst` has 4 elements per partition; 64 indices of 1 element(s) give 64"
    )
    assert "give `dst` 64 elements" in hint
