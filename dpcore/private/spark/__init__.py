"""Trips on Spark: read, checked and prepared where they lie, for data that no single computer holds.

What runs on workers is in ``worker``; all else stays with the driver. Nothing here imports Spark before it is asked
for: it is an extra that need not be installed.
"""
