"""Experiment files: YAML that knows where each of its values was written.

The way of a file: :mod:`~.file` reads it, :mod:`~.yaml` makes plain data with places of it,
:mod:`~.overrides` lays ``--set`` over them, and :mod:`~.load_experiment` makes the Experiment,
or says all that is wrong.
"""
