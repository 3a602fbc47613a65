"""What a run showed is made again as it was: the very pixels, cell by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.engine.showing import clips
from pytest_vdg.errors import ConditionNotApplicable, ConfigError, MediaError
from pytest_vdg.frames.clip import Clip
from tests.engine.examples import (
    CLIPS,
    SETTINGS,
    look,
    model,
    question,
    slice_of,
    write_clip,
)

CONDITIONS = (
    "original",
    "black",
    "single_frame",
    "single_frame:middle",
    "shuffled",
    "shuffled:blocks",
    "reversed",
    "text_only",
    "mismatched",
)


@pytest.mark.parametrize("also", [(), ("sampled:2", "fps:2"), ("compressed:30",)])
def test_every_cell_shows_what_the_model_was_given(
    light: Slice, also: tuple[str, ...]
) -> None:
    """By the digest of shape and pixels, question by question, and by the times."""
    given: Counter[tuple[str, str, tuple[float, ...]]] = Counter()

    def note(prompt: Prompt, clip: Clip | None) -> Mapping[str, float]:
        if clip is not None:
            times = tuple(clip.timestamps_s.tolist())
            given[prompt.text.splitlines()[0], clip.digest(), times] += 1
        return look(prompt, clip)

    conditions = (*CONDITIONS, *also)
    backend = model(answer=note, frames_per_token=2)
    run = evaluate(light, backend, conditions, SETTINGS)
    found: Counter[tuple[str, str, tuple[float, ...]]] = Counter()
    for asked, condition, clip in clips(light, conditions, SETTINGS, block=2):
        assert isinstance(clip, Clip)
        times = tuple(clip.timestamps_s.tolist())
        assert times == run.cells[asked.id, condition].times_s
        found[asked.text, clip.digest(), times] += 1
    assert found == given


def test_a_clip_that_cannot_be_made_is_an_error_in_its_place(tmp_path: Path) -> None:
    """The others are still shown."""
    write_clip(tmp_path / "a.mp4", level=60)
    write_clip(tmp_path / "b.mp4", level=60, frames=1)
    (tmp_path / "c.mp4").write_bytes(b"no video")
    slice_ = slice_of(tmp_path, [question(f"q{n}", f"{n}.mp4") for n in "abc"])
    made = {
        asked.id: clip
        for asked, _, clip in clips(slice_, ["shuffled"], SETTINGS, block=1)
    }
    assert isinstance(made["qa"], Clip)
    assert isinstance(made["qb"], ConditionNotApplicable)
    assert isinstance(made["qc"], MediaError)


def test_only_wanted_questions_are_read(tmp_path: Path) -> None:
    """The video of another one need not even be there."""
    write_clip(tmp_path / "a.mp4", level=60)
    slice_ = slice_of(tmp_path, [question(f"q{n}", f"{n}.mp4") for n in "ab"])
    made = list(clips(slice_, ["original"], SETTINGS, block=1, ids={"qa"}))
    assert [asked.id for asked, _, _ in made] == ["qa"]


def test_an_unknown_condition_is_told(light: Slice) -> None:
    """Before a video is opened."""
    with pytest.raises(ConfigError, match="shuffeld"):
        list(clips(light, ["shuffeld"], SETTINGS, block=1))


def test_reading_ahead_shows_the_same(tmp_path: Path) -> None:
    """In processes or in this one, the pictures are those of the file."""
    for name, level in CLIPS.items():
        write_clip(tmp_path / name, level=level)
    slice_ = slice_of(tmp_path, [question(name, name) for name in CLIPS])
    ahead = replace(SETTINGS, decode_workers=1)
    digests = [
        [clip.digest() for _, _, clip in clips(slice_, ["original"], s, block=1)]  # type: ignore[union-attr]
        for s in (SETTINGS, ahead)
    ]
    assert digests[0] == digests[1]
