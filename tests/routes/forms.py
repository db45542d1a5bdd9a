"""Runs a kernel in every form that it takes, and after every text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.backend import parse_program
from opennki.backend.program_text import from_dict, print_program, to_dict
from opennki.base.diag import NkiError, Severity
from opennki.birpy import dumps, loads, parse_module, print_module
from opennki.birpy import verify as verify_bir
from opennki.penguin import parse_function, print_function, verify
from opennki.sim.machine import Machine
from opennki.sim.memory import Memory
from opennki.sim.ref import bir as bir_level
from opennki.sim.ref import penguin as penguin_level
from opennki.sim.ref import program as program_level
from opennki.target import target

Array = np.ndarray[Any, Any]
ROWS, WIDTH = 8, 6
SKIP, ERROR = nisa.oob_mode.skip, nisa.oob_mode.error
DTYPES = [np.float32, np.int32, np.uint8, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, np.int16]


def results_of(kernel: Any, arrays: list[Array], on: str = "trn2") -> list[list[Array]]:
    """Results of a kernel at each level and read back from each text, all on new storage."""
    made = opennki.compile(kernel, *arrays, target=on)
    (function,) = made.penguin
    module, program, t = made.bir, made.program, target(on)
    text = parse_function(print_function(function))
    parsed, read = parse_module(print_module(module)), loads(dumps(module))
    scheduled = [
        program, parse_program(print_program(program)),
        from_dict(json.loads(json.dumps(to_dict(program)))),
    ]  # fmt: skip
    assert text == function
    assert parsed == module
    assert read == module
    assert [d.message for d in verify(text) if d.severity is Severity.error] == []
    for one in (parsed, read):
        assert [d.message for d in verify_bir(one) if d.severity is Severity.error] == []

    def run(start: Callable[[Machine, Memory], None]) -> list[Array]:
        memory = Memory()
        for name, array in zip(function.args, arrays, strict=True):
            memory.find(function.tensors[name]).fill(array)
        start(Machine(memory.find), memory)
        return [memory.find(function.tensors[name]).values() for name in function.results]

    found = [run(lambda m, _, f=f: penguin_level.run(f, m)) for f in (function, text)]
    for one in (module, parsed, read):
        found.append(run(lambda m, _, f=one.functions[0]: bir_level.run(f, t, m)))
    for one in scheduled:
        found.append(run(lambda m, memory, p=one: program_level.run(p, 0, m, memory)))
    return found


def check(kernel: Any, arrays: list[Array], *want: Array) -> None:
    """Every form of the kernel gives `want`, bit for bit."""
    for found in results_of(kernel, arrays):
        for got, expected in zip(found, want, strict=True):
            assert got.shape == expected.shape
            assert got.tobytes() == expected.astype(got.dtype).tobytes()


def trap(kernel: Any, arrays: list[Array], level: str) -> Any:
    """The diagnostic that running the kernel at a level ends with."""
    with pytest.raises(NkiError) as caught:
        nki.simulate(kernel, target="trn2", level=level)(*arrays)
    return caught.value.diagnostics[0]


def tile(array: Any) -> Any:
    """A tile in SBUF with the contents of an array in HBM."""
    made = nl.ndarray(array.shape, dtype=array.dtype, buffer=nl.sbuf)
    nisa.dma_copy(made, array)
    return made


def result(source: Any) -> Any:
    """A result with the contents of a tile or array."""
    made = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(made, source)
    return made


def bits(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Array:
    """Random bits, as elements of `dtype`."""
    size = np.dtype(dtype).itemsize
    return rng.integers(0, 256, (*shape, size), np.uint8).view(dtype).reshape(shape)
