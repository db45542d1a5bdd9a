"""Drop-in name: `nki.typing`."""

from opennki.api.typing import *  # noqa: F403
from opennki.api.typing import __all__ as __all__
