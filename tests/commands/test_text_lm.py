"""Commands with a text-only language model: what is asked, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg import cli
from pytest_vdg._commands._arguments import Where, settings_of
from pytest_vdg.sessions.panel import PanelAsk, run_panel
from tests.plugin.conftest import Project, clips, project  # noqa: F401

pytest.importorskip("torch")
pytest.importorskip("transformers")

Captured = pytest.CaptureFixture[str]
BACKEND = ["--backend", "text-lm", "--device", "cpu"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tiny random language model."""
    from tests.backends.tinytext import build_text_model

    return build_text_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:  # noqa: F811
    """Return the project of the plugin's tests, as the current folder."""
    monkeypatch.chdir(project.path)
    return project


@pytest.mark.parametrize("scoring", ["choice", "option_text"])
def test_a_ladder_of_one_rung(
    here: Project, model: Path, capsys: Captured, scoring: str
) -> None:
    """Without a video there is one condition, and its accuracy is shown."""
    how = [*BACKEND, "--scoring", scoring, "--conditions", "text_only"]
    assert cli.main(["ladder", str(model), *how]) == 0
    told = capsys.readouterr().out
    assert f"checkpoint {model.name}, slice colours" in told
    first = told.partition("\n\n")[2].partition("\n\n")[0].splitlines()
    rungs = {line.split()[0]: line.split()[1:] for line in first}
    assert rungs["text_only"][-4:] == ["24", "0", "0", "0"]  # all are judged
    assert set(rungs["original"]) == {"-"}
    assert cli.main(["ladder", str(model), *how]) == 0
    assert "24 of 24 cells from cache" in capsys.readouterr().out


def test_another_scoring_is_another_answer(
    here: Project, model: Path, capsys: Captured
) -> None:
    """What was kept of one scoring is not taken for the other's."""
    how = [*BACKEND, "--conditions", "text_only"]
    assert cli.main(["ladder", str(model), *how]) == 0
    capsys.readouterr()
    assert cli.main(["ladder", str(model), *how, "--scoring", "option_text"]) == 0
    assert "from cache" not in capsys.readouterr().out


@pytest.mark.parametrize("command", ["ladder", "run"])
def test_a_whole_ladder_is_refused_in_words(
    here: Project, model: Path, capsys: Captured, command: str
) -> None:
    """It is a mistake of whoever asks: 4, and what to type."""
    assert cli.main([command, str(model), *BACKEND]) == 4
    told = capsys.readouterr().err
    assert "text-only language model" in told
    assert "--conditions text_only" in told


def test_a_claim_about_text_can_be_judged(
    here: Project, model: Path, capsys: Captured
) -> None:
    """A random model is not better than chance by more than all of it."""
    claim = "blind_gap_below slice=colours ceiling=0.9"
    assert cli.main(["run", str(model), *BACKEND, "--claim", claim]) == 0
    assert "1 claim" in capsys.readouterr().out


def test_a_panel_asks_it_without_a_video(here: Project, model: Path) -> None:
    """Beside a model that sees, by the backend for such models."""
    found = run_panel(
        settings_of(Where(backend="python:stub:checkpoint_decides", device="cpu")),
        PanelAsk(models=("any",), text_models=(str(model),), slice="colours"),
    )
    member = found.members[1]
    assert (member.name, member.kind) == (model.name, "text")
    assert member.run.conditions == ("text_only",)
    assert member.run.fingerprint.comparable["backend"] == "text-lm"
    assert all(c.probabilities is not None for c in member.run.cells.values())


def test_a_doctor_looks_into_it(here: Project, model: Path, capsys: Captured) -> None:
    """Its files are looked at as those of a model that sees."""
    cli.main(["doctor", str(model), *BACKEND])
    told = " ".join(capsys.readouterr().out.split())  # long paths begin a line
    assert f"{model}: 1 weight file" in told
    assert "llama: known to the installed transformers" in told
