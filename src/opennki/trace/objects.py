"""`NKIObject`: base class of the classes that kernels define and take as arguments."""

from __future__ import annotations

from typing import Any


class NKIObject:
    """Objects with named fields.

    A subclass without an `__init__` gets one whose parameters are the names that its body annotates
    or assigns, in order, positional or by keyword; a name without a value defaults to None. It
    calls `__post_init__` if there is one. Objects of one class are equal when their fields are.
    Source: NKI language guide, "Class Support".
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Annotate the plain values of the class body, and give names without a value None.

        So ``@dataclass`` sees them all, and wants no argument: NKI treats classes with and without
        the decorator alike.
        """
        super().__init_subclass__(**kwargs)
        known = vars(cls).get("__annotations__", {})
        for name in known:
            if not any(name in vars(base) for base in cls.__mro__) and not _is_no_field(
                known[name]
            ):
                setattr(cls, name, None)
        plain = [n for n, v in vars(cls).items() if not n.startswith("__") and _is_field(v)]
        cls.__annotations__ = {**known, **{n: Any for n in plain if n not in known}}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        names = _field_names(type(self))
        if len(args) > len(names):
            raise TypeError(
                f"{type(self).__name__}() takes {len(names)} positional arguments but "
                f"{len(args)} were given"
            )
        given = dict(zip(names, args, strict=False))
        for name in kwargs:
            if name in given or (names and name not in names):
                why = "multiple values for argument" if name in given else "an unexpected keyword"
                raise TypeError(f"{type(self).__name__}() got {why} {name!r}")
        values = {n: getattr(type(self), n, None) for n in names} | given | kwargs
        for name, value in values.items():
            setattr(self, name, value)
        post_init = getattr(self, "__post_init__", None)
        if post_init is not None:
            post_init()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({shown})"


def _field_names(cls: type) -> list[str]:
    """Names that `cls` and its bases annotate or assign plain values to, base classes first."""
    names: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        if base not in (NKIObject, object):
            names.update(dict.fromkeys(vars(base).get("__annotations__", {})))
    return list(names)


def _is_no_field(annotation: object) -> bool:
    """Whether an annotation marks a variable of the class, or where fields by keyword begin."""
    return any(word in str(annotation) for word in ("ClassVar", "KW_ONLY"))


def _is_field(value: object) -> bool:
    """Whether a class attribute is data: no method, property or nested class, and immutable."""
    if callable(value) or isinstance(value, property | classmethod | staticmethod):
        return False
    return type(value).__hash__ is not None
