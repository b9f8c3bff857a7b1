"""Moving over from DpMobilityReport: ``from dpcore import compat``, then ``compat.plan_of``; see ``dpcore.api.compat``."""

from dpcore.api.compat import Moved, plan_of

__all__ = ["Moved", "plan_of"]
