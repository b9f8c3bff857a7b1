"""Bundles that version 0.1.0 wrote, one of each kind: they still read, and their words are left to them."""

import shutil
from pathlib import Path

import pytest

from dpcore.bundles import read_any, verify_any
from dpcore.errors import BundleError

EARLIER = Path(__file__).parent / "bundles_of_0_1_0"
KINDS = ("tables", "model", "stability", "tree")


@pytest.mark.parametrize("kind", KINDS)
def test_a_bundle_of_an_earlier_version_reads_and_its_verdict_says_what_was_not_compared(kind):
    assert read_any(EARLIER / kind).id in str(verify_any(EARLIER / kind))
    assert verify_any(EARLIER / kind).other_version


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_that_was_changed_in_it_is_found_all_the_same(kind, tmp_path):
    shutil.copytree(EARLIER / kind, tmp_path / kind)
    manifest = tmp_path / kind / "manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(b'"max_trips": 4', b'"max_trips": 5', 1))
    with pytest.raises(BundleError):
        verify_any(tmp_path / kind)
