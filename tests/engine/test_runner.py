"""`evaluate` from end to end: what a run is, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.benchmarks.schema import Option, Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.comparable import require_comparable
from pytest_vdg.engine.progress import Progress
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import (
    BackendUnavailable,
    ConfigError,
    CouldNotBeJudged,
    NotComparable,
)
from pytest_vdg.frames.clip import Clip
from pytest_vdg.runs import CellResult, Outcome, Run
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import (
    LADDER,
    SETTINGS,
    Stub,
    look,
    model,
    question,
    slice_of,
    write_clip,
)

ROOT = Path(__file__).parents[2]


def cells_of(run: Run, condition: str) -> dict[str, CellResult]:
    """Return the cells of one condition by question."""
    return {q.id: run.cells[q.id, condition] for q in run.questions}


class Unusable:
    """A backend that must not be touched."""

    def __getattr__(self, name: str) -> object:
        """Fail whatever is asked of it."""
        raise AssertionError(f"{name} was used")


# -- what a run is -----------------------------------------------


def test_a_run_keeps_the_order_it_was_asked_in(light: Slice) -> None:
    """Questions are in the slice's order, conditions in that of the call."""
    run = evaluate(light, model(), ["shuffled", "black", "shuffled"], SETTINGS)
    assert tuple(q.id for q in run.questions) == light.ids
    assert run.conditions == ("shuffled", "black")


def test_outcomes_follow_from_what_is_seen(light: Slice) -> None:
    """A model that sees light is right with the clip and wrong without."""
    run = evaluate(light, model(), ["original", "black"], SETTINGS)
    # A (yes) needs 0.3 + 0.7 * light > 0.5, so a mean level above 73 of 255:
    # all three clips pass with frames 1, 3, 5, 7 of level + 8 i.
    assert {c.choice for c in cells_of(run, "original").values()} == {"A"}
    assert {c.choice for c in cells_of(run, "black").values()} == {"B"}
    # q1 alone is keyed B.
    assert run.counts("original").correct == 4
    assert run.counts("black").correct == 1


def test_a_cell_records_what_was_shown(light: Slice) -> None:
    """Frames, tokens, times, reader and probabilities are kept for each cell."""
    cell = evaluate(light, model(), ["original"], SETTINGS).cells["q4", "original"]
    assert (cell.frames_seen, cell.visual_tokens) == (4, 16)
    # 8 frames of 1/8 s; the middles of 4 equal stretches show frames 1, 3, 5, 7.
    assert cell.times_s == pytest.approx((0.125, 0.375, 0.625, 0.875))
    assert (cell.reader or "").startswith(("pyav", "decord"))
    # Their mean level is 60 + 8 * (1 + 3 + 5 + 7) / 4 = 92, so A has
    # 0.3 + 0.7 * 92 / 255 = 0.5525, up to what the codec makes of it.
    assert cell.probabilities == pytest.approx({"A": 0.5525, "B": 0.4475}, abs=0.01)


def test_the_prompt_is_the_same_under_all_conditions(light: Slice) -> None:
    """Only the frames change: every condition asks the same text."""
    heard: dict[str, set[Prompt]] = {}

    def listen(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
        heard.setdefault(prompt.text.splitlines()[0], set()).add(prompt)
        return look(prompt, clip)

    evaluate(light, model(answer=listen), [*LADDER, "text_only"], SETTINGS)
    assert [len(prompts) for prompts in heard.values()] == [1] * 5


def test_text_only_shows_no_clip(light: Slice) -> None:
    """Without a video the model gets none, and the cell says so."""
    seen: list[Clip | None] = []

    def note(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
        seen.append(clip)
        return look(prompt, clip)

    run = evaluate(light, model(answer=note), ["text_only"], SETTINGS)
    assert seen == [None] * 5
    cell = run.cells["q4", "text_only"]
    assert (cell.frames_seen, cell.times_s, cell.reader) == (0, (), None)


def test_results_do_not_depend_on_the_order_of_questions(
    clips: Path, questions: list[Question]
) -> None:
    """A slice the other way round gives the same cells, seeded ones included."""
    conditions = [*LADDER, "mismatched"]
    one = evaluate(slice_of(clips, questions), model(), conditions, SETTINGS)
    back = evaluate(slice_of(clips, questions[::-1]), model(), conditions, SETTINGS)
    assert one.cells == back.cells


def test_the_fingerprint_tells_what_a_run_depends_on(light: Slice) -> None:
    """Slice, settings and environment must agree; weights may differ."""
    run = evaluate(light, model(name="night-7"), ["original"], SETTINGS)
    comparable = run.fingerprint.comparable
    assert comparable["slice"] == light.digest
    assert comparable["scoring"] == "choice"
    assert comparable.items() >= SETTINGS.comparable().items()
    assert run.fingerprint.subject["checkpoint"] == run.checkpoint == "night-7"
    assert "weights" in run.fingerprint.subject
    assert run.fingerprint.informative.keys() >= {"pytest-vdg", "pyav"}
    assert run.created


def test_what_was_observed_of_the_model_is_told(light: Slice) -> None:
    """What only its answers show, such as a server's name for it, after them."""

    class Telling(Stub):
        notes = ()

        @property
        def observed(self) -> dict[str, str]:
            return {"server model": "m-1"} if self.calls else {}

    run = evaluate(light, Telling(), ["black"], SETTINGS)
    assert run.fingerprint.informative["server model"] == "m-1"


def test_changed_videos_are_refused(folder: Path, questions: list[Question]) -> None:
    """Other content under the same name is another question, by its video."""
    slice_ = slice_of(folder, questions)
    before = evaluate(slice_, model(), ["original"], SETTINGS)
    require_comparable(before, evaluate(slice_, model(), ["original"], SETTINGS))
    write_clip(folder / "a.mp4", level=70)
    after = evaluate(slice_, model(), ["original"], SETTINGS)
    with pytest.raises(NotComparable, match="a video whose content changed"):
        require_comparable(after, before)


def test_where_options_are_scored_a_label_is_no_options_text(clips: Path) -> None:
    """The model's label A is option A, though that is what option B says.

    With the clip it is A that a model which looks answers, see above.
    """
    crossed = replace(
        question("q1", "c.mp4"),
        options=(Option(label="A", text="B"), Option(label="B", text="A")),
    )
    run = evaluate(slice_of(clips, [crossed]), model(), ["original"], SETTINGS)
    assert run.cells["q1", "original"].choice == "A"


def test_an_unparsed_reply_is_kept(light: Slice) -> None:
    """A reply that chose nothing is its own outcome, verbatim."""
    refusal = "I cannot see any video."
    run = evaluate(
        light,
        model(answer=lambda p, c: refusal, scoring="generate"),
        ["original"],
        SETTINGS,
    )
    cell = run.cells["q4", "original"]
    assert (cell.outcome, cell.reply) == (Outcome.UNPARSED, refusal)


# -- what is refused before anything is loaded -------------------


def test_an_unknown_condition_loads_nothing(light: Slice) -> None:
    """A misspelt condition is found before the backend is touched."""
    with pytest.raises(ConfigError, match="shuffled"):
        evaluate(light, Unusable(), ["shufled"], SETTINGS)  # type: ignore[arg-type]


def test_bad_videos_ask_nothing(folder: Path, questions: list[Question]) -> None:
    """All unreadable videos are named, and no question is asked."""
    (folder / "a.mp4").unlink()
    (folder / "c.mp4").write_bytes(b"")
    asked = model()
    with pytest.raises(CouldNotBeJudged) as caught:
        evaluate(slice_of(folder, questions), asked, ["original"], SETTINGS)
    assert "a.mp4" in str(caught.value)
    assert "c.mp4" in str(caught.value)
    assert asked.calls == 0


# -- failures are no answers -------------------------------------


def test_bad_videos_can_be_counted_as_failed(
    folder: Path, questions: list[Question], store: CellStore
) -> None:
    """With skip, cells that need the video fail, with the reason; others go on."""
    (folder / "c.mp4").unlink()
    skip = replace(SETTINGS, on_bad_media="skip")
    conditions = ["original", "black", "text_only"]
    slice_ = slice_of(folder, questions)
    run = evaluate(slice_, model(), conditions, skip, store=store)
    lost = {key for key, cell in run.cells.items() if cell.outcome is Outcome.FAILED}
    assert lost == {(q, c) for q in ("q3", "q5") for c in ("original", "black")}
    assert "no such file" in (run.cells["q3", "original"].reason or "")
    assert run.cells["q3", "text_only"].outcome.judged


def test_a_failed_reply_is_a_failed_cell(light: Slice) -> None:
    """A backend that raises once costs one cell, with its message."""
    run = evaluate(light, Stub(fails=1), ["original"], SETTINGS)
    failed = [c for c in run.cells.values() if c.outcome is Outcome.FAILED]
    assert [c.reason for c in failed] == ["out of memory (1)"]


def test_failed_cells_are_asked_again(light: Slice, store: CellStore) -> None:
    """A failure is not kept: the next run asks for it, and for nothing else."""
    evaluate(light, Stub(fails=2), ["original"], SETTINGS, store=store)
    again = Stub()
    run = evaluate(light, again, ["original"], SETTINGS, store=store)
    assert again.calls == 2
    assert run.counts("original").failed == 0


def test_a_backend_that_never_answers_is_given_up(light: Slice) -> None:
    """A night is not spent on collecting the same error."""
    broken = Stub(fails=10**9)
    conditions = [*LADDER, "text_only"]  # 25 cells
    with pytest.raises(CouldNotBeJudged, match=r"first 20 cells.*\n?.*memory \(1\)"):
        evaluate(light, broken, conditions, SETTINGS)
    assert broken.calls == 20


def test_a_backend_that_answered_once_is_not_given_up(light: Slice) -> None:
    """Failures after an answer are cells, for the caps to judge."""
    flaky = Stub(fails=19)
    run = evaluate(light, flaky, [*LADDER, "text_only"], SETTINGS)
    assert sum(c.outcome is Outcome.FAILED for c in run.cells.values()) == 19


def test_missing_packages_end_the_run(light: Slice) -> None:
    """A backend that cannot be loaded at all is not asked a second time."""

    def missing(prompt: Prompt, clip: Clip | None) -> str:
        raise BackendUnavailable("transformers", "torch")

    unavailable = model(answer=missing)
    with pytest.raises(BackendUnavailable, match="pip install"):
        evaluate(light, unavailable, ["original"], SETTINGS)
    assert unavailable.calls == 1


def test_a_condition_without_meaning_is_not_applicable(
    folder: Path, store: CellStore
) -> None:
    """One frame cannot be shuffled; that is kept, so no one decodes to learn it."""
    write_clip(folder / "one.mp4", level=90, frames=1)
    slice_ = slice_of(folder, [question("q1", "one.mp4")])
    run = evaluate(slice_, model(), ["original", "shuffled"], SETTINGS, store=store)
    cell = run.cells["q1", "shuffled"]
    assert cell.outcome is Outcome.NOT_APPLICABLE
    assert cell.reason
    assert store.count() == 2


# -- mismatched --------------------------------------------------


def test_mismatched_shows_another_video_at_this_ones_size(
    folder: Path, questions: list[Question]
) -> None:
    """The frames are a partner's; number, size and times stay those of the clip."""
    write_clip(folder / "b.mp4", level=120, side=48)
    seen: dict[str, list[Clip]] = {}

    def note(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
        assert clip is not None
        seen.setdefault(prompt.text, []).append(clip)
        return look(prompt, clip)

    evaluate(
        slice_of(folder, questions),
        model(answer=note),
        ["original", "mismatched"],
        SETTINGS,
    )
    for original, other in seen.values():
        assert other.frames.shape == original.frames.shape
        assert other.timestamps_s.tolist() == original.timestamps_s.tolist()
        assert abs(float(other.frames.mean()) - float(original.frames.mean())) > 20


def test_mismatched_needs_a_second_video(clips: Path) -> None:
    """With one video there is no other; the cell says so and is no failure."""
    alone = slice_of(clips, [question("q1", "a.mp4")])
    run = evaluate(alone, model(), ["original", "mismatched"], SETTINGS)
    assert run.cells["q1", "mismatched"].outcome is Outcome.NOT_APPLICABLE


def test_a_bad_partner_fails_only_the_mismatched_cell(folder: Path) -> None:
    """The reason names the video that could not be read, not the one asked about."""
    (folder / "b.mp4").write_bytes(b"")
    two = slice_of(folder, [question("q1", "a.mp4"), question("q2", "b.mp4")])
    skip = replace(SETTINGS, on_bad_media="skip")
    run = evaluate(two, model(), ["original", "mismatched"], skip)
    assert run.cells["q1", "original"].outcome.judged
    assert run.cells["q1", "mismatched"].outcome is Outcome.FAILED
    assert "partner video b.mp4" in (run.cells["q1", "mismatched"].reason or "")


# -- progress ----------------------------------------------------


def test_progress_is_told_after_each_cell(light: Slice, store: CellStore) -> None:
    """Counts rise by one to the total, cached and failed ones told apart."""
    evaluate(light, Stub(fails=1), ["black"], SETTINGS, store=store)
    told: list[Progress] = []
    evaluate(
        light,
        Stub(fails=1),
        ["original", "black"],
        SETTINGS,
        store=store,
        progress=told.append,
    )
    assert [p.done for p in told] == list(range(1, 11))
    assert {p.total for p in told} == {10}
    assert (told[-1].cached, told[-1].failed) == (4, 1)
    assert all(a.seconds <= b.seconds for a, b in pairwise(told))


def test_the_backend_stays_open(light: Slice) -> None:
    """Whoever made a backend closes it: two slices need not load it twice."""
    open_ = model()
    evaluate(light, open_, ["original"], SETTINGS)
    assert not open_.closed
