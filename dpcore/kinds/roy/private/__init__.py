"""What synthetic trips are counted from, and what their owner alone may look at."""
