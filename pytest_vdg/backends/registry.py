"""From a backend's name in the configuration to the backend.

Apart from the backends so that none of them knows the others, and so that a
package elsewhere adds one with an entry point in ``pytest_vdg.backends``.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from pytest_vdg.backends.openai_server import OpenAIBackend, ServerSettings
from pytest_vdg.backends.protocol import Backend
from pytest_vdg.backends.text_lm import TextLmBackend
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.errors import ConfigError, did_you_mean

GROUP = "pytest_vdg.backends"
"""Entry-point group whose entries are backend factories."""

PYTHON = "python:"
"""Prefix of a factory given by name: ``python:MODULE:ATTRIBUTE``."""

Factory = Callable[..., object]
"""Takes the settings as keyword arguments and returns a backend."""


def make_backend(name: str, settings: Mapping[str, object]) -> Backend:
    """Return the backend that *name* stands for, made with *settings*.

    Parameters
    ----------
    name : str
        A built-in name (``transformers``, ``text-lm``, ``openai``), the name of an
        entry point in group ``pytest_vdg.backends``, or ``python:MODULE:ATTRIBUTE``.
    settings : mapping
        Passed to the factory as keyword arguments.

    Raises
    ------
    ConfigError
        For a name that nothing is known by, a setting the factory does not
        take, or a factory that makes something else than a backend.
    BackendUnavailable
        If the backend's packages are not installed.
    """
    factory = find_factory(name)
    _check_arguments(name, factory, settings)
    backend = factory(**settings)
    missing = [part for part in _PARTS if not _has(backend, part)]
    if missing:
        raise ConfigError(
            f"backend {name!r} made a {type(backend).__name__}, which is no "
            f"backend: it lacks {', '.join(missing)}"
        )
    return cast("Backend", backend)


def _make_transformers(**settings: object) -> Backend:
    return TransformersBackend(_transformers_settings("transformers", settings))


def _make_text_lm(**settings: object) -> Backend:
    return TextLmBackend(_transformers_settings("text-lm", settings))


def _transformers_settings(
    name: str, settings: Mapping[str, object]
) -> TransformersSettings:
    known = [field.name for field in dataclasses.fields(TransformersSettings)]
    for key in settings:
        if key not in known:
            raise ConfigError(
                f"backend {name!r} has no setting {key!r}.{did_you_mean(key, known)}"
            )
    if "checkpoint" not in settings:
        raise ConfigError(f"backend {name!r} needs a checkpoint: a folder or a Hub id")
    return TransformersSettings(**settings)  # type: ignore[arg-type]


def _make_openai(
    checkpoint: object = None, server: object = None, **settings: object
) -> Backend:
    asked = {n: settings.pop(n) for n in ("scoring", "max_new_tokens") if n in settings}
    local = [field.name for field in dataclasses.fields(TransformersSettings)]
    for key in settings:
        if key not in local:
            raise ConfigError(
                f"backend 'openai' has no setting {key!r}."
                f"{did_you_mean(key, ['checkpoint', 'server', *asked])}"
            )
    made = ServerSettings.of(checkpoint, server, **asked)
    made.require_same_way(settings.pop("frames_as", None))
    return OpenAIBackend(made, not_used=settings)


BACKENDS: dict[str, Factory] = {
    "transformers": _make_transformers,
    "text-lm": _make_text_lm,
    "openai": _make_openai,
}
"""The built-in backends; they win over entry points of the same name."""

_PARTS = ("name", "identity", "frames_per_token", "ask", "close")


def _has(backend: object, part: str) -> bool:
    """Look without asking: reading ``identity`` may hash all weights."""
    return inspect.getattr_static(backend, part, None) is not None


def _check_arguments(
    name: str, factory: Factory, settings: Mapping[str, object]
) -> None:
    """Refuse settings that *factory* does not take, before it runs."""
    try:
        signature = inspect.signature(factory)
    except ValueError:  # some callables of C have none; they check themselves
        return
    try:
        signature.bind(**settings)
    except TypeError as error:
        raise ConfigError(
            f"backend {name!r} is made with {signature}: {error}"
        ) from None


def find_factory(name: str) -> Factory:
    """Return what makes the backend called *name*, or raise `ConfigError`."""
    if name in BACKENDS:
        return BACKENDS[name]
    if name.startswith(PYTHON):
        return _import_factory(name)
    others = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name in others:
        return _load_entry(others[name])
    hint = did_you_mean(name, [*BACKENDS, *others])
    raise ConfigError(
        f"there is no backend {name!r}.{hint} "
        f"Your own one is written {PYTHON}MODULE:ATTRIBUTE."
    )


def _load_entry(entry: EntryPoint) -> Factory:
    try:
        return cast("Factory", entry.load())
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"backend {entry.name!r} ({entry.value}) cannot be imported: {error}"
        ) from error


def _import_factory(name: str) -> Factory:
    module, separator, attribute = name.removeprefix(PYTHON).partition(":")
    if not (module and separator and attribute):
        raise ConfigError(
            f"{name!r} names no factory; write {PYTHON}MODULE:ATTRIBUTE, "
            f"e.g. {PYTHON}my_suite.models:make_stub"
        )
    try:
        factory = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"backend {name!r} cannot be imported: {error}") from error
    if not callable(factory):
        raise ConfigError(f"backend {name!r} is no callable, but {factory!r}")
    return cast("Factory", factory)
