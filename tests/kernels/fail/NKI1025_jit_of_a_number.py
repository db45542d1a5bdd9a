# expect: NKI1025 at line 8
"""A decorator on something that is not a function."""

import nki


def main():
    nki.jit(3)


# says: @nki.jit was applied to int 3; it takes a function
# help: decorate a function
