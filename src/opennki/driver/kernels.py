"""Kernels in Python files: importing a file, and finding what it defines."""

from __future__ import annotations

import copy
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeGuard, TypeVar

from opennki.base.codes import NKI7001, NKI7002, NKI7003, NKI7006, NKI7017, NKI7023
from opennki.base.diag import NkiError, fail
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.trace import function_of, signature_of

from .options import Request


class KernelLike(Protocol):
    """What `nki.jit` makes of a function."""

    request: Request

    @property
    def fn(self) -> Callable[..., Any]:
        """The decorated function."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it."""


K = TypeVar("K", bound=KernelLike)


def is_kernel(value: object) -> TypeGuard[KernelLike]:
    """Whether `value` was made by `nki.jit`."""
    return isinstance(getattr(value, "request", None), Request)


def requesting(kernel: K, **changes: Any) -> K:
    """The kernel with other options; those that are None stay as they are."""
    made = copy.copy(kernel)
    given = {name: value for name, value in changes.items() if value is not None}
    made.request = replace(kernel.request, **given)
    return made


@dataclass(frozen=True)
class KernelFile:
    """A Python file that was imported, and its kernels by name, in order of definition."""

    path: str
    kernels: dict[str, KernelLike]

    def kernel(self, name: str = "") -> KernelLike:
        """The kernel called `name`, or the only one.

        Raises: NKI7002 if it does not exist, NKI7017 if there are none, NKI7006 if there are many.
        """
        if not self.kernels:
            raise fail(NKI7017, SrcLoc(self.path, 0), path=self.path)
        found = ", ".join(self.kernels)
        if name and name not in self.kernels:
            raise fail(NKI7002, SrcLoc(self.path, 0), path=self.path, name=name, found=found)
        if not name and len(self.kernels) > 1:
            raise fail(NKI7006, SrcLoc(self.path, 0), path=self.path, found=found)
        return self.kernels[name or next(iter(self.kernels))]


def split(where: str) -> tuple[str, str]:
    """``file.py:kernel`` as file and kernel, which is empty if there is none."""
    path, colon, name = where.rpartition(":")
    return (path, name) if colon and (name == "" or name.isidentifier()) and path else (where, "")


def existing(path: str) -> Path:
    """`path` if there is a file; raises NKI7001."""
    found = Path(path)
    if found.is_dir():
        inside = sorted(p.name for p in found.glob("*.py"))
        such = f", such as {found / inside[0]}" if inside else ""
        raise fail(NKI7001, SrcLoc(path, 0), path=path, directory=path, such=such)
    if not found.is_file():
        suffix = found.suffix if found.suffix == ".klr" else ".py"
        near = [p.stem for p in found.parent.glob(f"*{suffix}")] if found.parent.is_dir() else []
        close = get_close_matches(found.stem, near, 1)
        shown = str(found.with_name(close[0] + suffix)) if close else ""
        raise fail(NKI7001, SrcLoc(path, 0), path=path, close=shown, relative="paths")
    return found


def python_file(path: str) -> Path:
    """`path` if there is a file that may be Python's. Raises: NKI7001; NKI7023 for a KLR file."""
    found = existing(path)
    if found.suffix == ".klr":
        raise fail(NKI7023, SrcLoc(path, 0), path=path)
    return found


@contextmanager
def imported(path: str) -> Iterator[KernelFile]:
    """Execute a file as a module; while this is entered, its neighbours can be imported.

    Raises: NKI7001 if there is no file, NKI7023 for a KLR file; NKI7003 if executing it fails.
    """
    file = python_file(path).resolve()
    name = f"kernel_file_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        facts = {"path": path, "type": "ImportError", "text": "it is not a Python file"}
        raise fail(NKI7003, UNKNOWN, **facts)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(file.parent))
    try:
        _execute(spec.loader.exec_module, module, path)
        yield KernelFile(path, _kernels(module))
    finally:
        sys.path.remove(str(file.parent))
        sys.modules.pop(name, None)


def _execute(execute: Callable[[ModuleType], None], module: ModuleType, path: str) -> None:
    try:
        execute(module)
    except NkiError:
        raise
    except SyntaxError as error:
        column = max((error.offset or 1) - 1, 0)
        end = max((error.end_offset or 0) - 1, column + 1)
        loc = SrcLoc(error.filename or path, error.lineno or 0, column, end)
        raise fail(NKI7003, loc, path=path, type="SyntaxError", text=error.msg) from None
    except (Exception, SystemExit) as error:
        loc = _last_line(error, str(module.__file__))
        facts = {"path": path, "type": type(error).__name__, "text": str(error) or "nothing"}
        raise fail(NKI7003, loc, **facts) from error


def _last_line(error: BaseException, file: str) -> SrcLoc:
    """The innermost line of `file` in the traceback."""
    for entry in reversed(traceback.extract_tb(error.__traceback__)):
        if entry.filename == file:
            start, end = getattr(entry, "colno", None) or 0, getattr(entry, "end_colno", None) or 0
            return SrcLoc(file, entry.lineno or 0, start, end, entry.name)
    return UNKNOWN


def _kernels(module: ModuleType) -> dict[str, KernelLike]:
    """Kernels that the module defines, then those that it imports; each once."""
    found: dict[str, KernelLike] = {}
    seen = set()
    named = [(n, v) for n, v in vars(module).items() if is_kernel(v)]
    for name, kernel in sorted(
        named, key=lambda item: function_of(item[1].fn).__module__ != module.__name__
    ):
        key = id(kernel.fn), kernel.request.grid
        if key not in seen:
            seen.add(key)
            found[name] = kernel
    return found


def parameters(fn: Callable[..., Any]) -> dict[str, bool]:
    """Names of the parameters that can be given by name -> whether one must be given."""
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        name: parameter.default is inspect.Parameter.empty
        for name, parameter in signature_of(fn).parameters.items()
        if parameter.kind not in variadic
    }
