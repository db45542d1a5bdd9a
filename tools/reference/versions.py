"""The page of language versions: what each removed or renamed, and what to write instead."""

from __future__ import annotations

from opennki.target import CHANGES, VERSIONS, Change

from .markdown import code, page, prose, table


def text() -> str:
    """The whole page."""
    return page(
        "Language versions",
        f"Rules are those of NKI {VERSIONS[-1]}. What earlier versions had and opennki knows the "
        "meaning of is accepted\nwith a warning, [NKI1051](errors.md#nki1041); the rest is refused "
        "with\n[NKI1030](errors.md#nki1030), or, for values, with the error of the argument. A "
        'version can be chosen:\n`nki.simulate(kernel, nki="0.2")`, `opennki.check(..., '
        'nki="0.2")`, `opennki check --nki 0.2`, or the\nenvironment variable `NKI_VERSION`. '
        "It is then taken at its word: exactly what it has is accepted, without\nwarnings.",
        *(_since(version) for version in reversed(VERSIONS) if _changes(version)),
    )


def _changes(version: str) -> list[Change]:
    return [c for c in CHANGES if c.since == version]


def _since(version: str) -> str:
    rows = [[_construct(c), prose(c.instead), "yes" if c.runs else "no"] for c in _changes(version)]
    return f"## Gone since {version}\n\n" + table(["construct", "instead", "known"], rows)


def _construct(change: Change) -> str:
    if not change.module:
        return prose(change.name)
    if change.name == "*":
        return f"{code(change.keyword + '=')} of every call of {code(change.module)}"
    full = f"{change.module}.{change.name}"
    return f"{code(change.keyword + '=')} of {code(full)}" if change.keyword else code(full)
