"""The cells of a panel: one model after the other, or stored runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg._commands._arguments import Where, settings_of
from pytest_vdg.audits.panel import CONDITIONS
from pytest_vdg.backends import ScriptedBackend
from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.errors import ConfigError, CouldNotBeJudged
from pytest_vdg.frames.clip import Clip
from pytest_vdg.sessions.panel import PanelAsk, run_panel
from pytest_vdg.store.runfile import save_run
from tests.assertions.build import make_run
from tests.plugin.conftest import Project, clips, project  # noqa: F401

SEES = Where(backend="python:stub:checkpoint_decides")
READS = "python:stub:blind"


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:  # noqa: F811
    """Return the project of the plugin's tests, as the current folder."""
    monkeypatch.chdir(project.path)
    return project


def asked(**how: object) -> PanelAsk:
    """Ask about the project's slice, text models by one that reads."""
    given: dict[str, object] = {"slice": "colours", "text_backend": READS, **how}
    return PanelAsk(**given)  # type: ignore[arg-type]


def test_each_kind_is_asked_what_it_can_be(here: Project) -> None:
    """Video models under all six conditions, text models without a video."""
    found = run_panel(settings_of(SEES), asked(models=("any",), text_models=("t",)))
    assert [(m.name, m.kind) for m in found.members] == [
        ("any", "video"),
        ("t-that-reads", "text"),
    ]
    assert found.members[0].run.conditions == CONDITIONS
    assert found.members[1].run.conditions == ("text_only",)
    assert len(found.texts) == 24


def test_nothing_is_asked_twice(here: Project) -> None:
    """The store answers the second time; no model is loaded."""
    ask = asked(models=("any",), text_models=("t",))
    run_panel(settings_of(SEES), ask)
    assert here.loaded() == ["any", "t"]
    again = run_panel(settings_of(SEES), ask)
    assert here.loaded() == ["any", "t"]
    assert all(m.run.cached_cells == len(m.run.cells) for m in again.members)


def test_a_model_is_freed_before_the_next(here: Project) -> None:
    """No two are in memory together."""
    made: list[ScriptedBackend] = []
    open_at_once: list[int] = []

    def answer(prompt: Prompt, _: Clip | None) -> str:
        open_at_once.append(sum(not each.closed for each in made))
        return prompt.labels[0]

    def make(_: str, settings: object) -> ScriptedBackend:
        name = str(settings["checkpoint"])  # type: ignore[index]
        made.append(ScriptedBackend(answer, name=name))
        return made[-1]

    ask = asked(models=("a", "b"), text_models=("t",))
    run_panel(settings_of(SEES), ask, make_backend=make)
    assert [each.name for each in made] == ["a", "b", "t"]
    assert set(open_at_once) == {1}
    assert all(each.closed for each in made)


def test_the_environment_names_no_model_of_a_panel(
    here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VDG_CHECKPOINT is for one checkpoint under test; a panel names its own."""
    monkeypatch.setenv("VDG_CHECKPOINT", "other")
    found = run_panel(settings_of(SEES), asked(models=("any",)))
    assert found.members[0].name == "any"


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({}, "a panel needs a model: --models A B --text-models T"),
        ({"models": ("a", "a")}, "'a' is named twice"),
        ({"models": ("a",), "text_models": ("a",)}, "'a' is named twice"),
        ({"models": ("a",), "conditions": ("original",)}, "takes the condition text"),
        ({"models": ("a",), "slice": "colors"}, "Did you mean 'colours'"),
        ({"text_models": ("t",), "text_backend": "text_lm_"}, "there is no backend"),
    ],
)
def test_what_cannot_be_meant_is_told(
    here: Project, how: dict[str, object], told: str
) -> None:
    """Before a model is loaded."""
    with pytest.raises(ConfigError, match=told):
        run_panel(settings_of(SEES), asked(**{"text_models": (), **how}))
    assert here.loaded() in ([], ["a"])


def test_stored_runs_make_a_panel(tmp_path: Path) -> None:
    """By the names of their checkpoints; what each holds of the six is used."""
    seen = {"original": "CCCC", "text_only": "CWWW", "black": "WWWW", "fps:2": "WWWW"}
    save_run(make_run(seen, checkpoint="v"), tmp_path / "v.jsonl", full=True)
    text = make_run({"text_only": "CWCW"}, checkpoint="t")
    save_run(text, tmp_path / "t.jsonl", full=True)
    other = make_run({"text_only": "CW"}, checkpoint="t", slice_name="another")
    save_run(other, tmp_path / "another.jsonl")
    settings = settings_of(Where(replay=str(tmp_path)))  # type: ignore[arg-type]
    ask = PanelAsk(models=("v",), text_models=("models/t",), slice="sight")
    found = run_panel(settings, ask)
    assert [m.name for m in found.members] == ["v", "t"]
    assert found.members[0].run.conditions == ("original", "text_only", "black")
    assert found.members[1].run.conditions == ("text_only",)
    assert found.texts == ()  # the built-in benchmark of that name is another
    assert "are not those of 'sight' now" in found.notes[-1]


def test_a_stored_run_that_lacks_a_condition_is_told(tmp_path: Path) -> None:
    """A video model without its blind answers cannot be in a panel."""
    run = make_run({"original": "CCCC", "black": "WWWW"}, checkpoint="v")
    save_run(run, tmp_path / "v.jsonl")
    settings = settings_of(Where(replay=str(tmp_path)))  # type: ignore[arg-type]
    with pytest.raises(CouldNotBeJudged, match="'text_only' of slice 'sight'"):
        run_panel(settings, PanelAsk(models=("v",), slice="sight"))
    with pytest.raises(CouldNotBeJudged, match="checkpoint 'w'"):
        run_panel(settings, PanelAsk(models=("w",), slice="sight"))
