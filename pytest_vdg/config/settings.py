"""`Settings`: where to run, as it was decided, and what is made with it.

Apart from ``resolve``, which lets options, environment, ``vdg.yaml`` and ini
decide: who asks for a setting need not know who gave it. What counts as a
regression is not decided here: that stands in the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vdg.config.checkpoint import locate_checkpoint
from pytest_vdg.config.specs import VdgConfig
from pytest_vdg.config.switches import (
    COMMAND_LINE,
    ENVIRONMENT,
    FILE,
    LOCAL_BACKENDS,
    OFF,
    OUTPUTS,
    SERVER_BACKEND,
)
from pytest_vdg.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from pytest_vdg.engine.settings import RunSettings
    from pytest_vdg.frames.sampling import Sampling


@dataclass(frozen=True, kw_only=True)
class Sourced:
    """A value and the place that it comes from."""

    value: Any
    source: str
    """``command line``, ``environment``, ``file``, ``ini`` or ``default``."""
    named: str
    """The option, variable or key itself."""
    base: Path


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything about where and how to run, each value with its source."""

    config: VdgConfig
    base: Path
    """Folder of the configuration file, else of the project."""
    where: Mapping[str, Sourced]

    @property
    def checkpoint(self) -> str | None:
        """The checkpoint as written; None when none is configured."""
        value = self.where["checkpoint"].value
        return None if value is None else str(value)

    @property
    def backend(self) -> str:
        """Name of the backend."""
        return str(self.where["backend"].value)

    @property
    def device(self) -> str | None:
        """Where the model runs; None leaves it to the backend."""
        value = self.where["device"].value
        return None if value is None else str(value)

    @property
    def spread(self) -> bool | str:
        """Whether all workers ask; ``force`` where they share a GPU, too."""
        value: bool | str = self.where["spread"].value
        return value

    @property
    def executor(self) -> str:
        """Who asks: ``local``, this process, or ``ray``, actors on a cluster."""
        return str(self.where["executor"].value)

    @property
    def sight(self) -> bool:
        """Whether a session begins with the sight check of its checkpoints."""
        return bool(self.where["sight"].value)

    @property
    def questions(self) -> int | None:
        """Most questions a slice may hold, for a quick look."""
        value = self.where["questions"].value
        return None if value is None else int(value)

    @property
    def seed(self) -> int:
        """Seed of everything that is drawn at random."""
        return int(self.where["seed"].value)

    @property
    def keeps_answers(self) -> bool:
        """Whether answers are kept on disk and reused."""
        return not self.where["no_cache"].value

    @property
    def keeps_history(self) -> bool:
        """Whether what runs came to is kept; of stored runs nothing was found out."""
        return self.keeps_answers and self.replay is None

    @property
    def cache_dir(self) -> Path:
        """Folder of kept answers and candidates."""
        return Path(self.where["cache_dir"].value)

    @property
    def baseline_dir(self) -> Path:
        """Folder of the committed baselines."""
        return Path(self.where["baseline_dir"].value)

    @property
    def environment(self) -> str | None:
        """What baselines are kept apart for, e.g. ``h100``; None for all alike."""
        value = self.where["environment"].value
        return None if value is None else str(value)

    @property
    def replay(self) -> Path | None:
        """Folder of stored runs that are judged in place of asking a model."""
        value = self.where["replay"].value
        return None if value is None else Path(value)

    @property
    def time_budget(self) -> str | None:
        """How long models may be asked, e.g. ``30m``; None for ever."""
        value = self.where["time_budget"].value
        return None if value is None else str(value)

    @property
    def compare_to(self) -> str | None:
        """The checkpoint that is the baseline, as written; None for a file."""
        value = self.where["compare_to"].value
        return None if value is None else str(value)

    @property
    def compared(self) -> Settings:
        """The same settings, about the checkpoint that is the baseline."""
        return replace(
            self, where={**self.where, "checkpoint": self.where["compare_to"]}
        )

    @property
    def outputs(self) -> dict[str, str]:
        """Where each report goes, by its switch; without those that are off."""
        given = {s.name: self.where[s.name].value for s in OUTPUTS}
        return {n: str(v) for n, v in given.items() if v not in (None, OFF)}

    def checkpoint_named(self, marked: str | None = None) -> str | None:
        """Return the checkpoint as written, where a marker says *marked*."""
        text, _, _ = self._checkpoint(marked)
        return text

    def _checkpoint(self, marked: str | None) -> tuple[str | None, Path, str]:
        """Return the checkpoint, where a relative path starts, and who says it.

        Command line and environment win over the marker, which wins over
        file and ini.
        """
        found = self.where["checkpoint"]
        if marked is not None and found.source not in (COMMAND_LINE, ENVIRONMENT):
            return marked, self.base, "marker"
        text = None if found.value is None else str(found.value)
        return text, found.base, found.named

    def locate(self, marked: str | None = None) -> str | None:
        """Return the checkpoint to use where a marker says *marked*.

        A folder that is not there is a `ConfigError`.
        """
        text, base, source = self._checkpoint(marked)
        if text is None:
            return None
        if self.backend not in LOCAL_BACKENDS:
            path = base / str(text)
            # To a server a name is a name, whatever lies here under it.
            named = self.backend == SERVER_BACKEND and not text.startswith((".", "/"))
            return str(path) if path.is_dir() and not named else str(text)
        return locate_checkpoint(str(text), base, source=source)

    def backend_settings(self, checkpoint: str) -> dict[str, object]:
        """Return what a backend is made with: what was set, and nothing else."""
        config = self.config
        given = {
            "checkpoint": checkpoint,
            "revision": self._revision(checkpoint),
            "device": self.device,
            "dtype": self.where["dtype"].value,
            "attention": config.attention,
            "frames_as": config.frames_as,
            "quantisation": config.quantisation,
            "device_map": config.device_map,
            "offload": config.offload or None,
            "base": self._base(checkpoint),
            "scoring": self.where["scoring"].value,
            "option_likelihood": config.option_likelihood,
            "max_new_tokens": config.max_new_tokens,
            "trust_remote_code": config.trust_remote_code or None,
            "allow_pickle": config.allow_pickle or None,
            "local_files_only": config.local_files_only,
            "threads": config.threads,
            "share_prefixes": config.share_prefixes,
            "batch_tokens": config.batch_tokens,
            "server": config.server if self.backend not in LOCAL_BACKENDS else None,
        }
        return {name: value for name, value in given.items() if value is not None}

    def _revision(self, checkpoint: str) -> str | None:
        """Return the revision of *checkpoint*: the file's pins the file's own."""
        found = self.where["checkpoint"]
        if self.config.revision is None or found.source != FILE:
            return None
        if checkpoint != self.locate():
            return None  # a marker's, which is another repository
        if Path(checkpoint).is_dir():
            raise ConfigError(
                f"{self.config.path}: revision {self.config.revision!r} is of a Hub "
                f"repository, but checkpoint {checkpoint} is a folder. Remove the line"
            )
        return self.config.revision

    def _base(self, checkpoint: str) -> str | None:
        """Return the base of *checkpoint*, if it may be an adapter.

        Whole weights that an adapter is compared with have none, and may be that
        base; those under test are left to the backend, which refuses it.
        """
        config = self.config
        if config.base is None or self.backend not in LOCAL_BACKENDS:
            return config.base
        found = locate_checkpoint(
            config.base, self.base, source=f"{config.path}: base", what="base"
        )
        if checkpoint == self.locate():
            return found
        from pytest_vdg.backends._hf_adapter_checks import is_adapter

        folder = Path(checkpoint)
        whole = folder.is_dir() and not is_adapter(folder)
        return None if whole or checkpoint == found else found

    def run_settings(self) -> RunSettings:
        """Return the engine's settings; unknown names raise `ConfigError`."""
        from pytest_vdg.engine.settings import RunSettings

        config = self.config
        given: dict[str, Any] = {
            "sampling": self._sampling(),
            "seed": self.seed,
            "reader": config.reader,
            "caps": config.caps,
            "on_bad_media": config.on_bad_media,
        }
        for name in ("instruction", "template", "decode_workers", "decode_timeout_s"):
            if getattr(config, name) is not None:
                given[name] = getattr(config, name)
        try:
            return RunSettings(**given)
        except ValueError as error:
            raise ConfigError(f"{config.path or 'vdg.yaml'}: {error}") from error

    def _sampling(self) -> Sampling:
        from pytest_vdg.frames.sampling import PROTOCOLS, Sampling

        spec = self.config.sampling
        if spec.protocol is not None:
            if spec.protocol not in PROTOCOLS:
                raise ConfigError(
                    f"{self.config.path}: there is no protocol {spec.protocol!r}."
                    + did_you_mean(spec.protocol, PROTOCOLS)
                )
            return PROTOCOLS[spec.protocol]
        try:
            return Sampling(
                frames=spec.frames,
                fps=spec.fps,
                max_frames=spec.max_frames,
                endpoints=spec.endpoints,
            )
        except ValueError as error:
            raise ConfigError(f"{self.config.path}: sampling: {error}") from error
