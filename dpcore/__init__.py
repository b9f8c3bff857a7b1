"""Differentially private mobility statistics: exact counts, exact noise, an epsilon slider that is itself private.

Data flow one way, from the private rooms through the owner's door to what may be looked at:

=========================  =====================================================================
``dpcore.tessellation``    public tiles, read from a file or laid as a grid; ``tile_index`` finds the
                           tile of a point
``dpcore.owner``           the owner's side door: load trips, exact answers, previews
``dpcore.private``         the wall: readers, bounding, the engine, exact answers; imported by
                           ``owner`` and ``curator`` alone
``dpcore.privacy``         what is protected and by how much: unit, contribution bound, epsilon
``dpcore.measures``        what may be asked: public keys, proved sensitivity, SQL
``dpcore.plan``            measures, bound and shares of epsilon together
``dpcore.mechanisms``      counts and a plan become a ``Measurement`` (``noise``, ``sparse_noise``)
``dpcore.accuracy``        what error to expect, from the mechanism alone; ``forecast`` for a whole plan
``dpcore.ledger``          what was spent on whom, exactly, for good; ``pricing`` says what a plan costs
``dpcore.curator``         the door: charge the ledger, draw the noise, write the bundle, commit
``dpcore.release``         releases and their bundles on disk: public from here on; ``shelf`` finds them
``dpcore.views``           measurements become sentences, charts, tables and maps
``dpcore.known_releases``  what others published, at which epsilon, made comparable
``dpcore.bound_choice``    the bound that a paid histogram of trips per person suggests
``dpcore.command_line``    the commands; ``places`` says where files are kept
``dpcore.demo``            a synthetic city whose truth is public
=========================  =====================================================================

Nothing here knows of the app: ``streamlit`` is imported in ``app.py`` and ``pages`` only.
"""

__version__ = "0.1.0"
