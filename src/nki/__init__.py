"""Drop-in name of opennki: what kernels import as `nki`."""

from nki import collectives, dtype, isa, language, typing
from nki import compiler as compiler
from nki import experimental as experimental
from opennki.api import *  # noqa: F403
from opennki.api import __all__ as _names
from opennki.api.earlier import tool as __getattr__  # noqa: F401

__all__ = [*_names, "collectives", "dtype", "isa", "language", "typing"]
