"""Invented files in the form of the Hubway challenge; the true one may not come with the project."""

from __future__ import annotations

import random

COLUMNS = (
    "seq_id,hubway_id,status,duration,start_date,strt_statn,end_date,end_statn,bike_nr,subsc_type,zip_code,"
    "birth_date,gender"
)


def record(number=1, **changes):
    """One trip as a list of texts: a registered woman's ride of eight minutes, but for the changes."""
    usual = {
        "seq_id": str(number),
        "hubway_id": str(number + 7),
        "status": "Closed",
        "duration": "480",
        "start_date": "7/28/2011 10:12:00",
        "strt_statn": "23",
        "end_date": "7/28/2011 10:20:00",
        "end_statn": "40",
        "bike_nr": "B00468",
        "subsc_type": "Registered",
        "zip_code": "'02139",
        "birth_date": "1976",
        "gender": "Female",
    }
    return list({**usual, **changes}.values())


def records(count, stations=range(3, 146), seed=5):
    """Many trips between stations; a third of them by casual riders, of whom neither zip nor gender is known."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        day, hour, minute = rng.randint(1, 30), rng.randint(0, 22), rng.randint(0, 39)
        changes = {
            "start_date": f"9/{day}/2012 {hour}:{minute:02}:00",
            "end_date": f"9/{day}/2012 {hour}:{minute + rng.randint(1, 19):02}:00",
            "strt_statn": str(rng.choice(stations)),
            "end_statn": str(rng.choice(stations)),
            "gender": rng.choice(["Male", "Female"]),
        }
        if rng.random() < 1 / 3:
            changes |= {"subsc_type": "Casual", "zip_code": "", "birth_date": "", "gender": ""}
        found.append(record(number, **changes))
    return found


def text_of(rows, separator=",", end="\n"):
    """The file that holds these trips."""
    return "".join(separator.join(row) + end for row in (COLUMNS.split(","), *rows))
