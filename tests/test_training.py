"""A training is judged while it runs, comes to the same weights, and can be stopped."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("accelerate")

from transformers import (  # noqa: E402
    AutoModelForImageTextToText,
    AutoProcessor,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

from pytest_vdg import VdgCallback  # noqa: E402
from pytest_vdg.errors import ConfigError  # noqa: E402
from pytest_vdg.store.history import past_runs  # noqa: E402
from tests.serving import own_port  # noqa: E402

Untyped = Any  # transformers builds its classes by name at run time
ROOT = Path(__file__).parents[1]
GROUNDED = ROOT / "example_suite" / "checkpoints" / "grounded"
SEES = {"assert": "vdg_above", "floor": 0.0}
WRONG = {"assert": "accuracy_above", "condition": "black", "floor": 0.99}


class Recorder(TrainerCallback):
    """A logger of the trainer, as TensorBoard's is."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.logs: list[dict[str, float]] = []

    def on_log(
        self, args: Untyped, state: Untyped, control: Untyped, **given: Untyped
    ) -> None:
        """Write down what is logged."""
        self.logs.append({**given["logs"], "step": state.global_step})

    def value(self, name: str) -> list[float]:
        """Return the values of *name*, in the order logged."""
        return [log[name] for log in self.logs if name in log]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Train in an empty folder, on one thread."""
    monkeypatch.chdir(tmp_path)
    for name in ("VDG_CHECKPOINT", "VDG_CONFIG", "VDG_NO_CACHE"):
        monkeypatch.delenv(name, raising=False)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def processor() -> Untyped:
    """Return the processor of the checkpoint that is trained."""
    return AutoProcessor.from_pretrained(GROUNDED)


def examples(processor: Untyped) -> list[dict[str, Untyped]]:
    """Return four prompts to train on."""
    found = []
    for text in ("What colour is it?", "Which shape?", "How many?", "Which is first?"):
        ids = processor.tokenizer(text, return_tensors="pt")["input_ids"][0]
        found.append({"input_ids": ids, "labels": ids.clone()})
    return found


def together(batch: list[dict[str, Untyped]]) -> dict[str, Untyped]:
    """Return the one example of *batch* as the model takes it."""
    return {name: value[None] for name, value in batch[0].items()}


@pytest.fixture
def trained(processor: Untyped, tmp_path: Path) -> Callable[..., Untyped]:
    """Return what trains the model for two steps with some callbacks."""

    def train(*callbacks: Untyped, steps: int = 2, **more: Untyped) -> Untyped:
        torch.manual_seed(0)
        model: Untyped = AutoModelForImageTextToText.from_pretrained(GROUNDED)
        for module in model.modules():
            if hasattr(module, "attention_dropout"):
                module.attention_dropout = 0.1
        settings = {
            "output_dir": str(tmp_path / "run-7"),
            "max_steps": steps,
            "per_device_train_batch_size": 1,
            "learning_rate": 1e-4,
            "use_cpu": True,
            "logging_steps": 1,
            "save_strategy": "no",
            "report_to": [],
            "disable_tqdm": True,
            "remove_unused_columns": False,
            "dataloader_pin_memory": False,
        }
        trainer = Trainer(
            model=model,
            args=TrainingArguments(**settings | more),
            train_dataset=examples(processor),
            data_collator=together,
            processing_class=processor,
        )
        for callback in callbacks:
            if isinstance(callback, VdgCallback):
                callback.add_to(trainer)
            else:
                trainer.add_callback(callback)
        trainer.train()
        return trainer

    return train


def callback(**given: Untyped) -> VdgCallback:
    """Return a callback that asks little, at each step."""
    small: dict[str, Untyped] = {
        "questions": 12,
        "conditions": ("original", "black"),
        "every": 1,
    }
    return VdgCallback(**small | given)


def test_a_tokenizer_is_no_processor(processor: Untyped) -> None:
    """Told by its name when the callback is made, and of the trainer's own one too."""
    with pytest.raises(ConfigError, match=r"processor=\.\.\.\) is a tokenizer \("):
        callback(processor=processor.tokenizer)
    made, args = callback(), TrainingArguments(output_dir="run-7", use_cpu=True)
    given = {"model": torch.nn.Linear(1, 1), "processing_class": processor.tokenizer}
    with pytest.raises(ConfigError, match="processing_class is a tokenizer") as caught:
        made.on_train_begin(args, None, None, **given)
    assert "AutoProcessor.from_pretrained(MODEL)" in str(caught.value)


def weights(trainer: Untyped) -> str:
    """Return a digest of all that was trained, optimizer included."""
    state = hashlib.sha256()
    for name, tensor in sorted(trainer.model.state_dict().items()):
        state.update(name.encode() + tensor.numpy().tobytes())
    for each in trainer.optimizer.state_dict()["state"].values():
        for tensor in each.values():
            state.update(tensor.numpy().tobytes())
    return state.hexdigest()


def test_a_training_stops_on_a_verdict(
    trained: Callable[..., Untyped], caplog: pytest.LogCaptureFixture
) -> None:
    """Of two steps, one is made: the claim fails, and the reason is told and kept."""
    judge = callback(claims={"reads": WRONG}, stop_on=("BELOW FLOOR",))
    trainer = trained(judge)
    assert trainer.state.global_step == 1
    assert judge.stopped_because is not None
    assert judge.stopped_because.startswith("step 1, reads: ")
    assert "BELOW FLOOR" in judge.stopped_because
    assert "the training is stopped by BELOW FLOOR at step 1" in caplog.messages


def test_a_verdict_that_stops_nothing_is_told(
    trained: Callable[..., Untyped], caplog: pytest.LogCaptureFixture
) -> None:
    """Without ``stop_on`` the training goes on to its end, with a warning a step."""
    judge = callback(claims={"reads": WRONG}, stop_on=())
    trainer = trained(judge)
    assert trainer.state.global_step == 2
    assert judge.stopped_because is None
    warned = [r for r in caplog.records if r.levelno == logging.WARNING]
    assert sum("BELOW FLOOR" in record.getMessage() for record in warned) == 2


def test_what_is_judged_is_logged(trained: Callable[..., Untyped]) -> None:
    """Every logger of the trainer gets VDG with its interval, and loss as before."""
    logger = Recorder()
    trainer = trained(logger, callback(claims={"sees": SEES}))
    for name in ("VDG", "VDG_low", "VDG_high", "accuracy/original", "accuracy/black"):
        assert len(logger.value(f"vdg/{name}")) == 2, name
    assert logger.value("vdg/questions") == [12.0, 12.0]
    assert logger.value("vdg/not_judged") == [0.0, 0.0]
    assert len(logger.value("loss")) == 2
    (low, *_), (vdg, *_) = logger.value("vdg/VDG_low"), logger.value("vdg/VDG")
    assert low < vdg
    logged = [
        entry["step"] for entry in trainer.state.log_history if "vdg/VDG" in entry
    ]
    assert logged == [1, 2]


def test_the_ladder_is_logged(trained: Callable[..., Untyped]) -> None:
    """With the conditions of the ladder, each step has its value and interval."""
    logger = Recorder()
    ladder = {"conditions": ("original", "black", "single_frame", "shuffled")}
    trained(logger, callback(every=2, **ladder), steps=2)
    for name in ("VDG", "spatial", "diversity", "temporal"):
        ends = [logger.value(f"vdg/{name}{end}")[0] for end in ("_low", "", "_high")]
        assert -1 <= ends[0] <= ends[1] <= ends[2] <= 1
    names = {name for log in logger.logs for name in log}
    assert {f"vdg/accuracy/{each}" for each in ladder["conditions"]} <= names


def test_tensorboard_has_the_curve(
    trained: Callable[..., Untyped], tmp_path: Path
) -> None:
    """VDG is a scalar in TensorBoard's file, at the steps that were judged."""
    reading = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator"
    )
    trained(callback(), report_to=["tensorboard"])
    found: dict[int, float] = {}
    for path in tmp_path.rglob("events.out.tfevents.*"):
        events = reading.EventAccumulator(str(path))
        events.Reload()
        if "train/vdg/VDG" in events.Tags()["scalars"]:
            found |= {e.step: e.value for e in events.Scalars("train/vdg/VDG")}
    assert sorted(found) == [1, 2]


def test_without_the_trainer_the_history_has_it(
    trained: Callable[..., Untyped], caplog: pytest.LogCaptureFixture
) -> None:
    """A callback that was only listed logs to ``log_history``, and says so."""
    judge = callback()
    judge.add_to = lambda trainer: trainer.add_callback(judge)  # type: ignore[assignment]
    trainer = trained(judge)
    logged = [entry for entry in trainer.state.log_history if "vdg/VDG" in entry]
    assert [entry["step"] for entry in logged] == [1, 2]
    assert "add_to(trainer)" in caplog.text


@pytest.mark.parametrize("checkpointing", [False, True])
def test_a_judged_training_comes_to_the_same_weights(
    trained: Callable[..., Untyped], checkpointing: bool
) -> None:
    """Bit by bit, optimizer included: dropout and shuffling see no other numbers."""
    renamed = hasattr(TrainingArguments, "activation_checkpointing")
    name = f"{'activation' if renamed else 'gradient'}_checkpointing"
    more = {name: checkpointing, "lr_scheduler_type": "linear"}
    alone = trained(steps=3, **more)
    judged = trained(callback(claims={"sees": SEES}), steps=3, **more)
    assert weights(judged) == weights(alone)
    losses = [
        [e["loss"] for e in t.state.log_history if "loss" in e] for t in (alone, judged)
    ]
    assert losses[0] == losses[1]


def test_the_history_has_each_step(
    trained: Callable[..., Untyped], tmp_path: Path
) -> None:
    """One line a step with the name of the run, its numbers and verdicts; no answer."""
    trained(callback(claims={"sees": SEES}))
    runs = past_runs(tmp_path / ".vdg")
    assert [(r.checkpoint, r.step, r.origin) for r in runs] == [
        ("run-7", 1, "training"),
        ("run-7", 2, "training"),
    ]
    assert all(run.verdicts[0][0] == "sees" for run in runs)
    assert len({run.weights for run in runs}) == 2
    assert len({run.comparable for run in runs}) == 1
    assert not list(tmp_path.rglob("cells.sqlite"))


def test_the_last_step_is_judged(trained: Callable[..., Untyped]) -> None:
    """Also where its number is no multiple, and only once."""
    logger = Recorder()
    trained(logger, callback(every=2), steps=3)
    logged = [log["step"] for log in logger.logs if "vdg/VDG" in log]
    assert logged == [2, 3]
    without = Recorder()
    trained(without, callback(every=2, at_end=False), steps=3)
    assert [log["step"] for log in without.logs if "vdg/VDG" in log] == [2]


class Broken(VdgCallback):
    """A callback whose evaluations break."""

    def _live(self, args: Untyped, given: Untyped) -> Untyped:
        live = super()._live(args, given)
        if self._judged_at > 0:
            object.__setattr__(live, "processor", object())
        return live


@pytest.mark.parametrize("stops", [False, True])
def test_an_evaluation_that_breaks_is_told_and_never_fine(
    trained: Callable[..., Untyped], caplog: pytest.LogCaptureFixture, stops: bool
) -> None:
    """COULD NOT BE JUDGED is an error in the log; it stops the training if asked to."""
    words = "COULD NOT BE JUDGED"
    logger = Recorder()
    judge = Broken(
        claims={"sees": SEES}, every=1, questions=12, stop_on=(words,) if stops else ()
    )
    trainer = trained(logger, judge)
    assert trainer.state.global_step == (1 if stops else 2)
    assert set(logger.value("vdg/not_judged")) == {1.0}
    assert logger.value("vdg/VDG") == []
    errors = [r.getMessage() for r in caplog.records if r.levelno == logging.ERROR]
    assert any(words in message for message in errors)
    assert trainer.model.training


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"stop_on": ("BELOW FLOORS",)}, "Did you mean 'BELOW FLOOR'"),
        ({"claims": {"sees": {"assert": "vdg_abov"}}}, "Did you mean 'vdg_above'"),
        ({"claims": {"sees": {"assert": "vdg_above"}}}, "needs 'floor'"),
        ({"every": 0}, "at least 1"),
        ({"every": float("nan")}, "at least 1"),
        ({"every": 1.5}, "at least 1"),
        ({"claims": [SEES]}, "claims must be a mapping"),
        ({"stop_on": (5,)}, "no verdict 5"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_once(
    given: dict[str, Untyped], said: str
) -> None:
    """Before there is a trainer, with what to write instead."""
    with pytest.raises(ConfigError, match=said):
        VdgCallback(**given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"slice": "sigth"}, "Did you mean 'sight'"),
        ({"claims": {"x": {**SEES, "slice": "gone"}}}, "no slice 'gone'"),
        ({"claims": {"x": {"assert": "vdg_above", "floor": 60}}}, "Fractions, not"),
    ],
)
def test_what_cannot_be_judged_is_refused_before_a_step(
    trained: Callable[..., Untyped], given: dict[str, Untyped], said: str
) -> None:
    """When the training begins, not hours later."""
    with pytest.raises(ConfigError, match=said):
        trained(callback(**given))


def test_a_claim_on_a_task_asks_for_those_there_are(
    trained: Callable[..., Untyped],
) -> None:
    """As many questions as the callback's at most; a task may have fewer."""
    order = {**SEES, "tasks": ["colour"]}
    judge = callback(claims={"sees": order}, questions=60, every=2, conditions="black")
    trained(judge)
    (test,) = judge.results.tests
    assert test.outcome != "error"
    assert {finding.slice_name for finding in test.findings} == {"sight-colour"}


def test_code_that_ends_the_program_ends_no_training(
    trained: Callable[..., Untyped], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An evaluation that leaves is one that broke."""
    from pytest_vdg.backends._hf_live import LiveBackend

    def leave(*_: object) -> None:
        raise SystemExit(0)

    monkeypatch.setattr(LiveBackend, "ask_many", leave)
    judge = callback(claims={"sees": SEES}, every=1)
    assert trained(judge).state.global_step == 2
    assert {test.outcome for test in judge.results.tests} == {"error"}


def test_divided_weights_are_refused_before_a_step(
    trained: Callable[..., Untyped], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sharded training is told what to use in place of the callback."""
    monkeypatch.setattr("pytest_vdg.backends._hf_live._sharding", lambda model: "FSDP")
    with pytest.raises(ConfigError, match=r"(?s)FSDP.*vdg watch"):
        trained(callback())


def test_claims_come_from_the_file(
    trained: Callable[..., Untyped], tmp_path: Path
) -> None:
    """Those of ``vdg.yaml`` are judged where none are given."""
    claims = "claims:\n  sees: {assert: vdg_above, floor: 0.0}\n"
    (tmp_path / "vdg.yaml").write_text(claims, encoding="utf-8")
    judge = callback(every=2)
    trained(judge)
    assert judge.results is not None
    assert [test.name for test in judge.results.tests] == ["sees"]


_RANK = """
import json, sys
from tests.test_training import WRONG, callback, run_alone
judge = callback(claims={"reads": WRONG}, stop_on=("BELOW FLOOR",))
trainer = run_alone(judge, sys.argv[1])
asked = judge.results is not None
print(json.dumps([trainer.state.global_step, judge.stopped_because, asked]))
"""


def run_alone(judge: VdgCallback, folder: str) -> Untyped:
    """Train on this process' part of the examples; for processes of a test."""
    torch.set_num_threads(1)
    processor: Untyped = AutoProcessor.from_pretrained(GROUNDED)
    args = {"ddp_backend": "gloo", "use_cpu": True, "max_steps": 2, "report_to": []}
    args |= {"disable_tqdm": True, "remove_unused_columns": False, "output_dir": folder}
    trainer = Trainer(
        model=AutoModelForImageTextToText.from_pretrained(GROUNDED),
        args=TrainingArguments(
            **args, per_device_train_batch_size=1, save_strategy="no"
        ),
        train_dataset=examples(processor),
        data_collator=together,
        processing_class=processor,
    )
    judge.add_to(trainer)
    trainer.train()
    return trainer


def _told_by_two(port: int, folder: Path) -> list[str]:
    """Return what each of two processes says that train together over *port*."""
    ranks = [
        subprocess.Popen(
            [sys.executable, "-c", _RANK, str(folder)],
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "RANK": str(rank),
                "LOCAL_RANK": str(rank),
                "WORLD_SIZE": "2",
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port),
                "PYTHONPATH": str(ROOT),
                "OMP_NUM_THREADS": "1",
            },
        )
        for rank in range(2)
    ]
    try:
        return [rank.communicate(timeout=600)[0] for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()


def test_all_processes_stop_together(tmp_path: Path) -> None:
    """One of two asks and decides; the other one neither asks nor goes on alone."""
    with own_port() as port:
        told = _told_by_two(port, tmp_path / "run-7")
    steps, reasons, asked = zip(
        *(json.loads(t.splitlines()[-1]) for t in told), strict=True
    )
    assert steps == (1, 1)
    assert reasons[0] == reasons[1]
    assert "BELOW FLOOR" in reasons[0]
    assert asked == (True, False)


def test_mixed_precision_is_asked_as_it_trains(
    trained: Callable[..., Untyped], tmp_path: Path
) -> None:
    """Under the training's autocast, and so in another line of the trend."""
    logger = Recorder()
    trained(logger, callback(), steps=1)
    trained(logger, callback(), steps=1, bf16=True)
    assert logger.value("vdg/not_judged") == [0.0, 0.0]
    exact, mixed = past_runs(tmp_path / ".vdg")
    assert exact.comparable != mixed.comparable
    assert exact.slice_digest == mixed.slice_digest


def test_without_transformers_it_says_what_to_install() -> None:
    """The rest of the package is there without it; the callback is not."""
    code = (
        "import sys; sys.modules['transformers'] = None\n"
        "import pytest_vdg\n"
        "pytest_vdg.assert_vdg_above\n"
        "pytest_vdg.VdgCallback\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert ended.returncode == 1
    assert "'VdgCallback' needs 'transformers'" in ended.stderr
    assert "pip install 'pytest-vdg[model]'" in ended.stderr
