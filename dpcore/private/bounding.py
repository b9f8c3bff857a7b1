"""Contribution bounding: at most M trips of a user count, chosen by that user's rows alone.

Neighbours are files. Two data sets are neighbours if one has the records (lines of CSV, rows of Parquet) of one user more,
or at trip level of one trip more: at any place, in one file or several, well formed or broken. Form, container, and columns
with their types are public and the same in both. A file is read in one of two ways. Either it is refused as a whole, or
each record is read from its own bytes alone (where a trip has several records, from those of its user and trip). So the
records of all others are read in the same way with and without that user, and bounding starts from there. Whether a file
was refused can be seen; no epsilon covers that.

The trips of a user are ranked by a keyed hash of their own content, and the first M count. So which trips of a user count
is a function of this user's rows (and of a key that is independent of the data). Removing a user therefore changes nothing
for anybody else, and with at most M trips for each user every table of counts has the sensitivity that ``dpcore.measures``
states. A seeded random sample over the whole file would not do: without one user, the random numbers of all others would
shift.

Trips with equal hashes are ordered by everything that a measure reads. So it does not matter which of the rows that are
then still equal counts. A rank cuts such ties, where a threshold on the hash would let all of them pass.

The gap before a trip runs from the end of the same user's trip before it (by start). It is computed over all trips of the
user and then belongs to the trip. Trips that are equal except for their empty fields have fixed places too, so the user's
rows alone decide which of them has which gap. So bounding keeps or drops a gap and never makes it longer, and the result
is still a function of this user's rows alone. An incomplete trip has one record, its end. It has no gap itself, and the
gap of the next trip runs from it.

A declared attribute of a trip (``private.source.attributes``) is not in the hash, so which trips count does not depend on what
was declared. Where measures are split by one, it comes after all else but the gap in that order, and orders the trips between
which a gap lies. So trips that differ in nothing else have fixed places too.

That proof does not need a secret key. The key is secret so that an outsider cannot predict which trips count. It is one
key for all data sets of an installation, because another key would reveal other trips of the same person.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from dpcore.errors import PrivacyError
from dpcore.measures.measure import Measure
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private import store
from dpcore.private.sealed import Sealed
from dpcore.private.trips import PrivateTrips

_KEY_BYTES: Final = 16


def bounding_key() -> bytes:
    """The 16 secret bytes of this installation. They are drawn at first use and stored with mode 0600."""
    place = store.folder("keys") / "bounding.key"
    if not place.exists():
        store.write_once(place, secrets.token_bytes(_KEY_BYTES))
    key = place.read_bytes()
    if len(key) != _KEY_BYTES:
        raise PrivacyError(
            "the bounding key is damaged",
            "keys/bounding.key in the private folder",
            "Restore it from a backup. Another key would reveal other trips of the same people.",
        )
    return key


def key_identity(key: bytes) -> str:
    """A name for a key, for cache keys. It does not reveal the key."""
    return blake2b(b"identity", key=key, digest_size=8).hexdigest()


@dataclass(frozen=True, repr=False, eq=False)
class BoundedTrips(Sealed):
    """Trips of which at most ``bound.trips`` of each privacy unit count."""

    trips: PrivateTrips
    bound: ContributionBound


def must_have_users(trips: PrivateTrips, bound: ContributionBound) -> None:
    """Refuse to protect people whose trips cannot be told apart. Raises PrivacyError."""
    if bound.unit is PrivacyUnit.USER and not trips.has_users:
        raise PrivacyError(
            "these trips have no user column",
            trips.name,
            "If a column, a folder or the index of a frame names the people, say so when the trips are loaded: --column uid=NAME "
            "(in a notebook columns). If nobody knows them, only the privacy unit trip is left.",
        )


def bounded(trips: PrivateTrips, bound: ContributionBound) -> BoundedTrips:
    """The trips under a contribution bound. Raises PrivacyError as ``must_have_users``."""
    must_have_users(trips, bound)
    return BoundedTrips(trips, bound)


_CONTENT: Final = "start_tile, end_tile, start_hour, end_hour, complete, duration_us, jump_m, missing_lat, missing_lng, missing_time"
# ``{read}`` and ``{ties}`` are those of ``attribute_sql``. The gap is last: it is null where no measure reads it.
_COLUMNS: Final = f"{_CONTENT}, {{read}}gap_us"

VIA: Final = ", via"
"""One more column of ``kept``: tiles on the way. They are in the hash (``private.prepare``), so trips that tie have the same."""


def attributes_read(measures: Iterable[Measure]) -> tuple[str, ...]:
    """The columns of declared attributes that measures read. Those that are counted together read the same, or none."""
    return tuple(dict.fromkeys(one.column for measure in measures for one in measure.attributes))


def attribute_sql(columns: Iterable[str]) -> Mapping[str, str]:
    """What the queries below take for ``{read}`` and ``{ties}``: columns of attributes, and their place in the order of trips."""
    listed = [*columns]
    return {
        "read": "".join(f"{column}, " for column in listed),
        "ties": "".join(f"{column} NULLS LAST, " for column in listed),
    }


# Engines order NULL differently unless the query says where it goes.
_ORDER: Final = (
    f"{', '.join(f'{column} NULLS LAST' for column in _CONTENT.split(', '))}, {{ties}}gap_us NULLS LAST"
)

# Computing gaps means sorting all trips, so it is left out where no measure reads them. That does not affect which trips
# count, because trips that differ only in their gaps are equal for every other measure.
_TRIPS: Final = "SELECT *, end_us - start_us AS duration_us, {gap} AS gap_us FROM prepared"
TRIPS: Final = _TRIPS.format(gap="CAST(NULL AS BIGINT)")
"""``trips`` where no measure reads gaps, over ``prepared``."""
TRIPS_WITH_GAPS: Final = _TRIPS.format(
    gap="start_us - lag(end_us) OVER (PARTITION BY user_id "
    "ORDER BY coalesce(start_us, end_us) NULLS LAST, end_us NULLS LAST, rnd NULLS LAST, {ties}"
    "missing_lat * 16 + missing_lng * 4 + missing_time NULLS LAST)"  # of each at most 2
)
"""``trips`` with the gap before each, in microseconds; negative where trips overlap, null before the first."""

ALL_TRIPS: Final = f"SELECT {_COLUMNS}{{via}} FROM trips"
"""``kept`` at trip level: every trip counts. ``{via}`` is VIA where a measure reads the tiles on the way, else empty."""

# Ranking is expensive, so only users with more than M trips are ranked. All trips of the others count.
# row_number and not "hash <= the M-th smallest": equal trips have the same hash, and all of them would pass.
KEPT_TRIPS: Final = f"""
SELECT {_COLUMNS}{{via}} FROM (
    SELECT {_COLUMNS}{{via}}, row_number() OVER (
        PARTITION BY t.user_id ORDER BY t.rnd, {_ORDER}
    ) AS place
    FROM trips t JOIN busy b ON t.user_id = b.user_id
) ranked WHERE place <= {{max_trips}}
UNION ALL
SELECT {_COLUMNS}{{via}} FROM trips t
LEFT JOIN busy b ON t.user_id = b.user_id WHERE b.user_id IS NULL AND t.user_id IS NOT NULL
"""
"""``kept`` at user level, over ``trips`` and ``busy``."""

BUSY_USERS: Final = "SELECT user_id FROM trips GROUP BY user_id HAVING count(*) > {max_trips}"
"""``busy``: users with more than M trips."""
