"""What the statistics promise, by simulation; ``python -m tests.simulations.tables`` prints it."""
