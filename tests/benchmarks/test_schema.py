"""A question that cannot be asked or judged is never made."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.schema import Benchmark, Option
from pytest_vdg.errors import BenchmarkError
from tests.benchmarks.made import benchmark, question


def test_digest_is_that_of_text_options_and_answer() -> None:
    """The digest can be redone with nothing but a SHA-256 tool."""
    made = question(texts={"A": "red", "B": "green"}, answer="B", text="Which?")
    written = b'["Which?",[["A","red"],["B","green"]],"B"]'
    assert made.digest == hashlib.sha256(written).hexdigest()


def test_digest_tells_order_of_options() -> None:
    """Two questions with the same options in another order are two questions."""
    one = question(texts={"A": "red", "B": "green"})
    other = question(texts={"B": "green", "A": "red"})
    assert one.digest != other.digest


@pytest.mark.parametrize("field", ["id", "task", "video", "extra"])
def test_digest_covers_content_only(field: str) -> None:
    """Renaming a question, its task or its video does not change what it asks."""
    value = {"note": 1} if field == "extra" else "other"
    assert question(**{field: value}).digest == question().digest


def test_chance_is_one_in_k() -> None:
    """A blind guess among five options is right one time in five."""
    options = {str(i): f"text {i}" for i in range(5)}
    assert question(texts=options, answer="0").chance == pytest.approx(1 / 5)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"id": ""}, "id is empty"),
        ({"id": 7}, "id must be text, got 7: quote it"),
        ({"id": "a\tb"}, "id holds the control character '\\t'"),
        ({"id": "a\u2028b"}, "control character '\\u2028'"),
        ({"id": "a\ud800"}, "control character '\\ud800'"),
        ({"id": "a::black"}, "'::'"),
        ({"text": " \n"}, "question text is empty"),
        ({"text": "nul \0"}, "question text holds the control character '\\x00'"),
        ({"task": None}, "task must be text, got None"),
        ({"texts": {"A": "red"}}, "2 to 26 options, got 1"),
        ({"texts": {"A": "red", "B": True}}, "text of option 'B' must be text"),
        ({"texts": {"A": "red", "": "blue"}}, "option label is empty"),
        ({"texts": {"A": "red", "B": " "}}, "text of option 'B' is empty"),
        ({"texts": {"A": "red", "B": "red"}}, "text 'red', the answer, is given to"),
        (
            {"texts": {"A": "a  car", "B": " a car"}},
            "text 'a car', the answer, is given to more",
        ),
        ({"texts": {"A": "red", "B": "x\nC. y"}}, "control character '\\n'"),
        ({"answer": "D"}, "answer 'D' is not one of the labels A, B, C"),
        (
            {"texts": {"A": "up", "B": "down"}, "answer": "dwon"},
            "labels A, B; did you mean B, 'down'?",
        ),
        ({"answer": 0}, "answer 0 is not one of the labels A, B, C: quote it"),
        ({"extra": ["x"]}, "extra must be an object"),
    ],
)
def test_unusable_question_is_refused(changed: dict[str, object], said: str) -> None:
    """Each fault is named, in words that say what to change."""
    with pytest.raises(BenchmarkError) as caught:
        question(**changed)  # type: ignore[arg-type]
    assert said in str(caught.value)


def test_labels_must_differ() -> None:
    """A label that two options share could not be an answer."""
    options = (Option(label="A", text="red"), Option(label="A", text="blue"))
    with pytest.raises(BenchmarkError, match="label 'A' is given to more than one"):
        question(options=options)


def test_more_options_than_letters_are_refused() -> None:
    """Twenty-six options are the most that letters can label."""
    options = {f"L{i}": f"text {i}" for i in range(27)}
    with pytest.raises(BenchmarkError, match="got 27"):
        question(texts=options, answer="L0")


def test_all_faults_of_a_question_are_named_at_once() -> None:
    """Nobody fixes a file one fault a run."""
    with pytest.raises(BenchmarkError, match=r"task is empty.*video.*answer"):
        question(task="", video="/a.mp4", answer="Z")


def test_question_text_may_have_lines() -> None:
    """A question may run over several lines; an option may not."""
    assert question(text="He says:\n\t'go'\r\nWhat colour?").text.count("\n") == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [("q1", "q1"), ("q1", "Q1"), ("q1", "q1 "), ("q1", "\uff511")],
)
def test_ids_that_look_alike_are_refused(first: str, second: str) -> None:
    """Ids that differ in case, space or width alone get mixed up by people."""
    with pytest.raises(BenchmarkError, match=r"question 2: .* question 1"):
        Benchmark(
            name="twice",
            root=Path(),
            questions=(question(first), question(second)),
            source="made",
        )


def test_two_wrong_options_may_say_the_same() -> None:
    """Odd, as real benchmarks are, but a question that can be judged."""
    twice = question(texts={"A": "red", "B": "blue", "C": "blue"})
    assert twice.chance == pytest.approx(1 / 3)


def test_message_on_repeated_ids_is_bounded() -> None:
    """A file doubled by mistake does not fill the screen."""
    questions = tuple(question(f"q{i}") for i in range(30)) * 2
    with pytest.raises(BenchmarkError, match="and 10 more"):
        Benchmark(name="twice", root=Path(), questions=questions, source="made")


def test_empty_benchmark_is_refused() -> None:
    """Nothing passes because there was nothing to ask."""
    with pytest.raises(BenchmarkError, match="holds no question"):
        Benchmark(name="none", root=Path(), questions=(), source="made")


def test_benchmark_digest_ignores_file_order_only() -> None:
    """Sorting a file changes no digest; moving a question to another clip does."""
    made = benchmark({"a": 3, "b": 2})
    assert made.digest == benchmark({"a": 3, "b": 2}, backwards=True).digest
    moved = replace(made.questions[0], video="b/1.mp4")
    other = replace(made, questions=(moved, *made.questions[1:]))
    assert made.digest != other.digest


def test_benchmark_prints_no_questions() -> None:
    """Four thousand questions do not belong in a failure message."""
    assert "a-0" not in repr(benchmark({"a": 3}))


def test_unknown_question_is_named_with_the_nearest() -> None:
    """A mistyped id is answered with the one probably meant."""
    with pytest.raises(BenchmarkError, match="Did you mean 'colour-1'"):
        benchmark({"colour": 3}).question("color-1")


def test_question_is_found_by_its_id() -> None:
    """Questions are looked up by id, never by place."""
    made = benchmark({"a": 3}, backwards=True)
    assert made.question("a-1").id == "a-1"


def test_tasks_come_in_the_order_of_the_file() -> None:
    """A report lists tasks as the benchmark does."""
    assert benchmark({"b": 1, "a": 2}).tasks == ("b", "a")


def test_unknown_question_lists_no_thousand_ids() -> None:
    """Without a near id the message stays one line."""
    with pytest.raises(BenchmarkError) as caught:
        benchmark({"colour": 3}).question("zzz")
    assert str(caught.value).endswith("has no question 'zzz'.")


@pytest.mark.parametrize(
    "video",
    [
        "../a.mp4",
        "clips/../../a.mp4",
        "..",
        "/etc/passwd",
        "C:\\x.mp4",
        "C:x.mp4",
        "..\\a.mp4",
        "http://169.254.169.254/x.mp4",
        "file:///etc/passwd",
        "concat:a.mp4|b.mp4",
        "subfile,,start,0,end,0,,:/etc/passwd",
        "pipe:0",
        "a\0.mp4",
        "list.m3u8",
        "list.FFCONCAT",
        "",
        ".",
    ],
)
def test_video_that_could_leave_the_folder_is_refused(video: str) -> None:
    """A record can name a file under the benchmark's folder and nothing else."""
    with pytest.raises(BenchmarkError, match="video"):
        question(video=video)


@pytest.mark.parametrize(
    "video",
    [
        "a b.mp4",
        "dir with space .../a b#1%.mp4",
        "a%20b.mp4",
        "видео/視頻.mp4",
        "...mp4",
        "..a/b..mp4",
        "~/a.mp4",
        "a 12:30.mp4",
        "a|b.mp4",
        "frames",
    ],
)
def test_odd_but_honest_names_are_found(tmp_path: Path, video: str) -> None:
    """Spaces, number signs, per cents and any alphabet are part of the name."""
    path = tmp_path / video
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    made = benchmark({"a": 1}, tmp_path)
    found = made.video_path(question(video=video))
    assert found == path.resolve()
    assert found.is_file()


@pytest.mark.parametrize("video", ["./a.mp4", "clips//a.mp4", "clips/./a.mp4", "a/"])
def test_a_video_has_one_spelling(video: str) -> None:
    """Two spellings of a file would count as two independent videos."""
    with pytest.raises(BenchmarkError, match="shorter spelling"):
        question(video=video)


def test_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    """A link in the folder reads no file outside it."""
    outside = tmp_path / "outside.mp4"
    outside.touch()
    root = tmp_path / "root"
    root.mkdir()
    (root / "link.mp4").symlink_to(outside)
    (root / "up").symlink_to(tmp_path, target_is_directory=True)
    made = benchmark({"a": 1}, root)
    for video in ("link.mp4", "up/outside.mp4"):
        with pytest.raises(BenchmarkError, match="is a link to"):
            made.video_path(question(video=video))


def test_link_out_of_a_folder_of_frames_is_refused(tmp_path: Path) -> None:
    """A video may be a folder of pictures; a link among them is looked at too."""
    (tmp_path / "secret.png").touch()
    frames = tmp_path / "root" / "frames"
    frames.mkdir(parents=True)
    (frames / "1.png").touch()
    (frames / "2.png").symlink_to("1.png")
    made = benchmark({"a": 1}, tmp_path / "root")
    assert made.video_path(question(video="frames")) == frames.resolve()
    (frames / "3.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(BenchmarkError, match=r"the link '3.png', which leads out"):
        made.video_path(question(video="frames"))


def test_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    """Linking one clip to another inside the folder is fine."""
    (tmp_path / "a.mp4").touch()
    (tmp_path / "b.mp4").symlink_to("a.mp4")
    made = benchmark({"a": 1}, tmp_path)
    assert made.video_path(question(video="b.mp4")) == (tmp_path / "a.mp4").resolve()


def test_folder_reached_by_a_link_is_no_escape(tmp_path: Path) -> None:
    """The folder itself may be a link: data sets live on other disks."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "disk", target_is_directory=True)
    made = benchmark({"a": 1}, tmp_path / "root")
    found = made.video_path(question(video="a.mp4"))
    assert found == (tmp_path / "disk").resolve() / "a.mp4"


def test_ring_of_links_is_a_benchmark_error(tmp_path: Path) -> None:
    """A link to itself is refused, or kept inside, and never a bare OSError."""
    (tmp_path / "ring.mp4").symlink_to("ring.mp4")
    made = benchmark({"a": 1}, tmp_path)
    try:
        found = made.video_path(question(video="ring.mp4"))
    except BenchmarkError as error:
        assert "cannot be looked up" in str(error)  # noqa: PT017 - both are right
    else:
        assert tmp_path.resolve() in found.parents


@given(st.text())
def test_any_video_text_stays_inside_or_is_refused(video: str) -> None:
    """No text whatever leads `video_path` out of the folder."""
    root = Path("nowhere").resolve()
    made = benchmark({"a": 1}, root)
    try:
        found = made.video_path(question(video=video))
    except BenchmarkError:
        return
    assert root in found.parents
