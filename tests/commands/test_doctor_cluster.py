"""``vdg doctor`` where actors would ask: what it says of the cluster."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_vdg._commands._check import State
from pytest_vdg._commands._check_cluster import cluster
from pytest_vdg._commands._check_machine import machine
from pytest_vdg.sessions import ray_cluster
from tests.sessions.test_executors import settings


def test_nothing_is_said_where_this_process_asks(tmp_path: Path) -> None:
    """Whether Ray is there or not."""
    assert list(cluster(settings(tmp_path, ""))) == []


def test_ray_that_is_not_installed_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to type."""
    monkeypatch.setitem(sys.modules, "ray", None)
    found = list(cluster(settings(tmp_path, "executor: ray")))
    assert [check.state for check in found] == [State.FAIL]
    assert "pip install 'pytest-vdg[ray]'" in found[0].told


def test_what_the_cluster_has_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes, GPUs, and how many actors with what would ask."""
    node = {"Alive": True, "Resources": {"CPU": 64.0, "GPU": 8.0}}
    ray = SimpleNamespace(
        is_initialized=lambda: True,
        nodes=lambda: [node, node],
        cluster_resources=lambda: {"CPU": 128.0, "GPU": 16.0},
    )
    monkeypatch.setattr(ray_cluster, "require_ray", lambda: ray)
    (found,) = cluster(settings(tmp_path, "executor: ray"))
    assert found.state is State.OK
    assert found.told == (
        "ray: 2 nodes, 128 CPU, 16 GPU; 16 actors with 1 CPU and 1 GPU each"
    )


def test_no_cluster_is_begun_to_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run would begin one."""

    def init(*, address: str, **options: object) -> None:
        assert address == "auto"
        raise ConnectionError

    ray = SimpleNamespace(is_initialized=lambda: False, init=init)
    monkeypatch.setattr(ray_cluster, "require_ray", lambda: ray)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    (found,) = cluster(settings(tmp_path, "executor: ray"))
    assert "no cluster runs here" in found.told


def test_a_device_that_is_elsewhere_need_not_be_here() -> None:
    """The machine that plans may have no GPU."""
    found = machine(backend="transformers", device="cuda:9", elsewhere=True)
    assert not any("cuda:9" in check.told for check in found)
