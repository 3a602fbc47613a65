"""What a run will cost: counted by the run's own rules, measured or unknown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.backends.scripted import ScriptedBackend
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.costs import ConditionCost, RunCost, run_cost
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.errors import ConfigError
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.sessions.costs import Costs, cost_lines
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import LADDER, SETTINGS, Stub, model, slice_of


def forbidden(prompt: Prompt, clip: Clip | None) -> str:
    """Fail the test: nobody may be asked."""
    raise AssertionError("the model was asked")


def silent(name: str = "scripted") -> ScriptedBackend:
    """Return a model like `model` that must not be asked."""
    return model(answer=forbidden, name=name)


def by_condition(cost: RunCost) -> dict[str, ConditionCost]:
    """Return the parts of *cost* by condition."""
    return {part.condition: part for part in cost.conditions}


def test_an_empty_store_leaves_everything_to_ask(
    light: Slice, store: CellStore
) -> None:
    """Cells and videos are counted; what was never measured is not told."""
    cost = run_cost(light, silent(), ("original", "text_only"), SETTINGS, store=store)
    parts = by_condition(cost)
    assert (parts["original"].cells, parts["original"].cached) == (5, 0)
    assert parts["original"].videos == {"a.mp4", "b.mp4", "c.mp4"}
    assert parts["text_only"].videos == frozenset()
    assert (parts["original"].tokens, parts["original"].seconds) == (None, None)
    assert (cost.together.cells, len(cost.together.videos)) == (10, 3)
    assert not store.path.exists()


@pytest.mark.parametrize("conditions", [LADDER, ("mismatched", "text_only")])
def test_a_run_asks_exactly_what_was_counted(
    light: Slice, store: CellStore, conditions: tuple[str, ...]
) -> None:
    """The forecast and the run are of one mind, before and in the middle."""
    part = slice_of(light.benchmark.root, light.questions[:2])
    for done in (part, light):
        cost = run_cost(done, silent(), conditions, SETTINGS, store=store)
        run = evaluate(done, model(), conditions, SETTINGS, store=store)
        assert cost.together.cells == len(run.cells)
        assert cost.together.cached == run.cached_cells
    after = run_cost(light, silent(), conditions, SETTINGS, store=store)
    assert (after.together.to_ask, after.together.videos) == (0, frozenset())
    assert (after.together.tokens, after.together.seconds) == (0, 0.0)


def test_tokens_and_time_are_those_of_earlier_answers(
    light: Slice, store: CellStore
) -> None:
    """The median of this condition's answers, for each cell that is left."""
    part = slice_of(light.benchmark.root, light.questions[:3])
    for question, tokens, seconds in zip(
        part.questions, (100, 110, 900), (0.5, 0.25, 60.0), strict=True
    ):
        told = Stub(reply={"prompt_tokens": tokens, "seconds": seconds})
        one = slice_of(light.benchmark.root, [question])
        evaluate(one, told, ("original",), SETTINGS, store=store)
    cost = run_cost(light, Stub(), ("original", "black"), SETTINGS, store=store)
    original, black = cost.conditions
    assert (original.to_ask, original.tokens, original.seconds) == (2, 220, 1.0)
    assert (black.tokens, black.seconds) == (None, None)
    assert (cost.together.tokens, cost.together.seconds) == (None, None)


@pytest.mark.parametrize(
    ("backend", "settings"),
    [
        (model(name="another"), SETTINGS),
        (model(tokens_per_frame=9), SETTINGS),
        (model(), replace(SETTINGS, sampling=Sampling(frames=5))),
        (model(), replace(SETTINGS, size=(16, 16))),
    ],
)
def test_what_others_cost_tells_nothing(
    light: Slice, store: CellStore, backend: ScriptedBackend, settings: RunSettings
) -> None:
    """Another checkpoint, or another way to ask, is unknown, not guessed."""
    evaluate(light, model(), ("original",), SETTINGS, store=store)
    cost = run_cost(light, backend, ("original",), settings, store=store).together
    assert (cost.cached, cost.tokens, cost.seconds) == (0, None, None)


def test_an_update_does_not_forget_what_was_measured(
    light: Slice, store: CellStore
) -> None:
    """With another seed all is asked anew, and costs what it did."""
    evaluate(light, model(), ("original",), SETTINGS, store=store)
    other = replace(SETTINGS, seed=1)
    cost = run_cost(light, silent(), ("original",), other, store=store).together
    assert cost.to_ask == 5
    assert cost.tokens is not None
    assert cost.tokens > 0


def test_without_a_store_nothing_is_known_of_before(light: Slice) -> None:
    """With ``--vdg-no-cache`` every cell is asked."""
    cost = run_cost(light, silent(), ("original",), SETTINGS)
    assert (cost.together.to_ask, cost.together.tokens) == (5, None)
    assert cost.keys == frozenset()


class Measured(ScriptedBackend):
    """A model that says what memory it needs."""

    def memory_told(self) -> str:
        """Return what a local model would say."""
        return "weights 16.6 GB (bfloat16) + about 3 GB at work; cuda:0 has 79 GB free"


def test_memory_is_told_where_a_model_tells_it(light: Slice) -> None:
    """Once a checkpoint, above its table; of others nothing is said."""
    large = Measured(forbidden, name="large")
    runs = [run_cost(light, large, ("original",), SETTINGS) for _ in range(2)]
    assert runs[0].memory == large.memory_told()
    lines = cost_lines(Costs(runs=tuple(runs), faults=()))
    assert lines.count(f"memory: {large.memory_told()}") == 1
    plain = run_cost(light, silent(), ("original",), SETTINGS)
    assert plain.memory == ""
    assert not any(
        "memory" in line for line in cost_lines(Costs(runs=(plain,), faults=()))
    )


def test_a_table_of_long_names_fits_a_terminal(light: Slice) -> None:
    """In parts, each with the names of its rows; no number is lost."""
    named = replace(light, name="every-question-of-a-nightly-run-2026")
    cost = run_cost(named, silent(), ("original", "black"), SETTINGS)
    lines = cost_lines(Costs(runs=(cost,), faults=()))
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith(named.name) for line in lines) == 2
    assert sum(line.split().count("unknown") for line in lines) == 6


def test_weights_that_are_not_known_are_said_in_one_word(light: Slice) -> None:
    """A server's have no digest to cut; nothing is left behind the word."""
    cost = run_cost(light, silent(), ("original",), SETTINGS)
    unknown = replace(cost, checkpoint="m", weights="unknown (server)")
    assert cost_lines(Costs(runs=(unknown,), faults=()))[0] == "checkpoint m@unknown"


def test_cells_that_two_runs_need_are_asked_once(
    light: Slice, store: CellStore
) -> None:
    """What an earlier run will have asked is no work for the next."""
    part = slice_of(light.benchmark.root, light.questions[:2], "part")
    first = run_cost(part, silent(), ("original", "black"), SETTINGS, store=store)
    second = run_cost(
        light, silent(), ("original",), SETTINGS, store=store, earlier=first.keys
    )
    assert (second.shared, second.together.cached, second.together.to_ask) == (2, 2, 3)
    evaluate(part, model(), ("original", "black"), SETTINGS, store=store)
    run = evaluate(light, model(), ("original",), SETTINGS, store=store)
    assert run.cached_cells == 2


def test_a_video_that_cannot_be_read_is_told(
    folder: Path, questions: list[Question], store: CellStore
) -> None:
    """It is named, its cells are to be asked, and the others are counted."""
    light = slice_of(folder, questions)
    evaluate(light, model(), ("original",), SETTINGS, store=store)
    (folder / "b.mp4").unlink()
    cost = run_cost(light, silent(), ("original",), SETTINGS, store=store)
    assert cost.unreadable == ("b.mp4",)
    assert (cost.together.cached, cost.together.to_ask) == (3, 2)


def test_a_partner_counts_as_a_video(light: Slice, store: CellStore) -> None:
    """``mismatched`` of one question decodes two videos."""
    evaluate(light, model(), ("mismatched",), SETTINGS, store=store)
    more = replace(light.questions[0], id="q9", text="Is there light, again?")
    other = slice_of(light.benchmark.root, [*light.questions, more])
    cost = run_cost(other, silent(), ("mismatched",), SETTINGS, store=store)
    (part,) = cost.conditions
    assert part.to_ask == 1
    assert more.video in part.videos
    assert len(part.videos) == 2


def test_wrong_conditions_are_refused_as_in_a_run(light: Slice) -> None:
    """A plan that no run could follow is no plan."""
    with pytest.raises(ConfigError, match="'black'"):
        run_cost(light, silent(), ("blackk",), SETTINGS)


def test_more_cached_than_there_are_is_refused() -> None:
    """A forecast that adds up to nonsense is found where it is made."""
    with pytest.raises(ValueError, match="3 of 2"):
        ConditionCost(
            condition="black",
            cells=2,
            cached=3,
            videos=frozenset(),
            tokens=None,
            seconds=None,
        )


def test_no_video_is_decoded(
    light: Slice, store: CellStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking at a plan opens no decoder."""

    def decodes(*args: object, **more: object) -> None:
        raise AssertionError("a video was opened")

    monkeypatch.setattr("av.open", decodes)
    monkeypatch.setattr("decord.VideoReader", decodes)
    assert run_cost(light, silent(), LADDER, SETTINGS, store=store).together.cells == 20
