"""Drop-in name: what kernels of the first generation import as `neuronxcc.nki.compiler`."""

from opennki.api.classic.compiler import *  # noqa: F403
from opennki.api.classic.compiler import __all__ as __all__
from opennki.api.classic.compiler import __getattr__ as __getattr__
