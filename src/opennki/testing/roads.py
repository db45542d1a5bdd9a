"""One record taken along both roads to BIR, for tests that compare them."""

from __future__ import annotations

from typing import Any

from opennki import birpy, klr
from opennki.builder.klr_codegen import ASKED, KlrCodegen, assemble
from opennki.ir import Record
from opennki.lower import BirCodeGenLoop
from opennki.lower.beta2 import KlirToBirCodegen
from opennki.penguin import Function


def kernel_of(*records: Record[Any]) -> klr.LncKernel:
    """The KLR kernel of complete records, one per core, without loops of known trip count.

    Products that have no choice of accumulation are said to choose for each element, as Penguin
    that was not traced does.
    """
    programs = []
    for record in records:
        codegen = KlrCodegen(record)
        for inst in record.instructions():
            codegen.state(inst)
            if hasattr(inst, "accumulate"):
                product: Any = codegen.statements[inst].op.args
                product.accumulate = ASKED.get(inst.accumulate, klr.Accumulation.perElement)
        programs.append((record, codegen.finish()))
    return assemble(programs)


def both(*functions: Function) -> tuple[birpy.Module, birpy.Module]:
    """The modules of the functions of a launch, by Penguin and by KLR.

    A function that needs another core gets one that does nothing.
    """
    launch = [*functions]
    if len(launch) < launch[0].cores:
        launch.append(_idle(launch[0]))
    first = BirCodeGenLoop().run_on_module(launch)
    second = KlirToBirCodegen(launch[0].target).run_on_kernel(kernel_of(*launch))
    return first, second


def _idle(function: Function) -> Function:
    """What the other core runs: nothing, with the same arguments and results."""
    made = Function(function.name, function.target, 1, function.cores)
    made.tensors.update(function.tensors)
    made.args += function.args
    made.results += function.results
    return made
