"""Drop-in name: `nki.dtype`."""

from opennki.api.dtype import *  # noqa: F403
from opennki.api.dtype import __all__ as __all__
