"""Columns that say how many trips a row stands for, and columns of weights: told by their names alone, never by a value.

A privacy unit is a row, or all rows of a person. Where a row is a sum over many trips, no unit hides what one person added to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from dpcore.private.source.vocabulary import ATTRIBUTES, ROLE_OF, VEHICLES


def _any(*words: str) -> str:
    return f"(?:{'|'.join(' '.join(words).split())})"


# A name is taken apart into words, whatever stands between them. A word of no list here makes it mean something else, as
# "duration" in "total duration" does. No word is made of two others, so a name is taken apart in one way.
_TRIPS: Final = _any(
    "trips journeys rides rentals hires voyages flows? movements moves travels commutes commuters workers jobs ridership boardings",
    "viajes viagens viaggi bookings checkouts loans ausleihen buchungen flusso flussi matkat turer spostamenti desplazamientos fahrten reisen wege ritten trajets d[eé]placements resor reiser verplaatsingen locations emprunts przejazd[oó]w podr[oó][zż]y cest j[ií]zd yolculuk поездок поездки пассажиропоток 出行 トリップ",
    "통행량 流量 客流量 出行量 交通量",
)
"""More than one trip."""
_SUM: Final = _any(
    "counts? distinct cnt totals? tot sums? volumes? vol frequency freq demand flux effectifs? numbers hits occurrences instances cases throughput traffic tally aadt adt subtotal ct",
    "anzahl zahl aantal antal cantidad summe gesamt insgesamt totaal totale suma somma somme quantidade qtde qtd antall počet po[cč]et liczba ilo[sś][cć] lukumäärä määrä количество число колво итого αριθμός عدد",
    "건수 合計 合计 件数 人次 人数 次数 总数 台数 数量 总计 利用回数 합계 이용건수 대여건수",
)
"""A number of whatever is beside it."""
_NUMBER: Final = _any("n[uú]m anz nombre n[uú]mero nbr? no nr n number")
"""A number of what follows. After its noun it is an ordinal, as in "trip number"."""
_ONE: Final = _any(
    "trip journey ride rental hire movement move booking job visit visitor device tap swipe record row observation transaction boarding check"
)
_WHO: Final = _any(
    "od person people passenger commuter worker user u rider vehicle veh car auto truck bike bicycle cycle ebike scooter taxi transit bus rail",
    "train metro subway tram walk foot work home school pop population member casual personen hbw hbo hbs nhb",
)
_EVENTS: Final = _any(
    "visits devices pickups dropoffs departures arrivals alightings entries exits taps swipes records rows obs observations transactions starts ends ons offs"
)
_PEOPLE: Final = _any(
    "persons passengers pax users subscribers migrants voyageurs passeggeri visitors travell?ers riders vehicles personas usuarios 乘客数 移動者数 pasajeros reizigers fahrg[aä]ste"
)
_WHEN: Final = _any(
    "am pm peak off day night morning evening midday noon hour week month year per daily hourly weekly monthly annual weekend",
    "mon tue wed thu fri sat sun by with via of de der di value jan feb mar apr may jun jul aug sep oct nov dec made dia modes agg group in out all star unique average avg mean median estimated est rented",
    r"expanded weighted scaled raw observed predicted simulated modell?ed thousands? \d",
)
"""How, when and which: words that make nothing of another kind of a number."""
_BESIDE: Final = rf"(?:{_NUMBER}|(?:{_ONE}|{_WHO})(?:ids?)?|{_WHEN}|\ds)"
# Patterns are long, and compiled only where a column may be such a number.
_SURE: Final = (
    rf"(?:{_BESIDE}|{_EVENTS}|{_PEOPLE}|{_SUM})*{_TRIPS}(?:{_BESIDE}|{_EVENTS}|{_PEOPLE}|{_SUM}|{_TRIPS})*"
    rf"|{_BESIDE}*(?:{_SUM}|{_NUMBER}(?:{_WHO}|{_WHEN})*(?:{_ONE}|{_EVENTS})){_BESIDE}*(?:{_SUM}{_BESIDE}*)*"
    r"|s000|s[aei]0[123]|obsvalue|allcategories\w*"  # LODES, which counts jobs; and the British census
)
_UNSURE: Final = rf"(?:{_BESIDE}|{_SUM})*{_PEOPLE}(?:{_BESIDE}|{_SUM})*|people|values?|estimates?|quantity|qty|size|ncrisis|nbaseline"
"""Names that mean a number of trips only where nothing says that a row is a trip of its own: neither its person nor its id."""
_OF_ROWS: Final = rf"(?:{_BESIDE}|{_SUM})*{_EVENTS}(?:{_BESIDE}|{_SUM})*|n"
"""Names that mean one where no id of a trip stands beside them, as in rows of a person, two places and n."""
_KNOWN: Final = frozenset(
    ["passengercount", "numberofpassengers", "numpassengers", "personnumber", *ROLE_OF, *VEHICLES]
    + [name for names in ATTRIBUTES.values() for name in names]
)
"""Names that mean something else."""
_MODES: Final = frozenset(
    [
        "car",
        "auto",
        "bus",
        "rail",
        "train",
        "metro",
        "subway",
        "tram",
        "walk",
        "foot",
        "bicycle",
        "cycle",
        "transit",
        "truck",
        "pt",
    ]
)
"""Names of columns that hold numbers of trips where several stand side by side."""
_OF_ITS_OWN: Final = frozenset(["rideid", "rentalid", "syntheticid"])
_SIGNS: Final = re.compile(r"[^\w]")
_WEIGHT: Final = re.compile(
    r"\w*(?:weights?|expansionfactor|expfactor|expfac|factorexpansi[oó]n|gewicht|wgt)|wt\w*|\w*wt|poids|fexp"
)


def counts_in(normal: Sequence[str], taken: Collection[int] = ()) -> list[int]:
    """The positions of columns whose normal names say that a row is a number of trips. ``taken``: those that have another role."""
    own = any(ROLE_OF.get(name) == "tid" or name in _OF_ITS_OWN for name in normal)
    person = own or any(ROLE_OF.get(name) == "uid" for name in normal)
    modes = {name for at, name in enumerate(normal) if at not in taken and name in _MODES}
    split = frozenset() if person or len(modes) == 1 else modes
    return [
        at
        for at, name in enumerate(normal)
        if at not in taken and (name in split or _is_count(name, person=person, own=own))
    ]


def weights_in(normal: Sequence[str], taken: Collection[int] = ()) -> list[int]:
    """The positions of columns of weights, which say for how many people a person of a survey stands."""
    return [at for at, name in enumerate(normal) if at not in taken and _WEIGHT.fullmatch(name)]


def _is_count(name: str, *, person: bool, own: bool) -> bool:
    """Whether a name is that of a number of trips. ``person``: whether a row tells its person; ``own``: whether it tells its trip."""
    name = _SIGNS.sub("", name)
    if name in _KNOWN:
        return False
    kinds = (_SURE,) if own else (_SURE, _OF_ROWS) if person else (_SURE, _OF_ROWS, _UNSURE)
    return any(re.fullmatch(kind, name) for kind in kinds)
