"""Drop-in name of `opennki.api.classic`: what kernels import as `neuronxcc.nki`."""

from neuronxcc.nki import compiler as compiler
from neuronxcc.nki import isa as isa
from neuronxcc.nki import language as language
from neuronxcc.nki import typing as typing
from opennki.api.classic import *  # noqa: F403
from opennki.api.classic import __all__ as __all__
from opennki.api.classic import __getattr__ as __getattr__
