"""Copies of the example suite, one for each route by which a checkpoint is asked.

Apart from the tests, which say what must be equal between them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cluster.raycluster import PATIENT

EXAMPLE = Path(__file__).parents[2] / "example_suite"
WAY = """
frames_as: images
scoring: generate
max_new_tokens: 4
"""
"""How each route asks: the reply is read, to frames that are pictures."""
QUESTIONS = 36
"""Of each slice; so few that a route takes seconds, and enough for every verdict."""

Answers = Mapping[tuple[str, str, str], tuple[str, str | None, int]]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a session of the suite came to."""

    found: Mapping[str, Any]
    """Its results file."""
    said: str
    """What it wrote to the terminal."""

    @property
    def tests(self) -> dict[str, str]:
        """What became of each test."""
        return {each["test"]: each["outcome"] for each in self.found["tests"]}

    @property
    def first_lines(self) -> list[tuple[str, str]]:
        """The first line of each finding, with the test that it was made in."""
        return [(each["test"], each["summary"]) for each in self.found["findings"]]

    @property
    def answers(self) -> Answers:
        """What was answered under each condition of each question, of all slices.

        Outcome, the option that was chosen, and the frames that were seen. A reply
        is not compared word by word: a server may put a mark of the chat before it.
        """
        return {
            (cell["slice"], cell["question"], cell["condition"]): (
                cell["outcome"],
                cell["choice"],
                cell["frames_seen"],
            )
            for cell in self.found["cells"]
            if cell["role"] == "tested"
        }


@dataclass(eq=False, kw_only=True)
class Suite:
    """A copy of the example suite with baselines and a store of its own."""

    folder: Path
    route: str
    """Name of the route, for which its baselines are kept."""
    arguments: tuple[str, ...]
    settings: str = ""
    """Further lines of ``vdg.yaml``."""
    _first: dict[Path, Outcome] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Copy all but the checkpoints, and what earlier sessions left."""
        left_out = shutil.ignore_patterns("checkpoints", ".vdg", "__pycache__")
        shutil.copytree(EXAMPLE, self.folder, ignore=left_out)
        path = self.folder / "vdg.yaml"
        lines = path.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if not line.startswith("scoring:")]
        text = "\n".join(kept) + WAY + self.settings
        path.write_text(text, encoding="utf-8")

    def recorded(self, checkpoint: Path) -> Outcome:
        """Return what the first session came to, which records its own baseline.

        By force, as it is of a part of the slice.
        """
        if checkpoint not in self._first:
            forced = "--vdg-update-baseline=force"
            self._first[checkpoint] = self.run(checkpoint, forced)
        return self._first[checkpoint]

    def run(self, checkpoint: Path, *more: str) -> Outcome:
        """Run the suite on *checkpoint*, in a process of its own."""
        results = self.folder / "results.json"
        results.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", str(self.folder), "-q"]
        command += ["-p", "no:cacheprovider", f"--vdg-checkpoint={checkpoint}"]
        command += [f"--vdg-questions={QUESTIONS}", f"--vdg-json={results}"]
        command += [*self.arguments, *more]
        ended = subprocess.run(
            command,
            cwd=self.folder,
            env=_environment(self.route),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        said = ended.stdout + ended.stderr
        assert results.exists(), said
        found = json.loads(results.read_text(encoding="utf-8"))
        return Outcome(found=found, said=said)


def _environment(route: str) -> dict[str, str]:
    """Return the environment of a user who records baselines of *route*."""
    foreign = ("VDG_", "PYTEST_", "GITHUB_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
    kept.pop("CI", None)  # where no baseline is written
    quiet = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    return {**kept, **quiet, **PATIENT, "VDG_ENVIRONMENT": route}
