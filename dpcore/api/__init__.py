"""The library for people who write Python; the package itself offers it: ``import dpcore`` and ``dpcore.load_trips``.

``public`` needs neither trips nor a ledger, and works where the private rooms are deleted; ``notebook`` is the owner's side;
``compat`` takes up the calls of DpMobilityReport. Nothing is imported here, because whoever may have one may not have another.
"""
