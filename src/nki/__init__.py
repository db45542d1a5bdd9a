"""Drop-in name of opennki: what kernels import as `nki`."""

from opennki.api import *  # noqa: F403
from opennki.api import __all__ as __all__
