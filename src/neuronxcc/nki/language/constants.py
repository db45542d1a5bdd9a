"""Drop-in name of what kernels import as `neuronxcc.nki.language.constants`."""

from opennki.api.classic.constants import *  # noqa: F403
from opennki.api.classic.constants import __all__ as __all__
from opennki.api.classic.constants import __getattr__ as __getattr__
