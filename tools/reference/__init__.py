"""The generator's parts: stubs for editors and type checkers, and the pages of the reference."""
