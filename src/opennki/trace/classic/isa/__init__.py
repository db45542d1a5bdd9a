"""Calls of `nki.isa` as the first generation has them: results are returned, masks leave parts."""

from .activation import activation, activation_reduce
from .custom import builtin_custom_op
from .dma import dma_copy, dma_transpose
from .elementwise import (
    dropout,
    memset,
    reciprocal,
    scalar_tensor_tensor,
    tensor_copy,
    tensor_copy_dynamic_dst,
    tensor_copy_dynamic_src,
    tensor_scalar,
    tensor_tensor,
)
from .gather import local_gather, nc_find_index8, nc_match_replace8, nc_stream_shuffle
from .matmul import nc_matmul, nc_transpose
from .reduce import (
    bn_aggr,
    bn_stats,
    max8,
    tensor_partition_reduce,
    tensor_reduce,
    tensor_scalar_cumulative,
    tensor_scalar_reduce,
    tensor_tensor_scan,
)
from .select import (
    affine_select,
    iota,
    range_select,
    select_reduce,
    sequence_bounds,
    tensor_copy_predicated,
)

__all__ = [
    "activation", "activation_reduce", "affine_select", "bn_aggr", "bn_stats",
    "builtin_custom_op", "dma_copy", "dma_transpose", "dropout", "iota", "local_gather", "max8",
    "memset", "nc_find_index8", "nc_match_replace8", "nc_matmul", "nc_stream_shuffle",
    "nc_transpose", "range_select", "reciprocal", "scalar_tensor_tensor", "select_reduce",
    "sequence_bounds", "tensor_copy", "tensor_copy_dynamic_dst", "tensor_copy_dynamic_src",
    "tensor_copy_predicated", "tensor_partition_reduce", "tensor_reduce", "tensor_scalar",
    "tensor_scalar_cumulative", "tensor_scalar_reduce", "tensor_tensor", "tensor_tensor_scan",
]  # fmt: skip
