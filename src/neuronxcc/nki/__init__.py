"""Drop-in name: `neuronxcc.nki`, whose names are not available yet."""

from opennki.api.classic import __getattr__ as __getattr__
