"""The wall: everything that can see a trip.

Imported by ``dpcore.api.owner`` and ``dpcore.curator`` and by nothing else; ``tests/wall`` reads the imports. What is
public works with this package deleted.
"""
