"""Drop-in name: `neuronxcc.nki.typing`, which kernels of the present generation still import."""

from opennki.api.classic.typing import *  # noqa: F403
from opennki.api.classic.typing import __all__ as __all__
from opennki.api.classic.typing import __getattr__ as __getattr__
