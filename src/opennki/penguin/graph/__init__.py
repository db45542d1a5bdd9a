"""Operators of a graph as statements of Penguin; `lower` makes calls of kernels of them."""

from typing import Final

from .attention import AttentionOp
from .build import GraphBuilder
from .mlp import GATES, MlpOp
from .normalize import RmsNormOp, SoftmaxOp
from .op import FLOATS, GraphOp

GRAPH_OPS: Final[tuple[type[GraphOp], ...]] = (SoftmaxOp, RmsNormOp, AttentionOp, MlpOp)
"""Every graph op."""

__all__ = [
    "FLOATS", "GATES", "GRAPH_OPS", "AttentionOp", "GraphBuilder", "GraphOp", "MlpOp", "RmsNormOp",
    "SoftmaxOp",
]  # fmt: skip
