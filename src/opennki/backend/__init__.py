"""The back end: a BIR module becomes a scheduled program."""

from .alloc import Occupancy, Report, occupancy
from .flatten import Flatten
from .pipeline import PASSES, BackendPass, build
from .program import Command, Core, Program, Queue, Semaphore
from .program_text import from_dict, parse_program, print_program, to_dict

__all__ = [
    "PASSES", "BackendPass", "Command", "Core", "Flatten", "Occupancy", "Program", "Queue",
    "Report", "Semaphore", "build", "from_dict", "occupancy", "parse_program", "print_program",
    "to_dict",
]  # fmt: skip

Program.__str__ = print_program  # type: ignore[assignment, method-assign]  # printers know it
