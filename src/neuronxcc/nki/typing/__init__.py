"""Drop-in name: `neuronxcc.nki.typing`, which kernels of the present generation still import."""

from opennki.api.typing import *  # noqa: F403
from opennki.api.typing import __all__ as __all__
