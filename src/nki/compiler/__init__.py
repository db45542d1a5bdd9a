"""Drop-in name: `nki.compiler`, which only earlier versions have."""

from opennki.api.earlier import compiler as __getattr__

__all__ = ["__getattr__"]
