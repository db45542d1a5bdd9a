# expect: NKI1023 at line 13
"""A machine that has no NKI."""

import nki


def kernel(x):
    return x


def main():
    """Choose the target, before anything is traced."""
    nki.simulate(kernel, target="inf1")
