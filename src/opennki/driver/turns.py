"""Step mode of several cores: the Python of each program runs in turns with that of the others.

A program that is stepped executes its instructions while its Python runs, so it can only wait for
another core in the middle of that Python. Python cannot leave a call and come back later, except on
another thread: each program has one, and exactly one of all threads runs at any time.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Semaphore
from typing import Generic, TypeVar

from opennki.ir import Inst
from opennki.sim.cores import Steps, Wait

T = TypeVar("T")


class Abandoned(BaseException):
    """Ends the Python of a program that will not get another turn."""


class Turns(Generic[T]):
    """A call that runs when it is its turn.

    Attributes: value, what the call has returned.
    """

    value: T

    def __init__(self) -> None:
        self._go = Semaphore(0)
        self._back = Semaphore(0)
        self._inst: Inst | None = None
        self._abandoned = False

    def steps(self, call: Callable[[], T]) -> Steps:
        """Run `call` as one core of several. Raises: what it raises."""
        with ThreadPoolExecutor(1) as thread:
            result = thread.submit(copy_context().run, self._main, call)
            try:
                while True:
                    self._go.release()
                    self._back.acquire()
                    inst, self._inst = self._inst, None
                    if inst is None:
                        break
                    yield Wait((inst,))
            finally:
                self._abandoned = True
                self._go.release()
            self.value = result.result()

    def wait(self, inst: Inst) -> None:
        """Called by the call: let the others run until they have come to `inst`, too."""
        self._inst = inst
        self._back.release()
        self._go.acquire()
        self.check()

    def check(self) -> None:
        """Called by the call: end it if nobody waits for it any more."""
        if self._abandoned:
            raise Abandoned

    def _main(self, call: Callable[[], T]) -> T:
        self._go.acquire()
        try:
            self.check()
            return call()
        finally:
            self._back.release()
