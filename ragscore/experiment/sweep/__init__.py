"""``sweep:`` of an experiment: every combination of settings, searched and scored."""
