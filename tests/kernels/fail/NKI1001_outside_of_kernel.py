# expect: NKI1001 at line 8
"""An NKI call where no kernel is being traced."""

import nki.language as nl


def main():
    return nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)


# says: `nl.ndarray` was called outside of a kernel
# help: call it from a function decorated with @nki.jit, or from a function such a kernel calls
