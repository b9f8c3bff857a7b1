"""The wall: everything that can see a trip.

Imported by ``dpcore.owner`` and ``dpcore.curator`` and by nothing else; ``tests/test_wall.py`` reads
the imports. Viewer pages run with this package deleted.
"""
