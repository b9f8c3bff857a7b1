"""Spark on the Data page: how it looks where it is missing, and what a visitor may not name."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.engines.spark import owner as spark
from pages.parts import roles
from tests.app.conftest import LOCAL


def page():
    from pages.owner.parts.data.spark_source import spark_source

    spark_source()


def test_without_spark_the_page_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(spark, "spark_is_installed", lambda: False)
    shown = AppTest.from_function(page, default_timeout=120).run()
    assert not shown.exception
    assert "pip install -r requirements-spark.txt" in shown.info[0].value
    assert not shown.button


def field(found, name):
    """The widget of a field. What follows its name in the key changes when a project is read."""
    return next(one for one in found if one.key.rstrip("0123456789 ") == name)


@pytest.mark.parametrize("address", ["/etc/passwd", "file:///etc", "http://x/y", "s3a://a b"])
def test_no_file_of_the_server_can_be_named(monkeypatch, tmp_path, address):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path))
    monkeypatch.setattr(roles, "visit", lambda: LOCAL)
    monkeypatch.setattr(spark, "spark_is_installed", lambda: True)
    shown = AppTest.from_function(page, default_timeout=120).run()
    field(shown.segmented_control, "spark place").set_value("Address").run()
    field(shown.text_input, "spark address").set_value(address).run()
    assert not shown.exception
    assert "address that Spark opens" in shown.error[0].value
    assert not shown.button
