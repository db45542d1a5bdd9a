"""Kernels that come with opennki: what graph ops become. Users call them as well."""

from .attention import attention
from .mlp import mlp
from .rms_norm import rms_norm
from .softmax import softmax

__all__ = ["attention", "mlp", "rms_norm", "softmax"]
