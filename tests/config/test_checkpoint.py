"""Which checkpoint is meant, and what its backend is told of it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from pytest_vdg.backends import TransformersSettings
from pytest_vdg.config.file import load_config
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.config.specs import VdgConfig
from pytest_vdg.config.switches import COMMAND_LINE, INI, Voice
from pytest_vdg.errors import ConfigError
from tests.config.written import settled, whole, write


def test_a_checkpoint_may_start_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``~`` is understood, and a link is followed to the folder it names."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "model").mkdir()
    (tmp_path / "latest").symlink_to(tmp_path / "model")
    settings = settled(write(tmp_path, "checkpoint: ~/latest"))
    assert settings.locate() == str((tmp_path / "model").resolve())


def test_a_revision_belongs_to_the_checkpoint_beside_it(tmp_path: Path) -> None:
    """A checkpoint given elsewhere is another repository, a folder is none."""
    text = "checkpoint: org/name\nrevision: abc\n"
    config = load_config(write(tmp_path, text))
    voices = [file_voice(config, tmp_path)]
    settings = resolve(voices, base=tmp_path, config=config)
    assert settings.backend_settings("org/name")["revision"] == "abc"
    assert "revision" not in settings.backend_settings("org/other")
    by_hand = Voice(
        source=COMMAND_LINE, base=tmp_path, values={"checkpoint": "org/other"}
    )
    settings = resolve([by_hand, *voices], base=tmp_path, config=config)
    assert "revision" not in settings.backend_settings("org/other")
    (tmp_path / "org" / "name").mkdir(parents=True)
    settings = resolve(voices, base=tmp_path, config=config)
    with pytest.raises(ConfigError, match=r"is a folder\. Remove"):
        settings.backend_settings(str(tmp_path / "org" / "name"))


def test_a_hub_id_may_end_in_a_revision(tmp_path: Path) -> None:
    """Wherever a checkpoint is named: file, marker, and the one compared with."""
    text = "checkpoint: org/name@refs/pr/3\ncompare_to: org/name@v1.0\n"
    settings = settled(write(tmp_path, text))
    assert settings.locate() == "org/name@refs/pr/3"
    assert settings.compared.locate() == "org/name@v1.0"
    marked = [Voice(source=INI, base=tmp_path, values={})]
    settings = resolve(marked, base=tmp_path, config=VdgConfig())
    assert settings.locate("org/other@abc") == "org/other@abc"
    for slip in ("org/name@", "org/name@../x", "org/name@a@b"):
        with pytest.raises(ConfigError, match="is not there"):
            settings.locate(slip)
    (tmp_path / "org" / "name@v1").mkdir(parents=True)
    assert settings.locate("org/name@v1") == str(tmp_path / "org" / "name@v1")
    with pytest.raises(ConfigError, match="Did you mean 'name@v1'"):
        settings.locate("org/name@v2")


def test_a_base_belongs_to_adapters(tmp_path: Path) -> None:
    """A path of the file's folder; whole weights that are compared with have none."""
    for name in ("base", "whole", "adapter"):
        (tmp_path / name).mkdir()
    (tmp_path / "adapter" / "adapter_config.json").write_text("{}")
    places = {each.name: str(each) for each in tmp_path.iterdir()}
    settings = settled(write(tmp_path, "checkpoint: adapter\nbase: base\n"))
    based = {n: settings.backend_settings(p).get("base") for n, p in places.items()}
    assert based == {"base": None, "whole": None, "adapter": places["base"]}
    assert settings.backend_settings("org/adapter")["base"] == places["base"]
    settings = settled(write(tmp_path, "checkpoint: whole\nbase: base\n"))
    told = settings.backend_settings(places["whole"])
    assert told["base"] == places["base"]  # which the backend refuses
    settings = settled(write(tmp_path, "checkpoint: adapter\nbase: ./bose\n"))
    with pytest.raises(ConfigError, match=r"base '\./bose' .*Did you mean 'base'"):
        settings.backend_settings(places["adapter"])


def test_what_a_backend_is_told_is_what_was_written(tmp_path: Path) -> None:
    """Every switch of a checkpoint reaches the backend under its own name."""
    settings = settled(whole(tmp_path))
    told = settings.backend_settings("models/new")
    assert told == {
        "checkpoint": "models/new",
        "revision": "8",
        "base": "models/below",
        "device": "cpu",
        "dtype": "float32",
        "attention": "eager",
        "frames_as": "images",
        "quantisation": "nf4",
        "device_map": "auto",
        "offload": True,
        "scoring": "choice",
        "option_likelihood": "sum",
        "max_new_tokens": 8,
        "allow_pickle": True,
        "local_files_only": False,
        "threads": 2,
        "share_prefixes": True,
        "batch_tokens": 4096,
    }
    assert {f.name for f in fields(TransformersSettings)} >= set(told)


def test_a_server_is_told_where_it_is_asked(tmp_path: Path) -> None:
    """Its settings reach the backend ``openai``, and a name stays a name."""
    (tmp_path / "named").mkdir()
    text = "backend: openai\ncheckpoint: named\nserver: {url: http://localhost/v1}"
    settings = settled(write(tmp_path, text))
    assert settings.locate() == "named"
    told = settings.backend_settings("named")
    assert told == {"checkpoint": "named", "server": {"url": "http://localhost/v1"}}
    text = text.replace("named", "./named")
    settings = settled(write(tmp_path, text))
    assert settings.locate() == str(tmp_path / "named")
