"""Videos that cannot be read: an error that names them, and no model loaded."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Project

SUITE = """
import pytest
from pytest_vdg import assert_accuracy_above

@pytest.mark.vdg(slice="colours")
def test_bad(vdg_run):
    pass

@pytest.mark.vdg(slice="good")
def test_good(vdg_run):
    assert_accuracy_above(vdg_run, 0.2)

def test_plain():
    pass
"""


def _spoil(project: Project) -> None:
    """Truncate one clip, empty another and remove a third."""
    data = project.path / "data"
    whole = (data / "00.mp4").read_bytes()
    (data / "00.mp4").write_bytes(whole[: len(whole) // 2])
    (data / "01.mp4").write_bytes(b"")
    (data / "02.mp4").unlink()


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_bad_clips_are_an_error_and_the_rest_runs(
    project: Project, workers: tuple[str, ...]
) -> None:
    """All bad files are named at once, with both readers' messages."""
    from tests.plugin.conftest import write_questions

    _spoil(project)
    write_questions(project.path / "data" / "good.jsonl", range(3, 12))
    (project.path / "vdg.yaml").write_text(
        "slices:\n"
        "  colours: {benchmark: plain, path: data/questions.jsonl}\n"
        "  good: {benchmark: plain, path: data/good.jsonl}\n",
        encoding="utf-8",
    )
    project.suite(SUITE)
    result = project.with_model("--junitxml=out.xml", *workers)
    result.assert_outcomes(passed=2, errors=1)
    error = project.junit()["test_bad"].find("error")
    assert error is not None
    text = f"{error.attrib['message']}\n{error.text}"
    assert "COULD NOT BE JUDGED: " in error.attrib["message"].splitlines()[0]
    for name in ("00.mp4", "01.mp4", "02.mp4"):
        assert name in text
    for reader in ("pyav", "decord"):
        assert reader in text.lower()
    result.stdout.fnmatch_lines(["vdg: 1 vdg test could not be judged"])


def test_no_model_is_loaded_for_a_slice_with_bad_clips(project: Project) -> None:
    """Damaged downloads are found before the weights are read."""
    _spoil(project)
    project.with_model().assert_outcomes(errors=1)
    assert project.loaded() == []


def test_a_broken_annotation_file_is_an_error_of_its_tests(project: Project) -> None:
    """The slice and the faulty line are named, and other tests run."""
    path = project.path / "data" / "questions.jsonl"
    path.write_text('{"id": "q1"}\n', encoding="utf-8")
    project.suite("def test_bad(vdg_run):\n    pass\ndef test_plain():\n    pass\n")
    result = project.with_model()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["E   COULD NOT BE JUDGED: slice 'colours': *questions.jsonl*"]
    )
