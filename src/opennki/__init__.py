"""opennki: an open implementation of the NKI compiler stack. Here: the version, nothing else."""

__version__ = "0.1.0.dev0"
