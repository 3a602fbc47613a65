"""Each checkpoint of a folder is judged once, whatever becomes of it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_vdg.cli import main
from pytest_vdg.store.history import past_runs
from tests.sessions.watched import WEIGHTS

ROOT = Path(__file__).parents[2]
GROUNDED = ROOT / "example_suite" / "checkpoints" / "grounded"
CONFIG = """
backend: python:tests.sessions.watched:backend
slices: {colours: {benchmark: plain, path: data/questions.jsonl}}
claims:
  sees: {assert: vdg_above, slice: colours, floor: 0.2}
"""


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of twelve clips and questions about them."""
    pytest.importorskip("av")
    from tests.plugin.conftest import _write_clip, write_questions

    folder = tmp_path_factory.mktemp("data")
    for number in range(12):
        _write_clip(folder / f"{number:02}.mp4", channel=number % 3)
    write_questions(folder / "questions.jsonl", range(12))
    return folder


@pytest.fixture
def run(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that a training saves to, inside a configured project."""
    monkeypatch.chdir(tmp_path)
    for name in ("CI", "VDG_CHECKPOINT", "VDG_CONFIG", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VDG_TEST_ASKED", str(tmp_path / "asked.txt"))
    shutil.copytree(data, tmp_path / "data")
    (tmp_path / "vdg.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


def save(folder: Path, step: int, kind: str = "sighted") -> Path:
    """Save a checkpoint; its weights are named after kind and step."""
    made = folder / f"checkpoint-{step}"
    made.mkdir()
    (made / WEIGHTS).write_text(f"{kind} {step}", encoding="utf-8")
    return made


Watched = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def watched(run: Path, capsys: pytest.CaptureFixture[str]) -> Watched:
    """Return what watches once and gives exit code and lines."""

    def watch(*arguments: str, once: bool = True) -> tuple[int, list[str]]:
        ends = ("--once",) if once else ()
        code = main(["watch", str(run), *ends, "--settle", "0s", *arguments])
        told = capsys.readouterr()
        return code, [*told.out.splitlines(), *told.err.splitlines()]

    return watch


def asked() -> list[str]:
    """Return the weights that answered, in order, each once."""
    path = Path("asked.txt")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return list(dict.fromkeys(lines))


def test_each_checkpoint_has_one_line(run: Path, watched: Watched) -> None:
    """In natural order, with slice, VDG, interval and verdict; then the trend."""
    save(run, 1000, "blind")
    save(run, 500)
    code, lines = watched()
    assert code == 1
    assert lines[0].startswith("checkpoint-500: colours VDG +50.0 [")
    assert lines[0].endswith("n=24 ok")
    assert lines[1].startswith("checkpoint-1000: colours VDG +0.0 [")
    assert "sees: BELOW FLOOR" in lines[1]
    table = lines[lines.index("trend of colours: 2 runs") :]
    assert [line.split()[2] for line in table[2:]] == [
        "checkpoint-500",
        "checkpoint-1000",
    ]


def test_all_fine_leaves_with_0(run: Path, watched: Watched) -> None:
    """Where each claim holds about each checkpoint that is there."""
    save(run, 500)
    save(run, 1000)
    assert watched()[0] == 0


def test_nothing_there_is_not_fine(watched: Watched) -> None:
    """A watch that found no checkpoint has shown nothing."""
    code, lines = watched()
    assert code == 1
    assert lines[0].startswith("no checkpoint was judged in ")


def test_nothing_is_judged_twice(run: Path, watched: Watched) -> None:
    """Not by the next watch, and not under another name or in another folder."""
    first = save(run, 500)
    watched()
    first.rename(run / "checkpoint-500-kept")
    save(run, 1000)
    Path("asked.txt").unlink()
    code, lines = watched()
    assert code == 0
    assert lines[0] == "checkpoint-500-kept: judged before as checkpoint-500: ok"
    assert asked() == ["sighted 1000"]
    assert len(past_runs(".vdg")) == 2


def test_a_verdict_of_before_still_counts(run: Path, watched: Watched) -> None:
    """What failed yesterday and is still there fails the next look, too."""
    save(run, 500, "blind")
    assert watched()[0] == 1
    code, lines = watched()
    assert code == 1
    assert lines[0] == "checkpoint-500: judged before: BELOW FLOOR"


def test_other_claims_are_judged_anew(run: Path, watched: Watched) -> None:
    """From kept answers: what is claimed changed, and what was answered did not."""
    save(run, 500)
    watched()
    Path("asked.txt").unlink()
    code, lines = watched("--claim", "vdg_above slice=colours floor=0.9")
    assert code == 1
    assert "judged before" not in lines[0]
    assert asked() == []


def test_changed_weights_are_judged_anew(run: Path, watched: Watched) -> None:
    """A folder that is written again is another checkpoint."""
    folder = save(run, 500)
    watched()
    (folder / WEIGHTS).write_text("blind 501", encoding="utf-8")
    code, lines = watched()
    assert code == 1
    assert "BELOW FLOOR" in lines[0]


@pytest.mark.parametrize("kind", ["broken", "empty"])
def test_a_broken_checkpoint_is_told_and_the_next_judged(
    run: Path, watched: Watched, kind: str
) -> None:
    """COULD NOT BE JUDGED, with the reason; the watch goes on, and is not green."""
    folder = save(run, 500, "broken")
    if kind == "empty":
        (folder / WEIGHTS).rename(folder / "notes.txt")
    save(run, 1000)
    code, lines = watched()
    assert code == 1
    assert lines[0].startswith("checkpoint-500: sees: COULD NOT BE JUDGED: ")
    assert lines[1].endswith("n=24 ok")


def test_a_broken_checkpoint_is_tried_again_when_it_changed(
    run: Path, watched: Watched
) -> None:
    """Told once while it stays as it is; judged when it was written again."""
    from pytest_vdg._commands._arguments import Where, settings_of
    from pytest_vdg.sessions.watch import Watch

    folder = save(run, 500, "broken")
    lines: list[str] = []
    settings = settings_of(Where())
    watch = Watch(
        folder=run,
        settings=settings,
        claims=settings.config.claims,
        tell=lines.append,
        settle_s=0,
    )
    watch.look()
    watch.look()
    assert len(lines) == 1
    (folder / WEIGHTS).write_text("sighted again", encoding="utf-8")
    watch.look()
    assert len(lines) == 2
    assert lines[1].endswith(" ok")
    assert watch.outcomes == {folder: "ok"}


def test_a_lost_checkpoint_is_tried_again_after_a_restart(
    run: Path, watched: Watched
) -> None:
    """What could not be judged was not judged, whatever the history says."""
    save(run, 500, "broken")
    watched()
    assert [r.verdicts for r in past_runs(".vdg")] == [
        (("sees", "COULD NOT BE JUDGED"),)
    ]
    assert "COULD NOT BE JUDGED" in watched()[1][0]


def test_a_checkpoint_deleted_while_it_is_judged_ends_nothing(
    run: Path, watched: Watched
) -> None:
    """The trainer's ``save_total_limit`` is no fault of the checkpoint's."""
    save(run, 500, "vanishing")
    save(run, 1000)
    code, lines = watched()
    assert lines[0] == "checkpoint-500: deleted before it was judged"
    assert lines[1].endswith("n=24 ok")
    assert code == 0
    assert [r.checkpoint for r in past_runs(".vdg")] == ["checkpoint-1000"]


def test_it_stops_after_as_many_as_it_was_told(run: Path, watched: Watched) -> None:
    """Without ``--once``, too; the others are left for the next watch."""
    for step in (1, 2, 3):
        save(run, step)
    code, _ = watched("--stop-after", "2", once=False)
    assert code == 0
    assert asked() == ["sighted 1", "sighted 2"]


def test_reports_are_of_the_newest_with_the_trend(run: Path, watched: Watched) -> None:
    """The file is written after each checkpoint, over that of the last."""
    save(run, 500)
    save(run, 1000, "blind")
    _, lines = watched("--json", "out.json")
    assert any(line.strip() == f"wrote {Path('out.json').absolute()}" for line in lines)
    values = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert "checkpoint-1000" in json.dumps(values)
    assert "vdg watch" in json.dumps(values)


def test_without_a_cache_it_judges_and_keeps_nothing(
    run: Path, watched: Watched
) -> None:
    """The trend is then of this watch alone."""
    save(run, 500)
    code, lines = watched("--no-cache")
    assert code == 0
    assert any(line.startswith("trend of colours: 1 run") for line in lines)
    assert not Path(".vdg").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--every", "soon"), "--every must be a time"),
        (("--every", "0s"), "--every must be a time"),
        (("--stop-after", "0"), "--stop-after must be at least 1"),
        (("--claims", "seas"), "there is no claim 'seas'"),
        (("--claim", "vdg_above slice=colors floor=0.1"), "Did you mean 'colours'"),
        (("--processor", "gone"), "--processor: there is no folder"),
        (("--json", "-"), "name a file"),
        (("--stop-after", "many"), "--stop-after must be at least 1"),
        (("--replay", "run"), "leave the replay out"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(
    run: Path, watched: Watched, arguments: tuple[str, ...], said: str
) -> None:
    """Before a checkpoint is touched, with exit code 4."""
    save(run, 500)
    code, lines = watched(*arguments)
    assert code == 4
    assert said in lines[-1]
    assert asked() == []


def test_a_folder_that_is_not_there_is_named(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what lies near it."""
    assert main(["watch", str(run.parent / "ru")]) == 4
    assert "Did you mean" in capsys.readouterr().err


def test_nothing_claimed_is_a_usage_error(run: Path, watched: Watched) -> None:
    """A watch without claims would judge nothing for hours."""
    Path("vdg.yaml").write_text(CONFIG.partition("claims:")[0], encoding="utf-8")
    code, lines = watched()
    assert code == 4
    assert "nothing was claimed" in lines[-1]


def test_its_signal_ends_it_and_is_then_as_it_was(
    run: Path, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0 where it was told to end, and nobody's handler is lost to a library's user."""

    def ended(*_: object, **__: object) -> bool:
        signal.raise_signal(signal.SIGTERM)
        return False

    monkeypatch.setattr("pytest_vdg.sessions.watch.Watch.run", ended)
    before = signal.getsignal(signal.SIGTERM)
    code, lines = watched()
    assert code == 0
    assert "ended; what was answered is kept" in lines
    assert signal.getsignal(signal.SIGTERM) is before


HEARING = """\
import signal, sys
from pytest_vdg.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
"""
"""The tool, also where a worker or a job in the background hands on deaf ears."""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_told_to(run: Path, number: signal.Signals) -> None:
    """With 0, whatever the verdicts, and with all that was found out kept."""
    save(run, 500, "blind")
    process = subprocess.Popen(
        [sys.executable, "-c", HEARING, "watch", str(run), "--settle", "0s"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    assert "BELOW FLOOR" in process.stdout.readline()
    process.send_signal(number)
    told, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    assert "ended" in told
    assert "trend of colours: 1 run" in told
    assert len(past_runs(".vdg")) == 1


def test_a_real_checkpoint_with_the_processor_above(
    run: Path, watched: Watched
) -> None:
    """Weights saved without a processor are asked with that of the folder above."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    config = CONFIG.replace("backend: python:tests.sessions.watched:backend", "")
    Path("vdg.yaml").write_text(f"device: cpu\n{config}", encoding="utf-8")
    folder = run / "checkpoint-7"
    folder.mkdir()
    for path in GROUNDED.iterdir():
        weights = path.name in ("config.json", "generation_config.json", WEIGHTS)
        shutil.copy(path, folder if weights else run)
    code, lines = watched("--claim", "vdg_above slice=sight questions=24 floor=0.1")
    assert code == 0
    assert lines[0].startswith("checkpoint-7: sight-24 VDG ")
    assert f"(processor and tokenizer of {run})" in lines[0]
    (kept,) = past_runs(".vdg")
    assert (kept.checkpoint, kept.step) == ("checkpoint-7", 7)


def test_a_checkpoint_of_the_same_name_hides_no_other(
    run: Path, watched: Watched, tmp_path: Path
) -> None:
    """Links bring in folders of other trainings, which are called alike."""
    save(run, 500, "blind")
    (tmp_path / "other").mkdir()
    (run / "zero-checkpoint").symlink_to(save(tmp_path / "other", 500))
    code, lines = watched()
    assert lines[0].startswith("checkpoint-500: ")
    assert "BELOW FLOOR" in lines[0]
    assert lines[1].endswith(" ok")
    assert code == 1


def test_an_empty_folder_is_waited_for_no_longer_than_others(
    run: Path, watched: Watched
) -> None:
    """What a full disk left of a checkpoint ends ``--once``, and is not fine."""
    save(run, 500)
    (run / "checkpoint-1000").mkdir()
    code, lines = watched()
    assert lines[0].endswith(" ok")
    assert lines[1].startswith("checkpoint-1000: COULD NOT BE JUDGED: it holds no file")
    assert code == 1


def test_other_questions_are_asked_anew(run: Path, watched: Watched) -> None:
    """By what the file says, not by what it is called."""
    save(run, 500)
    assert watched()[1][0].endswith(" ok")
    path = run.parent / "data" / "questions.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:18]), encoding="utf-8")
    assert "n=18" in watched()[1][0]


def test_what_a_baseline_says_is_part_of_the_claim(run: Path, watched: Watched) -> None:
    """A checkpoint that kept what one held is held against another one, or none."""
    text = (run.parent / "vdg.yaml").read_text(encoding="utf-8")
    claim = "  kept: {assert: no_dissociation_regression, vdg_margin: 0.4}\n"
    (run.parent / "vdg.yaml").write_text(text + claim, encoding="utf-8")
    save(run, 500)
    assert watched("--claims", "kept")[0] == 1
    assert main(["baseline", "promote", "colours"]) == 0
    assert watched("--claims", "kept")[0] == 0
    assert "judged before" in watched("--claims", "kept")[1][0]
    (run.parent / "vdg_baselines" / "colours.jsonl").unlink()
    code, lines = watched("--claims", "kept")
    assert "COULD NOT BE JUDGED: there is no baseline" in lines[0]
    assert code == 1


def test_a_lost_claim_is_kept_under_the_slice_that_it_is_about(
    run: Path, watched: Watched
) -> None:
    """Also where it names none, and asks but some questions."""
    save(run, 500, "broken")
    watched("--claim", "vdg_above questions=6 floor=0.2")
    assert [r.slice_name for r in past_runs(".vdg")] == ["colours-6"]


def test_another_checkpoint_is_a_baseline_by_its_weights(
    run: Path, watched: Watched
) -> None:
    """What was held against it before it was trained on is held against it anew."""
    text = (run.parent / "vdg.yaml").read_text(encoding="utf-8")
    claim = "  kept: {assert: no_dissociation_regression, vdg_margin: 0.4}\n"
    (run.parent / "vdg.yaml").write_text(text + claim, encoding="utf-8")
    base = save(run.parent, 1)
    save(run, 500)
    how = ("--claims", "kept", "--compare-to", str(base))
    assert watched(*how)[0] == 0
    assert "judged before" in watched(*how)[1][0]
    (base / WEIGHTS).write_text("blind 2", encoding="utf-8")
    code, lines = watched(*how)
    assert code == 1
    assert "which itself has none to lose" in lines[0]
    (base / WEIGHTS).write_text("sighted 1", encoding="utf-8")
    assert "judged before" in watched(*how)[1][0]


def test_a_baseline_that_cannot_be_asked_is_tried_again(
    run: Path, watched: Watched
) -> None:
    """Nothing is known of a checkpoint that was held against none."""
    text = (run.parent / "vdg.yaml").read_text(encoding="utf-8")
    claim = "  kept: {assert: no_dissociation_regression, vdg_margin: 0.4}\n"
    (run.parent / "vdg.yaml").write_text(text + claim, encoding="utf-8")
    base = save(run.parent, 1, "broken")
    save(run, 500)
    how = ("--claims", "kept", "--compare-to", str(base))
    assert watched(*how)[0] == 1
    (base / WEIGHTS).write_text("sighted 1", encoding="utf-8")
    assert watched(*how)[0] == 0
