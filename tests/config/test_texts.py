"""Options, variables and ini keys are texts: what each setting makes of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg.config import durations
from pytest_vdg.config.file import load_config
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.config.specs import VdgConfig
from pytest_vdg.config.switches import COMMAND_LINE, ENVIRONMENT, Voice
from pytest_vdg.errors import ConfigError


def decided(tmp_path: Path, name: str, text: str) -> object:
    """Return what the setting *name* becomes where the environment says *text*."""
    voice = Voice(source=ENVIRONMENT, base=tmp_path, values={name: text})
    return resolve([voice], base=tmp_path, config=VdgConfig()).where[name].value


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("questions", "20", 20),
        ("questions", "1", 1),
        ("seed", "0", 0),
        ("seed", "-1", -1),
        ("no_cache", "1", True),
        ("no_cache", "True", True),
        ("no_cache", "0", False),
        ("no_cache", " false ", False),
        ("spread", "force", "force"),
        ("spread", "0", False),
        ("time_budget", " 1h30m ", "1h30m"),
        ("environment", "h100.a-b_c", "h100.a-b_c"),
        ("annotations", "off", "off"),
        ("summary", "auto", "auto"),
        ("device", "0", "0"),
    ],
)
def test_a_text_becomes_what_its_setting_is(
    tmp_path: Path, name: str, text: str, value: object
) -> None:
    """Options, variables and ini keys are texts; what is read of them has a type."""
    found = decided(tmp_path, name, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("questions", "0", "VDG_QUESTIONS must be a whole number above 0, got '0'"),
        ("questions", "-3", "a whole number above 0, got '-3'"),
        ("questions", "all", "a whole number above 0, got 'all'"),
        ("questions", "2.5", "a whole number above 0, got '2.5'"),
        ("seed", "x", "VDG_SEED must be a whole number, got 'x'"),
        ("no_cache", "maybe", "VDG_NO_CACHE must be true or false, got 'maybe'"),
        ("no_cache", "force", "must be true or false, got 'force'"),
        ("spread", "forced", "must be true or false or force, got 'forced'"),
        ("time_budget", "90", "must be a time such as 90s, 30m or 2h, got '90'"),
        ("time_budget", "0h", "must be a time such as 90s, 30m or 2h, got '0h'"),
        ("environment", "../up", "letters, digits, '.', '_' and '-'"),
        ("environment", ".hidden", "and begin with a letter or digit"),
        ("annotations", "on", "VDG_ANNOTATIONS must be auto or off, got 'on'"),
        ("device", "", "VDG_DEVICE is empty"),
        ("cache_dir", "", "VDG_CACHE_DIR is empty"),
    ],
)
def test_a_text_that_is_none_of_its_setting_is_refused(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    """The message names the variable, what is wanted, and what came."""
    with pytest.raises(ConfigError) as caught:
        decided(tmp_path, name, text)
    assert said in str(caught.value)


def test_where_nothing_is_said_help_says_what_holds(tmp_path: Path) -> None:
    """The defaults are those of ``--help`` and the documentation."""
    settings = resolve([], base=tmp_path, config=VdgConfig())
    assert (settings.seed, settings.backend) == (0, "transformers")
    assert settings.cache_dir == tmp_path / ".vdg"
    assert settings.baseline_dir == tmp_path / "vdg_baselines"
    assert (settings.keeps_answers, settings.spread, settings.sight) == (
        True,
        False,
        False,
    )
    assert (settings.checkpoint, settings.questions, settings.replay) == (None,) * 3
    assert settings.where["config"].named == "there is none"


@pytest.mark.parametrize("given", [True, "true"])
def test_a_flag_is_set_with_and_without_a_word(
    tmp_path: Path, given: bool | str
) -> None:
    """``--vdg-no-cache`` alone is as good as ``VDG_NO_CACHE=true``."""
    voice = Voice(source=COMMAND_LINE, base=tmp_path, values={"no_cache": given})
    settings = resolve([voice], base=tmp_path, config=VdgConfig())
    assert not settings.keeps_answers


def test_what_a_file_says_starts_where_it_lies(tmp_path: Path) -> None:
    """Not where pytest was started; and it is told who named the file."""
    home = tmp_path / "sub"
    home.mkdir()
    (home / "vdg.yaml").write_text("checkpoint: new\nsight: true\n")
    config = load_config(home / "vdg.yaml")
    voices = [file_voice(config, tmp_path)]
    found = resolve(voices, base=tmp_path, config=config)
    assert found.where["checkpoint"].base == home
    assert found.cache_dir == home / ".vdg"
    assert found.sight is True
    assert found.where["config"].named == "found"
    named = Voice(source=COMMAND_LINE, base=tmp_path, values={"config": "sub/vdg.yaml"})
    told = resolve([named, *voices], base=tmp_path, config=config).where["config"]
    assert (told.value, told.named) == (config.path, "--vdg-config")


def test_only_paths_start_at_a_folder(tmp_path: Path) -> None:
    """A report goes where it was said, seen from there; ``auto`` and names do not."""
    for name in ("cache_dir", "replay", "json", "report", "summary"):
        assert decided(tmp_path, name, "here") == tmp_path / "here"
    for name in ("checkpoint", "compare_to", "backend"):
        assert decided(tmp_path, name, "here") == "here"
    assert decided(tmp_path, "summary", "off") == "off"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("30m", 1800), ("2h", 7200), ("1h30m", 5400), ("1h1m1s", 3661)],
)
def test_times_are_written_with_their_units(text: str, seconds: int) -> None:
    """An hour has 60 minutes of 60 seconds, and several units add up."""
    assert durations.seconds(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "0s", "0h0m", "90", "1.5h", "30m1h", "-5s", "1 h"]
)
def test_what_is_no_time_is_none(text: str) -> None:
    """No unit, no number, units out of order, and nothing at all."""
    assert durations.seconds(text) is None
