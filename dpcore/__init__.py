"""Differentially private mobility statistics: exact counts, exact noise, an epsilon slider that is itself private.

Data flow one way, from the trips through the owner's door to what may be looked at. The rooms, from the ground up:

===========================  ==========================================================================
``errors``, ``limits``       every refusal that a person may meet; how large an input may be
``exact_json``               JSON of which equal values have equal texts, and its strict reader
``version``                  the version, and where the package lies
``privacy``                  what is protected and by how much: unit, contribution bound, epsilon, the promise in words
``places``, ``disk``         where files are kept; files that appear whole and last
``parquet``                  what a Parquet file declares of itself
``loops``                    loops as machine code, which is kept
``measures``                 what may be asked: each measure with keys, proved sensitivity, SQL, words and layout; plans
``noise``                    exact samplers, the ladder, expected errors, forecasts, five-number summaries
``tiles``                    the public tessellation: read from a file or laid as a grid, and the tile of a point
``context``                  what lies under the tiles of a map: water, parks, streets, railways and names, from public files
``planning``                 the default plan: which measures, districts, caps and shares of epsilon, from public facts alone; what an
                             owner may choose
``ledger``                   what was spent on whom, exactly, for good
``kinds``, ``engines``,      the wings: kinds of release other than tables, engines that count where trips lie, a folder each, and
``stories``                  stories of releases
``wings``                    finds the wings that are there
``estimates``                what released tables tell together: about the trips that count, and about all trips
``demo``                     a synthetic city whose truth is public
``release``                  releases of every kind and their bundles; ``kinds`` says in what they differ. Public from here on
``comparison``               how alike two releases are; what changed between them; what others published
``private``                  the wall: readers, bounding, the engines, exact answers
``curator``                  the door: price, charge the ledger, draw the noise, write the bundle, commit
``views``                    sentences, charts, maps and the report, of what was measured
``api``                      the library: ``public`` needs no trips, ``notebook`` is for owners, ``owner`` and ``studies`` are the
                             side door of the pages, ``compat`` takes up the calls of DpMobilityReport
``lessons``                  what each lesson computes on the built-in city
``command_line``             the commands
===========================  ==========================================================================

``private`` is imported by ``api.owner``, ``api.studies``, ``curator`` and the private parts of the wings alone.

As a library, in the order of use:

==============================  ================================================================
``load_tiles``, ``load_trips``  a file or a data frame, checked; ``demo_city`` gives both at once
``Plan``                        of tables: a ``ContributionBound``, weights and an epsilon; ``KeyChoices``, ``Period`` and
                                ``Step`` say dates, windows and bins; ``default_plan`` chooses what is left open
``model_plan``,                 plans of the other kinds: synthetic trips, large counts, a tree of trajectories
``stability_plan``,
``tree_plan``
``expected_errors``, ``price``  what a plan will give and cost, from public facts alone
``preview``                     noise beside the truth, and ``exact_table``: for the owner's eyes only
``clamping``                    what the bounds of a sum cut off: for the owner's eyes too
``levels_study``                what the levels of a trajectory tree buy at each epsilon: likewise
``open_ledger``, ``register``   who pays: an account with a total budget, counted per user or per trip
``publish``, ``top_up``         charges, draws, writes the bundle; a release of tables can be raised for the difference
``accounts``, ``spent``         what was paid, for which release, and what is left; ``void`` gives back what was never drawn
``read_bundle``, ``verify``     what anyone may do with a bundle of whichever kind: read and check it,
``table``, ``ask``              take a table out of it, ask it a question,
``part``, ``part_release``      take one part of tables that are split,
``synthetic_trips``             take its synthetic trips,
``change``, ``compare``,        and of tables tell what changed, compare two,
``compare_html``,               lay two over each other in one page,
``report_html``                 or write the report
``story``, ``check_story``      a first story of a release, and whether anybody's story can be played
``export_story``, ``picture``   a story as PDF, PowerPoint or HTML, one view as PNG or SVG
``chart``, ``deck``,            a measure as a figure of plotly, as a map of pydeck, as a GeoDataFrame
``geodataframe``
==============================  ================================================================

``AtlasError`` is what every refusal is: it says what, where, and how to mend it. An epsilon is a fraction or decimal text, such
as ``"0.1"``, never a float. Nothing here knows of the app: ``streamlit`` is imported in ``app.py`` and ``pages`` only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpcore.api.beside import change, compare, compare_html
    from dpcore.api.frames import chart, deck, geodataframe
    from dpcore.api.notebook import (
        accounts,
        clamping,
        demo_city,
        exact_table,
        load_tiles,
        load_trips,
        open_ledger,
        preview,
        price,
        publish,
        register,
        spent,
        top_up,
        void,
    )
    from dpcore.api.pictures import picture
    from dpcore.api.plans import default_plan
    from dpcore.api.public import (
        ask,
        expected_errors,
        part,
        part_release,
        read_bundle,
        report_html,
        synthetic_trips,
        table,
        verify,
    )
    from dpcore.errors import AtlasError
    from dpcore.kinds.roy.plans import model_plan
    from dpcore.kinds.stability.plans import stability_plan
    from dpcore.kinds.tree.notebook import levels_study
    from dpcore.kinds.tree.plans import tree_plan
    from dpcore.measures.choices import KeyChoices
    from dpcore.measures.keys import Period, Step
    from dpcore.measures.plan import Plan
    from dpcore.privacy import ContributionBound
    from dpcore.stories.public import check_story, export_story, story

    __version__: str

# What is offered, as ``from dpcore import *`` takes it. Each thing says ``offered`` where it is defined, checkers of types see the
# imports above, and the docstring explains it. A test holds these four lists equal.
__all__ = [
    "AtlasError",
    "ContributionBound",
    "KeyChoices",
    "Period",
    "Plan",
    "Step",
    "accounts",
    "ask",
    "change",
    "chart",
    "check_story",
    "clamping",
    "compare",
    "compare_html",
    "deck",
    "default_plan",
    "demo_city",
    "exact_table",
    "expected_errors",
    "export_story",
    "geodataframe",
    "levels_study",
    "load_tiles",
    "load_trips",
    "model_plan",
    "open_ledger",
    "part",
    "part_release",
    "picture",
    "preview",
    "price",
    "publish",
    "read_bundle",
    "register",
    "report_html",
    "spent",
    "stability_plan",
    "story",
    "synthetic_trips",
    "table",
    "top_up",
    "tree_plan",
    "verify",
    "void",
]

# A name is imported when it is first asked for: a server for viewers has no private rooms, and this package must be
# there without them; and every module below it would else wait a second or two until all the others are there.
if not TYPE_CHECKING:  # a checker of types knows the names above and no others

    def __getattr__(name: str) -> object:
        """A name of the library, or its version; AttributeError for any other."""
        if name == "__version__":
            from dpcore.version import VERSION  # noqa: PLC0415 - see above

            return VERSION
        if name not in __all__:
            raise AttributeError(f"module 'dpcore' has no attribute {name!r}")
        from dpcore import wings  # noqa: PLC0415 - see above
        from dpcore.api import beside, frames, pictures, plans, public  # noqa: F401, PLC0415 - they fill what is offered; see above
        from dpcore.api.offered import OFFERED  # noqa: PLC0415 - see above

        if name not in OFFERED:
            wings.load_public()
        if name not in OFFERED:
            from dpcore.api import notebook  # noqa: F401, PLC0415 - as public

            wings.load_notebooks()
        if name not in OFFERED:
            raise AttributeError(f"the wing of dpcore that offers {name!r} is not there")
        return OFFERED[name]

    def __dir__() -> list[str]:
        """What a notebook proposes."""
        return [*__all__, "__version__"]
