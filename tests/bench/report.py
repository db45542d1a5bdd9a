"""Print what the hot paths cost: ``python tests/bench/report.py [INSTRUCTIONS]``.

Per phase: microseconds per instruction, and the ratio to the calibration loop of `test_speed`. With
1000000 instructions the whole road should take less than 60 s and 3 GB on the development machine.
"""

from __future__ import annotations

import gc
import resource
import sys
import time

import numpy as np

import nki.isa as nisa
import nki.language as nl
from opennki.backend.pipeline import build
from opennki.lower import BirCodeGenLoop
from opennki.target import target
from opennki.trace import TraceContext


def pipeline(a, count: int):
    """Load, three vector and scalar instructions, store; fresh tiles every time."""
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    for i in range(count // 5):
        r = i % 64 * 128
        t = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
        u = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=a[r : r + 128, 0:512])
        nisa.activation(dst=u[:, 0:256], op=nl.exp, data=t[:, 0:256])
        nisa.tensor_copy(dst=u[:, 256:512], src=t[:, 256:512])
        nisa.tensor_tensor(dst=t[:, 0:512], data1=t[:, 0:512], data2=u[:, 0:512], op=nl.add)
        nisa.dma_copy(dst=out[r : r + 128, 0:512], src=t)
    return out


def calibrate(count: int = 200_000) -> float:
    """Seconds per step of a loop that makes an object, a tuple and a dictionary entry."""
    seen: dict[int, list[tuple[int, int]]] = {}
    start = time.perf_counter()
    for i in range(count):
        seen[i & 255] = [(i, i + 1)]
    return (time.perf_counter() - start) / count


def main() -> int:
    """Trace, lower and build one kernel and print a line per phase."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    step = calibrate()
    a = np.zeros((8192, 512), np.float32)
    gc.disable()
    times = [time.perf_counter()]
    function = TraceContext(pipeline, target("trn2")).trace_kernel((a, count), {}).function
    times.append(time.perf_counter())
    module = BirCodeGenLoop().run_on_module([function])
    times.append(time.perf_counter())
    program, found = build(module, target("trn2"))
    times.append(time.perf_counter())
    assert program is not None
    assert not found
    print(f"{count} instructions; one calibration step takes {step * 1e6:.3f} us")
    for name, start, end in zip(("trace", "lower", "build"), times, times[1:], strict=False):
        each = (end - start) / count
        print(f"  {name:6} {each * 1e6:6.2f} us an instruction, {each / step:6.1f} steps")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1e9 if sys.platform == "darwin" else 1e6
    print(f"  total  {times[-1] - times[0]:.1f} s, peak {peak / unit:.2f} GB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
