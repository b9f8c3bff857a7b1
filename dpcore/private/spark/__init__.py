"""Trips on Spark: read, checked and prepared where they are stored, for data that no single computer holds.

Code that runs on workers is in ``worker``. Everything else stays with the driver. Nothing here imports Spark until it is
asked for, because Spark is an extra that need not be installed.
"""
