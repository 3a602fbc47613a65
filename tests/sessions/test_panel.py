"""The cells of a panel: one model after the other, or stored runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg._commands._arguments import Where, settings_of
from pytest_vdg.audits.panel import CONDITIONS
from pytest_vdg.backends import ScriptedBackend
from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.slices import take
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


def test_one_folder_under_two_names_is_told_before_it_is_asked(here: Project) -> None:
    """By a link, or a slash more."""
    (here.path / "a").mkdir()
    (here.path / "b").symlink_to(here.path / "a")
    for other in ("b", "a/"):
        ask = asked(models=("a", other))
        with pytest.raises(ConfigError, match=f"'a' and '{other}' are one folder"):
            run_panel(settings_of(SEES), ask)
    assert here.loaded() == []


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


def test_a_stored_run_that_saw_is_no_text_model(tmp_path: Path) -> None:
    """Its answers without the video count, and that it can see is said."""
    for name in ("v", "w"):
        run = make_run({"original": "CCCC", "text_only": "CWWW"}, checkpoint=name)
        save_run(run, tmp_path / f"{name}.jsonl")
    settings = settings_of(Where(replay=str(tmp_path)))  # type: ignore[arg-type]
    ask = PanelAsk(models=("v",), text_models=("w",), slice="sight")
    notes = run_panel(settings, ask).notes
    assert [n.split(" stands")[0] for n in notes if "--models" in n] == ["w"]


def test_models_that_were_not_asked_alike_are_told(tmp_path: Path) -> None:
    """A mean over other frames or another scoring is of two things."""
    cells = {"original": "CCCC", "text_only": "CWWW"}
    for name, scoring, sampling in (
        ("v", "choice", "frames=8"),
        ("w", "choice", "frames=32"),
        ("t", "option_text", "frames=1"),
    ):
        run = make_run(
            {k: v for k, v in cells.items() if name != "t" or k == "text_only"},
            checkpoint=name,
            comparable={"seed": "0", "scoring": scoring, "sampling": sampling},
        )
        save_run(run, tmp_path / f"{name}.jsonl")
    settings = settings_of(Where(replay=str(tmp_path)))  # type: ignore[arg-type]
    ask = PanelAsk(models=("v", "w"), text_models=("t",), slice="sight")
    notes = [n for n in run_panel(settings, ask).notes if "asked alike" in n]
    assert [n.partition(", ")[2] for n in notes] == [
        "scoring is choice: v, w; option_text: t",
        "sampling is frames=8: v; frames=32: w",
    ]


def test_who_filtered_a_slice_before_is_known(here: Project) -> None:
    """Whoever chose the questions of a slice is told where it is asked them."""
    whole = load_benchmark("plain", "data/questions.jsonl")
    drawn = {"filter_of": "all", "models": {"any": {"kind": "video", "weights": ""}}}
    left = replace(take(whole), drawn=drawn)
    ask = asked(models=("any", "other"), slice=None, given=left)
    found = run_panel(settings_of(SEES), ask)
    assert found.filtered_before == ("any",)
    (note,) = (n for n in found.notes if "took part in the filter" in n)
    assert note.startswith("any took part")


def test_a_stored_run_that_lacks_a_condition_is_told(tmp_path: Path) -> None:
    """A video model without its blind answers cannot be in a panel."""
    run = make_run({"original": "CCCC", "black": "WWWW"}, checkpoint="v")
    save_run(run, tmp_path / "v.jsonl")
    settings = settings_of(Where(replay=str(tmp_path)))  # type: ignore[arg-type]
    with pytest.raises(CouldNotBeJudged, match="'text_only' of slice 'sight'"):
        run_panel(settings, PanelAsk(models=("v",), slice="sight"))
    with pytest.raises(CouldNotBeJudged, match="checkpoint 'w'"):
        run_panel(settings, PanelAsk(models=("w",), slice="sight"))
