"""Forward builders: they produce IR and never print it."""

from .neuron_codegen import NeuronCodegen

__all__ = ["NeuronCodegen"]
