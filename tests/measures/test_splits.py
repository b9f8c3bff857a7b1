"""What may split a table, how that is written, and what is refused with its limit."""

from __future__ import annotations

import shlex
from datetime import date
from fractions import Fraction

import pytest

from dpcore import limits
from dpcore.errors import InputError, PrivacyError
from dpcore.kinds.roy.domain import PLACE_AND_TIME, TRIP_COLUMNS
from dpcore.kinds.stability.choices import COLUMNS, DATE
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.attribute import Amount, Categories, attribute_of
from dpcore.measures.choices import KeyChoices, must_be_split
from dpcore.measures.keys import Period
from dpcore.measures.plan import Plan
from dpcore.measures.split import drawable_keys, part_number, parts_of
from dpcore.noise.forecast import Facts, forecast
from dpcore.privacy import ContributionBound
from dpcore.release import kind_of
from dpcore.release.kinds.trip_rows import trip_schema

MODE = Categories("mode", ("bus", 'rail, "fast"', "="))
PURPOSE = Categories("purpose", ("work",))


def of_words(name: str, number: int) -> Categories:
    return Categories(name, tuple(f"c{one}" for one in range(number)))


def test_choices_hold_splits_in_one_written_form_and_read_it_back():
    choices = KeyChoices(splits=(MODE, PURPOSE))
    assert KeyChoices.of_terms(choices.terms()) == choices
    assert choices.terms() == {"splits": [["mode", "bus", 'rail, "fast"', "="], ["purpose", "work"]]}
    assert KeyChoices(splits={"mode": ["bus", 'rail, "fast"', "="], "purpose": "work"}) == choices
    assert hash(choices) != hash(KeyChoices(splits=(PURPOSE, MODE)))
    assert KeyChoices().terms() == {}


@pytest.mark.parametrize(
    "written",
    [
        [["mode"]],
        [["mode", "bus", "bus"]],
        ["mode"],
        {"mode": 1},
        [["no name", "a"]],
        [["mode", 1.5, None] * 40],
    ],
)
def test_what_a_stranger_writes_as_a_split_is_read_or_refused(written):
    with pytest.raises((TypeError, ValueError, InputError)):
        KeyChoices.of_terms({"splits": written})


def test_only_categories_split_at_most_two_and_not_twice():
    with pytest.raises(InputError, match="Numbers have no categories"):
        KeyChoices(splits=(Amount("fare", Fraction(0), Fraction(9), Fraction(1)),))
    with pytest.raises(InputError, match="at most 2"):
        KeyChoices(splits=(MODE, PURPOSE, of_words("member", 2)))
    with pytest.raises(InputError, match="at most 2"):
        KeyChoices(splits=(MODE, MODE))


def test_too_many_categories_and_too_many_parts_are_refused_with_the_limit():
    with pytest.raises(InputError, match="10,000 categories, the limit is 1,000"):
        attribute_of("mode=" + ",".join(f"c{number}" for number in range(10_000)))
    assert KeyChoices(splits=(of_words("mode", 1000),)).splits
    with pytest.raises(InputError, match=r"2,040 parts, the limit is 2,000"):
        KeyChoices(splits=(of_words("mode", 38), of_words("purpose", 49)))


def test_parts_are_numbered_as_the_cells_lie():
    parts = parts_of((MODE, PURPOSE))
    assert len(parts) == 15 == len({tuple(part.items()) for part in parts})
    assert [part_number((MODE, PURPOSE), part) for part in parts] == [*range(15)]
    assert parts[0] == {"mode": "bus", "purpose": "work"}
    assert parts[-1] == {"mode": "missing", "purpose": "missing"}
    assert parts_of(()) == [{}]
    for part in ({"mode": "bus"}, {"mode": "bus", "purpose": "work", "x": "y"}, {}):
        with pytest.raises(InputError, match="names no part"):
            part_number((MODE, PURPOSE), part)
    with pytest.raises(InputError, match="category of mode"):
        part_number((MODE,), {"mode": "ship"})


def test_a_table_of_people_is_not_split_and_asking_for_it_is_refused():
    choices = KeyChoices(splits=(MODE,))
    for name in ("trips_per_user", "ds_statistics", "total_trips", "mobility_entropy"):
        assert not measure_named(name, choices).splits
        with pytest.raises(PrivacyError, match="counts people"):
            must_be_split(name, choices)
    must_be_split("od_flows", choices)
    must_be_split("trips_per_user", KeyChoices())


def plan(*names: str, **more) -> Plan:
    choices = KeyChoices(Period(date(2024, 4, 1), date(2024, 4, 2)), splits=(MODE,))
    return Plan.up_to(ContributionBound.per_user(3), dict.fromkeys(names, 1), "1", choices, **more)


def test_a_plan_that_splits_nothing_or_buys_what_parts_have_for_nothing_is_refused():
    asked = kind_of(plan("od_flows"))
    with pytest.raises(PrivacyError, match="counts people"):
        asked.must_be_asked(plan("trips_per_user"))
    for name in ("total_trips", "ds_statistics"):
        with pytest.raises(PrivacyError, match="all categories together"):
            asked.must_be_asked(plan("od_flows", name))
    asked.must_be_asked(plan("od_flows", "trips_per_user"))
    with pytest.raises(PrivacyError, match="summaries of split tables"):
        plan("travel_time", five_numbers=5)


def test_the_command_and_the_code_of_a_plan_repeat_its_split():
    asked = plan("od_flows")
    command = kind_of(asked).command(asked, "town", "UTC")
    words = shlex.split(command)
    assert attribute_of(words[words.index("--split") + 1]) == MODE
    code = kind_of(asked).python(asked)
    assert "splits={'mode': ['bus', 'rail, \"fast\"', '=']}" in code


def test_no_attribute_has_the_name_of_a_column_of_any_kind_of_release():
    columns = {name for one in MEASURES.values() for name in one.layout.columns}
    more = {"value", "half_width_95", "value_at_1", "half_width_95_at_1", "estimate", "counted_low", "all"}
    synthetic = {*trip_schema("points").names, *PLACE_AND_TIME, *TRIP_COLUMNS}
    for name in columns | more | synthetic | {*COLUMNS, DATE}:
        with pytest.raises(InputError, match="tables have already"):
            Categories(name, ("a",))


def test_every_measure_of_trips_says_its_terms():
    assert {name for name, one in MEASURES.items() if not one.terms} == {
        "ds_statistics",
        "total_trips",
        *(name for name, one in MEASURES.items() if one.counts == "people"),
    }
    assert limits.MAX_PARTS_OF_TABLES == 2_000


def test_split_tables_are_listed_whole_but_for_flows():
    tiles, choices = tuple(map(str, range(500))), KeyChoices(splits=(of_words("mode", 600),))
    for name in ("visits_per_time_tile", "visits_per_tile"):
        with pytest.raises(PrivacyError, match=f"the limit is 300,000: {name}. List fewer categories"):
            drawable_keys(measure_named(name, choices), tiles)
    few = KeyChoices(splits=(of_words("mode", 596),))
    assert drawable_keys(measure_named("visits_per_tile", few), tiles).size == 598 * 501
    assert drawable_keys(measure_named("od_flows", choices), tiles).size == 602 * 501**2
    assert drawable_keys(measure_named("visits_per_time_tile"), tuple(map(str, range(30_000)))).size > 300_000


def test_more_cells_than_noise_is_drawn_for_are_refused_by_every_forecast():
    plan = Plan.up_to(
        ContributionBound.per_trip(), {"od_flows": 1}, "1", KeyChoices(splits=(of_words("mode", 900),))
    )
    with pytest.raises(PrivacyError, match=r"the limit is 4,398,046,511,104: od_flows"):
        forecast(plan, Facts(1_000_000, None, 80_000))


def test_an_attribute_splits_tables_or_is_added_up_but_not_both():
    with pytest.raises(InputError, match="declared twice: attribute fare"):
        KeyChoices(splits={"fare": ["low", "high"]}, sums={"fare": "0:10:1"})
    assert KeyChoices(splits={"mode": ["bus"]}, sums={"fare": "0:10:1", "duration": "0:60:1"}).sums
