"""The bundle of a release that a file of tests makes: written once, and a copy for each test that changes it."""

from __future__ import annotations

import shutil

import pytest

from dpcore.release import write_bundle


@pytest.fixture(scope="module")
def written(release, tmp_path_factory):
    """The folder of the bundle of ``release``."""
    folder = tmp_path_factory.mktemp("bundles") / "b"
    write_bundle(release, folder)
    return folder


@pytest.fixture
def bundle(written, tmp_path):
    """A copy that a test may change."""
    return shutil.copytree(written, tmp_path / "b")
