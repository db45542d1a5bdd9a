"""Drop-in name of `opennki.api.classic.isa`: what kernels import as `neuronxcc.nki.isa`."""

from opennki.api.classic.isa import *  # noqa: F403
from opennki.api.classic.isa import __all__ as __all__
from opennki.api.classic.isa import __getattr__ as __getattr__
