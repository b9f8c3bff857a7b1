"""The small files of ``trips/``: whose format each one is, what it takes to load it, and what must be read.

Columns, their order, quotes, marks, separators, ends of lines and forms of times are those of the original. The values are
invented. Places are latitude and longitude, or the id of a tile.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "trips"

Place = tuple[float, float] | str | None
Trip = tuple[str | None, str, str, Place, Place]
"""User, start and end on the clock of the city, where from, where to."""


@dataclass(frozen=True)
class TripsCase:
    """One file."""

    file: str
    what: str
    """The operator, publisher or library, as the table of the docs names it."""
    zone: str
    """The clock of the city."""
    trips: int = 0
    """How many trips are read, complete or not."""
    first: Trip | None = None
    """The complete trip that starts first."""
    options: str = ""
    """The words that the command line needs beside the files and the zone."""
    refused: str = ""
    """For a file that is refused: the beginning of the message."""
    remark: str = ""
    """What the table of the docs says about it."""

    def __str__(self) -> str:
        """Its name, for the names of tests."""
        return self.file


NEW_YORK, CHICAGO, WASHINGTON, BOSTON = (
    "America/New_York",
    "America/Chicago",
    "America/New_York",
    "America/New_York",
)
ANGELES, TORONTO, MONTREAL, MEXICO = (
    "America/Los_Angeles",
    "America/Toronto",
    "America/Toronto",
    "America/Mexico_City",
)
OSLO, BERLIN, LONDON, BEIJING, ZURICH = (
    "Europe/Oslo",
    "Europe/Berlin",
    "Europe/London",
    "Asia/Shanghai",
    "Europe/Zurich",
)
GAP = "--trip-gap 30min"
DAY_FIRST, MONTH_FIRST = "--times day-first", "--times month-first"
BY_ID = "tiles carry the ids of the stations"

MILL, CANAL, DEPOT = (40.7201, -74.0441), (40.7253, -74.0502), (40.7307, -74.0638)
WHARF, HILL = (42.3551, -71.0602), (42.3604, -71.0711)
LINDEN, ALEX, MITTE, KREUZBERG = (52.5163, 13.3777), (52.5119, 13.4132), (52.53, 13.384), (52.499, 13.418)


BIKES = (
    TripsCase("citibike_2016_titles.csv", "Citi Bike, October 2016 to March 2017", NEW_YORK, 2, (None, "2016-10-03 06:31:02", "2016-10-03 06:36:17", MILL, CANAL)),
    TripsCase("citibike_2017.csv", "Citi Bike, month first", NEW_YORK, 3, (None, "2017-01-09 07:05", "2017-01-09 07:12", MILL, CANAL)),
    TripsCase("citibike_2019.csv", "Citi Bike, until 2020", NEW_YORK, 3, (None, "2019-05-06 07:14:22.531", "2019-05-06 07:21:04.992", MILL, CANAL)),
    TripsCase("citibike_2024.csv", "Citi Bike, since 2021", NEW_YORK, 3, (None, "2024-04-02 08:11:41.337", "2024-04-02 08:20:05.118", MILL, CANAL)),
    TripsCase("bluebikes_2021.csv", "Bluebikes, until 2022", BOSTON, 3, (None, "2021-06-01 06:30:15.104", "2021-06-01 06:39:16.993", WHARF, HILL)),
    TripsCase("bluebikes_2023.csv", "Bluebikes, since 2023", BOSTON, 2, (None, "2023-07-10 07:45:10", "2023-07-10 07:58:45", WHARF, HILL)),
    TripsCase("hubway_mapc.csv", "Hubway, challenge of 2013", BOSTON, 3, (None, "2011-07-28 10:12:00", "2011-07-28 10:27:00", "23", "24"), remark=BY_ID),
    TripsCase("divvy_2013.csv", "Divvy, 2013", CHICAGO, 3, (None, "2013-07-04 09:10", "2013-07-04 09:24", "901", "902"), remark=BY_ID),
    TripsCase("divvy_2015.csv", "Divvy, 2014 to 2016", CHICAGO, 2, (None, "2015-03-31 22:15", "2015-03-31 22:31", "901", "902"), remark=BY_ID),
    TripsCase("divvy_2017.csv", "Divvy, 2017 to 2019", CHICAGO, 2, (None, "2017-03-31 21:05:07", "2017-03-31 21:19:44", "901", "902"), remark=BY_ID),
    TripsCase("divvy_2019q2.csv", "Divvy, first quarter of 2018 and second of 2019", CHICAGO, 2, (None, "2019-04-01 00:02:22", "2019-04-01 00:09:48", "901", "902"), remark=BY_ID),
    TripsCase("divvy_2022.csv", "Divvy, since 2020", CHICAGO, 3, (None, "2022-08-07 21:34:15", "2022-08-07 21:41:46", (41.93, -87.69), (41.94, -87.72))),
    TripsCase("capital_2015.csv", "Capital Bikeshare, month first", WASHINGTON, 2, (None, "2015-07-01 00:00", "2015-07-01 00:04", "31901", "31902"), remark=BY_ID),
    TripsCase("capital_2018.csv", "Capital Bikeshare, until 2020", WASHINGTON, 3, (None, "2018-05-01 06:00:20", "2018-05-01 06:08:52", "31901", "31902"), remark=BY_ID),
    TripsCase("capital_2021.csv", "Capital Bikeshare, since 2020", WASHINGTON, 2, (None, "2021-09-14 07:01:02", "2021-09-14 07:15:59", (38.9002, -77.0203), (38.9105, -77.0301))),
    TripsCase("metro_la_2022.csv", "Metro Bike Share, Los Angeles", ANGELES, 3, (None, "2022-01-03 07:30", "2022-01-03 07:42", (34.0401, -118.2502), (34.0512, -118.2433)), MONTH_FIRST),
    TripsCase("indego_2017.csv", "Indego, Philadelphia, until 2017", NEW_YORK, 2, (None, "2017-07-01 06:12", "2017-07-01 06:29", (39.9501, -75.1702), (39.9603, -75.1655))),
    TripsCase("indego_2023.csv", "Indego, Philadelphia", NEW_YORK, 2, (None, "2023-07-01 00:02", "2023-07-01 00:16", (39.9501, -75.1702), (39.9603, -75.1655)), MONTH_FIRST),
    TripsCase("gobike_2018.csv", "Ford GoBike, San Francisco", ANGELES, 2, (None, "2018-01-31 21:52:35.239", "2018-01-31 22:13:59.893", (37.7801, -122.4102), (37.7951, -122.394))),
    TripsCase("baywheels_2023.csv", "Bay Wheels, San Francisco", ANGELES, 2, (None, "2023-10-09 06:59:01", "2023-10-09 07:12:00", (37.7801, -122.4102), (37.7951, -122.394))),
    TripsCase("niceride_2016.csv", "Nice Ride Minnesota, until 2017", CHICAGO, 2, (None, "2016-04-05 06:55", "2016-04-05 07:11", "30901", "30902"), MONTH_FIRST, remark=BY_ID),
    TripsCase("bixi_2014.csv", "BIXI, Montréal, until 2020", MONTREAL, 3, (None, "2014-04-15 00:01", "2014-04-15 00:18", "6901", "6902"), remark=BY_ID),
    TripsCase("bixi_2021.csv", "BIXI, 2021", MONTREAL, 2, (None, "2021-06-29 17:46:28.653", "2021-06-29 18:03:25.7", "10", "12"), remark=BY_ID),
    TripsCase("bixi_2022.csv", "BIXI, since 2022", MONTREAL, 3, (None, "2022-05-23 06:00", "2022-05-23 06:09", (45.5101, -73.5602), (45.4903, -73.5705))),
    TripsCase("toronto_2017.csv", "Bike Share Toronto, 2017 and 2018", TORONTO, 2, (None, "2017-01-01 00:05", "2017-01-01 00:12", "7901", "7902"), MONTH_FIRST, remark=BY_ID),
    TripsCase("toronto_2022.csv", "Bike Share Toronto", TORONTO, 2, (None, "2022-01-24 08:41", "2022-01-24 08:51", "7901", "7902"), MONTH_FIRST, remark=BY_ID),
    TripsCase("mobi_2025.csv", "Mobi, Vancouver", "America/Vancouver", 2, (None, "2025-02-01 07:15", "2025-02-01 07:31", "0901 Boathouse & 2nd", "0902 Market Hall"), remark=BY_ID),
    TripsCase("oslo_2018.csv", "Oslo Bysykkel, 2018", OSLO, 2, (None, "2018-05-02 06:00:12", "2018-05-02 06:09:40", "901", "902"), remark=BY_ID),
    TripsCase("oslo_2023.csv", "Oslo Bysykkel", OSLO, 2, (None, "2023-04-29 14:10:38.207", "2023-04-29 14:14:34.256", (59.9201, 10.7502), (59.9255, 10.7555))),
    TripsCase("bergen_2024.csv", "Bergen Bysykkel", OSLO, 2, (None, "2024-06-03 07:05:12.001", "2024-06-03 07:15:48.9", (60.3951, 5.3242), (60.384, 5.332))),
    TripsCase("helsinki_2021.csv", "HSL city bikes, Helsinki", "Europe/Helsinki", 3, (None, "2021-05-31 23:47:25", "2021-05-31 23:55:46", "094", "100"), remark=BY_ID),
    TripsCase("london_2016.csv", "Santander Cycles, London, until 2022", LONDON, 3, (None, "2016-01-10 00:00", "2016-01-10 00:04", "902", "901"), remark="day first; " + BY_ID),
    TripsCase("london_2024.csv", "Santander Cycles, London", LONDON, 2, (None, "2024-03-31 08:59", "2024-03-31 09:24", "001901", "001902"), remark=BY_ID),
    TripsCase("ecobici_2024.csv", "Ecobici, Mexico City", MEXICO, 3, (None, "2024-09-30 07:22:32", "2024-09-30 07:41:10", "901", "902"), remark="day first, dates and times of day in columns of their own; " + BY_ID),
    TripsCase("mibici_2019.csv", "MiBici, Guadalajara", MEXICO, 3, ("501", "2019-01-01 06:30:14", "2019-01-01 06:44:05", "81", "92"), remark="with people; " + BY_ID),
)  # fmt: skip

SCOOTERS = (
    TripsCase("mds_trips.csv", "MDS trips", ANGELES, 2, (None, "2023-07-22 00:00", "2023-07-22 00:10", (34.0401, -118.2502), (34.0512, -118.2433))),
    TripsCase("chicago_scooter_2022.csv", "E-scooter trips, Chicago", CHICAGO, 2, (None, "2022-05-01 05:00", "2022-05-01 05:00", (41.9012, -87.6763), (41.8743, -87.6652)), MONTH_FIRST),
    TripsCase("louisville_scooter.csv", "Dockless trips, Louisville", "America/Kentucky/Louisville", 2, (None, "2019-09-11 18:30", "2019-09-11 18:45", (38.2501, -85.7502), (38.255, -85.744))),
)  # fmt: skip

TAXIS = (
    TripsCase("tlc_yellow_2009.csv", "TLC yellow taxi, 2009", NEW_YORK, 2, (None, "2009-01-04 02:52", "2009-01-04 03:02", (40.721501, -73.991901), (40.695902, -73.993801))),
    TripsCase("tlc_yellow_2014.csv", "TLC yellow taxi, 2010 to 2014", NEW_YORK, 2, (None, "2014-01-09 20:45:25", "2014-01-09 20:52:31", (40.736802, -73.994701), (40.731704, -73.982203))),
    TripsCase("tlc_yellow_2015.csv", "TLC yellow taxi, 2015 and 2016", NEW_YORK, 2, (None, "2015-01-15 19:05:39", "2015-01-15 19:23:42", (40.750110626220703, -73.993896484375), (40.750617980957031, -73.974784851074219))),
    TripsCase("tlc_yellow_2018_socrata.csv", "TLC yellow taxi, export of the open data portal", NEW_YORK, 2, (None, "2018-05-19 23:51:48", "2018-05-20 00:07:31", "48", "158"), MONTH_FIRST),
    TripsCase("tlc_yellow_2019.csv", "TLC yellow taxi, zones", NEW_YORK, 2, (None, "2019-01-07 00:46:40", "2019-01-07 00:53:20", "151", "239")),
    TripsCase("tlc_green_2014.csv", "TLC green taxi, until 2014", NEW_YORK, 2, (None, "2014-04-01 00:00:03", "2014-04-01 00:24:20", (40.758201599121094, -73.93780517578125), (40.804401397705078, -73.964698791503906)), remark="rows end in two empty fields that the header does not name"),
    TripsCase("tlc_green_2019.csv", "TLC green taxi, zones", NEW_YORK, 2, (None, "2019-10-01 00:26:02", "2019-10-01 00:39:58", "112", "196")),
    TripsCase("tlc_fhv_2017.csv", "TLC for-hire vehicles", NEW_YORK, 3, (None, "2017-07-03 00:22", "2017-07-03 00:59", "161", "7")),
    TripsCase("tlc_fhvhv_2021.csv", "TLC high-volume for-hire vehicles", NEW_YORK, 2, (None, "2021-01-01 00:33:44", "2021-01-01 00:49:07", "230", "166")),
    TripsCase("tlc_yellow_2023.parquet", "TLC yellow taxi, Parquet", NEW_YORK, 2, (None, "2023-01-01 00:32:10", "2023-01-01 00:40:36", "161", "141")),
    TripsCase("chicago_taxi_2024.csv", "Taxi trips, Chicago", CHICAGO, 3, (None, "2024-01-19 17:00", "2024-01-19 18:00", (41.979071, -87.90304), (41.884987, -87.620993)), MONTH_FIRST),
    TripsCase("porto_2013.csv", "Taxis of Porto (ECML/PKDD 2015)", "Europe/Lisbon", 3, (None, "2013-06-30 23:06:40", "2013-06-30 23:07:25", (41.1414, -8.6186), (41.1546, -8.6305)), remark="the end of a trip follows from its places, one every 15 seconds"),
)  # fmt: skip

POINTS = (
    TripsCase("new_abcdef.txt", "Cabs of San Francisco (cabspotting)", ANGELES, options="--header 'lat lng occupied datetime'", refused="column missing", remark="the cab stands in the name of the file alone: write it into a column"),
    TripsCase("tdrive_1.txt", "T-Drive, Beijing", BEIJING, 2, ("1", "2008-02-02 15:36:08", "2008-02-02 15:56:08", (39.9212, 116.5117), (39.9172, 116.4716)), f"--header uid,datetime,lng,lat {GAP}"),
    TripsCase("geolife_20081023025304.plt", "GeoLife .plt", BEIJING, 1, (None, "2008-10-23 10:53:04", "2008-10-23 13:10", (39.9847, 116.3184), (40.0072, 116.319)), remark="in the folders of the data set the user is known"),
    TripsCase("geolife_pymove.csv", "GeoLife as CSV, PyMove", BEIJING, 3, ("5", "2008-10-23 05:00", "2008-10-23 05:20", (39.95, 116.4), (39.96, 116.41)), f"--column uid=id {GAP}"),
    TripsCase("foursquare_nyc.txt", "Foursquare check-ins (TSMC 2014)", NEW_YORK, refused="the text is not UTF-8", remark="save it as UTF-8"),
    TripsCase("foursquare_kaggle.csv", "Foursquare check-ins with a header", NEW_YORK, 2, ("470", "2012-04-03 14:00:09", "2012-04-03 14:20:25", (40.7198, -74.0025), (40.7351, -73.9909)), GAP),
    TripsCase("gowalla_checkins.txt", "Gowalla and Brightkite check-ins", CHICAGO, 3, ("1", "2010-10-12 10:40", "2010-10-12 10:57:20", (40.7414, -73.9814), (40.6438, -73.7828)), rf"--header 'uid	datetime	lat	lng	place' {GAP}"),
    TripsCase("trackintel_positionfixes.csv", "trackintel position fixes", ZURICH, 3, ("1", "2015-11-27 09:00", "2015-11-27 09:20:22", (47.3765, 8.5487), (47.3993, 8.5277)), GAP),
    TripsCase("trackintel_triplegs.csv", "trackintel triplegs", ZURICH, 3, ("1", "2015-11-27 09:00", "2015-11-27 11:00", (47.3765, 8.5487), (47.4085, 8.5116))),
    TripsCase("trackintel_trips.csv", "trackintel trips", ZURICH, 3, ("1", "2015-11-27 09:00", "2015-11-27 09:15", (47.3765, 8.5487), (47.3993, 8.5277))),
    TripsCase("trackintel_trips_without_geometry.csv", "trackintel trips without geometry", ZURICH, refused="columns missing", remark="stay points are rows of another file"),
    TripsCase("skmob_trajectory.csv", "scikit-mobility trajectories", BEIJING, 3, ("5", "2008-10-23 05:00", "2008-10-23 05:20", (39.95, 116.4), (39.96, 116.41)), GAP),
    TripsCase("skmob_with_tid.csv", "scikit-mobility trajectories with trip ids, DpMobilityReport", BERLIN, 3, ("1", "2024-03-04 07:30", "2024-03-04 07:55", LINDEN, ALEX)),
    TripsCase("skmob_flows.csv", "scikit-mobility flows", BERLIN, refused="a row is a number of trips", remark="a row is many trips"),
    TripsCase("movingpandas_geolife.csv", "MovingPandas trajectories", BEIJING, 3, ("0", "2008-12-11 12:42:14", "2008-12-11 13:01:26", (39.8985, 116.3913), (39.9123, 116.4093)), "--column uid=tracker", remark='it drops the zone, so the hour that clocks double is in wrong order: make trajectories of UTC, and write that zone (`tz_localize("UTC")`) into their times'),
    TripsCase("strava_streams.csv", "Tracks of activities, Strava-like", ZURICH, 2, ("71", "2023-06-18 08:05:11", "2023-06-18 08:45:11", (46.9481, 7.4474), (46.9901, 7.4901))),
    TripsCase("posts_unix_ms.csv", "Posts with Unix seconds and milliseconds", BERLIN, 3, ("anna", "2024-03-04 07:00", "2024-03-04 07:20", LINDEN, ALEX), GAP),
    TripsCase("geopandas_wkt.csv", "Points as WKT in one column", BERLIN, 3, ("a1", "2024-03-04 07:30", "2024-03-04 07:55", LINDEN, ALEX)),
    TripsCase("matsim_like.csv", "Agents of a simulation, x and y", BERLIN, 2, ("car_17", "2024-03-04 07:30", "2024-03-04 07:55", LINDEN, ALEX)),
)  # fmt: skip

OTHERS = (
    TripsCase("smartcard_journeys.csv", "Smart card journeys with a mode", "Australia/Sydney", 4, ("C000017", "2016-08-08 07:02", "2016-08-08 07:31", "2001", "2015")),
    TripsCase("smartcard_taps.csv", "Smart card taps at GTFS stops with a mode", "Australia/Sydney", 3, ("C000017", "2016-08-08 07:02", "2016-08-08 07:31", (-33.8832, 151.2067), (-33.8611, 151.2109)), GAP),
    TripsCase("household_survey.csv", "Household survey, trips between zones", BERLIN, 3, ("11-1", "2024-03-04 07:30", "2024-03-04 07:55", "Z01", "Z02")),
    TripsCase("excel_german.csv", "Excel, German: semicolons, decimal commas", BERLIN, 3, ("u1", "2024-03-04 07:30", "2024-03-04 07:55", LINDEN, ALEX), DAY_FIRST),
    TripsCase("own_trips.csv", "This tool's own columns", BERLIN, 3, ("u1", "2024-03-04 07:30", "2024-03-04 07:55", LINDEN, ALEX)),
)  # fmt: skip

TRIPS = (*BIKES, *SCOOTERS, *TAXIS, *POINTS, *OTHERS)
