"""Spark where it is installed; tests that need it are skipped elsewhere, with the reason."""

from __future__ import annotations

import os
import shutil

import pytest

# Small data: compiling costs more than it saves. What is counted is the same.
_SMALL = (
    "--conf spark.sql.adaptive.enabled=false --conf spark.sql.codegen.wholeStage=false "
    "--conf spark.sql.codegen.factoryMode=NO_CODEGEN pyspark-shell"
)
_LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="session")
def spark_here():
    """Skips where Spark cannot run; else prepares for small data, before it is first started."""
    from dpcore.private.spark.session import spark_is_installed

    if not spark_is_installed():
        pytest.skip("needs pip install -r requirements-spark.txt, and Java 17")
    assert shutil.which("java") or os.environ.get("JAVA_HOME")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_SUBMIT_ARGS", os.environ.get("PYSPARK_SUBMIT_ARGS", _SMALL))
        patch.setenv("JDK_JAVA_OPTIONS", os.environ.get("JDK_JAVA_OPTIONS", _LIGHT))
        yield
