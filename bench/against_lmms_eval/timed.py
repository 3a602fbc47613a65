"""One way through all cells, each process timed from outside.

Apart from the table because each way ends in the same figures, whoever made
them: seconds of the whole process, seconds after loading, choices.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.against_lmms_eval.tasks import task_name
from bench.against_lmms_eval.work import CONDITIONS
from pytest_vdg.benchmarks.answers import parse_answer
from pytest_vdg.benchmarks.slices import Slice

Choices = dict[tuple[str, str], str | None]
"""(question, condition) to label, None where the reply chose none."""
DRIVER = Path(__file__).with_name("driver.py")


@dataclass(frozen=True, kw_only=True)
class Timed:
    """One evaluation of all cells."""

    whole_s: float
    """From the start of the process to its end; the sum where there are several."""
    evaluating_s: float
    """From when the model had loaded until the results were there; so too."""
    choices: Choices


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What all ways have in common."""

    slice_: Slice
    checkpoint: Path
    view: Path
    """The checkpoint as lmms-eval is given it."""
    tasks: Path
    pixels: int
    """Of one frame."""
    lmms_python: Path
    device: str
    threads: int
    folder: Path
    """Where processes write."""

    def ours(self, way: str) -> Timed:
        """Run ``engine`` or ``plain`` in a process of its own."""
        out = self.folder / "ours.json"
        arguments = {
            "--way": way,
            "--videos": len({question.video for question in self.slice_.questions}),
            "--device": self.device,
            "--threads": self.threads,
            "--out": out,
        }
        command = [sys.executable, "-m", "bench.against_lmms_eval.ours"]
        whole = self._run([*command, str(self.checkpoint), *_flat(arguments)], out)
        told = json.loads(out.read_text())
        return Timed(
            whole_s=whole,
            evaluating_s=told["evaluating_s"],
            choices={
                (question, name): label for question, name, label in told["choices"]
            },
        )

    def theirs(self, batch: int, *, together: bool) -> Timed:
        """Run lmms-eval, all conditions *together* in a process or each in its own."""
        groups = [CONDITIONS] if together else [(name,) for name in CONDITIONS]
        parts = [self._lmms_eval(group, batch) for group in groups]
        return Timed(
            whole_s=sum(part.whole_s for part in parts),
            evaluating_s=sum(part.evaluating_s for part in parts),
            choices={k: v for part in parts for k, v in part.choices.items()},
        )

    def _lmms_eval(self, conditions: Sequence[str], batch: int) -> Timed:
        note = self.folder / "note.json"
        logs = self.folder / f"logs-{time.time_ns()}"
        model = {
            "pretrained": self.view,
            "device_map": self.device,
            "max_num_frames": 8,
            "min_pixels": self.pixels,
            "max_pixels": self.pixels,
        }
        arguments = {
            "--model": "qwen2_vl",
            "--model_args": ",".join(f"{k}={v}" for k, v in model.items()),
            "--tasks": ",".join(map(task_name, conditions)),
            "--include_path": self.tasks,
            "--batch_size": batch,
            "--device": self.device,
            "--output_path": logs,
        }
        command = [str(self.lmms_python), str(DRIVER), str(note), *_flat(arguments)]
        whole = self._run([*command, "--log_samples"], note)
        return Timed(
            whole_s=whole,
            evaluating_s=json.loads(note.read_text())["evaluating_s"],
            choices={k: v for name in conditions for k, v in self._logged(logs, name)},
        )

    def _logged(
        self, logs: Path, condition: str
    ) -> list[tuple[tuple[str, str], str | None]]:
        """Return what the replies in lmms-eval's log of one task chose."""
        (file,) = logs.rglob(f"*_samples_{task_name(condition)}.jsonl")
        found = []
        for line in file.read_text().splitlines():
            row = json.loads(line)
            question = self.slice_.questions[row["doc_id"]]
            reply = row["filtered_resps"]
            reply = reply if isinstance(reply, str) else reply[0]
            choice = parse_answer(reply, question.texts)
            found.append(((question.id, condition), choice))
        return found

    def _run(self, command: list[str], result: Path) -> float:
        """Return the seconds of a process that leaves *result*, or say why not."""
        result.unlink(missing_ok=True)
        threads = str(self.threads)
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": threads,
            "MKL_NUM_THREADS": threads,
            "HF_HUB_OFFLINE": "1",
            "TOKENIZERS_PARALLELISM": "false",
            "LMMS_EVAL_DATASETS_CACHE": str(self.folder / "datasets"),
            "FORCE_QWENVL_VIDEO_READER": "decord",
        }
        log = self.folder / "process.log"
        began = time.perf_counter()
        with log.open("w") as sink:
            code = subprocess.run(  # noqa: S603 - commands of ours
                command, stdout=sink, stderr=sink, env=environment, check=False
            ).returncode
        seconds = time.perf_counter() - began
        # lmms-eval ends with 0 after an exception that it has caught.
        if code != 0 or not result.exists():
            tail = log.read_text(errors="replace")[-3000:]
            message = f"exit code {code}, no result: {' '.join(command)}\n{tail}"
            raise SystemExit(message)
        return seconds


def _flat(arguments: dict[str, object]) -> list[str]:
    return [str(part) for pair in arguments.items() for part in pair]
