"""Words that every level uses: diagnostics, locations, dtypes, affine expressions, text."""
