"""Drop-in name: `nki.experimental`, where the reference of registers looks for `while_loop`."""

from opennki.api.language import while_loop

__all__ = ["while_loop"]
