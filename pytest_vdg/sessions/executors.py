"""`EXECUTORS`: who makes the model that asks: this process, or actors elsewhere.

Apart from the models, one of which is held at a time, so that another way to ask
elsewhere is one class and one line; and what cannot go together is refused here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import LOCAL_BACKENDS, SERVER_BACKEND
from pytest_vdg.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from pytest_vdg.backends.protocol import Backend
    from pytest_vdg.sessions.ray_cluster import RayCluster

LOCAL = "local"


class Executor(Protocol):
    """A way to come to a backend that is known by its name."""

    def make(self, backend: str, settings: Mapping[str, object]) -> Backend:
        """Return the backend, made with *settings*; nothing is loaded."""

    def close(self) -> None:
        """Leave what was entered; may be called twice."""


class InProcess:
    """Backends are made here."""

    def __init__(self, settings: Settings) -> None:
        """Need nothing of *settings*."""

    def make(self, backend: str, settings: Mapping[str, object]) -> Backend:
        """Return the backend; raises as the registry does."""
        from pytest_vdg.backends import make_backend

        return make_backend(backend, settings)

    def close(self) -> None:
        """Do nothing."""


class OnRay:
    """Backends are made by actors of a Ray cluster, and asked there."""

    def __init__(self, settings: Settings) -> None:
        """Connect to nothing yet; raises `ConfigError` for what cannot be."""
        _require_fit(settings)
        self.cluster = ray_cluster(settings)

    def make(self, backend: str, settings: Mapping[str, object]) -> Backend:
        """Return what stands for the backend here; actors are begun when asked."""
        from pytest_vdg.sessions.actors import Actors
        from pytest_vdg.sessions.crew import Crew

        return Crew(Actors(self.cluster, backend, settings))

    def close(self) -> None:
        """Leave the cluster."""
        self.cluster.close()


EXECUTORS: dict[str, Callable[[Settings], Executor]] = {
    LOCAL: InProcess,
    "ray": OnRay,
}
"""Name to what makes the executor."""


def find_executor(settings: Settings) -> Executor:
    """Return the executor of *settings*; raises `ConfigError` for one that cannot be.

    Of stored runs, which nobody is asked for, the one of this process.
    """
    if settings.replay is not None:
        return InProcess(settings)
    named = settings.executor
    if named not in EXECUTORS:
        raise ConfigError(
            f"{_said(settings)}: there is no executor {named!r}."
            f"{did_you_mean(named, EXECUTORS)}"
        )
    return EXECUTORS[named](settings)


def ray_cluster(settings: Settings) -> RayCluster:
    """Return the cluster of *settings*, not connected; Ray must be installed."""
    from pytest_vdg.sessions.ray_cluster import RayCluster, RaySettings, require_ray

    require_ray()
    given = RaySettings(**(settings.config.ray or {}))
    return RayCluster(given, on_cpu=settings.device == "cpu")


def refuse_made_here(settings: Settings) -> ConfigError:
    """Return the error for a backend that is an object of this process."""
    return ConfigError(
        f"{_said(settings)}: the backend is made by code of this process (the hook "
        "pytest_vdg_make_backend, or an argument), and actors cannot be given it. "
        "Name what makes it, --vdg-backend python:MODULE:ATTRIBUTE, or leave the "
        "executor out"
    )


def _require_fit(settings: Settings) -> None:
    said = _said(settings)
    if settings.spread:
        raise ConfigError(
            f"{said} and {settings.where['spread'].named}: actors ask, so no worker "
            "needs to. Leave one of the two out"
        )
    if settings.backend == SERVER_BACKEND:
        raise ConfigError(
            f"{said}: a server is asked by this process, many questions at a time "
            "(server.max_concurrent). Leave the executor out"
        )
    device = settings.device or ""
    if settings.backend in LOCAL_BACKENDS and device.startswith("cuda:"):
        raise ConfigError(
            f"{said}: device {device!r} names a GPU of one machine, and each actor "
            "gets its own. Write device: cuda"
        )


def _said(settings: Settings) -> str:
    where = settings.where["executor"]
    return f"{where.named} {where.value}"
