"""`RayCluster`: actors on a Ray cluster, made with what the configuration gives them.

Apart from the actors' own ways because this alone imports Ray, and only inside of
functions: it is an extra, and importing it takes a second.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_vdg.config.switches import LOCAL_BACKENDS
from pytest_vdg.errors import ConfigError, VdgError
from pytest_vdg.sessions.actors import Lost
from pytest_vdg.sessions.ray_actor import RayActor
from pytest_vdg.sessions.ray_address import connect
from pytest_vdg.spelling import count

_PASSED_ON = ("VDG_", "HF_", "TRANSFORMERS_")
"""Variables whose names begin so are the same on all nodes."""
_SECRET = ("TOKEN", "KEY", "SECRET", "PASSWORD")
"""Not those: a cluster shows to everybody what its actors are made with."""


@dataclass(frozen=True, kw_only=True)
class RaySettings:
    """What ``ray`` of a ``vdg.yaml`` says."""

    address: str | None = None
    """Of the cluster; None: ``RAY_ADDRESS``, the one that runs here, or a new one."""
    actors: int | None = None
    """None for one a GPU, or one a node where there are none."""
    gpus_per_actor: float | None = None
    """None for 1 where there are GPUs and one may be used."""
    cpus_per_actor: int | None = None
    """None for 1 beside a GPU, else for all of the smallest node, or for an equal
    share where it was said how many ask."""


def require_ray() -> ModuleType:
    """Return Ray; raises `ConfigError` where it is not installed."""
    try:
        import ray
    except ImportError as error:
        raise ConfigError(
            "executor 'ray' needs the package ray, which is not installed.\n"
            "Install it with: pip install 'pytest-vdg[ray]', on all nodes"
        ) from error
    found: ModuleType = ray
    return found


class RayCluster:
    """A cluster that is connected to at first need, and left as it was found."""

    def __init__(self, settings: RaySettings, *, on_cpu: bool) -> None:
        """Connect to nothing yet. *on_cpu*: no actor needs a GPU."""
        self._settings = settings
        self._on_cpu = on_cpu
        self._connected = False

    @property
    def _ray(self) -> Any:  # noqa: ANN401
        ray = require_ray()
        if not ray.is_initialized():
            self._connected = connect(ray, self._settings.address)
        return ray

    def close(self) -> None:
        """Leave the cluster, if it was entered here; one begun here ends."""
        if self._connected:
            require_ray().shutdown()
        self._connected = False

    @property
    def described(self) -> str | None:
        """What there is, and who would ask; None where a cluster had to be begun."""
        ray = require_ray()
        if not ray.is_initialized():
            self._connected = connect(ray, self._settings.address, begin=False)
            if not self._connected:
                return None
        nodes = sum(bool(node["Alive"]) for node in ray.nodes())
        has = ray.cluster_resources()
        return (
            f"{count(nodes, 'node')}, {has.get('CPU', 0):g} CPU, {self.gpus:g} GPU; "
            f"{count(self.wanted, 'actor')} with {self._cpus_each} CPU and "
            f"{self._gpus_each:g} GPU each"
        )

    # -- what there is, and what an actor gets of it ---------

    @property
    def gpus(self) -> float:
        """GPUs of all nodes."""
        return float(self._ray.cluster_resources().get("GPU", 0))

    @property
    def _gpus_each(self) -> float:
        if self._on_cpu or not self.gpus:
            return self._settings.gpus_per_actor or 0.0
        return self._settings.gpus_per_actor or 1.0

    @property
    def _cpus(self) -> list[float]:
        """CPUs of each node that has any."""
        nodes = [node for node in self._ray.nodes() if node["Alive"]]
        found = (float(node["Resources"].get("CPU", 0)) for node in nodes)
        return [cpus for cpus in found if cpus >= 1]

    @property
    def _cpus_each(self) -> int:
        if self._settings.cpus_per_actor is not None:
            return self._settings.cpus_per_actor
        if self._gpus_each:
            return 1
        smallest, all_ = min(self._cpus, default=1.0), sum(self._cpus)
        shared = smallest if self._settings.actors is None else all_ // self.wanted
        return max(1, int(min(smallest, shared)))

    @property
    def wanted(self) -> int:
        """How many actors a run should have."""
        if self._settings.actors is not None:
            return self._settings.actors
        if each := self._gpus_each:
            return max(1, int(self.gpus // each))
        return max(1, sum(cpus >= self._cpus_each for cpus in self._cpus))

    @property
    def told(self) -> str:
        """What an actor needs, and what there is."""
        has, free = self._ray.cluster_resources(), self._ray.available_resources()
        there = " and ".join(
            f"{has.get(name, 0):g} {name} ({free.get(name, 0):g} free)"
            for name in ("CPU", "GPU")
        )
        needs = f"{self._cpus_each} CPU and {self._gpus_each:g} GPU"
        return (
            f"each needs {needs}, the cluster has {there}. Say how much each gets by "
            "cpus_per_actor and gpus_per_actor of ray in vdg.yaml"
        )

    # -- actors ----------------------------------------------

    def begin(self, backend: str, settings: Mapping[str, object]) -> Any:  # noqa: ANN401
        """Return an actor, which lives as soon as there is room for it."""
        ray, gpus, cpus = self._ray, self._gpus_each, self._cpus_each
        if not gpus and backend in LOCAL_BACKENDS:
            settings = {"threads": cpus, **settings}
        made = ray.remote(RayActor).options(
            num_cpus=cpus,
            num_gpus=gpus,
            scheduling_strategy="SPREAD",
            runtime_env={"env_vars": _variables()},
        )
        return made.remote(backend, dict(settings), str(Path.cwd()))

    def call(self, actor: Any, method: str, *args: object) -> Any:  # noqa: ANN401
        """Have *actor* do something after what it was called for before."""
        return actor.call.remote(method, *args)

    def done(self, calls: Sequence[Any], timeout_s: float) -> Sequence[Any]:
        """Return those of *calls* that are done; wait for the first of them."""
        if not calls:
            return ()
        ray, left = self._ray, list(calls)
        first, left = ray.wait(left, num_returns=1, timeout=timeout_s)
        if not first or not left:
            return list(first)
        also, _ = ray.wait(left, num_returns=len(left), timeout=0)
        return [*first, *also]

    def result(self, call: Any) -> Any:  # noqa: ANN401
        """Return what came of *call*; raises what it raised, or `Lost`."""
        ray = self._ray
        try:
            found = ray.get(call)
        except ray.exceptions.RayTaskError:
            raise  # a fault of ours, or an answer that cannot travel
        except ray.exceptions.RayError as error:
            raise Lost(_how_it_died(error)) from None
        if isinstance(found, VdgError):
            raise found
        return found

    def end(self, actor: Any) -> None:  # noqa: ANN401
        """End *actor*, whatever it does."""
        self._ray.kill(actor)


def _variables() -> dict[str, str]:
    """Return what is in the environment of an actor besides what is there."""
    passed = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(_PASSED_ON) and not any(s in name for s in _SECRET)
    }
    return {**passed, "PYTHONPATH": os.pathsep.join(_own_paths())}


def _own_paths() -> list[str]:
    """Return where modules are found that no installation brings, e.g. a suite's."""
    installed = {Path(p).resolve() for p in (sys.prefix, sys.base_prefix)}
    found = []
    for entry in sys.path:
        path = Path(entry or ".").resolve()
        if path.is_dir() and not installed & {path, *path.parents}:
            found.append(str(path))
    return list(dict.fromkeys(found))


def _how_it_died(error: BaseException) -> str:
    """Return what Ray knows of an actor's end, without what it then supposes."""
    told = " ".join(str(error).split())
    for before in ("Worker exit detail: ", "The actor is dead because "):
        _, found, after = told.rpartition(before)
        if found:
            told = after
    return told.partition(" There are some potential root causes")[0][:300]
