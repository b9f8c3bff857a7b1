"""Benchmarks: one command, one table (``make bench``)."""
