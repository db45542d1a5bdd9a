"""Helpers for tests of kernels and of the compiler itself: generated instructions, running at every level."""
