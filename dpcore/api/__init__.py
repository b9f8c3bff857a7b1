"""The library for people who write Python; the package itself offers it: ``import dpcore`` and ``dpcore.load_trips``.

``public`` needs neither trips nor a ledger, and ``plans`` makes the plans of kinds that are not tables: both work where the
private packages are deleted. ``notebook`` is the owner's side. ``offered`` finds a name that the package is asked for. ``compat``
converts calls of DpMobilityReport. Nothing is imported here, because not everybody may have all of these modules.
"""
