"""Names that a module of NKI does not have: what to say when a kernel asks for one.

Inside of a kernel the answer is a diagnostic on the kernel's line; everywhere else it is Python's
AttributeError, so that `hasattr` and `from ... import` keep their meaning.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection

from opennki.base.codes import NKI1029, NKI1030
from opennki.base.diag import NkiError
from opennki.target import removed
from opennki.trace import nki_ctx_or_none
from opennki.trace.fault import fault


class MissingName(NkiError, AttributeError):
    """The diagnostic for a name that does not exist, which is an AttributeError too."""


def missing(module: str, name: str, known: Collection[str]) -> AttributeError:
    """What to raise when `module` is asked for `name`.

    Args: known, the names that it has. What earlier versions had is a table in `opennki.target`.
    """
    full = f"{module}.{name}"
    gone = removed(module).get(name)
    if nki_ctx_or_none() is None or name.startswith("__"):
        if gone is not None:
            return AttributeError(f"{full} was removed in NKI {gone.since}: {gone.instead}")
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    if gone is not None:
        made = fault(NKI1030, construct=full, since=gone.since, instead=gone.instead)
    else:
        close = difflib.get_close_matches(name, known, 1)
        suggestion = f"{module}.{close[0]}" if close else ""
        made = fault(NKI1029, name=name, module=module, close=suggestion)
    return MissingName(made.diagnostics)
