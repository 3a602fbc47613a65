"""``--vdg-executor ray``: actors on two nodes ask, and nobody sees a difference.

One cluster for all tests here. That an actor dies, finds no place, or is about another
model is tested without one in `tests.sessions.test_actors`; here is that Ray says so.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pytest_vdg import Run
from pytest_vdg.store.cells import CellStore
from tests.backends.adapters import build_adapter
from tests.cluster.raycluster import TwoNodes, two_nodes
from tests.plugin.conftest import CLIPS, INSTALLED, Project, kept

pytest.importorskip("ray", reason="ray is not installed")

GROUNDED = Path(__file__).parents[2] / "example_suite" / "checkpoints" / "grounded"
CELLS = 72
"""24 questions under three conditions."""
SUITE = """
import pytest
from pathlib import Path
from pytest_vdg import assert_accuracy_above, assert_vdg_above, save_run

@pytest.mark.vdg(conditions=["original", "black"])
def test_sees(vdg_run):
    assert_vdg_above(vdg_run, 0.2)

@pytest.mark.vdg(conditions=["original", "mismatched"])
def test_knows(vdg_run, vdg):
    save_run(vdg.runs[0], Path("kept.jsonl"), full=True)
    assert_accuracy_above(vdg_run, 0.2)
"""

PATIENT = """
from pytest_vdg.sessions import actors

actors.START_S = actors._END_S = 600.0
"""
"""A session that waits longer: for a place on a slow machine, and for models to be
freed there."""

HEARS = """
import signal, sys, pytest
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(pytest.main(sys.argv[1:]))
"""
"""pytest, which hears Ctrl-C also where the tests were started in the background."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[TwoNodes]:
    """Return a cluster of two nodes."""
    with two_nodes() as made:
        yield made


@pytest.fixture
def asking(
    project: Project, cluster: TwoNodes, monkeypatch: pytest.MonkeyPatch
) -> Project:
    """Return a project whose models note on which node each question is asked."""
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    shutil.copy(Path(__file__).with_name("raystub.py"), project.path / "raystub.py")
    project.suite(SUITE)
    project.pytester.makeconftest(PATIENT)
    path = project.path / "data" / "questions.jsonl"
    questions = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for question in questions:
        question["question"] += f" In {question['video']}"
    path.write_text("".join(json.dumps(q) + "\n" for q in questions), "utf-8")
    return project


def options(backend: str = "noted") -> list[str]:
    """Return what is typed for a run on the cluster."""
    asked = f"--vdg-backend=python:raystub:{backend}"
    return ["--vdg-checkpoint=any", asked, "--vdg-executor=ray"]


def on_ray(project: Project, *more: str, backend: str = "noted") -> pytest.RunResult:
    """Run the suite on the cluster, in a process of its own."""
    return project.run(*options(backend), *more, subprocess=True)


def begun(project: Project, *, backend: str = "noted") -> subprocess.Popen[bytes]:
    """Begin to run the suite on the cluster."""
    plugin = [] if INSTALLED else ["-p", "pytest_vdg.plugin"]
    return subprocess.Popen(
        [sys.executable, "-c", HEARS, *plugin, *options(backend)],
        cwd=project.path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def lines(project: Project) -> list[tuple[str, int, str, str]]:
    """Return node, process, cell and video of each question that was asked."""
    path = project.path / "asked.txt"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    whole, _, _ = text.rpartition("\n")
    rows = [line.split() for line in whole.splitlines()]
    return [(node, int(pid), cell, video) for node, pid, cell, video in rows]


def in_store(project: Project) -> int:
    """Return how many answers are kept."""
    with closing(CellStore(project.path / ".vdg")) as store:
        return store.count()


@pytest.fixture(scope="module")
def of_one_process() -> list[Run]:
    """Return where the run of one process is put by whoever needs it first."""
    return []


@pytest.fixture
def own(asking: Project, of_one_process: list[Run]) -> Run:
    """Return the run of one process, of the same questions and clips."""
    if not of_one_process:
        given = "--vdg-no-cache", "--vdg-backend=python:raystub:noted"
        result = asking.run("--vdg-checkpoint=any", *given, subprocess=True)
        result.assert_outcomes(passed=2)
        of_one_process.append(kept(asking))
        for name in ("asked.txt", "kept.jsonl"):
            (asking.path / name).unlink()
    return of_one_process[0]


def wait_until(there: object, seconds: float = 600.0) -> None:
    """Wait until *there* says so."""
    end = time.monotonic() + seconds
    while not there():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.05)


def lives(pid: int) -> bool:
    """Return whether there is a process *pid* that is no corpse."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


# -- the same run ----------------------------------------------


def test_two_nodes_make_the_run_of_one_process(
    asking: Project, cluster: TwoNodes, own: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cell by cell; each asked once, and both nodes took part, beside xdist too."""
    monkeypatch.setenv("VDG_TEST_MEET", "2")
    result = on_ray(asking, "-n", "2")
    result.assert_outcomes(passed=2)
    assert "from cache" not in result.stdout.str()
    times = Counter(cell for _, _, cell, _ in lines(asking))
    assert len(lines(asking)) == sum(c.outcome.judged for c in own.cells.values())
    assert set(times.values()) == {1}
    assert {node for node, _, _, _ in lines(asking)} == set(cluster.nodes)
    assert in_store(asking) == CELLS
    assert kept(asking) == own


def test_a_killed_actor_costs_its_lot_and_nothing_else(
    asking: Project, own: Run
) -> None:
    """Without a store, too; the summary tells of it."""
    result = on_ray(asking, "--vdg-no-cache", backend="dies_once")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["vdg: 1 actor died; what they were asked was*"])
    assert "(raylet)" not in result.stdout.str() + result.stderr.str()
    assert kept(asking) == own


def test_a_node_that_is_gone_is_done_without(
    asking: Project, cluster: TwoNodes, own: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it was asked is asked on the others; nothing is lost or kept twice."""
    node = cluster.add()
    monkeypatch.setenv("VDG_TEST_NODE", node)
    monkeypatch.setenv("VDG_TEST_MEET", "3")
    run = begun(asking, backend="stays_on_a_node")
    wait_until((asking.path / "stays").exists)
    cluster.remove()
    assert run.wait(timeout=600) == 0
    assert {each for each, _, _, _ in lines(asking)} == {node, *cluster.nodes}
    assert in_store(asking) == CELLS
    assert kept(asking) == own


def test_a_session_that_was_killed_is_taken_up_again(
    asking: Project, own: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came back is in the store; only what was under way is asked again."""
    monkeypatch.setenv("VDG_TEST_HOLD", "1")
    first = begun(asking)
    store = CellStore(asking.path / ".vdg")
    wait_until(lambda: store.count() > 0)
    first.kill()
    first.wait()
    before = store.count()
    assert 0 < before < CELLS
    wait_until(lambda: not any(lives(pid) for _, pid, _, _ in lines(asking)))
    asked = len(lines(asking))
    monkeypatch.delenv("VDG_TEST_HOLD")
    result = on_ray(asking)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([f"vdg: {before} of {CELLS} cells from cache"])
    assert store.count() == CELLS
    assert len(lines(asking)) - asked <= CELLS - before
    assert kept(asking) == own
    store.close()


def test_someone_who_presses_ctrl_c_is_rid_of_all_actors(
    asking: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are ended with the session, whatever they do."""
    monkeypatch.setenv("VDG_TEST_MEET", "3")  # of two: each is never answered
    run = begun(asking)
    wait_until(lambda: len({pid for _, pid, _, _ in lines(asking)}) == 2)
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=600) == pytest.ExitCode.INTERRUPTED
    wait_until(lambda: not any(lives(pid) for _, pid, _, _ in lines(asking)))


# -- what is not judged ----------------------------------------


def test_a_video_that_kills_every_actor_is_not_judged(asking: Project) -> None:
    """Its cells failed, which are too many; the others were answered."""
    result = on_ray(asking, backend="dies_of_a_video")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*COULD NOT BE JUDGED*failed*"])
    result.stdout.fnmatch_lines(["*2 original failed: 3 actors that asked about*"])
    assert in_store(asking) == CELLS - 2 * 3
    assert {video for _, _, _, video in lines(asking)} == {
        f"{i:02}.mp4" for i in range(CLIPS)
    }


def test_a_model_that_skips_on_its_node_skips_no_test(asking: Project) -> None:
    """It is an error, as in one process, and no death of an actor."""
    result = on_ray(asking, backend="skips")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["E   COULD NOT BE JUDGED: *Skipped: no GPU here"])
    assert "died" not in result.stdout.str()


def test_a_model_that_cannot_be_freed_on_its_node_is_told(asking: Project) -> None:
    """As of one process, and no verdict changes."""
    result = on_ray(asking, backend="stuck")
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.OK
    told = "vdg: freeing the model raised *OSError: the device is busy*"
    result.stdout.fnmatch_lines([told])


def test_two_checkpoints_are_on_the_cluster_one_after_the_other(
    asking: Project,
) -> None:
    """The first one's actors free their model before the second one's load."""
    asking.suite(
        "from pytest_vdg import assert_no_dissociation_regression\n"
        "def test_kept(vdg_run, vdg_baseline):\n"
        "    assert_no_dissociation_regression(\n"
        "        vdg_run, vdg_baseline, accuracy_margin=0.2, vdg_margin=0.2)\n"
    )
    given = "--vdg-checkpoint=new", "--vdg-compare-to=old", "--vdg-executor=ray"
    result = asking.run(*given, "--vdg-backend=python:stub:alone", subprocess=True)
    result.assert_outcomes(passed=1)
    told = [line.split() for line in asking.loaded()]
    names = [name for _, name in told]
    assert names == sorted(names, key=names.index)
    assert {*names} == {"new", "old"}
    for name in names:
        did = [word for word, of in told if of == name]
        assert did == ["load"] * (len(did) // 2) + ["free"] * (len(did) // 2)


@pytest.mark.parametrize("kind", ["whole", "adapter"])
def test_a_real_checkpoint_answers_on_two_nodes_as_in_one_process(
    asking: Project, kind: str
) -> None:
    """The same model, the same choices and, to rounding, the same probabilities."""
    pytest.importorskip("transformers", reason="a real checkpoint needs transformers")
    named = f"checkpoint: {GROUNDED}\n"
    if kind == "adapter":
        pytest.importorskip("peft", reason="an adapter needs peft")
        build_adapter(GROUNDED, asking.path / "step-200")
        named = f"checkpoint: step-200\nbase: {GROUNDED}\n"
    (asking.path / "vdg.yaml").write_text(
        f"{named}device: cpu\nslices: {{few: {{benchmark: sight, questions: 12}}}}\n",
        encoding="utf-8",
    )
    runs = []
    for executor in ("ray", "local"):
        cache = f"--vdg-cache-dir={executor}"
        asking.run(f"--vdg-executor={executor}", cache, subprocess=True)
        runs.append(kept(asking))
        (asking.path / "kept.jsonl").unlink()
    there, here = runs
    assert there.checkpoint == here.checkpoint
    assert there.fingerprint.comparable == here.fingerprint.comparable
    assert there.fingerprint.subject == here.fingerprint.subject
    assert ("base" in there.fingerprint.subject) == (kind == "adapter")
    assert there.cells.keys() == here.cells.keys()
    for key, cell in here.cells.items():
        other = there.cells[key]
        assert (other.outcome, other.choice) == (cell.outcome, cell.choice)
        assert other.probabilities == pytest.approx(cell.probabilities, abs=1e-4)
