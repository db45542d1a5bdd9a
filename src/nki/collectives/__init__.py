"""Drop-in name: `nki.collectives`."""

from opennki.api.collectives import *  # noqa: F403
from opennki.api.collectives import __all__ as __all__
from opennki.api.collectives import __getattr__ as __getattr__
