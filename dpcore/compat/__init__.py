"""Moving over from DpMobilityReport: its call becomes trips, tiles and a plan of ours, or is refused with the reason.

``plan_of`` takes the parameters of its constructor under their names and with their defaults, wherever these are safe.
``Moved`` is what comes back, with ``notes``: what means something else here than there. ``analyses`` knows its names of
analyses and segments, ``histograms`` its ways to say bins, ``differences`` the notes. Nothing of it is imported.
"""

from dpcore.compat.moving import Moved, plan_of

__all__ = ["Moved", "plan_of"]
