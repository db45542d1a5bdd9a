"""Functional engines: they compute what a program means, not how long it takes."""
