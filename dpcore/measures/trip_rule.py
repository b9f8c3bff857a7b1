"""The rule that cuts the points of a person into trips, where a file has no trip ids. It is public.

Trips have to be known before anything is counted, and at trip level before anything is protected. So the rule is chosen by
the owner, never read off the points, and every release says it.

*By gaps.* The points of one person, in order of time, are cut wherever two neighbours are farther apart in time than the
gap. A trip is what lies between two cuts. A single point between two cuts is a trip of which only one end is known: a visit,
as a check-in is.

*By stays.* The first point of a person opens a stay. The points that follow belong to it as long as they are less than
``metres`` away from the point that opened it. The first point that is not opens the next stay. A stay counts if it lasts at least
``stay_s`` seconds, from the point that opened it to the point that ended it; the last stay of a person, which no point ended,
to its own last point. A trip goes from the last point of one stay that counts to the first point of the next. What lies before
the first and after the last of them is no trip, because nobody knows where it began or ended. This is the sliding
window of Li, Zheng, Xie, Chen, Liu and Ma (*Mining user similarity based on location history*, 2008), as trackintel
(``generate_staypoints``, with its last stay and without its gap) has it, and scikit-mobility (``stay_locations``) but for a stay of
exactly ``stay_s`` seconds, which it does not count.

*What the rule does to privacy.* Both rules read the points of one person alone. So if a person goes, the trips of all others
stay: at user level a trip that was cut is as good as one with an id.

At trip level, trips that were cut **by gaps** are too. Neighbours differ in one trip T, with all its points. Let p be
the last point before T and q the first point after it, of the same person. In the larger data set p, T and q are
separate trips, so T begins more than the gap after p, and q comes more than the gap after the end of T. Without T, q is the next
point after p, and comes later than p by more than twice the gap: they are still cut. Every other pair of neighbours is as
it was. So every other trip keeps its points, and one trip is all that goes. QED. Points with equal times are never cut from each
other, so their order plays no part.

**By stays** this fails, and trip level is refused. Without the points of one trip, the points before it may be close to those
after it: two stays become one, a trip between them is lost, and the end of a stay moves. One trip would change several.

Nor do trips of two rules add up. A trip of one rule may be many trips, or a part of one, under another rule. And one rule cuts
the same bytes otherwise where they are read otherwise. Which points a person has, and when, depends on the columns that are read,
on the order of day and month, and on the time zone of times without an offset: points at 01:50 and 03:10 on the day when clocks
go from 2 to 3 are 20 minutes apart in that city and 80 in UTC. So all releases of an account that counts epsilon per trip
have one rule, one time zone and one reading of columns and times; the ledger compares them. The same holds for releases of different files of points: a
trip that lies in several files is one trip, or none, in each release only if files divide points by people or by stretches of
time, and no stretch in the middle is left out. That is the owner's to see to.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dpcore import limits
from dpcore.errors import InputError, PrivacyError
from dpcore.privacy import PrivacyUnit

_SECONDS: Final = {"d": 86_400, "h": 3_600, "min": 60, "s": 1}
_NAMES: Final = {"d": "day", "h": "hour", "min": "minute", "s": "second"}
_DURATION: Final = re.compile(r"([0-9]{1,7})\s*(d|h|min|s)")
_STAYS: Final = re.compile(r"([0-9]{1,7})\s*m\s*,\s*(.+)")


@dataclass(frozen=True, slots=True)
class TripRule:
    """How the points of one person become trips: by gaps or by stays. Made by ``of``, ``by_gap`` or ``by_stays``."""

    gap_s: int | None = None
    """Seconds: points farther apart in time are of different trips."""
    metres: int | None = None
    """Points of a stay are less than so far from its first point."""
    stay_s: int | None = None
    """Seconds that a stay lasts at least."""

    def __post_init__(self) -> None:
        """Refuse both rules, half a rule, and numbers outside their limits."""
        if (self.gap_s is None) == (self.metres is None) or (self.metres is None) != (self.stay_s is None):
            raise InputError("a trip rule is a gap, or a distance and a time", "trip rule", _GIVE)
        for name, value, least, most in (
            ("trip gap", self.gap_s, limits.MIN_TRIP_GAP_S, limits.MAX_TRIP_GAP_S),
            ("time of stays", self.stay_s, limits.MIN_STAY_S, limits.MAX_STAY_S),
            ("distance of stays", self.metres, limits.MIN_STAY_M, limits.MAX_STAY_M),
        ):
            if value is not None and not least <= value <= most:
                told = (
                    (f"{least} m", f"{most:,} m") if name.startswith("dist") else (_text(least), _text(most))
                )
                raise InputError(
                    f"the {name} is outside its limits", "trip rule", f"Give {told[0]} to {told[1]}."
                )

    @classmethod
    def of(cls, trip_gap: str | None = None, stays: str | None = None) -> TripRule | None:
        """The rule of two options, such as ``30min`` or ``200m,20min``; None without any.

        Raises InputError: both, or a text that is no such rule.

        >>> TripRule.of("120min"), TripRule.of(stays="200m,20min")
        (TripRule(gap_s=7200, metres=None, stay_s=None), TripRule(gap_s=None, metres=200, stay_s=1200))
        """
        if trip_gap is not None and stays is not None:
            raise InputError("two rules for the same trips", "--trip-gap and --stays", "Choose one of them.")
        if trip_gap is not None:
            return cls.by_gap(trip_gap)
        return None if stays is None else cls.by_stays(stays)

    @classmethod
    def by_gap(cls, text: str) -> TripRule:
        """Trips end where a person has no point for longer than this: ``30min``, ``2h``. Raises InputError."""
        return cls(gap_s=_seconds(text, "--trip-gap", "Give a time such as 30min or 2h."))

    @classmethod
    def by_stays(cls, text: str) -> TripRule:
        """Trips go from stay to stay: ``200m,20min``, the distance and the time of a stay. Raises InputError."""
        give = "Give a distance and a time such as 200m,20min."
        found = _STAYS.fullmatch(text.strip().lower())
        if found is None:
            raise InputError("not a rule of stays", "--stays", give)
        return cls(metres=int(found[1]), stay_s=_seconds(found[2], "--stays", give))

    @property
    def keywords(self) -> Mapping[str, str]:
        """The keyword of the library that gives this rule, with its value."""
        if self.gap_s is not None:
            return {"trip_gap": _text(self.gap_s)}
        return {"stays": f"{self.metres}m,{_text(self.stay_s or 0)}"}

    @property
    def options(self) -> list[str]:
        """The option of the command line that gives this rule, and its value."""
        ((name, value),) = self.keywords.items()
        return [f"--{name.replace('_', '-')}", value]

    @property
    def text(self) -> str:
        """The rule in a line, for manifests and the ledger: ``trip-gap 30min``. Equal rules have equal texts."""
        return " ".join(self.options).removeprefix("--")

    @classmethod
    def of_text(cls, text: str) -> TripRule:
        """The rule with a ``text``. Raises InputError for any other."""
        name, _, value = text.partition(" ")
        rule = {"trip-gap": cls.by_gap, "stays": cls.by_stays}.get(name)
        if rule is None or (made := rule(value)).text != text:
            raise InputError("not a trip rule", "trip rule", _GIVE)
        return made

    @property
    def words(self) -> str:
        """What a trip is under this rule, in sentences."""
        if self.gap_s is not None:
            return (
                f"The trips were cut from points: a trip ends where its person has no point for more than "
                f"{_duration_words(self.gap_s)}. A single point is a visit."
            )
        return (
            f"The trips were cut from points: a trip goes from one stay of its person to the next. A stay is at least "
            f"{_duration_words(self.stay_s or 0)} within {self.metres:,} m of its first point."
        )

    def must_suit(self, unit: PrivacyUnit, where: str) -> None:
        """Refuse to protect single trips, or to count epsilon per trip, where one trip may change others.

        Raises PrivacyError. ``where``: name of the trips or of the account.
        """
        if unit is PrivacyUnit.TRIP and self.gap_s is None:
            raise PrivacyError(
                "trips between stays cannot be protected one by one: without the points of one trip, others would be cut elsewhere",
                where,
                "Choose the privacy unit user and an account of users, or cut by a gap (--trip-gap 30min). Nothing was spent.",
            )


def with_rule(command: str, rule: TripRule | None) -> str:
    """A command with the option that cuts its trips alike."""
    return command if rule is None else f"{command} {shlex.join(rule.options)}"


_GIVE: Final = "Give --trip-gap 30min, or --stays 200m,20min."


def _seconds(text: str, option: str, give: str) -> int:
    found = _DURATION.fullmatch(text.strip().lower())
    if found is None:
        raise InputError("not a time", option, give)
    return int(found[1]) * _SECONDS[found[2]]


def _largest(seconds: int) -> tuple[int, str]:
    """The time in the largest unit that leaves no rest."""
    unit = next(unit for unit, length in _SECONDS.items() if seconds % length == 0)
    return seconds // _SECONDS[unit], unit


def _text(seconds: int) -> str:
    number, unit = _largest(seconds)
    return f"{number}{unit}"


def _duration_words(seconds: int) -> str:
    number, unit = _largest(seconds)
    return f"{number} {_NAMES[unit]}{'' if number == 1 else 's'}"
