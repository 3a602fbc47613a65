"""`VdgCallback`: a model is asked while it trains, and may be stopped by a verdict.

Apart from everything below because it alone knows transformers' ``Trainer``;
what is asked, how a live model is asked, and what is kept stand there.
"""

from __future__ import annotations

import logging
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_vdg.config.claims import ClaimSpec
from pytest_vdg.errors import (
    INTERRUPTS,
    BackendUnavailable,
    ConfigError,
    VdgError,
    did_you_mean,
)
from pytest_vdg.reports.results import Results, TestResult
from pytest_vdg.sessions.asks import Ask, texts
from pytest_vdg.sessions.live import Live, examination, kept, numbers, unjudged
from pytest_vdg.verdicts import Verdict

try:
    from transformers import PreTrainedTokenizerBase, TrainerCallback
except ImportError as error:  # of this package, only this module needs it at once
    raise BackendUnavailable("VdgCallback", "transformers") from error

__all__ = ["VdgCallback"]

Theirs = Any  # transformers' arguments, state and control, as its callbacks have them
Given = Mapping[str, Any]

LADDER = ("original", "black", "single_frame", "shuffled")
STOP_ON = ("BELOW FLOOR", "REGRESSION", "DISSOCIATION")
_WORDS = tuple(str(verdict) for verdict in Verdict if verdict is not Verdict.PASS)
_log = logging.getLogger(__name__)


class VdgCallback(TrainerCallback):
    """Judges the model every few steps, logs what it finds, and may end the training.

    Parameters
    ----------
    processor : optional
        The model's processor; the trainer's ``processing_class`` by default. It
        is copied.
    claims : mapping, optional
        Name to claim, each as under ``claims:`` in ``vdg.yaml``; those of the file
        by default. Without any, numbers are logged and nothing is judged.
    config : str or Path, optional
        Configuration file; the nearest ``vdg.yaml`` by default.
    slice : str
        What is asked: a slice of ``vdg.yaml``, or a benchmark. Claims that name
        none are about it.
    conditions : sequence of str
        What is measured beside the conditions of the claims: the ladder.
    questions : int, optional
        At most so many questions of the slice; None for all.
    every : int
        Optimizer steps between two evaluations.
    at_end : bool
        Whether the last step is judged too, whatever its number.
    stop_on : sequence of str
        Verdicts that end the training. ``COULD NOT BE JUDGED`` is none of them
        unless it is named: it is logged as an error.
    prefix : str
        What the names in the trainer's logs begin with.
    name : str, optional
        What the history calls the model; the name of the output folder by default.

    Raises
    ------
    ConfigError
        For claims and verdicts that are not known, and a tokenizer in place of a
        processor; when the training begins, for slices that are not known, and for a
        model that is divided between processes.

    Examples
    --------
    >>> sees = {"assert": "vdg_above", "floor": 0.25}
    >>> callback = VdgCallback(claims={"sees": sees}, every=500)
    >>> trainer = Trainer(model, args, processing_class=processor)  # doctest: +SKIP
    >>> callback.add_to(trainer)  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        processor: object | None = None,
        claims: Mapping[str, Mapping[str, Any] | ClaimSpec] | None = None,
        config: str | Path | None = None,
        slice: str = "sight",  # noqa: A002 - as in a marker
        conditions: Sequence[str] = LADDER,
        questions: int | None = 60,
        every: int = 500,
        at_end: bool = True,
        stop_on: Sequence[str] = STOP_ON,
        prefix: str = "vdg/",
        name: str | None = None,
    ) -> None:
        """Check what is given; ask nothing."""
        if type(every) is not int or every < 1:  # NaN would never come
            raise ConfigError(f"every must be at least 1 step, got {every!r}")
        if isinstance(stop_on, str):
            stop_on = (stop_on,)
        for word in stop_on:
            if word not in _WORDS:
                hint = did_you_mean(str(word), _WORDS)
                raise ConfigError(f"stop_on: there is no verdict {word!r}.{hint}")
        _refuse_tokenizer(processor, "VdgCallback(processor=...)")
        ask = Ask(slice=slice, conditions=texts(conditions), questions=questions)
        self._examination = examination(config=config, claims=claims, ask=ask)
        self.results: Results | None = None
        """What the last evaluation came to; None before the first."""
        self.stopped_because: str | None = None
        """The verdict that ended the training; None where none did."""
        self._processor = processor
        self._every, self._at_end, self._stop_on = every, at_end, tuple(stop_on)
        self._prefix, self._name = prefix, name
        self._judged_at = -1
        self._own = slice
        self._trainer: weakref.ref[Any] | None = None

    def add_to(self, trainer: Theirs) -> VdgCallback:
        """Add this to *trainer*, and log where it logs; return this.

        A callback alone reaches no TensorBoard: only the trainer writes to all
        loggers.
        """
        if self not in trainer.callback_handler.callbacks:
            trainer.add_callback(self)
        self._trainer = weakref.ref(trainer)
        return self

    def on_train_begin(
        self, args: Theirs, state: Theirs, control: Theirs, **given: Theirs
    ) -> Theirs:
        """Refuse what could not be judged later, before a step is paid for."""
        from pytest_vdg.backends._hf_live import refuse_sharded

        refuse_sharded(given["model"])
        self._own = self._examination.check()
        self._live(args, given).backend(self._examination.settings)
        self.stopped_because, self._judged_at = None, -1
        if self._trainer is None and state.is_world_process_zero:
            _log.warning(
                "VdgCallback logs to the trainer's log history only. For TensorBoard "
                "and others, add it with: VdgCallback(...).add_to(trainer)"
            )
        return control

    def on_step_end(
        self, args: Theirs, state: Theirs, control: Theirs, **given: Theirs
    ) -> Theirs:
        """Judge the model where it is time to."""
        step = state.global_step
        if step % self._every == 0 or (self._at_end and step >= state.max_steps):
            self._judge(args, state, control, given)
        return control

    def on_train_end(
        self, args: Theirs, state: Theirs, control: Theirs, **given: Theirs
    ) -> Theirs:
        """Judge what the training ended with, where its end was not foreseen."""
        if self._at_end and state.global_step not in (0, self._judged_at):
            self._judge(args, state, control, given)
        return control

    def _judge(
        self, args: Theirs, state: Theirs, control: Theirs, given: Given
    ) -> None:
        """Let one process judge, and all of them do what it says."""
        self._judged_at = state.global_step
        why = None
        if state.is_world_process_zero:
            why = self._evaluated(args, state, control, given)
        why = _agreed(why)
        if why is not None:
            self.stopped_because = why
            control.should_training_stop = True

    def _evaluated(
        self, args: Theirs, state: Theirs, control: Theirs, given: Given
    ) -> str | None:
        """Ask, log and keep; return why the training is to end, if it is."""
        start, step = time.perf_counter(), state.global_step
        live = self._live(args, given)
        try:
            results = self._examination.judge(live)
        except INTERRUPTS:
            raise
        except BaseException as error:  # noqa: BLE001 - must not cost it
            told = None if isinstance(error, VdgError) else error
            _log.error("the evaluation at step %d broke", step, exc_info=told)
            results = unjudged(error)
        self.results = results
        past = kept(self._examination.settings, results, live.name, self._own, step)
        values = numbers(past, self._own) | {
            "seconds": time.perf_counter() - start,
            "not_judged": float(sum(t.outcome == "error" for t in results.tests)),
        }
        self._write({self._prefix + n: v for n, v in values.items()}, state, control)
        return self._heard(results.tests, step)

    def _live(self, args: Theirs, given: Given) -> Live:
        processor = self._processor
        if processor is None:
            processor = given.get("processing_class")
            _refuse_tokenizer(processor, "the trainer's processing_class")
        if processor is None:
            raise ConfigError(
                "VdgCallback needs the model's processor: VdgCallback(processor=...)"
            )
        return Live(
            model=given["model"],
            processor=processor,
            name=self._name or Path(str(args.output_dir)).name or "training",
            mixed="bfloat16" if args.bf16 else "float16" if args.fp16 else None,
        )

    def _write(self, values: dict[str, float], state: Theirs, control: Theirs) -> None:
        trainer = None if self._trainer is None else self._trainer()
        if trainer is None:
            entry = {**values, "epoch": state.epoch, "step": state.global_step}
            state.log_history.append(entry)
            return
        due = control.should_log
        trainer.log(values)
        control.should_log = due  # the loss of this step is still to come

    def _heard(self, tests: Sequence[TestResult], step: int) -> str | None:
        """Tell what each test came to; return the first that ends the training."""
        why = None
        for test in tests:
            verdict = str(test.verdict or "")
            said = test.summary or "; ".join(f.summary for f in test.findings)
            stops = verdict in self._stop_on
            level = logging.INFO if test.outcome == "passed" else logging.WARNING
            if test.outcome == "error":
                level = logging.ERROR
            told = f"{verdict}: {said}" if verdict not in said else said
            _log.log(level, "step %d, %s: %s", step, test.name, told)
            if stops and why is None:
                why = f"step {step}, {test.name}: {told}"
                _log.warning("the training is stopped by %s at step %d", verdict, step)
        return why


def _refuse_tokenizer(given: object, named: str) -> None:
    """Raise `ConfigError` where a tokenizer is *given*, which takes no frames."""
    if isinstance(given, PreTrainedTokenizerBase):
        raise ConfigError(
            f"{named} is a tokenizer ({type(given).__name__}), where the model's "
            "processor is needed: a tokenizer takes text only, and a processor frames, "
            "too. Load it with transformers' AutoProcessor.from_pretrained(MODEL), and "
            "give it: VdgCallback(processor=...)"
        )


def _agreed(why: str | None) -> str | None:
    """Return what the main process says, in each of them.

    One that went on alone would wait for the others for ever.
    """
    import torch.distributed

    group: Any = torch.distributed
    if not (group.is_available() and group.is_initialized()):
        return why
    said = [why]
    group.broadcast_object_list(said, src=0)
    return said[0]
