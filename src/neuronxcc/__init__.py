"""Drop-in name of the first generation's package."""
