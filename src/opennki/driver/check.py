"""Everything that can be known to be wrong with a kernel, or the kernels of a file, unexecuted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from opennki.base.codes import NKI1004, NKI6015, NKI7005, NKI7020, NKI7021
from opennki.base.diag import Diagnostic, NkiError, Problem, diagnostic, problem
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.base.render import in_order
from opennki.ir import Inst, Record, Role, Space, View, describe
from opennki.penguin import Loop
from opennki.trace import function_of, signature_of

from .compiled import compile_kernel
from .kernels import KernelFile, KernelLike, imported, parameters, requesting, split
from .options import Options, Request


def diagnose(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], options: Options
) -> list[Diagnostic]:
    """Problems on the road of one kernel up to allocation, in source order, each once.

    Arrays may be anything with `shape` and `dtype`.
    """
    from opennki.backend.pipeline import build  # when first needed, as in `compiled`

    try:
        compiled = compile_kernel(fn, args, kwargs, options)
        _, found = build(compiled.bir, options.target, until="ALLOCATED")
    except NkiError as error:
        return distinct(error.diagnostics)
    unwritten = [d for t in compiled.traces for d in never_written(t.function)]
    return distinct(compiled.problems + unwritten + found)


def never_written(fn: Record[Any]) -> list[Diagnostic]:
    """A warning for every line that reads a tensor of which nothing before has written any.

    Only for the function's own tensors: of shared ones another core may write, and one that the
    author placed may lie where another was written.
    """
    written: set[str] = set()
    found: dict[tuple[str, str, int], Diagnostic] = {}
    for inst in _executed(fn.body):
        for operand in inst.spec.ins:
            view = getattr(inst, operand.name)
            if isinstance(view, View) and view.tensor.name not in written and _private(view, fn):
                key = view.tensor.name, inst.loc.file, inst.loc.line
                facts = {"inst": inst.spec.label, "tensor": view.tensor.name}
                one = problem(NKI6015, operand=operand.name, **facts)
                shown = [(o.name, describe(v)) for o, v in inst.views()]
                found.setdefault(key, diagnostic(one, inst.loc, shown))
        written.update(view.tensor.name for view in inst.writes())
    return list(found.values())


def _executed(body: Iterable[Any]) -> Iterator[Inst]:
    """Instructions in the order of their first execution; loops without trips have none."""
    for item in body:
        if isinstance(item, Inst):
            yield item
        elif not isinstance(item, Loop) or len(range(item.var.start, item.var.stop, item.var.step)):
            yield from _executed(item.body)


def _private(view: View, fn: Record[Any]) -> bool:
    tensor = view.tensor
    alone = tensor.space is not Space.shared_hbm or fn.cores == 1
    return tensor.role is Role.internal and tensor.address is None and alone


def check_file(
    where: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], request: Request
) -> list[Diagnostic]:
    """Problems of a file (``file.py``) or of one of its kernels (``file.py:kernel``).

    Without a kernel's name each kernel gets those of `kwargs` that it has parameters for, and one
    that lacks arguments is reported as not checked; it is an error (NKI7021) if all do. A file
    without `args` may have many kernels.
    """
    path, name = split(where)
    try:
        with imported(path) as file:
            if name or args:
                return _one(file.kernel(name), args, kwargs, request)
            return distinct(_every(file, kwargs, request))
    except NkiError as error:
        return distinct(error.diagnostics)


def distinct(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """In source order; of those with equal code, place and message only the first."""
    first: dict[tuple[object, ...], Diagnostic] = {}
    for found in in_order(diagnostics):
        first.setdefault((found.code.id, found.file, found.loc.key, found.message), found)
    return list(first.values())


def require(kernel: KernelLike, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Raises NKI1004 for every name that is no parameter, NKI7005 for every missing argument."""
    name, known = getattr(kernel.fn, "__name__", "kernel"), parameters(kernel.fn)
    found = []
    if not any(p.kind is p.VAR_KEYWORD for p in signature_of(kernel.fn).parameters.values()):
        found += [unknown(key, name, known) for key in kwargs if key not in known]
    found += [
        problem(NKI7005, kernel=name, name=missing)
        for missing in _missing(kernel, kwargs)[len(args) :]
    ]
    if found:
        raise NkiError(diagnostic(one, place(kernel)) for one in found)


def unknown(name: str, where: str, known: Collection[str]) -> Problem:
    """That neither a kernel nor a file called `where` has a parameter called `name`."""
    close = ", ".join(get_close_matches(name, known, 1))
    return problem(NKI1004, name=name, fn=where, known=", ".join(known), close=close)


def place(kernel: KernelLike) -> SrcLoc:
    """Where `kernel` is defined."""
    code = function_of(kernel.fn).__code__
    return SrcLoc(code.co_filename, code.co_firstlineno, function=code.co_name)


def _one(
    kernel: KernelLike, args: tuple[Any, ...], kwargs: Mapping[str, Any], request: Request
) -> list[Diagnostic]:
    require(kernel, args, kwargs)
    made = requesting(
        kernel, target=request.target, grid=request.grid, frontend=request.frontend,
        nki=request.nki,
    )  # fmt: skip
    return diagnose(made.fn, args, kwargs, made.request.resolve())


def _every(file: KernelFile, kwargs: Mapping[str, Any], request: Request) -> list[Diagnostic]:
    if not file.kernels:
        file.kernel()
    known = {p for kernel in file.kernels.values() for p in parameters(kernel.fn)}
    found = [
        diagnostic(unknown(name, file.path, sorted(known)), SrcLoc(file.path, 0))
        for name in kwargs
        if name not in known
    ]
    lacking = {name: _missing(kernel, kwargs) for name, kernel in file.kernels.items()}
    for name, kernel in file.kernels.items():
        missing = lacking[name]
        if missing:
            given = " ".join(f"--arg {p}=..." for p in missing)
            one = problem(NKI7020, kernel=name, names=", ".join(missing), args=given)
            found.append(diagnostic(one, place(kernel)))
        else:
            mine = {k: v for k, v in kwargs.items() if k in parameters(kernel.fn)}
            found += _one(kernel, (), mine, request)
    if all(lacking.values()):
        facts = {"path": file.path, "kernel": next(iter(lacking))}
        found.append(diagnostic(problem(NKI7021, **facts), UNKNOWN))
    return found


def _missing(kernel: KernelLike, kwargs: Mapping[str, Any]) -> list[str]:
    return [p for p, needed in parameters(kernel.fn).items() if needed and p not in kwargs]
