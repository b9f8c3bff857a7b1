"""The library for people who write Python; the package itself offers it: ``import dpcore`` and ``dpcore.load_trips``.

``public`` needs neither trips nor a ledger, and works where the private rooms are deleted, as do ``plans``, the plans of kinds
that are no tables; ``notebook`` is the owner's side; ``offered`` finds what the package is asked for by name; ``compat`` takes up
the calls of DpMobilityReport. Nothing is imported here, because whoever may have one may not have another.
"""
