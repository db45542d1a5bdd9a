"""Drop-in name of `opennki.api.language`: what kernels import as `nki.language`."""

from opennki.api.language import *  # noqa: F403
from opennki.api.language import __all__ as __all__
from opennki.api.language import __getattr__ as __getattr__
