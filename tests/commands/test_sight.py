"""``vdg sight``: what is printed and what it leaves with, by a model that is played."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pytest_vdg import cli

Captured = pytest.CaptureFixture[str]
MODELS = '''
"""Models of the sight check: one that knows its clips, one that does not look."""
from pytest_vdg import ScriptedBackend
from pytest_vdg.benchmarks.sight import load_sight
from pytest_vdg.frames.decode import read_clip
from pytest_vdg.frames.sampling import Sampling


def known():
    """Return the answer to each question about each clip, as it is shown."""
    benchmark = load_sight()
    paths = {q.video: benchmark.video_path(q) for q in benchmark.questions}
    clips = {v: read_clip(p, Sampling(frames=8)).digest() for v, p in paths.items()}
    return {
        (q.text, tuple(q.texts.values()), clips[q.video]): q.answer
        for q in benchmark.questions
    }


def answered(prompt, clip, table):
    shown = "" if clip is None else clip.digest()
    key = prompt.text.splitlines()[0], prompt.option_texts, shown
    label = table.get(key, "A")
    # The last digits move with what is seen, as in any model that reads it.
    moved = 0.0 if clip is None else float(clip.frames.mean()) * 1e-6
    return {each: 0.9 + moved if each == label else 0.02 for each in prompt.labels}


def sighted(**settings):
    table = known()
    return ScriptedBackend(lambda p, c: answered(p, c, table), name="sighted")


def blind(**settings):
    return ScriptedBackend(lambda p, c: answered(p, c, {}), name="blind")


def dropped(**settings):
    return ScriptedBackend(
        lambda p, c: answered(p, c, {}), name="dropped", consumes_video=False
    )
'''


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with models, now the current one."""
    (tmp_path / "sight_models.py").write_text(MODELS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def by(model: str, *more: str) -> list[str]:
    """Return a command line that puts the check to *model*."""
    return ["sight", "any", "--backend", f"python:sight_models:{model}", *more]


def test_one_that_sees_leaves_with_0(here: Path, capsys: Captured) -> None:
    """The verdict first, then both claims with interval and floor, then the tasks."""
    assert cli.main(by("sighted")) == 0
    verdict, gap, accuracy, floor, *rest = capsys.readouterr().out.splitlines()
    assert verdict == "SEES: sighted, 60 built-in questions about shapes"
    assert gap.startswith("  ok VDG +")
    assert accuracy.startswith("  ok accuracy 100.0% [")
    assert floor == "  floor: always the label 'A' earns .333"
    assert "  direction  8      1.00" in "\n".join(rest)


def test_one_that_answers_a_without_looking_leaves_with_1(
    here: Path, capsys: Captured
) -> None:
    """As accurate as the best constant answer, which it is; and what to do next."""
    assert cli.main(by("blind")) == 1
    said = capsys.readouterr()
    assert said.out.startswith("DOES NOT SEE: blind, 60 built-in questions")
    assert "  BELOW FLOOR VDG +0.0pp" in said.out
    again = "vdg ladder any --backend python:sight_models:blind"
    assert f"next: what each kind of evidence is worth: {again}" in said.out
    assert said.err == ""


def test_a_video_that_is_lost_is_not_judged(here: Path, capsys: Captured) -> None:
    """A model that was never shown the clip is not called blind."""
    assert cli.main(by("dropped")) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("vdg: COULD NOT BE JUDGED: ")


def test_other_numbers_of_questions(here: Path, capsys: Captured) -> None:
    """All of them, or too many; the answers of the sixty are not asked again."""
    assert cli.main(by("sighted", "--questions", "168")) == 0
    assert "168 built-in questions" in capsys.readouterr().out
    assert cli.main(by("sighted")) == 0
    assert "120 of 120 cells from cache" in capsys.readouterr().out
    assert cli.main(by("sighted", "--questions", "169")) == 4
    assert "has 168" in capsys.readouterr().err


def test_json_holds_verdict_and_claims(here: Path, capsys: Captured) -> None:
    """For programs: the exit code is the same, the counts are those of the run."""
    assert cli.main(by("blind", "--json")) == 1
    values = json.loads(capsys.readouterr().out)
    assert values["verdict"] == "DOES NOT SEE"
    assert values["questions"] == 60
    assert values["constant"] == {"kind": "label", "answer": "A", "accuracy": 20 / 60}
    assert values["conditions"]["original"] == values["conditions"]["black"]
    assert [claim["claim"] for claim in values["claims"]] == [
        "assert_vdg_above",
        "assert_accuracy_above",
    ]


def test_the_checkpoint_may_stand_in_the_file(here: Path, capsys: Captured) -> None:
    """Without one anywhere it is said where to put it."""
    assert cli.main(by("sighted")[:1]) == 4
    assert "no checkpoint is configured" in capsys.readouterr().err
    backend = "checkpoint: any\nbackend: python:sight_models:sighted\n"
    (here / "vdg.yaml").write_text(backend, encoding="utf-8")
    assert cli.main(["sight"]) == 0
    assert capsys.readouterr().out.startswith("SEES: sighted")
    shutil.rmtree(here / ".vdg")
