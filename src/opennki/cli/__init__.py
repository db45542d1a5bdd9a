"""The command line: `opennki run`, `trace`, `lower`, `check` and `explain`."""

from .app import app, main

__all__ = ["app", "main"]
