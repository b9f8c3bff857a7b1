"""The wall: everything that can see a trip.

Only ``dpcore.api.owner``, ``dpcore.api.studies``, ``dpcore.curator`` and the private parts of the wings import it; ``tests/wall`` reads the imports. Everything public works with
this package deleted.
"""
