"""What kernels import: the content of the drop-in names."""

import opennki.base.render  # noqa: F401  # teaches NkiError to print itself

from .jit import Kernel, jit, simulate

__all__ = ["Kernel", "jit", "simulate"]
