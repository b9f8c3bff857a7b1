"""The wall: everything that can see a trip.

Imported by ``dpcore.owner`` and by nothing else; ``tests/test_wall.py`` reads the imports. What is public works
with this package deleted.
"""
