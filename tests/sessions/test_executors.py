"""Executors: what goes together with actors, and what of a cluster each gets."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_vdg.config.file import load_config
from pytest_vdg.config.kinds import RAY, TOP
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import COMMAND_LINE, Voice
from pytest_vdg.errors import ConfigError
from pytest_vdg.sessions import ray_address, ray_cluster
from pytest_vdg.sessions.executors import EXECUTORS, InProcess, find_executor
from pytest_vdg.sessions.models import Models
from pytest_vdg.sessions.ray_cluster import RayCluster, RaySettings
from tests.engine.examples import model


def settings(folder: Path, text: str, **typed: object) -> Settings:
    """Return what a ``vdg.yaml`` of *text* sets, and what was *typed*."""
    path = folder / "vdg.yaml"
    path.write_text(text, encoding="utf-8")
    config = load_config(path)
    voices = [
        Voice(source=COMMAND_LINE, base=folder, values=typed),
        file_voice(config, folder),
    ]
    return resolve(voices, base=folder, config=config)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Let there be Ray, of a cluster that a test describes."""
    ray = SimpleNamespace(
        is_initialized=lambda: True,
        cluster_resources=dict,
        available_resources=dict,
        nodes=list,
    )
    monkeypatch.setattr(ray_cluster, "require_ray", lambda: ray)
    return ray


def test_every_executor_may_be_written_in_the_file() -> None:
    """And every key of ``ray`` there is a setting of it."""
    assert all(TOP["executor"].accepts(name) for name in EXECUTORS)
    assert RAY.keys() == RaySettings.__dataclass_fields__.keys()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("spread: true", "executor ray and vdg.yaml: spread: actors ask"),
        ("backend: openai", r"a server is asked by this process"),
        ("device: 'cuda:1'", r"names a GPU of one machine.* Write device: cuda"),
    ],
)
def test_what_cannot_go_together_is_refused(
    tmp_path: Path, installed: SimpleNamespace, text: str, told: str
) -> None:
    """Before a cluster is looked for, with what to leave out."""
    with pytest.raises(ConfigError, match=told):
        find_executor(settings(tmp_path, f"executor: ray\n{text}"))


def test_a_misspelt_executor_is_said_to_be_one(tmp_path: Path) -> None:
    """With what was probably meant, wherever it was said."""
    with pytest.raises(ConfigError, match=r"--vdg-executor rai: .* mean 'ray'\?"):
        find_executor(settings(tmp_path, "", executor="rai"))


def test_a_backend_of_this_process_is_refused(
    tmp_path: Path, installed: SimpleNamespace
) -> None:
    """It is closed; one that is left to the registry is not made here."""
    made = model()
    own = settings(tmp_path, "executor: ray")
    with pytest.raises(ConfigError, match="pytest_vdg_make_backend"):
        Models(own, lambda name, given: made, None).of("any")
    assert made.closed
    backend = Models(own, lambda name, given: None, None).of("any")
    assert Models(own, None, None).hands(backend) is backend


def test_stored_runs_need_no_cluster(tmp_path: Path) -> None:
    """Nobody is asked."""
    found = settings(tmp_path, "executor: ray\nspread: true", replay=str(tmp_path))
    assert isinstance(find_executor(found), InProcess)


def test_without_ray_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, and for all nodes."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"pip install 'pytest-vdg\[ray\]', on all"):
        find_executor(settings(tmp_path, "executor: ray"))


# -- what an actor gets ----------------------------------------

GPU_NODE = {"CPU": 64.0, "GPU": 8.0}
HEAD = {"CPU": 4.0}


@pytest.mark.parametrize(
    ("nodes", "given", "on_cpu", "share"),
    [
        ([HEAD, GPU_NODE, GPU_NODE], {}, False, (16, 1, 1.0)),
        ([HEAD, GPU_NODE, GPU_NODE], {"gpus_per_actor": 2.0}, False, (8, 1, 2.0)),
        ([GPU_NODE], {"gpus_per_actor": 0.5}, False, (16, 1, 0.5)),
        ([GPU_NODE], {"actors": 3, "cpus_per_actor": 4}, False, (3, 4, 1.0)),
        ([GPU_NODE, GPU_NODE], {}, True, (2, 64, 0.0)),
        ([HEAD, {"CPU": 16.0}], {}, False, (2, 4, 0.0)),
        ([HEAD, {"CPU": 16.0}], {"cpus_per_actor": 8}, False, (1, 8, 0.0)),
        ([{"memory": 1.0}, {"CPU": 2.0}], {}, False, (1, 2, 0.0)),
        ([{"CPU": 2.0}], {"actors": 2}, False, (2, 1, 0.0)),
        ([HEAD, {"CPU": 16.0}], {"actors": 4}, False, (4, 4, 0.0)),
        ([{"CPU": 2.0}], {"actors": 5}, False, (5, 1, 0.0)),
    ],
)
def test_an_actor_a_gpu_else_one_a_node(
    installed: SimpleNamespace,
    nodes: list[dict[str, float]],
    given: dict[str, Any],
    on_cpu: bool,
    share: tuple[int, int, float],
) -> None:
    """How many, with how many CPUs and GPUs, unless it is said otherwise."""
    installed.nodes = lambda: [{"Alive": True, "Resources": n} for n in nodes]
    installed.cluster_resources = lambda: {
        name: sum(n.get(name, 0.0) for n in nodes) for name in ("CPU", "GPU")
    }
    cluster = RayCluster(RaySettings(**given), on_cpu=on_cpu)
    assert (cluster.wanted, cluster._cpus_each, cluster._gpus_each) == share
    needs = f"each needs {share[1]} CPU and {share[2]:g} GPU, the cluster has"
    assert cluster.told.startswith(needs)


@pytest.mark.parametrize(
    ("backend", "gpus", "given", "threads"),
    [
        ("transformers", 0.0, {}, 4),
        ("transformers", 0.0, {"threads": 2}, 2),
        ("transformers", 8.0, {}, None),
        ("python:mine:model", 0.0, {}, None),
    ],
)
def test_a_model_on_cpus_uses_those_of_its_actor(
    installed: SimpleNamespace,
    backend: str,
    gpus: float,
    given: Mapping[str, object],
    threads: int | None,
) -> None:
    """Unless it was said how many, and for backends that know what threads are."""
    made: list[tuple[object, ...]] = []
    installed.nodes = lambda: [{"Alive": True, "Resources": {"CPU": 4.0}}]
    installed.cluster_resources = lambda: {"CPU": 4.0, "GPU": gpus}
    actor = SimpleNamespace(remote=lambda *args: made.append(args))
    installed.remote = lambda kind: SimpleNamespace(options=lambda **how: actor)
    RayCluster(RaySettings(), on_cpu=False).begin(backend, given)
    assert made[0][1] == ({**given} if threads is None else {"threads": threads})


def test_no_secret_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a cluster shows to all who use it holds no token and no key."""
    for name in ("VDG_API_KEY", "HF_TOKEN", "HF_HOME", "VDG_SEED", "OTHER"):
        monkeypatch.setenv(name, "x")
    passed = ray_cluster._variables()
    assert {"HF_HOME", "VDG_SEED", "PYTHONPATH"} <= passed.keys()
    assert not {"VDG_API_KEY", "HF_TOKEN", "OTHER"} & passed.keys()


# -- where the cluster is --------------------------------------


@pytest.fixture
def closed() -> Iterator[int]:
    """Return a port that nobody listens at."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.fixture
def listening() -> Iterator[int]:
    """Return a port that somebody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


class FakeRay:
    """Ray that notes which address it is told."""

    def __init__(self) -> None:
        """Be told nothing yet."""
        self.told: list[str] = []

    def init(self, *, address: str, **options: object) -> None:
        """Find no cluster that runs."""
        self.told.append(address)
        if address == "auto":
            raise ConnectionError


def test_a_cluster_that_is_not_there_is_told_at_once(
    closed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever names it; Ray itself would try for minutes."""
    ray = FakeRay()
    named = f"127.0.0.1:{closed}"
    with pytest.raises(
        ConfigError, match=r"no Ray cluster answers .* ray start --head"
    ):
        ray_address.connect(ray, named)
    monkeypatch.setenv("RAY_ADDRESS", named)
    with pytest.raises(ConfigError, match=named):
        ray_address.connect(ray, None)
    assert ray.told == []


@pytest.mark.parametrize("port", ["", "x", "-1", "²", "1" * 5000])
def test_an_address_without_a_port_is_a_mistake(port: str) -> None:
    """Also where what stands there is called a digit and is no number."""
    ray = FakeRay()
    for named in (f"127.0.0.1:{port}", "ray://head:10001"):
        with pytest.raises(ConfigError, match="must be HOST:PORT"):
            ray_address.connect(ray, named)
    assert ray.told == []


def test_a_cluster_is_found_or_begun(
    closed: int,
    listening: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The one that is named, one that runs here, or a new one beside a dead one."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    ray = FakeRay()
    ray_address.connect(ray, f"127.0.0.1:{listening}")
    ray_address.connect(ray, None)
    (tmp_path / "ray").mkdir()
    noted = tmp_path / "ray" / "ray_current_cluster"
    noted.write_text(f"127.0.0.1:{closed}", encoding="utf-8")
    ray_address.connect(ray, None)
    assert ray.told == [f"127.0.0.1:{listening}", "auto", "local", "local"]


def test_sigterm_does_what_it_did_before() -> None:
    """Ray would have it raise `SystemExit`, which is one test's error to pytest."""

    class Rude(FakeRay):
        def init(self, *, address: str, **options: object) -> None:
            signal.signal(signal.SIGTERM, lambda *_: None)

    before = signal.getsignal(signal.SIGTERM)
    try:
        ray_address.connect(Rude(), "local")
        assert signal.getsignal(signal.SIGTERM) is before
    finally:
        signal.signal(signal.SIGTERM, before)
