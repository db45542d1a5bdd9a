"""Memories, partitions and elements of every operand of every instruction, each made wrong alone.

The rules follow from one legal call of each instruction and the words of its operands' shapes; what
they leave out is written out.
"""

from __future__ import annotations

import opennki.api.isa as nisa
import opennki.api.language as nl
from opennki.ir import Space
from opennki.isa.registry import BY_NKI
from opennki.target import target
from opennki.trace import TraceContext

F32, BF16, TF32, I32, U8, U16, U32 = (
    nl.float32, nl.bfloat16, nl.tfloat32, nl.int32, nl.uint8, nl.uint16, nl.uint32,
)  # fmt: skip
PACKED = nl.float8_e4m3fn_x4
ALL = ("trn1", "trn2", "trn3")
CMD = nisa.reduce_cmd


def t(*shape, dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape or (128, 8), dtype, buffer)


def v(dtype=F32):
    return t(128, 1, dtype=dtype)


def psum(*shape, dtype=F32):
    return t(*shape, dtype=dtype, buffer=nl.psum)


def filled(*shape, dtype):
    made = t(*shape, dtype=dtype)
    nisa.memset(made, 0)
    return made


# instruction: arguments of a legal call on trn3; a function of none, as it makes tensors
CALLS = {
    "memset": lambda: {"dst": t(), "value": 0},
    "iota": lambda: {"dst": t(), "pattern": [[1, 8]]},
    "tensor_copy": lambda: {"dst": t(), "src": t()},
    "tensor_tensor": lambda: {"dst": t(), "data1": t(), "data2": t(), "op": nl.add},
    "tensor_scalar": lambda: {"dst": t(), "data": t(), "op0": nl.add, "operand0": v()},
    "scalar_tensor_tensor": lambda: {
        "dst": t(), "data": t(), "op0": nl.add, "operand0": v(), "op1": nl.add, "operand1": t(),
    },
    "reciprocal": lambda: {"dst": t(), "data": t()},
    "tensor_reduce": lambda: {"dst": v(), "op": nl.add, "data": t(), "axis": 1},
    "tensor_scalar_reduce": lambda: {
        "dst": t(), "data": t(), "op0": nl.add, "operand0": v(), "reduce_op": nl.add,
        "reduce_res": v(),
    },
    "tensor_tensor_scan": lambda: {
        "dst": t(), "data0": t(), "data1": t(), "initial": v(), "op0": nl.add, "op1": nl.add,
    },
    "bn_stats": lambda: {"dst": t(128, 6), "data": t()},
    "bn_aggr": lambda: {"dst": t(128, 2), "data": t(128, 6)},
    "activation": lambda: {
        "dst": t(), "op": nl.exp, "data": t(), "bias": v(), "scale": v(), "reduce_res": v(),
    },
    "activation_reduce": lambda: {
        "dst": t(), "op": nl.exp, "data": t(), "reduce_op": nl.add, "reduce_res": v(),
        "bias": v(), "scale": v(),
    },
    "activate2": lambda: {
        "dst": t(), "op": nl.exp, "data": t(), "imm0": v(), "imm1": v(), "op0": nl.multiply,
        "op1": nl.add,
    },
    "nc_matmul": lambda: {"dst": psum(8, 8), "stationary": t(), "moving": t()},
    "nc_transpose": lambda: {"dst": psum(8, 128), "data": t()},
    "affine_select": lambda: {
        "dst": t(), "pattern": [[1, 8]], "channel_multiplier": 1, "on_true_tile": t(),
        "on_false_value": 0.0,
    },
    "select_reduce": lambda: {
        "dst": t(), "predicate": t(dtype=U8), "on_true": t(), "on_false": v(),
    },
    "tensor_copy_predicated": lambda: {"dst": t(), "src": t(), "predicate": t(dtype=U8)},
    "range_select": lambda: {
        "dst": t(), "on_true_tile": t(), "comp_op0": nl.less, "comp_op1": nl.less, "bound0": v(),
        "bound1": v(),
    },
    "exponential": lambda: {"dst": t(), "src": t(), "max_value": v()},
    "tensor_scalar_cumulative": lambda: {
        "dst": t(), "src": t(), "op0": nl.add, "op1": nl.add, "imm0": v(),
    },
    "max8": lambda: {"dst": t(), "src": t(128, 16)},
    "nc_find_index8": lambda: {"dst": t(dtype=U32), "data": t(128, 16), "vals": t()},
    "nc_match_replace8": lambda: {
        "dst": t(128, 16), "data": t(128, 16), "vals": t(), "imm": 0.0, "dst_idx": t(dtype=U32),
    },
    "nc_stream_shuffle": lambda: {"dst": t(), "src": t(), "shuffle_mask": [0] * 32},
    "tensor_partition_reduce": lambda: {"dst": t(1, 8), "op": nl.add, "data": t()},
    "sequence_bounds": lambda: {"dst": t(1, 2, 8), "segment_ids": t(1, 8)},
    "rng": lambda: {"dst": t(dtype=U32)},
    "rand2": lambda: {"dst": t(), "min": v(), "max": v()},
    "dropout": lambda: {"dst": t(), "data": t(), "prob": v()},
    "set_rng_seed": lambda: {"src_seeds": t(1, 1, dtype=I32)},
    "rand_set_state": lambda: {"src_seeds": t(128, 6, dtype=U32)},
    "rand_get_state": lambda: {"dst": t(128, 6, dtype=U32)},
    "local_gather": lambda: {
        "dst": t(128, 16), "src_buffer": t(), "index": filled(128, 1, dtype=U16),
    },
    "nc_n_gather": lambda: {"dst": t(), "data": t(), "indices": filled(128, 8, dtype=U32)},
    "nonzero_with_count": lambda: {"dst": t(128, 9, dtype=I32), "src": t()},
    "topk": lambda: {
        "val_dst": t(16, 4, dtype=BF16), "idx_dst": t(16, 4, dtype=U32),
        "src": t(16, 4, dtype=BF16), "n": 42,
    },
    "quantize_mx": lambda: {
        "dst": t(128, 2, dtype=PACKED), "src": t(dtype=BF16), "dst_scale": t(128, 2, dtype=U8),
    },
    "nc_matmul_mx": lambda: {
        "dst": psum(8, 8), "stationary": t(dtype=PACKED), "moving": t(dtype=PACKED),
        "stationary_scale": t(dtype=U8), "moving_scale": t(dtype=U8),
    },
}  # fmt: skip

WHERE = {
    name: tuple(machine for machine in ALL if target(machine).order >= BY_NKI[name].spec.since)
    for name in CALLS
}


def changed(name, operand, columns=1, partitions=1, buffer=None):
    """The legal call with another tensor for one of its operands, of so many times the size."""

    def call():
        arguments = CALLS[name]()
        old = arguments[operand]
        rows, *rest, last = old.shape
        shape = (int(rows * partitions), *rest, last * columns)
        arguments[operand] = nl.ndarray(shape, old.dtype, buffer or old.buffer)
        getattr(nisa, name)(**arguments)

    return call


def tiles(name):
    """Operands of an instruction that its legal call gives tensors for."""
    given = {}

    def kernel():
        given.update(CALLS[name]())
        return nl.full((1, 1), 0, F32, nl.shared_hbm)

    TraceContext(kernel, target("trn3")).trace_kernel((), {})
    tensors = {key for key, value in given.items() if isinstance(value, nl.NkiTensor)}
    return [o for o in BY_NKI[name].spec.operands if o.name in tensors]


def rules_of(name):
    """The rules of one instruction: rule, code, calls that keep it, calls that break it."""
    operands = tiles(name)
    legal = [lambda: getattr(nisa, name)(**CALLS[name]())]
    far = [changed(name, o.name, buffer=nl.shared_hbm) for o in operands]
    far += [changed(name, o.name, buffer=nl.psum) for o in operands if Space.psum not in o.spaces]
    yield f"{name}: memories", "NKI2105", legal, far
    words = [word for o in operands for word in {*o.shape}]
    rows = [o.name for o in operands if o.shape[0] == "P" and words.count("P") > 1]
    if rows:
        halves = [changed(name, operand, partitions=0.5) for operand in rows]
        yield f"{name}: partitions", "NKI2101", legal, halves
    wide = [o.name for o in operands if o.shape[1:] == ("F",) and words.count("F") > 1]
    if wide:
        doubled = [changed(name, operand, columns=2) for operand in wide]
        yield f"{name}: elements", "NKI2102", legal, doubled
    ones = [o.name for o in operands if o.shape[1:] == ("1",)]
    if ones:
        pairs = [changed(name, operand, columns=2) for operand in ones]
        yield f"{name}: vectors", "NKI2107", legal, pairs


RULES = {
    rule: (code, WHERE[name], legal, illegal)
    for name in CALLS
    for rule, code, legal, illegal in rules_of(name)
}


def test_a_call_that_keeps_the_rule_is_accepted(kept):
    told, due = kept
    assert told == due


def test_a_call_that_breaks_the_rule_is_refused_for_one_reason(broken):
    told, due = broken
    assert told == due


def test_every_instruction_on_chip_that_runs_alone_has_a_legal_call_here():
    on_chip = {
        name
        for name, cls in BY_NKI.items()
        if cls.alone
        and all(space.on_chip for operand in cls.spec.operands for space in operand.spaces)
    }
    assert set(CALLS) == on_chip, "write a legal call of each into CALLS"
