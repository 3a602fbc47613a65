"""Tests of `ServerSettings`: what no server could be asked with is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_vdg.backends import make_backend
from pytest_vdg.backends._server_settings import OURS
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


def test_what_is_not_set_is_as_documented() -> None:
    """The numbers of the table in ``docs/servers.md``."""
    found = settings()
    assert (found.frames_as, found.image_format, found.logprobs) == (
        "images",
        "png",
        "auto",
    )
    assert (found.frames_per_token, found.max_concurrent, found.retries) == (1, 8, 5)
    assert (found.timeout_s, found.deadline_s) == (120, 900)
    assert (found.requests_per_minute, found.reuse_hours) == (None, 0)
    assert (found.scoring, found.max_new_tokens) == ("generate", 16)
    assert (found.price_per_million, found.request) == ({}, {})


@pytest.mark.parametrize(
    ("name", "least"),
    [("max_concurrent", 1), ("retries", 0), ("frames_per_token", 1)],
)
def test_whole_numbers_have_a_least_one(name: str, least: int) -> None:
    """It is taken; one less, a fraction, a text and a yes are not."""
    way = {"frames_as": "video"}
    assert getattr(settings(**way, **{name: least}), name) == least
    for wrong in (least - 1, 2.0, "2", True):
        with pytest.raises(ConfigError, match=f"{name} must be .* at least {least}"):
            settings(**way, **{name: wrong})


def test_a_reply_may_be_of_one_token() -> None:
    """A letter is one; none is no reply."""
    assert ServerSettings.of("m", {"url": URL}, max_new_tokens=1).max_new_tokens == 1
    with pytest.raises(ConfigError, match="max_new_tokens must be"):
        ServerSettings.of("m", {"url": URL}, max_new_tokens=0)


@pytest.mark.parametrize("name", ["timeout_s", "deadline_s", "requests_per_minute"])
def test_times_and_rates_are_above_zero(name: str) -> None:
    """However little; not zero, less, endless, a text or a yes."""
    assert getattr(settings(**{name: 0.001}), name) == 0.001
    for wrong in (0, -1, float("inf"), float("nan"), "5", True):
        with pytest.raises(ConfigError, match=f"{name} must be a number above 0"):
            settings(**{name: wrong})


@pytest.mark.parametrize("wrong", [-0.5, float("nan"), float("inf"), "1", True, None])
def test_hours_and_prices_are_numbers_from_zero_on(wrong: object) -> None:
    """Zero is one: nothing is reused, and a local server costs nothing."""
    free = settings(reuse_hours=0, price_per_million={"prompt": 0, "completion": 0.0})
    assert free.reuse_hours == 0
    with pytest.raises(ConfigError, match="reuse_hours must be a number"):
        settings(reuse_hours=wrong)
    with pytest.raises(ConfigError, match="completion must be a number"):
        settings(price_per_million={"prompt": 1, "completion": wrong})


@pytest.mark.parametrize("model", [None, "", 7, b"m"])
def test_a_model_goes_by_a_text(model: object) -> None:
    """Nothing else is a name."""
    with pytest.raises(ConfigError, match="set checkpoint"):
        ServerSettings.of(model, {"url": URL})


def test_of_the_address_only_host_and_port_are_shown() -> None:
    """A path may hold what is no one's business, as gateways' addresses do."""
    found = ServerSettings.of("m", {"url": "https://gate:8443/hunter22/v1"})
    assert found.host == "gate:8443"
    assert "hunter22" not in repr(found)


def test_people_call_a_folder_by_its_name(tmp_path: Path) -> None:
    """As servers on one's own machine name a model; an id stays whole."""
    folder = tmp_path / "step-200"
    assert ServerSettings.of(str(folder), {"url": URL}).name == "step-200"
    assert ServerSettings.of("owner/model", {"url": URL}).name == "owner/model"


def test_further_fields_are_known_by_what_they_say() -> None:
    """In whichever order they are written; without any, nothing is known of them."""
    one = settings(request={"a": {"x": 1, "y": None}, "b": 2})
    other = settings(request={"b": 2, "a": {"y": None, "x": 1}})
    assert one.extra == other.extra == '{"a":{"x":1,"y":null},"b":2}'
    assert settings().extra == ""


@pytest.mark.parametrize("field", [*sorted(OURS), "Authorization", "headers"])
def test_what_is_sent_by_us_is_not_set_twice(field: str) -> None:
    """A stream or a second reply could not be read, another model not be judged."""
    with pytest.raises(ConfigError, match=f"cannot set '{field}'"):
        settings(request={field: 1})


@pytest.mark.parametrize("request_", [["a"], {1: 2}, "x", None])
def test_further_fields_are_a_mapping_of_texts(request_: object) -> None:
    """As JSON objects are."""
    with pytest.raises(ConfigError, match="mapping from field to value"):
        settings(request=request_)
