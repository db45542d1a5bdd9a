"""What tests of kernels and of the compiler need: generated instructions, and running functions.

Import the modules: `instances` needs hypothesis, `programs` and `violations` do not.
"""
