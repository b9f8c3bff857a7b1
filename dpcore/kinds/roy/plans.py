"""The plan of synthetic trips, from decimal text and words.

Only public facts are used, and nothing is counted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from fractions import Fraction

from dpcore.api.offered import offered
from dpcore.api.plans import exact, must_be_period
from dpcore.kinds.roy.choices import MEASURED_WEIGHT, WEIGHT, RoyChoices, groups_of, zips_of
from dpcore.measures.attribute import attributes_of
from dpcore.measures.keys import Period
from dpcore.measures.riders import ZIP
from dpcore.privacy import ContributionBound


@offered
def model_plan(
    bound: ContributionBound,
    epsilon: Fraction | str,
    period: Period,
    *,
    holidays: Collection[date] = (),
    attributes: Sequence[str] = (),
    zips: Sequence[str] = (),
    by_month: bool = False,
    draw: Mapping[str, str | Sequence[str]] | None = None,
    together: Sequence[str] = (),
    measure: Sequence[str] = (),
    bands: Sequence[str] = (),
) -> RoyChoices:
    """The plan of synthetic trips that are drawn from noisy tables (Roy, Kantarcioglu, Sweeney 2016).

    Args:
        bound: privacy unit and contribution bound.
        epsilon: total of all tables, a fraction or decimal text.
        period: public dates; trips on other days are left out.
        holidays: days of the period that count as weekend.
        attributes: of riders that are drawn too: ``user_type``, ``gender``. The trips must have such columns.
        zips: public list of zips; with it the zip of riders is drawn too.
        by_month: whether stations may be busy in different months.
        draw: declared attributes of the trips that are drawn too, as ``attributes`` of ``load_trips`` declares them.
        together: groups of attributes that are counted together, such as ``"start+mode"``, or ``"start+mode=3"`` with a weight
            of its own (of about 20). The last ones of a group are drawn given the ones before.
        measure: groups that are counted only to tell how their attributes are associated.
        bands: steps of distance in kilometres, as decimal text; none for the usual ones.

    Raises:
        PrivacyError: an epsilon, an attribute, a holiday or steps of distance that cannot be.
        InputError: a zip, an attribute or a group that can be none.

    """
    must_be_period(period)
    listed = zips_of(zips, "zips", "entry")
    extras = (*([ZIP] if listed else []), *attributes)
    return RoyChoices(
        bound,
        exact(epsilon),
        period,
        frozenset(holidays),
        extras,
        listed,
        by_month,
        attributes_of(draw),
        groups_of(together, WEIGHT, "together"),
        groups_of(measure, MEASURED_WEIGHT, "measure"),
        tuple(bands),
    )
