"""Tools for development; the wheel has none of them."""
