"""Whether Spark can be asked for at all."""

from __future__ import annotations

from dpcore.errors import InputError
from dpcore.private.spark.session import must_be_installed


def spark_is_installed() -> bool:
    """Whether PySpark and Java are there; nothing is started."""
    try:
        must_be_installed()
    except InputError:
        return False
    return True
