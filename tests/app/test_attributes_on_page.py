"""Attributes on the Data page: recognised by the names of columns, declared by the owner, remembered, and kept with the trips."""

from __future__ import annotations

from dpcore.private.trips import local_rows
from tests.app.test_columns_by_hand import give, said, shape, widget
from tests.app.test_pages import TILES, open_code

HEADER = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng,Travel Mode,paid"
ROWS = "".join(
    f"u{number},2024-04-01 08:00,2024-04-01 09:00,0.5,0.5,0.5,0.5,{mode},{number}.5\n"
    for number, mode in enumerate(["bus", "secret way", ""])
)


def test_attributes_are_recognised_declared_and_kept(one_page):
    page = one_page
    page.run()
    page.switch_page("pages/owner/data.py").run()
    give(page, f"{HEADER}\n{ROWS}".encode(), "trips.csv")
    page.file_uploader[1].set_value(("tiles.geojson", TILES, "application/json")).run()
    widget(page.selectbox, "Time zone").set_value("UTC").run()
    assert any(one.label == "Attributes of the trips: 1 recognised" for one in page.expander)
    assert widget(page.text_input, "mode: column Travel Mode").value == ""
    assert [*shape(page)["Read as"]][-2:] == ["not read", "not read"]
    widget(page.text_input, "mode: column").set_value("bus,bus").run()
    assert "a category is listed twice" in said(page).lower()
    widget(page.text_input, "mode: column").set_value('bus,"rail, fast"').run()
    widget(page.multiselect, "Other columns to keep").set_value(["paid"]).run()
    widget(page.text_input, "paid: column paid").set_value("0:2:0.5").run()
    assert [*shape(page)["Read as"]][-2:] == ["attribute mode", "attribute paid"]
    widget(page.button, "Load").click().run()
    assert not page.exception
    assert (
        "Kept of each trip: mode (bus · rail, fast · other · missing); paid, 0 to 2 in units of 0.5."
        in said(page).replace("\\", "")
    )
    assert "secret way" not in said(page)
    data = page.session_state["atlas"].data
    rows = local_rows(data.trips).shards()[0].table(["attribute_mode", "attribute_paid"]).to_pydict()
    assert sorted(zip(*rows.values(), strict=True)) == [(0, 1), (2, 3), (3, 4)]
    open_code(page)
    (code,) = [one.value for one in page.code if one.language == "python"]
    assert """attributes={'mode': 'bus,"rail, fast"', 'paid': '0:2:0.5'}""" in code
    assert "columns={'paid': 'paid'}" in code


def test_the_next_file_with_these_columns_is_asked_for_the_same(one_page):
    give(one_page, f"{HEADER}\n".encode(), "next.csv")
    assert widget(one_page.text_input, "mode: column").value == 'bus,"rail, fast"'
    assert widget(one_page.text_input, "paid: column").value == "0:2:0.5"


ODD = """user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng,mode,fare
a,2024-04-01 08:00,2024-04-01 09:00,0.5,0.5,0.5,0.5,"bus, night","2,50"
b,2024-04-01 08:00,2024-04-01 09:00,0.5,0.5,0.5,0.5,\"\"\"rapid\"\" rail\",-3
c,2024-04-01 08:00,2024-04-01 09:00,0.5,0.5,0.5,0.5,=1+1,"-4,00"
"""


def test_what_people_write_is_refused_in_words_of_the_page_or_kept_released_and_explored(one_page):
    page = one_page
    page.switch_page("pages/owner/data.py").run()
    give(page, ODD.encode(), "odd.csv")
    page.file_uploader[1].set_value(("tiles.geojson", TILES, "application/json")).run()
    widget(page.selectbox, "Time zone").set_value("UTC").run()
    for text, says in (
        (",".join(map(str, range(10_000))), "10,000 categories, the limit is 1,000"),
        ('"rapid" rail', "the quotation marks of the categories do not match"),
    ):
        widget(page.text_input, "mode: column").set_value(text).run()
        assert says in page.error[0].value.lower()
        assert "attribute mode" in page.error[0].value
        assert "--" not in page.error[0].value.replace("\\", ""), "no option of a command"
    widget(page.text_input, "mode: column").set_value('"bus, night","""rapid"" rail",=1+1').run()
    widget(page.text_input, "fare: column").set_value("-5:20:0,01").run()
    assert "need a decimal point, not a comma" in page.error[0].value
    widget(page.text_input, "fare: column").set_value("-5:20:0.01").run()
    assert not page.error
    widget(page.button, "Load").click().run()
    assert "on no list" not in said(page)
    page.session_state["atlas"].agreed = True
    page.switch_page("pages/owner/release.py").run()
    widget(page.multiselect, "Sums and means").set_value(["fare"]).run()
    for text, says in (("-50:20:0.01", "loaded with closer bounds"), ("-5:20", "bounds without a unit")):
        widget(page.text_input, "Bounds of fare").set_value(text).run()
        assert says in page.error[0].value.lower()
        assert not [one for one in page.button if one.label.startswith("Review")]
    widget(page.text_input, "Bounds of fare").set_value("-3:20:0.01").run()
    assert not page.error
    page.switch_page("pages/owner/explore.py").run()
    widget(page.selectbox, "Segments by").set_value("mode").run()
    assert widget(page.selectbox, "Map of").options == [
        "bus, night",
        '"rapid" rail',
        "=1+1",
        "other",
        "missing",
    ]
    widget(page.selectbox, "Number").set_value("fare").run()
    widget(page.button, "Count what these bounds").click().run()
    assert "The mean of 3 values is **-1.5000**. Within the bounds it is **-1.1667**: 0.3333 too large." in [
        one.value for one in page.markdown
    ]
    assert "values were set to -5 to 20 in units of 0.01" in said(page)
