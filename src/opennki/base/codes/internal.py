"""NKI9xxx: mistakes of opennki itself. They are never the fault of the user's kernel."""

from __future__ import annotations

from opennki.base.diag import code

NKI9001 = code(
    "NKI9001",
    "internal error",
    "opennki made a mistake: {text}",
    hint="this is a bug in opennki, not in the kernel; please report it with the kernel",
    why="An invariant of the compiler or the simulator does not hold. The full trace is attached. "
    "A smaller kernel that still fails helps most.",
    wrong="kernel(x)  # any kernel that triggers it",
    right="kernel(x)  # unchanged: the repair belongs into opennki",
)

NKI9003 = code(
    "NKI9003",
    "not supported by opennki yet",
    "opennki does not model {what} yet",
    hint="{instead}",
    why="The construct may be legal on the device. It is refused, because accepting it and "
    "ignoring its meaning would be worse.",
    wrong="kernel(x)  # uses the construct",
    right="kernel(x)  # without the construct",
)
