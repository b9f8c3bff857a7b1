"""Private columns for synthetic trips, large counts and trees: reading, bounding, exact tables, and throw-away previews.

``station_trips`` holds trips between stations, ``trip_ends`` the rows of a histogram. ``preview``, ``paper``,
``large_counts`` and ``tree_preview`` show their owner what can never be released.
"""
