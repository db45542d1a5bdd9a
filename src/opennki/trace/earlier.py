"""What kernels of earlier language versions write: told of with what to write instead, and meant.

A version that was chosen is taken at its word. If none was, a construct that a version removed is
accepted with a warning where its meaning is known, and refused with a hint where it is not.
"""

from __future__ import annotations

from opennki.base.codes import NKI1030, NKI1051
from opennki.base.diag import Problem, problem
from opennki.target import Change, Dialect

from .nki_ctx import nki_ctx


def use(change: Change) -> None:
    """Report at the user's line that a kernel uses what `change` took away, once per line.

    An error (NKI1030) if the version that was chosen does not have it, a warning (NKI1051) if none
    was chosen.
    """
    ctx = nki_ctx(change.construct)
    loc = ctx.loc()
    if not ctx.dialect.has(change) and (change, loc) not in ctx.told:
        ctx.told.add((change, loc))
        ctx.report(gone(change, ctx.dialect), loc)


def gone(change: Change, dialect: Dialect) -> Problem:
    """That `dialect` does not have what `change` took away."""
    facts = {"construct": change.construct, "since": change.since, "instead": change.instead}
    if dialect.chosen:
        return problem(NKI1030, **facts)
    return problem(NKI1051, before=change.before, **facts)
