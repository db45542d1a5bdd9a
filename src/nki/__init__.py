"""Drop-in name of opennki: what kernels import as `nki`."""

from nki import collectives, dtype, isa, language, typing
from opennki.api import *  # noqa: F403
from opennki.api import __all__ as _names

__all__ = [*_names, "collectives", "dtype", "isa", "language", "typing"]
