"""A small project with clips, questions and a stub model, for pytest to run.

Apart from the tests so that each of them holds only what it is about.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import walk_packages
from xml.etree import ElementTree as ET

import av
import numpy as np
import pytest

import pytest_vdg
from pytest_vdg import Run, load_run
from pytest_vdg.errors import BackendUnavailable
from tests.plugin.stub import COLOURS

ROOT = Path(__file__).parents[2]
CLIPS = 12
"""Each colour in four clips; two questions a clip."""
INSTALLED = any(e.name == "vdg" for e in entry_points(group="pytest11"))

# pytest run inside a test forgets the modules that it imported, and neither
# NumPy nor half of a package can be imported twice in one process.
for _name in pytest_vdg.__all__:
    with suppress(BackendUnavailable):  # of transformers, where it is not installed
        getattr(pytest_vdg, _name)
for _module in walk_packages(pytest_vdg.__path__, "pytest_vdg."):
    if not _module.name.endswith("__main__"):
        with suppress(BackendUnavailable):
            import_module(_module.name)
for _name in ("figure", "backends.backend_agg", "backends.backend_svg"):
    with suppress(ImportError):
        import_module(f"matplotlib.{_name}")

SUITE = """
import pytest
from pytest_vdg import assert_accuracy_above, assert_vdg_above

@pytest.mark.vdg(conditions=["original", "black"])
def test_sees(vdg_run):
    assert_vdg_above(vdg_run, 0.2)
"""


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of clips, each of one colour that grows brighter."""
    folder = tmp_path_factory.mktemp("clips")
    for number in range(CLIPS):
        _write_clip(folder / f"{number:02}.mp4", channel=number % len(COLOURS))
    return folder


def _write_clip(path: Path, *, channel: int) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=4)
        stream.width = stream.height = 32
        stream.pix_fmt = "yuv420p"
        for step in range(8):
            picture = np.zeros((32, 32, 3), dtype=np.uint8)
            picture[..., channel] = 100 + 15 * step
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


@dataclass(frozen=True, kw_only=True)
class Project:
    """A folder with a ``vdg.yaml``, questions, clips and a test file."""

    pytester: pytest.Pytester
    loads: Path
    """Where the stub notes each load of a model."""

    @property
    def path(self) -> Path:
        """The folder."""
        return self.pytester.path

    def config(self, text: str) -> None:
        """Write ``vdg.yaml``; the slice ``colours`` is always there.

        Videos are read in the process that asks: another one for each of hundreds
        of sessions takes minutes.
        """
        slices = "slices: {colours: {benchmark: plain, path: data/questions.jsonl}}\n"
        here = "" if "decode_workers" in text else "decode_workers: 0\n"
        (self.path / "vdg.yaml").write_text(f"{text}\n{here}{slices}", "utf-8")

    def suite(self, text: str = SUITE) -> None:
        """Write the test file."""
        self.pytester.makepyfile(test_suite=text)

    def run(self, *args: object, subprocess: bool = False) -> pytest.RunResult:
        """Run pytest in the folder with the plugin, in this process if possible."""
        if INSTALLED and not subprocess:
            return self.pytester.runpytest_inprocess(*map(str, args))
        plugin = () if INSTALLED else ("-p", "pytest_vdg.plugin")
        return self.pytester.runpytest_subprocess(*plugin, *map(str, args))

    def with_model(self, *args: object, backend: str = "sighted") -> pytest.RunResult:
        """Run pytest with a stub model."""
        options = ("--vdg-checkpoint", "any", "--vdg-backend", f"python:stub:{backend}")
        return self.run(*options, *args)

    def junit(self) -> dict[str, ET.Element]:
        """Return the test cases of ``out.xml`` by name."""
        root = ET.parse(self.path / "out.xml").getroot()
        return {case.attrib["name"]: case for case in root.iter("testcase")}

    def properties(self) -> dict[str, dict[str, str]]:
        """Return our properties of each test case in ``out.xml``."""
        return {
            name: {
                p.attrib["name"]: p.attrib["value"]
                for p in case.iter("property")
                if p.attrib["name"].startswith("vdg.")
            }
            for name, case in self.junit().items()
        }

    def loaded(self) -> list[str]:
        """Return the names of the models that were loaded, in that order."""
        if not self.loads.exists():
            return []
        return self.loads.read_text(encoding="utf-8").splitlines()

    def files(self) -> set[str]:
        """Return the files in the folder, those of Python and pytest aside."""
        found = (p.relative_to(self.path) for p in self.path.rglob("*") if p.is_file())
        return {
            str(p)
            for p in found
            if not {"__pycache__", ".pytest_cache", "stdout", "stderr"} & set(p.parts)
        }


def kept(project: Project) -> Run:
    """Return the run that tests of *project* left in ``kept.jsonl``."""
    return load_run(project.path / "kept.jsonl")


@pytest.fixture
def project(
    pytester: pytest.Pytester,
    clips: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Project:
    """Return a project whose slice ``colours`` asks for the colour of clips."""
    # Ours may be a worker itself; the sessions that it starts must not see that.
    ours = [name for name in os.environ if name.startswith("PYTEST_XDIST_")]
    for name in ("CI", "VDG_CHECKPOINT", "VDG_CONFIG", *ours):
        monkeypatch.delenv(name, raising=False)
    loads = tmp_path_factory.mktemp("loads") / "loads.txt"
    monkeypatch.setenv("VDG_TEST_LOADS", str(loads))
    paths = [str(pytester.path), str(ROOT), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    # Each session and each worker would load them, and has no use for them.
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:anyio")
    pytester.syspathinsert()
    shutil.copy(Path(__file__).with_name("stub.py"), pytester.path / "stub.py")
    made = Project(pytester=pytester, loads=loads)
    shutil.copytree(clips, made.path / "data")
    write_questions(made.path / "data" / "questions.jsonl", range(CLIPS))
    made.config("")
    made.suite()
    return made


def write_questions(path: Path, clips: Sequence[int]) -> None:
    """Write two questions a clip that give away the answer, keys balanced."""
    lines = []
    for number in clips:
        answer = COLOURS[number % len(COLOURS)]
        for turn in range(2):
            shift = (number + turn) % len(COLOURS)
            options = [*COLOURS[shift:], *COLOURS[:shift]]
            question = {
                "id": f"q{number:02}-{turn}",
                "video": f"{number:02}.mp4",
                "task": "colour" if turn else "shade",
                "question": f"Which colour is the {answer} thing ({turn})?",
                "options": options,
                "answer": answer,
            }
            lines.append(json.dumps(question))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def no_checkpoint_in(text: str) -> bool:
    """Return whether *text* tells that a checkpoint is missing."""
    return "no checkpoint to test" in text
