"""Meaning of the calls that kernels make: arguments to typed operands to emitted instructions."""
