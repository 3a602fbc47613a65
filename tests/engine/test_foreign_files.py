"""From annotation files to frames: what names and files of others can do.

The annotation files are constructed in our own format; the names in them are
those of hazards 12, 15 and 69.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from pytest_vdg.benchmarks.plain import load_plain
from pytest_vdg.benchmarks.slices import Slice, take
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import BenchmarkError, CouldNotBeJudged
from pytest_vdg.frames.decode import read_clip
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.runs import Outcome
from tests.engine.examples import SETTINGS, model
from tests.frames.clips import numbers
from tests.frames.test_folder import save

ESCAPES = {
    "../../etc/passwd": "leads out",
    "a/../../b.mp4": "leads out",
    "/etc/passwd": "leads out",
    "C:\\x.mp4": "backslash",
    "C:/x.mp4": "names a drive",
    "\\\\host\\x.mp4": "backslash",
    "http://169.254.169.254/x.mp4": "an address",
    "file:///etc/passwd": "an address",
    "concat:a.mp4|b.mp4": "an address",
    "list.m3u8": "a playlist",
    "list.ffconcat": "a playlist",
    "a\0.mp4": "control character",
}


def annotate(folder: Path, videos: Iterable[str]) -> Path:
    """Write a question about each of *videos* and return the file."""
    path = folder / "questions.jsonl"
    records = [
        {
            "id": f"q{i}",
            "video": video,
            "task": "light",
            "question": "Is there light?",
            "options": ["yes", "no"],
            "answer": "A",
        }
        for i, video in enumerate(videos)
    ]
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def asked(folder: Path, videos: Iterable[str]) -> Slice:
    """Return a slice of a question about each of *videos*, read from a file."""
    return take(load_plain(annotate(folder, videos)))


# -- names (hazard 69) -------------------------------------------


def test_names_that_lead_out_are_all_refused_at_once(folder: Path) -> None:
    """No name of an annotation file gets as far as a path; each has its line."""
    path = annotate(folder, ["a.mp4", *ESCAPES])
    with pytest.raises(BenchmarkError) as caught:
        load_plain(path)
    told = {
        int(match[1]): match[2]
        for match in re.finditer(
            r"questions\.jsonl(?::|, line )(\d+): (.*)", str(caught.value)
        )
    }
    assert sorted(told) == list(range(2, 2 + len(ESCAPES)))
    for line, reason in enumerate(ESCAPES.values(), 2):
        assert reason in told[line]


@pytest.mark.parametrize("name", ["out.mp4", "up/b.mp4", "frames"])
def test_links_that_lead_out_ask_nothing(
    name: str, folder: Path, tmp_path: Path
) -> None:
    """A link in the data set's folder reads no file outside it, in any form."""
    other = tmp_path / "elsewhere"
    other.mkdir()
    (folder / "b.mp4").rename(other / "b.mp4")
    save(other / "secret.png", 1)
    (folder / "out.mp4").symlink_to(other / "b.mp4")
    (folder / "up").symlink_to(other, target_is_directory=True)
    (folder / "frames").mkdir()
    (folder / "frames" / "1.png").symlink_to(other / "secret.png")
    backend = model()
    with pytest.raises(BenchmarkError, match=r"leads out|outside"):
        evaluate(asked(folder, ["a.mp4", name]), backend, ["original"], SETTINGS)
    assert backend.calls == 0


def test_a_playlist_under_a_videos_name_is_not_followed(folder: Path) -> None:
    """What a file is, is told by its content."""
    (folder / "list.mp4").write_text(f"#EXTM3U\n{folder / 'a.mp4'}\n", encoding="utf-8")
    with pytest.raises(CouldNotBeJudged, match=r"list\.mp4 \(.*a playlist"):
        evaluate(asked(folder, ["list.mp4"]), model(), ["original"], SETTINGS)


@pytest.mark.parametrize("name", ["dir with space .../a b#1%.mp4", "a%20b.mp4"])
def test_odd_names_are_read(name: str, folder: Path) -> None:
    """Names are taken literally: nothing is decoded, split or expanded."""
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / "a.mp4").rename(folder / name)
    run = evaluate(asked(folder, [name]), model(), ["original"], SETTINGS)
    assert run.cells["q0", "original"].outcome.judged


# -- downloads that failed (hazard 12) ---------------------------


def test_failed_downloads_among_good_ones_are_listed(folder: Path) -> None:
    """All at once with size and reason, before the model is asked anything."""
    whole = (folder / "b.mp4").read_bytes()
    files = {
        "zero_bytes.mp4": b"",
        "html_page.mp4": b"<!DOCTYPE html><html><body>404</body></html>",
        "trunc.mp4": whole[: len(whole) // 2],
        "lfs.mp4": b"version https://git-lfs.github.com/spec/v1\noid sha256:0",
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "empty_folder").mkdir()
    backend = model()
    names = ["a.mp4", *files, "b.mp4", "empty_folder", "gone.mp4"]
    with pytest.raises(CouldNotBeJudged, match="6 of 8 videos") as caught:
        evaluate(asked(folder, names), backend, ["original"], SETTINGS)
    told = {
        line.split()[0]: line.split("(", 1)[1]
        for line in str(caught.value).splitlines()
        if line[:2] == "  "
    }
    begins = {name: f"{len(content)} bytes: " for name, content in files.items()}
    begins |= {"empty_folder": "a folder: ", "gone.mp4": "missing: "}
    assert told.keys() == begins.keys()
    for name, begin in begins.items():
        assert told[name].startswith(begin)
        assert told[name].endswith("; 1 question)")
    assert backend.calls == 0


# -- folders of pictures (hazard 15) -----------------------------


@pytest.fixture
def pictures(folder: Path) -> Path:
    """Return 1.png to 12.png, unpadded, some in capitals, with clutter beside."""
    place = folder / "frames_unpadded"
    place.mkdir()
    for value in range(1, 13):
        save(place / f"{value}.{'PNG' if value % 5 == 0 else 'png'}", value)
    for name in ("Thumbs.db", ".DS_Store", "desktop.ini"):
        (place / name).write_bytes(b"x")
    return place


def test_unpadded_pictures_are_no_shuffled_video(folder: Path, pictures: Path) -> None:
    """In natural order; shuffled is another order of the same pictures."""
    assert numbers(read_clip(pictures, Sampling(frames=99))) == list(range(1, 13))
    run = evaluate(
        asked(folder, ["frames_unpadded"]),
        model(),
        ["original", "shuffled", "reversed"],
        SETTINGS,
    )
    cells = [run.cells["q0", c] for c in run.conditions]
    assert [cell.outcome.judged for cell in cells] == [True, True, True]
    assert len({cell.input_digest for cell in cells}) == 3


@pytest.mark.parametrize("stray", ["notes.txt", "12.mp4", "cover", "12.jpg"])
def test_a_stray_file_among_pictures_asks_nothing(
    stray: str, folder: Path, pictures: Path
) -> None:
    """It may be a frame that would be missed, so it is named, not passed over."""
    (pictures / stray).write_bytes(b"x")
    with pytest.raises(CouldNotBeJudged, match=rf"a folder: .*'{stray}'"):
        evaluate(
            asked(folder, ["a.mp4", "frames_unpadded"]), model(), ["black"], SETTINGS
        )


def test_a_folder_that_cannot_be_listed_is_a_bad_video(
    folder: Path, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing rights are told like any other fault, not as a crash."""
    inner = Path.iterdir

    def refuse(self: Path) -> Iterable[Path]:
        if self == pictures.resolve():
            raise PermissionError(13, "Permission denied")
        return inner(self)

    slice_ = asked(folder, ["frames_unpadded"])
    monkeypatch.setattr("pytest_vdg.benchmarks.schema.links_out", lambda *_: [])
    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(CouldNotBeJudged, match="cannot be opened: Permission denied"):
        evaluate(slice_, model(), ["original"], SETTINGS)


def test_a_broken_picture_fails_its_questions_alone(
    folder: Path, pictures: Path
) -> None:
    """What preflight cannot see without decoding all is a failed cell."""
    (pictures / "8.png").write_bytes(b"\x89PNG but no more")
    run = evaluate(
        asked(folder, ["a.mp4", "frames_unpadded"]), model(), ["original"], SETTINGS
    )
    assert run.cells["q0", "original"].outcome.judged
    failed = run.cells["q1", "original"]
    assert failed.outcome is Outcome.FAILED
    assert "'8.png'" in (failed.reason or "")
