"""How near estimates and drawn values are to the truth: ``python -m bench.accuracy``.

===============  =============================================================================================
``sets``         the trips that are measured: the built-in city, and real trips where they are there
``plans``        the default plan as it was in version 0.3.0, and the default plan of today
``pictures``     tables of one draw, of one estimate or of the truth, as arrays of one shape
``scores``       errors of a picture, and how often ranges hold the truth
``runs``         many draws of both plans, estimated and scored
``demands``      what has to be reached, and the tables that say whether it was
``cost``         seconds and memory of an estimate, in a process of its own
``beside``       the same figures of DpMobilityReport, in an environment of its own (``their_values`` runs there)
===============  =============================================================================================

Trips are counted once, through the owner's side. Noise is drawn by the mechanisms of the product and cannot be repeated. Only
the choice of the city follows a seed.
"""
