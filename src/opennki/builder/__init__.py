"""Forward builders: they produce IR and never print it.

`klr_codegen` has the builder of the second road; who takes that road imports it.
"""

from .codegen import Codegen
from .neuron_codegen import NeuronCodegen, UnrolledCodegen

__all__ = ["Codegen", "NeuronCodegen", "UnrolledCodegen"]
