"""What the guide for Spark says to type on this computer runs."""

from __future__ import annotations

import pytest

from tests.docs.reader import Reader, furnish
from tests.docs.texts import DOCS, blocks


@pytest.mark.usefixtures("spark_here")
def test_the_commands_of_the_guide_for_this_computer_run(tmp_path, monkeypatch, capsys):
    furnish(tmp_path)
    reader = Reader(tmp_path, monkeypatch, capsys)
    for block in blocks(DOCS / "how-to" / "count-on-spark.md"):
        if block.needs == "Spark":
            reader.types(block)
    assert (tmp_path / "spark" / "manifest.json").exists()
