"""The wall: everything that can see a trip.

Only ``dpcore.api.owner`` and ``dpcore.curator`` import it; ``tests/wall`` reads the imports. Everything public works with
this package deleted.
"""
