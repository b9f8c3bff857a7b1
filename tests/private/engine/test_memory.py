"""What counting may take: the setting, else a share of the memory that this process is allowed."""

from __future__ import annotations

import os

import pytest

from dpcore.private.engine import memory

PHYSICAL = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
UNLIMITED = {1: "9223372036854771712\n", 2: "max\n"}
LIMIT = 300 * 2**20


@pytest.fixture
def groups(monkeypatch, tmp_path):
    """Says which groups the process is in, and what each folder of groups allows."""
    monkeypatch.delenv("EPSILON_ATLAS_MEMORY", raising=False)
    monkeypatch.setattr(memory, "GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "GROUPS_OF_PROCESS", tmp_path / "of_process")

    def set_up(of_process, limits):
        (tmp_path / "of_process").write_text(of_process)
        for file, text in limits.items():
            place = tmp_path / "cgroup" / file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(str(text))

    return set_up


@pytest.mark.parametrize(
    ("of_process", "limits"),
    [
        ("0::/\n", {"memory.max": LIMIT}),
        ("0::/a/b\n", {"memory.max": LIMIT}),  # the path of the host, seen from inside
        ("0::/a/b\n", {"a/b/memory.max": UNLIMITED[2], "a/memory.max": f"{LIMIT}\n"}),
        ("0::/a\n", {"a/memory.max": LIMIT, "memory.max": 2 * LIMIT}),
        ("5:cpu:/x\n4:memory:/a/b\n0::/\n", {"memory/a/b/memory.limit_in_bytes": LIMIT}),
        (
            "4:hugetlb,memory:/docker/1\n",
            {"memory/memory.limit_in_bytes": LIMIT, "memory/docker/memory.limit_in_bytes": UNLIMITED[1]},
        ),
    ],
)
def test_the_limit_of_a_container_counts_in_both_versions(groups, of_process, limits):
    groups(of_process, limits)
    assert memory.there_is() == LIMIT
    assert memory.affordable() == LIMIT * 6 // 10


@pytest.mark.parametrize(
    ("of_process", "limits"),
    [
        ("", {}),
        ("0::/\n", {"memory.max": UNLIMITED[2]}),
        ("4:memory:/\n", {"memory/memory.limit_in_bytes": UNLIMITED[1]}),
        ("0::/a\n5:cpu:/a\nnothing\n", {"a/memory.max": "", "memory.max": "\ufffd"}),
        ("5:cpu:/a\n", {"a/memory.max": LIMIT}),
    ],
)
def test_without_a_limit_it_is_the_memory_of_the_computer(groups, of_process, limits):
    groups(of_process, limits)
    assert memory.there_is() == PHYSICAL


def test_on_other_systems_it_is_the_memory_of_the_computer(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "GROUPS_OF_PROCESS", tmp_path / "nowhere")
    assert memory.there_is() == PHYSICAL


def test_the_setting_goes_before_any_limit(groups, monkeypatch):
    groups("0::/\n", {"memory.max": LIMIT})
    monkeypatch.setenv("EPSILON_ATLAS_MEMORY", "2GB")
    assert memory.affordable() == 2 * 2**30
