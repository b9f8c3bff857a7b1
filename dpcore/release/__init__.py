"""Releases and their bundles on disk: public from here on.

======================  ==========================================================================
``Release``             noisy tables that were paid for, with their promise; ``Anchor`` says where
                        the ledger holds the charge, ``Chosen`` when the parameters were chosen
``write_bundle``        a release becomes a folder: manifest, README, registry record, tables, maps
``zipped``              that folder as one file
``read_bundle``         a folder or .zip of anyone becomes a release, after everything was checked
``verify_bundle``       a ``Verdict``: nothing in the bundle was changed
``disclosed_at``        the exact epsilon of all that a release shows at one rung
``release_table``       one measure at one revealed rung, as columns
``MANIFEST``            name of the file that tells a bundle: its SHA-256 is the digest of the release
======================  ==========================================================================

Inside: ``manifest`` and ``statements`` (what a release says of itself), ``tables`` and ``table_files`` (CSV and
Parquet), ``five_numbers``, ``drawn_tiles`` (GeoJSON), ``readme``, ``registry``; ``files``, ``canonical``, ``fields``, ``outline`` and
``table_checks`` (reading what may have been made to harm).
"""

from dpcore.release.disclosed import disclosed_at
from dpcore.release.layout import MANIFEST
from dpcore.release.reading import read_bundle, verify_bundle
from dpcore.release.release import Anchor, Chosen, Release
from dpcore.release.tables import release_table
from dpcore.release.verdict import Verdict
from dpcore.release.writing import write_bundle, zipped

__all__ = [
    "MANIFEST",
    "Anchor",
    "Chosen",
    "Release",
    "Verdict",
    "disclosed_at",
    "read_bundle",
    "release_table",
    "verify_bundle",
    "write_bundle",
    "zipped",
]
