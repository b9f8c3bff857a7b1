"""What large counts are counted from, and what their owner alone may look at."""
