"""All bad videos are named before a model is loaded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.engine.preflight import preflight
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.frames.excerpt import WHOLE
from tests.engine.examples import SETTINGS, model, question, slice_of
from tests.frames import faulty_reader


def test_good_videos_pass(clips: Path) -> None:
    """Sound files raise nothing."""
    preflight(slice_of(clips, [question("q1", "a.mp4")]))


def test_all_bad_videos_are_listed_at_once(folder: Path) -> None:
    """Missing, empty and truncated files each have a line with size and reason."""
    names = ["missing.mp4", "empty.mp4", "cut.mp4", "page.mp4", "a.mp4"]
    (folder / "empty.mp4").touch()
    whole = (folder / "b.mp4").read_bytes()
    (folder / "cut.mp4").write_bytes(whole[: len(whole) // 3])
    (folder / "page.mp4").write_text("<html>404</html>")
    asked = [question(f"q{i}", name) for i, name in enumerate(names)]
    with pytest.raises(
        CouldNotBeJudged, match="4 of 5 videos cannot be read"
    ) as caught:
        preflight(slice_of(folder, asked))
    lines = str(caught.value).splitlines()
    told = {line.split()[0]: line for line in lines if line.startswith("  ")}
    assert sorted(told) == ["cut.mp4", "empty.mp4", "missing.mp4", "page.mp4"]
    assert "(missing: " in told["missing.mp4"]
    assert "(0 bytes: " in told["empty.mp4"]
    assert f"({len(whole) // 3} bytes: " in told["cut.mp4"]
    assert "on_bad_media" in lines[-1]


def test_both_readers_are_heard(folder: Path) -> None:
    """Where no reader can open a file, each says why."""
    whole = (folder / "b.mp4").read_bytes()
    (folder / "cut.mp4").write_bytes(whole[: len(whole) // 3])
    with pytest.raises(CouldNotBeJudged) as caught:
        preflight(slice_of(folder, [question("q1", "cut.mp4")]))
    assert "pyav" in str(caught.value)
    assert "decord" in str(caught.value)


def test_a_video_of_many_questions_is_named_once(folder: Path) -> None:
    """The list is of files, not of questions."""
    asked = [question(f"q{i}", "missing.mp4") for i in range(9)]
    with pytest.raises(CouldNotBeJudged, match="1 of 1 videos"):
        preflight(slice_of(folder, asked))


def test_only_the_videos_named_are_looked_at(folder: Path) -> None:
    """Videos whose answers are all known need not be there."""
    asked = [question("q1", "missing.mp4"), question("q2", "a.mp4")]
    preflight(slice_of(folder, asked), shown={("a.mp4", WHOLE)})


def test_reasons_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that has much to say does not fill the terminal."""
    from pytest_vdg.errors import MediaError

    def talk(path: Path, **_: object) -> None:
        raise MediaError("x\n" * 100_000)

    monkeypatch.setattr("pytest_vdg.engine.preflight.probe", talk)
    with pytest.raises(CouldNotBeJudged) as caught:
        preflight(slice_of(folder, [question("q1", "a.mp4")]))
    assert len(str(caught.value)) < 2000


def test_a_video_that_stops_its_reader_is_named_before_a_model_is_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look may have to decode, so it is as safe as reading (hazard 1)."""
    faulty_reader.install(monkeypatch)
    name = "hangs-at-once.mp4"
    (folder / "b.mp4").rename(folder / name)
    asked = [question(f"q{i}", v) for i, v in enumerate(["a.mp4", name])]
    how = replace(SETTINGS, decode_workers=1, decode_timeout_s=0.2)
    backend = model()
    with pytest.raises(CouldNotBeJudged, match=r"1 of 2 .*\n.*hangs-at.*than 0\.2 s"):
        evaluate(slice_of(folder, asked), backend, ["original"], how)
    assert backend.calls == 0
