"""Questions about parts of videos: what is shown, read once, kept and refused."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.plan import make_plan
from pytest_vdg.engine.preflight import bad_video, preflight
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import CouldNotBeJudged, MediaError
from pytest_vdg.frames import decoding
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.excerpt import WHOLE, Excerpt
from pytest_vdg.runs import Outcome
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import (
    LADDER,
    SETTINGS,
    footage_of,
    look,
    model,
    question,
    slice_of,
)
from tests.frames.test_folder import save

# The clips show 8 frames in 1 s; each is 8 levels brighter than the one before.
FIRST, LAST = Excerpt(end_s=0.5), Excerpt(start_s=0.5)
PARTS = {"q1": FIRST, "q2": LAST, "q3": FIRST, "q4": WHOLE, "q5": LAST}


def about(question_id: str, video: str, excerpt: Excerpt) -> Question:
    """Return a question about *excerpt* of *video*."""
    return replace(question(question_id, video), excerpt=excerpt)


@pytest.fixture
def parts(clips: Path) -> Slice:
    """Return five questions about three parts of a.mp4, which take turns."""
    return slice_of(clips, [about(i, "a.mp4", part) for i, part in PARTS.items()])


class Eye:
    """Answers as `look` does, and remembers what it was shown."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self.times: dict[str, list[list[float]]] = {}
        self.levels: dict[str, list[list[int]]] = {}

    def __call__(self, prompt: Prompt, clip: Clip | None) -> dict[str, float]:
        """Note times and levels by the id that stands in the question."""
        assert clip is not None
        asked = prompt.text.split("(")[1].split(")")[0]
        levels = clip.frames.mean(axis=(1, 2, 3)).round().astype(int).tolist()
        self.times.setdefault(asked, []).append(clip.timestamps_s.tolist())
        self.levels.setdefault(asked, []).append(levels)
        return look(prompt, clip)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return the videos and parts that get decoded, as they are."""
    seen: list[tuple[str, str]] = []
    inner: Callable[..., Clip] = decoding.read_clip

    def note(path: Path, *args: object, excerpt: Excerpt, **options: object) -> Clip:
        seen.append((path.name, excerpt.spec))
        return inner(path, *args, excerpt=excerpt, **options)

    monkeypatch.setattr(decoding, "read_clip", note)
    return seen


# -- what is shown -----------------------------------------------


def test_each_question_is_shown_its_own_part(parts: Slice) -> None:
    """The first half is 60 to 84 bright, the second 92 to 116 (some levels off)."""
    eye = Eye()
    evaluate(parts, model(answer=eye), ["original"], SETTINGS)
    for name, part in PARTS.items():
        (levels,), (times,) = eye.levels[name], eye.times[name]
        wanted = {
            FIRST: [0, 1, 2, 3],
            LAST: [4, 5, 6, 7],
            WHOLE: [1, 3, 5, 7],
        }[part]
        assert times == [frame / 8 for frame in wanted]
        assert levels == pytest.approx([60 + 8 * f for f in wanted], abs=3)


def test_all_conditions_show_the_same_part(parts: Slice) -> None:
    """Count and time marks are those of the original; only pictures change."""
    eye = Eye()
    run = evaluate(parts, model(answer=eye), [*LADDER, "mismatched"], SETTINGS)
    for name in PARTS:
        assert len({tuple(times) for times in eye.times[name]}) == 1
        shown = dict(zip(LADDER, eye.levels[name], strict=True))
        assert sorted(shown["shuffled"]) == sorted(shown["original"])
        assert set(shown["single_frame"]) < set(shown["original"])
        assert set(shown["black"]) == {0}
        assert run.cells[name, "mismatched"].outcome is Outcome.NOT_APPLICABLE


def test_mismatched_shows_the_part_of_the_others_first_question(clips: Path) -> None:
    """First by id, wherever it stands, and whatever the question's own part."""
    asked = [
        about("q1", "b.mp4", WHOLE),
        about("q9", "a.mp4", FIRST),
        about("q3", "a.mp4", LAST),
    ]
    eye = Eye()
    evaluate(slice_of(clips, asked), model(answer=eye), ["mismatched"], SETTINGS)
    assert eye.levels["q1"] == [pytest.approx([92, 100, 108, 116], abs=3)]
    assert eye.times["q1"] == [[0.125, 0.375, 0.625, 0.875]]


def test_folders_are_shown_at_their_rate(tmp_path: Path) -> None:
    """Of twelve pictures at 4 a second, 1 to 2 s are those named 5 to 8."""
    folder = tmp_path / "tvqa" / "clip"
    folder.mkdir(parents=True)
    for value in range(1, 13):
        save(folder / f"{value}.png", value)
    part = Excerpt(start_s=1, end_s=2, picture_rate=4)
    eye = Eye()
    run = evaluate(
        slice_of(tmp_path, [about("q1", "tvqa/clip", part)]),
        model(answer=eye),
        ["original", "shuffled"],
        SETTINGS,
    )
    assert run.cells["q1", "original"].times_s == (1.0, 1.25, 1.5, 1.75)
    assert eye.levels["q1"][0] != eye.levels["q1"][1]
    assert sorted(eye.levels["q1"][0]) == sorted(eye.levels["q1"][1])


# -- read once, freed early --------------------------------------


def test_each_part_is_decoded_once(
    parts: Slice, decoded: list[tuple[str, str]]
) -> None:
    """Though questions about the parts take turns in the slice."""
    evaluate(parts, model(), LADDER, SETTINGS)
    assert decoded == [("a.mp4", "0-0.5s"), ("a.mp4", ""), ("a.mp4", "0.5-s")]


def test_a_partner_is_decoded_once(clips: Path, decoded: list[tuple[str, str]]) -> None:
    """For the video that it stands in for, and for its own questions."""
    asked = [about(i, "a.mp4", part) for i, part in PARTS.items()]
    asked.append(about("q6", "b.mp4", LAST))
    evaluate(slice_of(clips, asked), model(), ["mismatched"], SETTINGS)
    assert sorted(decoded) == [
        ("a.mp4", ""),
        ("a.mp4", "0-0.5s"),
        ("a.mp4", "0.5-s"),
        ("b.mp4", "0.5-s"),
    ]


def test_only_one_part_is_held(parts: Slice) -> None:
    """Fifty parts of a film do not lie in memory side by side."""
    plan = make_plan(parts, ["original"], seed=0)
    held = footage_of(plan)
    before = weakref.ref(held.clip(FIRST))
    assert before() is held.clip(FIRST)
    held.clip(LAST)
    gc.collect()
    assert before() is None


def test_questions_about_one_part_follow_each_other(parts: Slice) -> None:
    """By part, then by id, whatever the order of the slice."""
    plan = make_plan(parts, ["original"], seed=0)
    assert [q.id for q in plan.videos[0].questions] == ["q1", "q3", "q4", "q2", "q5"]
    back = slice_of(parts.benchmark.root, parts.questions[::-1])
    assert make_plan(back, ["original"], seed=0) == plan


# -- kept answers ------------------------------------------------


def test_answers_about_parts_are_found_again(parts: Slice, store: CellStore) -> None:
    """A second run asks nothing."""
    first = evaluate(parts, model(), LADDER, SETTINGS, store=store)
    again = model()
    second = evaluate(parts, again, LADDER, SETTINGS, store=store)
    assert (again.calls, second.cells) == (0, first.cells)


def test_moved_bounds_ask_again(clips: Path, store: CellStore) -> None:
    """An answer about another part is not reused, save where no video is shown."""
    conditions = ["original", "black", "text_only"]
    one, two = (slice_of(clips, [about("q1", "a.mp4", p)]) for p in (FIRST, LAST))
    evaluate(one, model(), conditions, SETTINGS, store=store)
    again = model()
    run = evaluate(two, again, conditions, SETTINGS, store=store)
    assert again.calls == 2
    assert run.cells["q1", "text_only"].cached


def test_moved_bounds_of_a_partner_ask_again(clips: Path, store: CellStore) -> None:
    """What mismatched shows depends on the other video's part."""
    q1 = about("q1", "b.mp4", WHOLE)
    one, two = (
        slice_of(clips, [q1, about("q2", "a.mp4", part)]) for part in (FIRST, LAST)
    )
    conditions = ["original", "mismatched"]
    evaluate(one, model(), conditions, SETTINGS, store=store)
    run = evaluate(two, model(), conditions, SETTINGS, store=store)
    fresh = {key for key, cell in run.cells.items() if not cell.cached}
    assert fresh == {("q1", "mismatched"), ("q2", "original"), ("q2", "mismatched")}


def test_runs_on_other_parts_are_not_comparable(clips: Path) -> None:
    """The slice's digest tells them apart; the video's content is the same."""
    one, two = (
        evaluate(
            slice_of(clips, [about("q1", "a.mp4", part)]), model(), ["black"], SETTINGS
        )
        for part in (FIRST, LAST)
    )
    assert one.fingerprint.comparable["slice"] != two.fingerprint.comparable["slice"]
    assert one.questions[0].video_digest == two.questions[0].video_digest


# -- looked at before a model is loaded --------------------------


@pytest.fixture
def faulty(folder: Path) -> Slice:
    """Return questions about parts that are there and parts that are not."""
    (folder / "c.mp4").write_bytes(b"")
    late = Excerpt(start_s=20, end_s=30)
    asked = [
        about("q1", "a.mp4", FIRST),
        about("q2", "a.mp4", late),
        about("q3", "a.mp4", late),
        about("q4", "a.mp4", Excerpt(start_s=7)),
        about("q5", "b.mp4", Excerpt(picture_rate=3)),
        about("q6", "c.mp4", FIRST),
        about("q7", "c.mp4", LAST),
        about("q8", "gone.mp4", WHOLE),
    ]
    return slice_of(folder, asked)


def test_all_parts_that_cannot_be_shown_are_named_at_once(faulty: Slice) -> None:
    """Each once, with its reason and how many questions it costs."""
    asked = model()
    with pytest.raises(CouldNotBeJudged, match="4 of 4 videos") as caught:
        evaluate(faulty, asked, ["original"], SETTINGS)
    assert asked.calls == 0
    lines = [line for line in str(caught.value).splitlines() if line[:2] == "  "]
    told = [(line.split()[0], line.rsplit("; ", 1)[1]) for line in lines]
    assert told == [
        ("a.mp4", "1 question)"),
        ("a.mp4", "2 questions)"),
        ("b.mp4", "1 question)"),
        ("c.mp4", "2 questions)"),
        ("gone.mp4", "1 question)"),
    ]
    assert "1 s long, the question is about what comes after 7 s" in lines[0]
    assert "1 s long, the question is about 20-30 s" in lines[1]
    assert "a folder of pictures (3 a second) is meant" in lines[2]


def test_skipping_costs_the_questions_concerned(faulty: Slice) -> None:
    """With skip, the parts that can be shown are, and the others fail alone."""
    skip = replace(SETTINGS, on_bad_media="skip")
    run = evaluate(faulty, model(), ["original"], skip)
    outcomes = {q: cell.outcome for (q, _), cell in run.cells.items()}
    assert outcomes.pop("q1").judged
    assert set(outcomes.values()) == {Outcome.FAILED}
    assert "about 20-30 s" in (run.cells["q2", "original"].reason or "")


def test_parts_with_known_answers_are_not_looked_at(faulty: Slice) -> None:
    """What is shown no more need not be there."""
    preflight(faulty, shown={("a.mp4", FIRST)})
    with pytest.raises(CouldNotBeJudged, match=r"1 of 4 videos(?s:.)*b\.mp4"):
        preflight(faulty, shown={("a.mp4", FIRST), ("b.mp4", Excerpt(picture_rate=3))})


def test_a_partners_part_is_looked_at(clips: Path) -> None:
    """Under mismatched the other video's part must be there as well."""
    asked = [about("q1", "a.mp4", FIRST), about("q2", "b.mp4", Excerpt(start_s=9))]
    slice_ = slice_of(clips, asked)
    plan = make_plan(slice_, ["mismatched"], seed=0)
    part = next(v.partner_excerpt for v in plan.videos if v.video == "a.mp4")
    assert part == Excerpt(start_s=9)
    skip = replace(SETTINGS, on_bad_media="skip")
    run = evaluate(slice_, model(), ["mismatched"], skip)
    reason = run.cells["q1", "mismatched"].reason or ""
    assert "partner video b.mp4" in reason
    assert "1 s long" in reason


def test_a_file_is_probed_once_for_all_its_parts(
    clips: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hundred questions about a film read its packets once."""
    calls: list[Path] = []

    def refuse(path: Path, **_: object) -> None:
        calls.append(path)
        raise MediaError("no")

    monkeypatch.setattr("pytest_vdg.engine.preflight.probe", refuse)
    many = [Excerpt(start_s=i / 1000) for i in range(200)]
    reasons = bad_video(clips / "a.mp4", many)
    assert len(calls) == 1
    assert [len(excerpts) for excerpts in reasons.values()] == [200]
