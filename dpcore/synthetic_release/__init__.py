"""Synthetic releases and their bundles on disk: public.

=========================  =======================================================================
``SyntheticRelease``       noisy tables that were paid for, and the seed of the trips drawn from them; or a noisy tree
``write_bundle``           a release becomes a folder: manifest, README, tables, tiles, trips
``read_bundle``            a folder or .zip of anyone becomes a release, after everything was checked
``verify_bundle``          a ``Verdict``: nothing in the bundle was changed
``TRIPS``                  name of the file of trips, which loads like any trips file
=========================  =======================================================================

Trips are post-processing of the tables: they cost nothing and tell nothing beyond them, so the seed of their drawing is
public. Inside: ``manifest``, ``statements`` and ``readme`` (what a release says of itself), ``tables`` and ``trips`` (what it
holds), ``outline`` and ``reading`` (reading what may have been made to harm, with the means of ``dpcore.release``). A tree of
trajectories is such a release too: ``tree_table``, ``levels_table`` and ``tree_rows`` hold it, ``tree_manifest`` and
``tree_statements`` speak of it; what follows from it is made again and compared (``row_checks``).
"""

from dpcore.synthetic_release.layout import TRIPS
from dpcore.synthetic_release.reading import read_bundle, verify_bundle
from dpcore.synthetic_release.release import SyntheticRelease
from dpcore.synthetic_release.writing import write_bundle

__all__ = ["TRIPS", "SyntheticRelease", "read_bundle", "verify_bundle", "write_bundle"]
