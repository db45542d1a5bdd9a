"""Reference interpreters for Penguin, BIR and Program; all call the op table's `sem`."""
