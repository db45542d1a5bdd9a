"""Arrays of frameworks that may not be installed: torch's tensors and JAX's arrays.

Nothing here imports a framework before it sees one of its arrays: an object can only be one if the
caller imported the framework.
"""

from . import jax_arrays, torch_tensors

__all__ = ["jax_arrays", "torch_tensors"]
