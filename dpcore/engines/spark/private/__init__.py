"""Trips on Spark, behind the wall: read, checked, prepared and counted.

Code that runs on workers is in ``worker``. Everything else stays with the driver. Nothing here imports Spark until it is
asked for, because Spark is an extra that need not be installed.
"""
