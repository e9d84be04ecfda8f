"""What changed between two rankings of the same queries, without any judgment of which is right.

``ragscore changes`` and :func:`ragscore.changes` bring two results or run files together; here is
what they compute and how it is shown.
"""
