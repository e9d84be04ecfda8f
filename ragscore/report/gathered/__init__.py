"""The parts of what is gathered: what the folder says, comparisons, slices, curves."""
