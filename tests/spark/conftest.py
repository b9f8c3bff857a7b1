"""Spark where it is installed; tests that need it are skipped elsewhere, with the reason."""

from __future__ import annotations

import os

import pytest

from tests.spark import java

# Small data: compiling, and parts that hold nearly nothing, cost more than they save. What is counted is the same, out of
# two parts (twice the parallelism).
_SMALL = (
    "--conf spark.sql.adaptive.enabled=false --conf spark.sql.codegen.wholeStage=false "
    "--conf spark.sql.codegen.factoryMode=NO_CODEGEN --conf spark.default.parallelism=1 pyspark-shell"
)
_LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def pytest_collection_modifyitems(items):
    """First of all: workers begin with equal stretches of the tests, so that one of them starts Java, and no other."""
    items.sort(key=lambda item: "spark_here" not in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def spark_here(tmp_path_factory):
    """Skips where Spark cannot run; else prepares for small data, before it is first started."""
    from dpcore.engines.spark.private.session import spark_is_installed

    with pytest.MonkeyPatch.context() as patch:
        java_home = java.home(tmp_path_factory.mktemp("java"))
        if java_home is not None:
            patch.setenv("JAVA_HOME", str(java_home))
        if not spark_is_installed():
            pytest.skip("needs pip install -r requirements-spark.txt, and Java 17")
        patch.setenv("PYSPARK_SUBMIT_ARGS", os.environ.get("PYSPARK_SUBMIT_ARGS", _SMALL))
        patch.setenv("JDK_JAVA_OPTIONS", os.environ.get("JDK_JAVA_OPTIONS", _LIGHT))
        yield
