"""What a release could be, from public facts alone: the default plan, and tiles that it would make readable.

``default_plan`` chooses measures, districts, caps and shares of epsilon. ``tile_size`` proposes how large the tiles of a grid
should be. ``choice`` declares what an owner may choose, ``key_choices`` what of the keys of tables, and ``python_text`` says a
choice as code. Nothing here reads trips.
"""
