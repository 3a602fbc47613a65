"""Tests of `ServerSettings`: what no server could be asked with is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pytest_vdg.backends import make_backend
from pytest_vdg.backends.openai_server import ServerSettings
from pytest_vdg.errors import ConfigError

URL = "http://127.0.0.1:8000/v1"


def settings(**server: object) -> ServerSettings:
    """Return settings as ``vdg.yaml`` would write them."""
    return ServerSettings.of("m", {"url": URL, **server})


@pytest.mark.parametrize(
    ("server", "message"),
    [
        ({"frames_as": "frames"}, "frames_as cannot be 'frames'"),
        ({"frame_as": "video"}, "no setting 'frame_as'. Did you mean 'frames_as'"),
        ({"timeout_s": 0}, "timeout_s must be a number above 0"),
        ({"timeout_s": float("nan")}, "timeout_s must be a number above 0"),
        ({"retries": -1}, "retries must be a whole number of at least 0"),
        ({"max_concurrent": 2.5}, "max_concurrent must be a whole number"),
        ({"reuse_hours": -1}, "reuse_hours must be a number of at least 0"),
        ({"price_per_million": {"prompts": 1}}, "no 'prompts'. Did you mean 'prompt'"),
        ({"price_per_million": {"prompt": -1}}, "at least 0, got -1"),
        ({"request": {"model": "x"}}, "cannot set 'model'"),
        ({"request": {"x": {1, 2}}}, "no JSON"),
        ({"frames_per_token": 2}, "of videos"),
        ({"model": "x"}, "no setting 'model'"),
    ],
)
def test_a_wrong_setting_is_refused(server: Mapping[str, Any], message: str) -> None:
    """What is wrong is named, and where it is plain what was meant, that too."""
    with pytest.raises(ConfigError, match=message):
        settings(**server)


@pytest.mark.parametrize("server", [None, {}, "http://127.0.0.1/v1"])
def test_a_server_needs_an_address(server: object) -> None:
    """Without one there is an example to copy."""
    with pytest.raises(ConfigError, match=r"server: \{url: http://localhost:8000/v1\}"):
        make_backend("openai", {"checkpoint": "m", "server": server})


def test_a_server_needs_the_name_of_a_model() -> None:
    """There is no default model."""
    with pytest.raises(ConfigError, match="set checkpoint"):
        make_backend("openai", {"server": {"url": URL}})


@pytest.mark.parametrize(
    "url",
    [
        "http://me:hunter22@127.0.0.1/v1",
        "http://hunter22@127.0.0.1/v1",
        "http://127.0.0.1/v1?api_key=hunter22",
        "http://127.0.0.1/v1#hunter22",
        "ftp://hunter22/v1",
    ],
)
def test_an_address_that_may_hold_a_secret_is_not_repeated(url: str) -> None:
    """It is refused without showing it."""
    with pytest.raises(ConfigError) as caught:
        ServerSettings.of("m", {"url": url})
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize("where", [{}, {"request": {}}])
@pytest.mark.parametrize("key", ["api_key", "key", "API-Key"])
def test_a_key_in_the_file_is_refused(where: Mapping[str, Any], key: str) -> None:
    """Whoever writes one is told where it belongs, and it is not shown."""
    server = {"request": {key: "hunter22"}} if where else {key: "hunter22"}
    with pytest.raises(ConfigError, match="VDG_API_KEY") as caught:
        settings(**server)
    assert "hunter22" not in str(caught.value)


def test_choice_needs_probabilities() -> None:
    """Asking for none and taking the most probable label contradict each other."""
    with pytest.raises(ConfigError, match="scoring: generate"):
        ServerSettings.of("m", {"url": URL, "logprobs": "off"}, scoring="choice")


def test_settings_of_a_local_model_are_told_not_used() -> None:
    """A file that serves both ways works, and whoever runs it hears what held."""
    given = {"checkpoint": "m", "server": {"url": URL}, "device": "cpu", "threads": 1}
    (note,) = make_backend("openai", given).notes  # type: ignore[attr-defined]
    assert "device, threads" in note
    with pytest.raises(ConfigError, match="no setting 'devise'"):
        make_backend("openai", {"checkpoint": "m", "devise": "cpu"})


@pytest.mark.parametrize("url", [URL, URL + "/", URL + "/chat/completions"])
def test_an_address_may_be_written_as_people_do(url: str) -> None:
    """With or without a slash, or with the endpoint itself."""
    assert ServerSettings.of("m", {"url": url}).endpoint == f"{URL}/chat/completions"
