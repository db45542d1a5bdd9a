"""Drop-in name: `nki.isa`."""

from opennki.api.isa import *  # noqa: F403
from opennki.api.isa import __all__ as __all__
from opennki.api.isa import __getattr__ as __getattr__
