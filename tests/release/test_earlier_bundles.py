"""Bundles that earlier versions wrote, one of each kind: they still read, and their words are left to them."""

import shutil
from pathlib import Path

import pytest

import dpcore
from dpcore.errors import BundleError
from dpcore.release import read_bundle, verify_bundle

HERE = Path(__file__).parent
KINDS = ("tables", "model", "stability", "tree")
EARLIER = {
    f"{kind} of {version}": (version, HERE / f"bundles_of_{version.replace('.', '_')}" / kind)
    for version, kinds in (("0.1.0", KINDS), ("0.2.0", (*KINDS, "plain", "raised")))
    for kind in kinds
}


@pytest.mark.parametrize(("version", "bundle"), EARLIER.values(), ids=EARLIER)
def test_a_bundle_of_an_earlier_version_reads_and_its_verdict_says_what_was_not_compared(version, bundle):
    assert read_bundle(bundle).id in str(verify_bundle(bundle))
    assert verify_bundle(bundle).other_version is (version != dpcore.__version__)


@pytest.mark.parametrize(("version", "bundle"), EARLIER.values(), ids=EARLIER)
def test_a_number_that_was_changed_in_it_is_found_all_the_same(version, bundle, tmp_path):
    shutil.copytree(bundle, tmp_path / version)
    manifest = tmp_path / version / "manifest.json"
    found = b'"max_trips": 4' if version == "0.1.0" else b'"max_trips": 3'
    assert found in manifest.read_bytes()
    manifest.write_bytes(manifest.read_bytes().replace(found, b'"max_trips": 5', 1))
    with pytest.raises(BundleError):
        verify_bundle(tmp_path / version)
