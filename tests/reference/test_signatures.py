"""Parameters of the calls: names, order, defaults, and which must be given, as published."""

from __future__ import annotations

import inspect

import pytest

import opennki.api.collectives as ncc
import opennki.api.isa as nisa
import opennki.api.language as nl


def words(text: str) -> list[str]:
    return text.split()


# A default in brackets is the name of a function of `nl` or of a member of a `nisa` enumeration.
ISA = {
    "dma_copy": "dst src priority=None oob_mode=[error] dge_mode=[unknown] engine=[unknown]",
    "dma_transpose": "dst src axes=None priority=None dge_mode=[unknown] oob_mode=[error]",
    "dma_compute": "dst srcs reduce_op scales=None unique_indices=True oob_mode=[error]",
    "tensor_copy": "dst src engine=[unknown]",
    "memset": "dst value engine=[unknown]",
    "tensor_copy_predicated": "dst src predicate reverse_pred=False",
    "nc_matmul": "dst stationary moving is_stationary_onezero=False is_moving_onezero=False "
    "is_transpose=False accumulate=None tile_position=() tile_size=() perf_mode=[none]",
    "nc_matmul_mx": "dst stationary moving stationary_scale moving_scale tile_position=None "
    "tile_size=None accumulate=None",
    "quantize_mx": "dst src dst_scale",
    "nc_transpose": "dst data engine=[unknown]",
    "tensor_tensor": "dst data1 data2 op engine=[unknown]",
    "tensor_scalar": "dst data op0 operand0 reverse0=False op1=None operand1=None reverse1=False "
    "engine=[unknown]",
    "tensor_reduce": "dst op data axis negate=False keepdims=False",
    "activation": "dst op data bias=None scale=1.0 reduce_op=None reduce_res=None "
    "reduce_cmd=[idle]",
    "activation_reduce": "dst op data reduce_op reduce_res bias=None scale=1.0",
    "iota": "dst pattern offset=0 channel_multiplier=0",
    "affine_select": "dst pattern channel_multiplier on_true_tile on_false_value cmp_op=[equal] "
    "offset=0",
    "bn_stats": "dst data",
    "bn_aggr": "dst data",
    "tensor_tensor_scan": "dst data0 data1 initial op0 op1 reverse0=False reverse1=False",
    "reciprocal": "dst data",
    "max8": "dst src",
    "nc_find_index8": "dst data vals",
    "nc_match_replace8": "dst data vals imm dst_idx=None",
    "nc_stream_shuffle": "dst src shuffle_mask",
    "core_barrier": "data cores engine=[gpsimd]",
    "sendrecv": "src dst send_to_rank recv_from_rank pipe_id dma_engine=[dma]",
    "tensor_partition_reduce": "dst op data",
    "sequence_bounds": "dst segment_ids",
    "local_gather": "dst src_buffer index num_elem_per_idx=1 num_valid_indices=None",
    "nc_n_gather": "dst data indices",
    "nonzero_with_count": "dst src index_offset=0 padding_val=-1",
    "topk": "val_dst idx_dst src n",
    "activate2": "dst op data imm0 imm1 op0 op1 relu_param=0.0 reverse0=False reverse1=False "
    "reduce_op=None reduce_res=None reduce_cmd=[idle]",
    "register_move": "dst src",
    "register_load": "dst src",
    "register_store": "dst src",
    "scalar_tensor_tensor": "dst data op0 operand0 op1 operand1 reverse0=False reverse1=False",
    "tensor_scalar_reduce": "dst data op0 operand0 reduce_op reduce_res=None reverse0=False "
    "reduce_cmd=[reset_reduce] reduce_init=None reduce_res_negate=False",
    "tensor_scalar_cumulative": "dst src op0 op1 imm0 imm1=None reduce_cmd=[reset_reduce]",
    "exponential": "dst src max_value=0.0 reduce_res=None reduce_cmd=[idle] reduce_init=0.0",
    "select_reduce": "dst predicate on_true on_false reduce_res=None reduce_cmd=[idle] "
    "reduce_op=[maximum] reverse_pred=False",
    "rng": "dst engine=[vector]",
    "dropout": "dst data prob",
    "set_rng_seed": "src_seeds",
    "rand_set_state": "src_seeds engine=[gpsimd]",
    "rand_get_state": "dst engine=[gpsimd]",
    "rand2": "dst min max",
    "range_select": "dst on_true_tile comp_op0 comp_op1 bound0 bound1 reduce_cmd=[reset_reduce] "
    "reduce_res=None reduce_op=[maximum] range_start=0 on_false_value=-3.4028234663852886e+38",
}

BINARY = (
    "add subtract multiply divide maximum minimum abs_max abs_min power equal not_equal less "
    "less_equal greater greater_equal bitwise_and bitwise_or bitwise_xor left_shift right_shift "
    "logical_and logical_or logical_xor fmod mod"
)
UNARY = (
    "abs square invert logical_not exp log sqrt rsqrt tanh sigmoid relu gelu gelu_apprx_sigmoid "
    "gelu_apprx_tanh gelu_dx gelu_apprx_sigmoid_dx silu silu_dx softplus mish erf erf_dx "
    "reciprocal copy sin cos tan arctan ceil floor trunc negative sign transpose"
)
LANGUAGE = {
    **dict.fromkeys(words(BINARY), "x y dtype=None"),
    **dict.fromkeys(words(UNARY), "x dtype=None"),
    **dict.fromkeys(words("sum max min mean prod var"), "x axis dtype=None keepdims=False"),
    **dict.fromkeys(words("zeros ones"), "shape dtype buffer=[sbuf] name=''"),
    **dict.fromkeys(words("zeros_like empty_like"), "x dtype=None buffer=None name=''"),
    **dict.fromkeys(words("load load_transpose2d"), "src dtype=None"),
    **dict.fromkeys(words("affine_range sequential_range static_range"), "start stop=None step=1"),
    **dict.fromkeys(words("is_hbm is_on_chip is_psum is_sbuf"), "buffer"),
    "dynamic_range": "start stop=None step=1",
    "fori_loop": "lower upper body_fun step=1",
    "while_loop": "init body_fun",
    "all": "x axis dtype=None",
    "rand": "shape dtype buffer=[sbuf] name=''",
    "random_seed": "seed",
    "dropout": "x rate dtype=None",
    "softmax": "x axis=-1 dtype=None",
    "rms_norm": "x w axis n epsilon=1e-06 dtype=None compute_dtype=None",
    "where": "condition x y dtype=None",
    "gather_flattened": "data indices axis=0 dtype=None",
    "ndarray": "shape dtype buffer=[sbuf] name='' address=None",
    "full": "shape fill_value dtype buffer=[sbuf] name=''",
    "expand_dims": "x axis",
    "broadcast_to": "x shape dtype=None",
    "matmul": "x y transpose_x=False",
    "no_reorder": "",
    "ds": "start size",
    "store": "dst value",
    "program_id": "axis=0",
    "num_programs": "axes=0",
    "program_ndim": "",
    "shared_constant": "constant",
    "shared_identity_matrix": "n dtype=uint8 dst=None",
    "device_print": "print_prefix tensor",
}
TENSOR = {
    "is_contiguous": "", "get_pattern": "", "is_indirect": "", "permute": "dims",
    "broadcast": "dim size", "expand_dim": "dim", "squeeze_dim": "dim",
    "reshape_dim": "dim shape", "flatten_dims": "start_dim end_dim",
    "rearrange": "src_pattern dst_pattern fixed_sizes=None", "slice": "dim start end step=1",
    "select": "dim index", "vector_select": "dim vector_offset", "view": "dtype",
    "ap": "pattern offset=None scalar_offset=None vector_offset=None indirect_dim=0 dtype=None",
}  # fmt: skip


COLLECTIVES = {
    "all_reduce": "srcs dsts replica_group op priority=None name=None",
    "all_gather": "srcs dsts replica_group collective_dim priority=None name=None",
    "all_gather_v": "srcs dsts replica_group metadata_tensor recv_counts_known=False "
    "has_rdispls=False priority=None name=None",
    "reduce_scatter": "srcs dsts replica_group collective_dim op priority=None name=None",
    "all_to_all": "srcs dsts replica_group collective_dim priority=None name=None",
    "all_to_all_v": "srcs dsts replica_group metadata_tensor recv_counts_known=False "
    "has_rdispls=False priority=None name=None",
    "collective_permute": "srcs dsts source_target_pairs priority=None name=None",
    "collective_permute_implicit": "srcs_by_channel dsts_by_channel replica_group "
    "channel_ids=(0,) priority=None name=None",
    "collective_permute_implicit_reduce": "srcs0_by_channel srcs1_by_channel dsts_by_channel "
    "replica_group op channel_ids=(0,) priority=None name=None",
    "collective_permute_implicit_current_processing_rank_id": "iteration_id replica_group "
    "channel_id=0 name=None",
    "rank_id": "name=None",
}


def shown(parameters: list[inspect.Parameter]) -> str:
    """Parameters in the notation of the tables above."""
    return " ".join(
        p.name if p.default is p.empty else f"{p.name}={_default(p.default)}" for p in parameters
    )


def _default(value: object) -> str:
    if isinstance(value, (bool, int, float, str, tuple, type(None))):
        return repr(value)
    return f"[{getattr(value, '__name__', None) or value.name}]"


@pytest.mark.parametrize("name", ISA)
def test_an_instruction_is_called_as_published(name):
    parameters = list(inspect.signature(getattr(nisa, name)).parameters.values())
    names = [p.name for p in parameters]
    end = len(names) if name.startswith("register_") else names.index("name")
    assert shown(parameters[:end]) == ISA[name]
    for parameter in parameters[end : end + 1]:
        assert parameter.default is None
    assert names[end + 1 :] in ([], ["dtype"])  # a keyword of earlier versions


def test_a_register_is_allocated_as_published():
    assert shown(list(inspect.signature(nisa.register_alloc).parameters.values())) == "x=None"


def test_every_instruction_is_in_the_table():
    assert set(nisa.CALLS) == set(ISA)


@pytest.mark.parametrize("name", COLLECTIVES)
def test_a_collective_is_called_as_published(name):
    parameters = inspect.signature(getattr(ncc, name)).parameters
    assert shown(list(parameters.values())) == COLLECTIVES[name]


def test_every_collective_is_in_the_table():
    assert set(ncc.__all__) - {"ReplicaGroup"} == set(COLLECTIVES)


@pytest.mark.parametrize("name", LANGUAGE)
def test_a_function_is_called_as_published(name):
    parameters = inspect.signature(getattr(nl, name)).parameters
    assert shown(list(parameters.values())) == LANGUAGE[name]


@pytest.mark.parametrize("name", TENSOR)
def test_a_method_of_tensors_is_called_as_published(name):
    parameters = inspect.signature(getattr(nl.NkiTensor, name)).parameters
    assert shown(list(parameters.values())[1:]) == TENSOR[name]


def test_a_tensor_is_constructed_as_published():
    parameters = inspect.signature(nl.NkiTensor).parameters
    assert shown(list(parameters.values())) == "shape dtype storage buffer=[sbuf] name=''"


def test_operators_that_are_defaults_are_the_functions_that_kernels_write():
    defaults = inspect.signature(nisa.affine_select).parameters
    assert defaults["cmp_op"].default is nl.equal
    assert inspect.signature(nisa.select_reduce).parameters["reduce_op"].default is nl.maximum


@pytest.mark.parametrize(
    ("call", "missing"),
    [
        (lambda t: nisa.tensor_scalar(dst=t, data=t, op0=nl.abs), "operand0"),
        (lambda t: nisa.activation_reduce(dst=t, op=nl.exp, data=t, reduce_op=nl.add),
         "reduce_res"),
        (lambda t: nisa.select_reduce(dst=t, predicate=t, on_true=t), "on_false"),
        (lambda t: nisa.tensor_scalar_reduce(dst=t, data=t, op0=nl.abs, reduce_op=nl.add),
         "operand0"),
    ],
)  # fmt: skip
def test_an_operand_that_may_be_none_must_still_be_given(said, call, missing):
    message, _ = said(lambda: call(nl.zeros((128, 4), nl.float32)))
    assert f"needs an argument for `{missing}`" in message


def test_none_is_given_where_the_engine_keeps_the_result(rules):
    def body():
        t, s = nl.zeros((128, 4), nl.float32), nl.zeros((128, 1), nl.float32)
        nisa.tensor_scalar(dst=t, data=t, op0=nl.abs, operand0=None)
        nisa.activation_reduce(dst=t, op=nl.exp, data=t, reduce_op=nl.add, reduce_res=None)
        nisa.activation(dst=t, op=nl.exp, data=t, reduce_res=s)
        nisa.tensor_scalar_reduce(t, t, nl.abs, None, nl.add, None)

    assert rules(body) == []


def test_on_false_is_a_number_or_a_vector_not_none(rules):
    def body():
        t = nl.zeros((128, 4), nl.float32)
        nisa.select_reduce(dst=t, predicate=nl.zeros((128, 4), nl.uint8), on_true=t, on_false=None)

    assert rules(body) == ["NKI1007"]
