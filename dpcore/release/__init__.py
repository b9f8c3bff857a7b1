"""Releases and their bundles on disk: public from here on.

======================  ==========================================================================
``Release``             what was drawn and paid for, with its promise; ``Anchor`` says where the
                        ledger holds the charge, ``Chosen`` when the parameters were chosen
                        (one of ``CHOSEN``)
``Kind``                in what one kind of release differs from another; ``kind_of`` finds it
``write_bundle``        a release becomes a folder: manifest, README, tables, tiles, rows
``zipped``              that folder as one file
``read_bundle``         a folder or .zip of anyone becomes a release, after everything was checked;
                        ``read_tables`` refuses other kinds than tables
``verify_bundle``       a ``Verdict``: nothing in the bundle was changed
``disclosed_at``        the exact epsilon of all that tables show at one rung
``release_table``       one measure at one revealed rung, as columns
``MANIFEST``            name of the file that tells a bundle: its SHA-256 is the digest of the release
======================  ==========================================================================

The four kinds are modules of ``kinds``. What all of them share: ``manifest``, ``readme`` and ``statements`` (what a release
says of itself), ``writing`` and ``reading``, and to read what may have been made to harm ``files``, ``canonical`` and
``fields``. Of tables: ``tables``, ``table_checks``, ``table_files`` (CSV and Parquet), ``five_numbers``. ``shelf`` finds
the bundles of a folder.
"""

from dpcore.release.kind import AnyKind, Card, Kind
from dpcore.release.kinds import KINDS, kind_of
from dpcore.release.layout import MANIFEST
from dpcore.release.reading import Verdict, digest_of, read_bundle, read_tables, verify_bundle
from dpcore.release.release import CHOSEN, Anchor, AnyRelease, Chosen, Release
from dpcore.release.tables import disclosed_at, release_table
from dpcore.release.writing import write_bundle, zipped

__all__ = [
    "CHOSEN",
    "KINDS",
    "MANIFEST",
    "Anchor",
    "AnyKind",
    "AnyRelease",
    "Card",
    "Chosen",
    "Kind",
    "Release",
    "Verdict",
    "digest_of",
    "disclosed_at",
    "kind_of",
    "read_bundle",
    "read_tables",
    "release_table",
    "verify_bundle",
    "write_bundle",
    "zipped",
]
