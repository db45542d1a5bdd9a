"""Drop-in name: what kernels of the first generation import as `neuronxcc.nki.language`."""

from opennki.api.classic.language import *  # noqa: F403
from opennki.api.classic.language import __all__ as __all__
from opennki.api.classic.language import __getattr__ as __getattr__
