"""What holds, of all that file, options and environment say, and where it is from."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg.config.effective import describe
from pytest_vdg.config.file import KEYS, load_config
from pytest_vdg.config.found import find_config
from pytest_vdg.config.protocols import SCORING
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.config.switches import COMMAND_LINE, INI, OUTPUTS, Voice, env_voice
from pytest_vdg.errors import ConfigError
from pytest_vdg.frames.sampling import PROTOCOLS
from tests.config.written import WHOLE, settled, whole, write


def test_the_first_voice_that_speaks_decides(tmp_path: Path) -> None:
    """Each value carries its source; relative paths start where they were written."""
    config = load_config(write(tmp_path, "seed: 3\ncheckpoint: models/a\ncache_dir: c"))
    cli, ini = tmp_path / "cli", tmp_path / "ini"
    voices = [
        Voice(source=COMMAND_LINE, base=cli, values={"baseline_dir": "b", "seed": "1"}),
        env_voice({"VDG_DEVICE": "cuda", "VDG_DTYPE": "", "HOME": "x"}, cli),
        file_voice(config, tmp_path),
        Voice(source=INI, base=ini, values={"seed": "4", "no_cache": "true"}),
    ]
    settings = resolve(voices, base=tmp_path, config=config)
    assert settings.seed == 1
    assert settings.baseline_dir == cli / "b"
    assert settings.cache_dir == tmp_path / "c"
    assert not settings.keeps_answers
    assert settings.where["device"].named == "VDG_DEVICE"
    assert settings.where["dtype"].source == "default"
    assert settings.where["checkpoint"].base == tmp_path


def test_every_value_can_be_printed_with_its_source(tmp_path: Path) -> None:
    """One line a value: name, value, and the place it comes from."""
    settings = settled(write(tmp_path, "seed: 3\nconditions: [black]"))
    lines = {line.split()[0]: line for line in describe(settings)}
    assert lines["seed"].split()[1:] == ["3", "vdg.yaml:", "seed"]
    assert lines["conditions"].split()[1:] == ["black", "vdg.yaml:", "conditions"]
    assert lines["sampling"].split()[1:] == ["frames=8", "default"]
    assert lines["checkpoint"].split()[1:] == ["-", "default"]
    others = {"config", "questions", "no_cache"} | {s.name for s in OUTPUTS}
    assert set(lines) == KEYS | others


def test_each_claim_is_printed_with_its_line(tmp_path: Path) -> None:
    """What will be judged, as one could type it, and where it stands."""
    settings = settled(whole(tmp_path))
    lines = {line.split()[0]: line.split()[1:] for line in describe(settings)}
    *words, place = lines["claims.sees"]
    assert " ".join(words) == "vdg_above slice=mine tasks=order seed=3 floor=0.2"
    line = WHOLE.splitlines().index("  kept:") + 1
    assert place == "vdg.yaml:" + str(line - 1)
    *words, place = lines["claims.kept"]
    said = "no_dissociation_regression loosened='fewer videos' vdg_margin=0.1"
    assert " ".join(words) == said
    assert place == f"vdg.yaml:{line}"


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    """None found is fine; one that was named and is missing is not."""
    assert find_config([], [tmp_path]).path is None
    voice = Voice(source=COMMAND_LINE, base=tmp_path, values={"config": "x.yaml"})
    with pytest.raises(ConfigError, match=r"x\.yaml \(--vdg-config\) is not there"):
        find_config([voice], [tmp_path])


@pytest.mark.parametrize(
    ("text", "scoring"),
    [
        ("sampling: {protocol: traffic-paper}", "option_text"),
        ("sampling: {protocol: traffic-paper}\nscoring: choice", "choice"),
        ("sampling: {protocol: traffic-paper}\nbackend: text-lm", "option_text"),
        ("sampling: {protocol: traffic-paper}\nbackend: python:mine:make", None),
        ("sampling: {protocol: vdg-paper}", None),
        ("sampling: {frames: 16}", None),
    ],
)
def test_a_protocol_brings_its_scoring(
    tmp_path: Path, text: str, scoring: str | None
) -> None:
    """Unless another is set, and where the backend is one of ours."""
    settings = settled(write(tmp_path, text))
    assert settings.backend_settings("x").get("scoring") == scoring
    shown = {line.split()[0]: line.split()[1:] for line in describe(settings)}
    assert shown["scoring"][0] == (scoring or "-")
    assert set(SCORING) <= set(PROTOCOLS)
    if scoring == "option_text":
        assert " ".join(shown["scoring"][1:]) == "vdg.yaml: protocol traffic-paper"


def test_how_lengths_count_reaches_the_backend(tmp_path: Path) -> None:
    """A rule that is not known is refused when the file is read."""
    settings = settled(write(tmp_path, "option_likelihood: per_character"))
    assert settings.backend_settings("x")["option_likelihood"] == "per_character"
    with pytest.raises(ConfigError, match="option_likelihood"):
        load_config(write(tmp_path, "option_likelihood: mean"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sampling: {protocol: vdg-papr}", "vdg-paper"),
        ("reader: opencv", "reader"),
        ("sampling: {frames: 1000000000}", "frames"),
    ],
)
def test_names_of_other_parts_are_checked_before_a_run(
    tmp_path: Path, text: str, told: str
) -> None:
    """A protocol or reader that nothing is known by is a `ConfigError`."""
    settings = settled(write(tmp_path, text))
    with pytest.raises(ConfigError, match=told):
        settings.run_settings()
