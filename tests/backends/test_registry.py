"""Tests of `make_backend`."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from pytest_vdg.backends import (
    BackendIdentity,
    Prompt,
    ScriptedBackend,
    make_backend,
    registry,
)
from pytest_vdg.errors import ConfigError


def stub(name: str = "stub") -> ScriptedBackend:
    """Return a backend that always answers B."""
    return ScriptedBackend(lambda prompt, clip: "B", name=name)


NOT_CALLABLE = 7


def test_a_python_factory_is_called_with_the_settings(prompt: Prompt) -> None:
    """``python:MODULE:ATTRIBUTE`` hands all settings to the user's factory."""
    backend = make_backend(f"python:{__name__}:stub", {"name": "mine"})
    assert backend.name == "mine"
    assert backend.ask(prompt, None).text == "B"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("python:", "names no factory"),
        ("python:os", "names no factory"),
        ("python:no_such_module:stub", "cannot be imported"),
        (f"python:{__name__}:stubb", "cannot be imported"),
        (f"python:{__name__}:NOT_CALLABLE", "no callable, but 7"),
    ],
)
def test_a_factory_that_is_not_there_is_named(spec: str, message: str) -> None:
    """A misspelt factory is a configuration error that shows what was written."""
    with pytest.raises(ConfigError, match=message) as raised:
        make_backend(spec, {})
    assert spec in str(raised.value)


def test_what_a_factory_makes_must_be_a_backend() -> None:
    """An object that cannot be asked is refused with what it lacks."""
    with pytest.raises(ConfigError, match=r"made a .*SimpleNamespace.* lacks"):
        make_backend("python:types:SimpleNamespace", {"name": "x"})


def test_looking_at_a_backend_does_not_ask_for_its_identity(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Making a backend never pays for hashing its weights."""

    class Costly(ScriptedBackend):
        """A backend whose identity must not be asked for."""

        @property
        def identity(self) -> BackendIdentity:
            """Fail."""
            raise AssertionError("identity was read")

    monkeypatch.setitem(
        registry.BACKENDS, "costly", lambda: Costly(lambda prompt, clip: "A")
    )
    assert make_backend("costly", {}).name == "scripted"


def test_an_unknown_name_is_met_with_the_nearest_known() -> None:
    """A misspelt backend is no silent default."""
    with pytest.raises(ConfigError, match="Did you mean 'transformers'"):
        make_backend("tranformers", {})


def test_an_unknown_setting_is_met_with_the_nearest_known() -> None:
    """A misspelt setting is never ignored."""
    with pytest.raises(ConfigError, match="Did you mean 'dtype'"):
        make_backend("transformers", {"checkpoint": "x", "dtpe": "auto"})


@pytest.mark.parametrize("settings", [{"nam": "x"}, {"name": "x", "more": 1}])
def test_a_setting_that_a_factory_does_not_take_is_refused(
    settings: dict[str, object],
) -> None:
    """The user's own factory is not called with what it would choke on."""
    with pytest.raises(ConfigError, match=r"unexpected keyword argument '(nam|more)'"):
        make_backend(f"python:{__name__}:stub", settings)


def test_a_checkpoint_is_needed() -> None:
    """Without a checkpoint there is nothing to ask."""
    with pytest.raises(ConfigError, match="needs a checkpoint"):
        make_backend("transformers", {})


def test_a_checkpoint_is_opened(checkpoint: Path) -> None:
    """The built-in name makes a backend from its settings."""
    backend = make_backend("transformers", {"checkpoint": str(checkpoint)})
    assert backend.name == checkpoint.name
    assert backend.frames_per_token == 2


def test_entry_points_add_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another package's backend is found by the name of its entry point."""
    entry = EntryPoint("theirs", f"{__name__}:stub", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry])
    assert make_backend("theirs", {}).name == "stub"


def test_a_broken_entry_point_says_where_it_points(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A package that is half installed is named, with its module."""
    entry = EntryPoint("theirs", "no_such_module:stub", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry])
    with pytest.raises(ConfigError, match="no_such_module:stub"):
        make_backend("theirs", {})
