"""Private columns for synthetic trips and for histograms of keys: coding, bounding, exact tables.

``records`` holds trips between stations, ``taps`` any columns of text. ``paper`` and ``density`` show their owner what can
never be released.
"""
