"""What a release could be, from public facts alone: the default plan, and tiles that it would make readable.

``default_plan`` chooses measures, districts, caps and shares of epsilon. ``tile_size`` proposes how large the tiles of a grid
should be. Nothing here reads trips.
"""
