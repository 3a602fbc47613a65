"""Clips read by processes: the same clips, and no reader that cannot be stopped.

Hazards 1 (a reader that never returns, with Python's lock held) and 14 (readers
that stay and pile up).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from pytest_vdg.errors import CouldNotBeJudged, MediaError
from pytest_vdg.frames import _process
from pytest_vdg.frames.decode import probe, read_clip
from pytest_vdg.frames.decoding import Decoders, Want
from pytest_vdg.frames.excerpt import WHOLE, Excerpt
from pytest_vdg.frames.sampling import Sampling
from tests.frames import faulty_reader

ROOT = Path(__file__).parents[2]
FOUR = Sampling(frames=4)

ClipFile = Callable[[str], Path]


def whole(path: Path) -> Want:
    """Return the want of all of *path* at its own size."""
    return Want(path=path, excerpt=WHOLE, size=None)


@pytest.fixture
def decoders() -> Iterator[Decoders]:
    """Return one process that reads."""
    with Decoders(sampling=FOUR) as made:
        yield made


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Iterator[Decoders]:
    """Return one process with a reader that does as names say; hanging for 0.2 s."""
    faulty_reader.install(monkeypatch)
    with Decoders(sampling=FOUR, timeout_s=0.2) as made:
        yield made


def pid_of(decoders: Decoders) -> int:
    """Return the id of the process that reads next."""
    with pytest.raises(MediaError) as caught:
        decoders.submit(whole(Path("pid")))()
    return int(str(caught.value))


def ends(pid: int) -> bool:
    """Return whether the process *pid*, which is not ours, ends."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True  # dead, and no one asked after it yet
        time.sleep(0.02)
    return False


# -- the same clips ----------------------------------------------


@pytest.mark.parametrize(
    "want",
    [
        {"excerpt": WHOLE, "size": None},
        {"excerpt": Excerpt(start_s=1, end_s=2), "size": None},
        {"excerpt": WHOLE, "size": (24, 32)},
    ],
)
def test_a_clip_is_the_one_that_is_read_here(
    want: dict[str, object], clip_file: ClipFile, decoders: Decoders
) -> None:
    """Pixels, times and all else arrive as they are, and read-only as always."""
    path = clip_file("long_gop.mp4")
    there = decoders.submit(Want(path=path, **want))()  # type: ignore[arg-type]
    here = read_clip(path, FOUR, **want)  # type: ignore[arg-type]
    assert np.array_equal(there.frames, here.frames)
    assert np.array_equal(there.timestamps_s, here.timestamps_s)
    assert not there.frames.flags.writeable
    assert not there.timestamps_s.flags.writeable
    for name in ("source_fps", "source_frames", "source_indices", "reader"):
        assert getattr(there, name) == getattr(here, name)


@pytest.mark.skipif(sys.platform != "linux", reason="pipes of other systems are fixed")
def test_a_pipe_holds_as_much_as_the_system_gives(
    clip_file: ClipFile, decoders: Decoders
) -> None:
    """So that a clip does not come in pieces of 64 KiB, for each of which one waits."""
    import fcntl

    decoders.submit(whole(clip_file("long_gop.mp4")))()
    (process,) = decoders._all
    assert process._child is not None
    assert process._child.stdout is not None
    held = fcntl.fcntl(process._child.stdout.fileno(), fcntl.F_GETPIPE_SZ)
    assert held == _process.PIPE_BYTES


@pytest.mark.parametrize("timeout_s", [3e6, 1e300])
def test_a_limit_may_be_longer_than_any_timer(
    timeout_s: float, clip_file: ClipFile
) -> None:
    """Whoever wants no limit may write a large number."""
    with Decoders(sampling=FOUR, timeout_s=timeout_s) as made:
        assert len(made.submit(whole(clip_file("long_gop.mp4")))()) == 4


@pytest.mark.parametrize("workers", [0, 1])
def test_refusals_say_the_same(workers: int, tmp_path: Path) -> None:
    """What is wrong with a video does not depend on who reads it."""
    (tmp_path / "empty.mp4").write_bytes(b"")
    with Decoders(sampling=FOUR, workers=workers) as made:
        with pytest.raises(MediaError, match=r"empty\.mp4: the file is empty"):
            made.submit(whole(tmp_path / "empty.mp4"))()
        assert made.decodes == 1


@pytest.mark.parametrize("workers", [0, 1])
def test_what_is_known_of_a_video_is_the_same(
    workers: int, clip_file: ClipFile, tmp_path: Path
) -> None:
    """Looked at here or there, and refused in the same words."""
    path = clip_file("long_gop.mp4")
    here = probe(path)
    (tmp_path / "empty.mp4").write_bytes(b"")
    with Decoders(sampling=FOUR, workers=workers) as made:
        there = made.look(path)
        assert np.array_equal(there.pts_s, here.pts_s)
        rest = {name for name in vars(here) if name != "pts_s"}
        assert all(getattr(there, name) == getattr(here, name) for name in rest)
        with pytest.raises(MediaError, match=r"empty\.mp4: the file is empty"):
            made.look(tmp_path / "empty.mp4")
        assert made.decodes == 0


def test_a_look_that_hangs_is_stopped(clip_file: ClipFile, faulty: Decoders) -> None:
    """It may have to decode a file, and native code may never return from that."""
    with pytest.raises(MediaError, match=r"hangs-at-once: .* longer than 0\.2 s"):
        faulty.look(Path("hangs-at-once"))
    assert faulty.look(clip_file("long_gop.mp4")).frames == 90


def test_many_clips_come_to_whom_they_belong(clip_file: ClipFile) -> None:
    """Two processes and twelve videos asked for at once: each gets its own."""
    path = clip_file("long_gop.mp4")
    sizes = [(8 + 2 * i, 16) for i in range(12)]
    with Decoders(sampling=FOUR, workers=2) as made:
        wants = [Want(path=path, excerpt=WHOLE, size=size) for size in sizes]
        clips = [made.submit(want) for want in wants]
        assert [clip().size for clip in clips] == sizes
        assert made.decodes == 12


def test_torch_is_not_imported_to_read_a_video(
    clip_file: ClipFile, faulty: Decoders
) -> None:
    """A process stays small: it holds no model and needs no part of one."""
    faulty.submit(whole(clip_file("long_gop.mp4")))()
    with pytest.raises(MediaError) as caught:
        faulty.submit(whole(Path("modules")))()
    loaded = str(caught.value).split()
    assert "av" in loaded
    assert {"torch", "transformers", "pytest", "pytest_vdg.engine"}.isdisjoint(loaded)


def test_noise_does_not_reach_the_terminal(
    clip_file: ClipFile, faulty: Decoders, capfd: pytest.CaptureFixture[str]
) -> None:
    """Native libraries write where they like: not to us, and not into a clip."""
    path = clip_file("long_gop.mp4")
    clip = faulty.submit(whole(path.with_name(f"noisy-{path.name}")))()
    assert np.array_equal(clip.frames, read_clip(path, FOUR).frames)
    assert capfd.readouterr() == ("", "")


# -- readers that misbehave --------------------------------------


def test_a_reader_that_hangs_is_stopped(clip_file: ClipFile, faulty: Decoders) -> None:
    """The video is named with the limit, and the next ones are read."""
    hung = faulty.submit(whole(Path("a/hangs.mp4")))
    next_one = faulty.submit(whole(clip_file("long_gop.mp4")))
    with pytest.raises(MediaError, match=r"a/hangs\.mp4: .* longer than 0\.2 s.*stop"):
        hung()
    assert len(next_one()) == 4


def test_a_reader_that_crashes_costs_its_video(
    clip_file: ClipFile, faulty: Decoders
) -> None:
    """A segmentation fault ends the process that reads, not the run."""
    with pytest.raises(MediaError, match=r"crashes\.mp4: .*signal 11"):
        faulty.submit(whole(Path("crashes.mp4")))()
    assert len(faulty.submit(whole(clip_file("long_gop.mp4")))()) == 4


def test_too_little_memory_is_said(faulty: Decoders) -> None:
    """A video whose frames do not fit is one that cannot be read."""
    with pytest.raises(MediaError, match=r"huge\.mp4: .*do not fit into memory"):
        faulty.submit(whole(Path("huge.mp4")))()


def test_a_fault_of_ours_is_no_bad_video(faulty: Decoders) -> None:
    """It is raised with its trace, not counted against the file."""
    with pytest.raises(RuntimeError, match="a fault of ours"):
        faulty.submit(whole(Path("faulty.mp4")))()


def test_a_process_that_dies_between_videos_is_replaced(
    clip_file: ClipFile, faulty: Decoders
) -> None:
    """Whoever killed it, no video is to blame."""
    pid = pid_of(faulty)
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # dead, and not asked after
    assert len(faulty.submit(whole(clip_file("long_gop.mp4")))()) == 4


def test_an_interrupt_is_for_the_run(clip_file: ClipFile, faulty: Decoders) -> None:
    """Ctrl-C reaches all processes of a terminal; ours waits to be told."""
    before = pid_of(faulty)
    os.kill(before, signal.SIGINT)
    assert len(faulty.submit(whole(clip_file("long_gop.mp4")))()) == 4
    assert pid_of(faulty) == before


@pytest.mark.parametrize("program", ["/bin/false", "/no/such/python"])
def test_a_process_that_cannot_start_is_explained(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No video is to blame, and there is something to type."""
    monkeypatch.setattr(sys, "executable", program)
    with (
        Decoders(sampling=FOUR) as made,
        pytest.raises(CouldNotBeJudged, match="decode_workers: 0"),
    ):
        made.submit(whole(Path("x.mp4")))()


def test_why_a_process_cannot_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last words stand in the error."""
    monkeypatch.setattr(_process, "_MAIN", "raise SystemExit('no numpy here')")
    with (
        Decoders(sampling=FOUR) as made,
        pytest.raises(CouldNotBeJudged, match="no numpy here"),
    ):
        made.submit(whole(Path("x.mp4")))()


# Dies as the kernel ends what takes too much memory, once or for ever.
KILLED = """
import os, pathlib, signal, sys
mark = pathlib.Path({mark!r})
if len(mark.read_text()) < {times}:
    mark.write_text(mark.read_text() + "x")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("times", [1, 9])
def test_a_process_that_is_killed_while_starting_gets_a_second_chance(
    times: int, clip_file: ClipFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory may be short for a moment; a second kill is told as it was."""
    mark = tmp_path / "killed"
    mark.write_text("")
    program = KILLED.format(mark=str(mark), times=times) + _process._MAIN
    monkeypatch.setattr(_process, "_MAIN", program)
    with Decoders(sampling=FOUR) as made:
        clip = made.submit(whole(clip_file("long_gop.mp4")))
        if times == 1:
            assert len(clip()) == 4
        else:
            with pytest.raises(CouldNotBeJudged, match=r"signal 9.* decode_workers: 0"):
                clip()
    assert len(mark.read_text()) == min(times, 2)


def test_without_an_interpreter_videos_are_read_here(
    clip_file: ClipFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python inside another program cannot start itself anew."""
    monkeypatch.setattr(sys, "executable", "")
    with Decoders(sampling=FOUR) as made:
        assert made.workers == 0
        assert len(made.submit(whole(clip_file("long_gop.mp4")))()) == 4


# -- nothing stays behind ----------------------------------------


def test_closing_ends_processes_whatever_they_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One hangs, one idles, and more is asked for than was read: all end."""
    faulty_reader.install(monkeypatch)
    with Decoders(sampling=FOUR, workers=2) as made:
        pids = {pid_of(made)}
        for _ in range(5):
            made.submit(whole(Path("hangs.mp4")))
        pids |= {p._child.pid for p in made._all if p._child is not None}
    assert pids
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_nothing_is_started_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run whose answers are all known starts no process."""
    monkeypatch.setattr(subprocess, "Popen", None)
    with Decoders(sampling=FOUR, workers=4) as made:
        assert made.decodes == 0


PARENT = """
import sys, time
from pathlib import Path
import pytest
from pytest_vdg.frames import _process, decoding
from pytest_vdg.frames.sampling import Sampling
from tests.frames import faulty_reader
from tests.frames.test_decoding import pid_of, whole

faulty_reader.install(pytest.MonkeyPatch())
_process.GRACE_S = 0.5
made = decoding.Decoders(sampling=Sampling(frames=4), timeout_s=1.0)
print(pid_of(made), flush=True)
if sys.argv[1] == "hangs":
    made.submit(whole(Path("hangs.mp4")))
    time.sleep(0.5)
print("busy", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("doing", ["idles", "hangs"])
def test_a_process_ends_with_the_run(doing: str) -> None:
    """The run dies by SIGKILL: an idle process notices, the kernel ends a hung one."""
    command = [sys.executable, "-c", PARENT, doing]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.stdout.readline()
        parent.kill()
    assert ends(pid)


SCRIPT = """
from pathlib import Path
from pytest_vdg.frames.decoding import Decoders, Want
from pytest_vdg.frames.excerpt import WHOLE
from pytest_vdg.frames.sampling import Sampling

print("started")
with Decoders(sampling=Sampling(frames=4)) as made:
    print(len(made.submit(Want(path=Path({path!r}), excerpt=WHOLE, size=None))()))
"""


def test_a_script_without_a_guard_is_not_run_again(
    clip_file: ClipFile, tmp_path: Path
) -> None:
    """Nothing of ``__main__`` is imported anew, as `multiprocessing` would."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(path=str(clip_file("long_gop.mp4"))))
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        check=True,
        text=True,
        cwd=ROOT,
    )
    assert (done.stdout.split(), done.stderr) == (["started", "4"], "")


def grown(pid: int) -> tuple[int, int]:
    """Return MiB in memory and threads of the process *pid*."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    said = dict(line.split(":", 1) for line in lines)
    return int(said["VmRSS"].split()[0]) >> 10, int(said["Threads"])


def test_a_process_does_not_grow(clip_file: ClipFile, faulty: Decoders) -> None:
    """Readers are closed: memory and threads after 200 clips are those after 20."""
    want = whole(clip_file("long_gop.mp4"))
    pid = pid_of(faulty)
    for _ in range(20):
        faulty.submit(want)()
    megabytes, threads = grown(pid)
    for _ in range(180):
        faulty.submit(want)()
    assert pid_of(faulty) == pid
    more, as_many = grown(pid)
    # A clip is 36 KiB, and 180 readers that stay are hundreds of MiB. One that ends
    # may still be counted.
    assert more - megabytes <= 16
    assert abs(as_many - threads) < 18
