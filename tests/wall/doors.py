"""Doors: which module may know which room."""

from __future__ import annotations

from collections.abc import Iterator

import dpcore
from tests.wall.source import Source, below

# A room -> who may know it. Whoever knows a room reaches all that the room has imported, so the pages of the
# owner are on the list as well: a page for viewers that imports one of them would be inside.
KINDS = ("dpcore.kinds.roy", "dpcore.kinds.stability", "dpcore.kinds.tree")
WINGS = (*KINDS, "dpcore.engines.spark")
PRIVATE_OF_WINGS = tuple(f"{wing}.private" for wing in WINGS)
OWNER_OF_WINGS = tuple(f"{wing}.owner" for wing in WINGS)
COMMANDS_OF_WINGS = (
    "dpcore.kinds.roy.choosing_commands",
    "dpcore.kinds.roy.options",
    *(f"{wing}.command" for wing in (*WINGS, "dpcore.stories")),
)

DOORS = {
    "dpcore.private": (
        "dpcore.private",
        "dpcore.api.owner",
        "dpcore.api.studies",
        "dpcore.curator",
        "dpcore.kinds.tree.notebook",
        *PRIVATE_OF_WINGS,
    ),
    **{f"{wing}.private": (f"{wing}.private", f"{wing}.owner") for wing in WINGS},
    **dict.fromkeys(OWNER_OF_WINGS, ("pages.owner", "dpcore.kinds.tree.notebook", *COMMANDS_OF_WINGS)),
    # What finds the wings hands out their parts: a maker to the curator alone, commands to the command line.
    "dpcore.wings.maker_of": ("dpcore.curator.makers",),
    "dpcore.wings.commands": (
        "dpcore.command_line.main",
        "dpcore.command_line.options",
        "dpcore.command_line.synth",
    ),
    "dpcore.wings.engine": ("dpcore.private.exact", "dpcore.api.owner"),
    "dpcore.wings.load_notebooks": (),
    "dpcore.wings._modules": ("dpcore.wings",),
    "dpcore.wings._module": ("dpcore.wings",),
    "dpcore.private.kept_counts": ("dpcore.curator",),
    # Lessons count the demo city through one module, and know no way to another data set.
    "dpcore.api.owner": (
        "dpcore.command_line",
        "dpcore.api.notebook",
        "pages.owner",
        "dpcore.lessons.city",
        "dpcore.kinds.tree.notebook",
        *COMMANDS_OF_WINGS,
    ),
    "dpcore.api.studies": (
        "dpcore.command_line",
        "dpcore.api.notebook",
        "pages.owner",
        *COMMANDS_OF_WINGS,
    ),
    # Attacks, and mechanisms that are broken on purpose: nothing else may know them.
    "dpcore.lessons": ("dpcore.lessons", "pages.learn"),
    "dpcore.curator": (
        "dpcore.curator",
        "dpcore.command_line",
        "dpcore.api.notebook",
        "pages.owner",
        *(f"{wing}.private.maker" for wing in KINDS),
    ),
    "dpcore.ledger": (
        "dpcore.ledger",
        "dpcore.curator",
        "dpcore.command_line",
        "dpcore.api.notebook",
        "pages.owner",
        *(f"{wing}.private.maker" for wing in KINDS),
    ),
    # The commands of those who write Python: they open the doors, so nothing of ours may go through them.
    "dpcore.api.notebook": ("dpcore.api.compat",),
    "dpcore.api.compat": ("dpcore.api.compat", "dpcore.compat"),
    "dpcore.compat": ("dpcore.compat",),
    "dpcore.noise.mechanisms": ("dpcore.private.preview", "dpcore.curator"),
    # Exact tables in, noisy tables out: for those who have exact tables.
    "dpcore.private.synthetic.drawing": tuple(f"{kind}.private" for kind in KINDS),
    "dpcore.noise.exponential": ("dpcore.curator",),
    "opendp": ("dpcore.noise.exponential",),
    "dpcore.noise.samplers": (
        "dpcore.noise.mechanisms",
        "dpcore.noise.sparse",
        "dpcore.private.synthetic.drawing",
        *(f"{wing}.private.drawing" for wing in KINDS),
        "dpcore.lessons.dice",
    ),
    "dpcore.noise.sparse": (
        "dpcore.noise.mechanisms",
        "dpcore.noise.forecast",
        "dpcore.private.synthetic.drawing",
        *(f"{wing}.private.drawing" for wing in KINDS),
        "dpcore.lessons.dice",
    ),
    "dpcore.command_line": ("dpcore.command_line", "dpcore.__main__", *COMMANDS_OF_WINGS),
    "dpcore.__main__": (),
    "dpcore.views": (
        "dpcore.views",
        "dpcore.command_line.bundle",
        "dpcore.api.public",
        "dpcore.api.beside",
        "dpcore.api.frames",
        "dpcore.api.pictures",
        "dpcore.api.notebook",
        "dpcore.lessons",
        "dpcore.kinds",
        "dpcore.stories",
        "pages",
    ),
    "pages": ("pages", "app"),
    "pages.owner": ("pages.owner",),
    "pages.released": ("pages.released",),
    "pages.learn": ("pages.learn", "app"),
    "app": (),
    "streamlit": ("app", "pages"),
}

# A module that may know a room which the modules below it may not.
ONE_MODULE = (
    ("dpcore", "dpcore.api.notebook"),
    ("dpcore", "dpcore.wings.load_notebooks"),
    ("app", "pages.owner"),
)

# What the package offers to those who import it. Nothing of ours takes it from there: it would be a way around the doors.
OFFERED = tuple(f"dpcore.{name}" for name in dpcore.__all__)

# A group of modules -> what none of them may know.
BLIND = {
    "dpcore.views": (
        "dpcore.private",
        "dpcore.api.owner",
        "dpcore.api.studies",
        "dpcore.curator",
        "dpcore.ledger",
        "dpcore.noise.mechanisms",
    ),
    "dpcore.stories": (
        "dpcore.private",
        "dpcore.api.owner",
        "dpcore.api.studies",
        "dpcore.curator",
        "dpcore.ledger",
    ),
    "dpcore.release": (
        "dpcore.private",
        "dpcore.curator",
        "dpcore.ledger",
        "dpcore.comparison",
        "dpcore.views",
        "dpcore.noise.mechanisms",
    ),
    # What a wing publishes knows of its private part nothing: only its owner's face, its commands and its maker do.
    **{
        f"{wing}.{part}": (
            "dpcore.private",
            "dpcore.api.owner",
            "dpcore.api.studies",
            "dpcore.curator",
            "dpcore.ledger",
        )
        for wing in KINDS
        for part in ("kind", "plans", "released_views", "views")
    },
    # What lessons draw or break is written into no release, and read from none. Of views they know the parts of charts.
    "dpcore.lessons": (
        "dpcore.private",
        "dpcore.curator",
        "dpcore.ledger",
        "dpcore.release",
    ),
    "pages.learn": (
        "dpcore.private",
        "dpcore.api.owner",
        "dpcore.api.studies",
        "dpcore.curator",
        "dpcore.ledger",
        "dpcore.release",
        "pages.owner",
        "pages.released",
    ),
    "pages": ("pandas", "duckdb", "geopandas", "sqlite3", "sqlalchemy"),
}

# A module that may know a room -> all that it may take from there, each by its name: not the room itself.
ONLY = {
    ("dpcore.lessons.city", "dpcore.api.owner"): (
        "dpcore.api.owner.PrivateTrips",
        "dpcore.api.owner.demo_city",
        "dpcore.api.owner.exact_table",
    ),
    # What the server imports before the first visit.
    ("app", "pages.owner"): ("pages.owner.parts.start.warm_up_before",),
}


def doors(source: Source) -> Iterator[str]:
    for room, allowed in DOORS.items():
        if not below(source.name, *allowed) and (source.name, room) not in ONE_MODULE:
            yield from (f"knows {name}" for name in source.known if below(name, room))
    yield from (f"takes {name} from the package" for name in source.known if name in OFFERED)
    for group, unseen in BLIND.items():
        if below(source.name, group):
            yield from (f"knows {name}" for name in source.known if below(name, *unseen))
    for (name, room), allowed in ONLY.items():
        if source.name == name:
            taken = (one for one in source.taken if below(one, room))
            yield from (f"takes {one}" for one in taken if not below(one, *allowed))
