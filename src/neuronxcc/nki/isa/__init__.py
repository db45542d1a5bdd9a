"""Drop-in name: `neuronxcc.nki.isa`, whose names are not available yet."""

from opennki.api.classic import __getattr__ as __getattr__
