"""What a function may do, from the names in its code: error codes it gives, calls it emits.

Only names are looked at, never conditions, so the answer is an upper bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType, FunctionType

from opennki.base.diag import Code


def names_in(code: CodeType) -> Iterator[str]:
    """Names that a code object and those nested in it look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def reached(
    start: Callable[..., object], package: str, owner: type | None = None
) -> Iterator[FunctionType]:
    """`start` and every function of `package` that it mentions, directly or through others.

    Of a class that is mentioned every method counts.

    Args: owner, the class whose methods are meant by attributes of self.
    """
    todo: list[object] = [start]
    seen: set[object] = set()
    while todo:
        fn = todo.pop()
        if isinstance(fn, type) and fn.__module__.startswith(package) and fn not in seen:
            seen.add(fn)
            todo += vars(fn).values()
        if not isinstance(fn, FunctionType) or fn in seen or not fn.__module__.startswith(package):
            continue
        seen.add(fn)
        yield fn
        cells = [c.cell_contents for c in fn.__closure__ or ()]
        for name in names_in(fn.__code__):
            found = fn.__globals__.get(name, getattr(owner, name, None))
            todo.append(found.fget if isinstance(found, property) else found)
        todo += cells


def codes(start: Callable[..., object], package: str, owner: type | None = None) -> list[Code]:
    """Error codes that `start` may give, by id."""
    found: set[Code] = set()
    for fn in reached(start, package, owner):
        values = (fn.__globals__.get(name) for name in names_in(fn.__code__))
        found.update(v for v in values if isinstance(v, Code))
    return sorted(found, key=lambda c: c.id)
