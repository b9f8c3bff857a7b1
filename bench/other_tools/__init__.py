"""Other tools and this one on the same ten trips: ``python -m bench.other_tools``."""
