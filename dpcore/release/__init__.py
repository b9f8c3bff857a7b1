"""Releases and their bundles on disk: public from here on.

======================  ==========================================================================
``Release``             what was drawn and paid for, with its promise; ``Anchor`` says where the
                        ledger holds the charge, ``Chosen`` when the parameters were chosen
                        (one of ``CHOSEN``)
``Kind``                what differs between one kind of release and another; ``kind_of`` finds it
``write_bundle``        writes a release as a folder: manifest, README, tables, tiles, rows; ``WrittenBundle`` is what it read back
``zipped``              that folder as one file
``read_bundle``         reads a folder or .zip that anyone may have made, and checks everything in it;
                        ``read_tables`` accepts tables only
``must_be_unchanged``   refuses a bundle that is not, byte by byte, the one that was read before
``verify_bundle``       a ``Verdict``: nothing in the bundle was changed
``disclosed_at``        the exact epsilon of everything that tables show at one rung
``estimates_of``        what the tables of a release tell together, for trips that count and for all (``ESTIMATES``)
``release_table``       one measure at one released rung, as columns
``MANIFEST``            name of the file whose SHA-256 is the digest of the release
======================  ==========================================================================

The four kinds are modules of ``kinds``. All kinds share ``manifest``, ``readme`` and ``statements`` (what a release says about
itself), ``writing`` and ``reading``, and the readers of files that may be malicious: ``files``, ``canonical`` and ``fields``.
Tables have ``tables``, ``table_checks``, ``table_files`` (CSV and Parquet), ``estimates`` with ``estimate_files``, and ``five_numbers``. ``shelf`` lists the bundles of
a folder.
"""

from dpcore.release.estimates import ESTIMATES, estimates_of
from dpcore.release.kind import AnyKind, Card, Kind
from dpcore.release.kinds import all_kinds, kind_of
from dpcore.release.layout import MANIFEST
from dpcore.release.reading import (
    Verdict,
    digest_of,
    must_be_unchanged,
    read_bundle,
    read_tables,
    verify_bundle,
)
from dpcore.release.release import CHOSEN, Anchor, AnyRelease, Chosen, Release
from dpcore.release.tables import disclosed_at, release_table
from dpcore.release.writing import WrittenBundle, write_bundle, zipped

__all__ = [
    "CHOSEN",
    "ESTIMATES",
    "MANIFEST",
    "Anchor",
    "AnyKind",
    "AnyRelease",
    "Card",
    "Chosen",
    "Kind",
    "Release",
    "Verdict",
    "WrittenBundle",
    "all_kinds",
    "digest_of",
    "disclosed_at",
    "estimates_of",
    "kind_of",
    "must_be_unchanged",
    "read_bundle",
    "read_tables",
    "release_table",
    "verify_bundle",
    "write_bundle",
    "zipped",
]
