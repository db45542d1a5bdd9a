"""The public names of NKI, from the list beside this file, and what opennki has for each."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

from opennki.base.codes import NKI1029

LIST = Path(__file__).with_name("public_names.txt")


def public() -> dict[str, list[str]]:
    """Module or class -> the names that it has, in the order of the list."""
    found: dict[str, list[str]] = {}
    for line in LIST.read_text(encoding="utf-8").splitlines():
        home, *names = line.partition("#")[0].split() or [""]
        found.setdefault(home, []).extend(names)
    found.pop("", None)
    return found


def home_of(path: str) -> Any:
    """A module of NKI, or a class or enumeration in one.

    The sizes of a target are those of the class of `tile_size`, and a tensor is its class: their
    values need a kernel.
    """
    if path.count(".") < 2:
        return importlib.import_module(path)
    module, _, last = path.rpartition(".")
    found = getattr(importlib.import_module(module), last)
    return type(found) if last == "tile_size" else found


def absent(path: str, name: str) -> str:
    """What is said to someone who asks for a name that is not there; "" if it is there."""
    home = home_of(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            getattr(home, name)
    except AttributeError as error:
        # of a class nobody asks: a kernel asks one of its tensors, which answers with a code
        return NKI1029.id if isinstance(home, type) else str(error)
    return ""
