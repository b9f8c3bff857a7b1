"""What owners of trips may ask of Spark: whether it is there, what columns files have, to load them. Private, as ``dpcore.api.owner`` is.

Nothing is started before files are asked for.
"""

from __future__ import annotations

from dpcore.engines.spark.private.loading import fingerprint_on_spark, inspect_on_spark, load_on_spark
from dpcore.engines.spark.private.session import spark_is_installed

__all__ = [
    "fingerprint_on_spark",
    "inspect_on_spark",
    "load_on_spark",
    "spark_is_installed",
]
