"""What ``vdg doctor`` says of the backend: that there is one, and what it makes.

Apart from the checkpoint because code of others is run here, which may fail in
ways of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_vdg._commands._check import Check, State
from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import LOCAL_BACKENDS, SERVER_BACKEND

if TYPE_CHECKING:
    from pytest_vdg.backends.protocol import Backend


def checked_backend(settings: Settings) -> Iterator[Check]:
    """Yield what the backend of *settings* is; raises `ConfigError` if it is none.

    Without a checkpoint it cannot be made, and that of a local one is looked into
    with its files.
    """
    from pytest_vdg.backends.protocol import LoadingBackend
    from pytest_vdg.backends.registry import find_factory

    name, where = settings.backend, settings.locate()
    find_factory(name)
    if where is None or name in LOCAL_BACKENDS:
        yield Check(about="backend", told=f"{name}: known")
        return
    backend = made(settings, where)
    try:
        if isinstance(backend, LoadingBackend):
            backend.import_libraries()  # what it lacks would stop the run later
        told = f"{name} makes {type(backend).__name__} {backend.name!r}; not loaded"
        yield Check(about="backend", told=told)
    except ImportError as error:
        yield Check(
            about="backend",
            state=State.FAIL,
            told=f"{name} cannot be used: {error}",
            advice="pip install 'pytest-vdg[server]'" if name == SERVER_BACKEND else "",
        )
    finally:
        backend.close()


def made(settings: Settings, where: str, *, fetch: bool = True) -> Backend:
    """Return the backend of *where*, made here whoever makes it in a run.

    Nothing is loaded; what is not here may be fetched.
    """
    from pytest_vdg.backends import make_backend

    given = settings.backend_settings(where)
    if not fetch:
        given["local_files_only"] = True
    return make_backend(settings.backend, given)
