"""`opennki.launch`: one kernel on several ranks, each of which is a logical core."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opennki.base.codes import NKI2710, NKI2711
from opennki.base.diag import NkiError, fail
from opennki.base.loc import current
from opennki.driver import (
    Compiled,
    Outcome,
    Request,
    compile_kernel,
    execute_ranks,
    rebuilt,
    record,
    show_warnings,
)
from opennki.driver.arrays import check_separate, check_writable, like, to_numpy, write_back
from opennki.trace import arrays_of, is_array, nki_ctx_or_none, plain_int, signature_of
from opennki.trace.fault import fault

from .jit import Kernel, changed, shown_cause


class Launch:
    """A kernel that is about to be launched on `ranks` ranks: call it with their arguments.

    Attributes: kernel, with its grid; ranks.
    """

    def __init__(self, kernel: Kernel, ranks: int) -> None:
        self.kernel = kernel
        self.ranks = ranks

    def __call__(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Run the kernel on every rank; what it returns on each.

        A list or tuple that holds arrays has one item per rank; one array, and everything else,
        is the same for all. Arrays that the kernel writes are updated when it has finished.
        Raises: NKI2710 in a kernel, NKI2711 for arguments that are not one per rank, NKI2707 for
            groups of ranks that are not those of the launch, and what calling a kernel raises.
        """
        ctx = nki_ctx_or_none()
        if ctx is not None:
            why = "a kernel cannot launch another one; called without launch it is inlined"
            raise ctx.refusal(NKI2710, ranks=self.ranks, lnc=None, why=why)
        request = self.kernel.request
        try:
            return self._run(args, kwargs)
        except NkiError as error:
            if request.full_traceback:
                raise
            raise error.with_traceback(None) from shown_cause(error.__cause__)

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        fn, options = self.kernel.fn, self.kernel.request.resolve()
        if options.step and self.ranks > 1:
            why = "step mode shows the values of one rank; leave step out, or launch on one"
            raise _refused(self.ranks, None, why)
        calls = [self._call_of(rank, args, kwargs) for rank in range(self.ranks)]
        named = [arrays_of(fn, *call, fault) for call in calls]
        self._check_alike(named)
        compiled = compile_kernel(fn, *calls[0], options)
        self._check_written(compiled, named)
        arrays = [[array for _, array in one] for one in named]
        outcomes = execute_ranks(compiled, arrays, to_numpy, _print)
        for outcome in outcomes:
            record(compiled, outcome)
        show_warnings(compiled.problems + [d for o in outcomes for d in o.diagnostics])
        return [self._result(o, own) for o, own in zip(outcomes, arrays, strict=True)]

    @staticmethod
    def _result(outcome: Outcome, arrays: Sequence[Any]) -> Any:
        for array, values in outcome.written:
            write_back(array, values)
        return rebuilt(outcome.results, lambda leaf: like(leaf, list(arrays)))

    def _call_of(
        self, rank: int, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of one rank."""
        names = list(signature_of(self.kernel.fn).parameters)
        positional = tuple(
            self._of_rank(rank, names[i] if i < len(names) else f"{i + 1}", value)
            for i, value in enumerate(args)
        )
        return positional, {name: self._of_rank(rank, name, v) for name, v in kwargs.items()}

    def _of_rank(self, rank: int, name: str, value: Any) -> Any:
        if not isinstance(value, list | tuple) or not _holds_arrays(value):
            return value
        if len(value) != self.ranks:
            raise self._unlike(name, f"has {len(value)} item{'s' * (len(value) != 1)}")
        if not all(is_array(item) or _holds_arrays(item) for item in value):
            raise self._unlike(name, "holds arrays for some of them, and something else")
        return value[rank]

    def _check_alike(self, named: Sequence[Sequence[tuple[str, Any]]]) -> None:
        """All ranks have arrays of the same names, shapes and dtypes."""
        first = [(name, _look(array)) for name, array in named[0]]
        for rank, one in enumerate(named):
            looks = [(name, _look(array)) for name, array in one]
            for here, there in zip(looks, first, strict=False):
                if here[0] != there[0]:
                    why = f"is an array on rank 0, and rank {rank} has one in `{here[0]}` there"
                    raise self._unlike(there[0], why)
                if here != there:
                    why = f"is {here[1]} on rank {rank} and {there[1]} on rank 0"
                    raise self._unlike(here[0], why)
            if len(looks) != len(first):
                raise self._unlike("*", f"holds {len(looks)} arrays on rank {rank}")

    def _unlike(self, name: str, why: str) -> NkiError:
        return fail(NKI2711, current(None), name=name, ranks=self.ranks, why=why)

    @staticmethod
    def _check_written(compiled: Compiled, named: Sequence[Sequence[tuple[str, Any]]]) -> None:
        """Every rank writes arrays of its own."""
        written = [tensor.written for tensor, _ in compiled.traces[0].arrays]
        every = [
            (f"{name} of rank {rank}", array, is_written)
            for rank, one in enumerate(named)
            for (name, array), is_written in zip(one, written, strict=True)
        ]
        for name, array, is_written in every:
            if is_written:
                check_writable(array, name)
        check_separate(every)


def launch(kernel: Callable[..., Any], ranks: int, lnc: int | None = None) -> Launch:
    """The kernel as a callable that runs on `ranks` logical cores at once.

    Args: kernel, decorated or plain function, or what `nki.simulate` made of one; ranks, 1 or
        more; lnc, physical cores in each logical one, 1 or 2 (None: as many as the kernel's grid
        asks for).
    Raises: NKI2710 for numbers that are not possible, NKI1025 for something that is no function.
    """
    made = kernel if isinstance(kernel, Kernel) else Kernel(kernel, Request())
    count = plain_int(ranks)
    if count is None or count < 1:
        raise _refused(ranks, lnc, "ranks is not a positive integer")
    if lnc is None:
        return Launch(made, count)
    if plain_int(lnc) not in (1, 2):
        raise _refused(ranks, lnc, "lnc is neither 1 nor 2")
    if made.request.grid is not None and _size(made.request.grid) != lnc:
        raise _refused(ranks, lnc, f"the kernel has the launch grid {made.request.grid}")
    grid = None if lnc == 1 else (2,)
    return Launch(Kernel(made.fn, changed(made.request, grid=made.request.grid or grid)), count)


def _size(grid: int | tuple[int, ...]) -> int:
    sizes = grid if isinstance(grid, tuple) else (grid,)
    total = 1
    for size in sizes:
        total *= size
    return total


def _refused(ranks: object, lnc: object, why: str) -> NkiError:
    return fail(NKI2710, current(None), ranks=ranks, lnc=lnc, why=why)


def _holds_arrays(value: Any) -> bool:
    """Whether a list or tuple has arrays in it, at any depth."""
    return isinstance(value, list | tuple) and any(is_array(v) or _holds_arrays(v) for v in value)


def _look(array: Any) -> str:
    return f"{array.dtype}{list(array.shape)}"


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")


__all__ = ["Launch", "launch"]
