"""`Source` and `Published`: where a benchmark lies, and what its loader tells.

Apart from the registry so that a loader imports its contract from below, and
the registry imports no loader until one is named.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.errors import BenchmarkError, ConfigError, did_you_mean, near_path

OnBad = Literal["strict", "skip"]
"""What records do that cannot be used: stop the run, or are left out and told."""
ON_BAD = ("strict", "skip")

_DATA_SET = re.compile(r"Hugging Face data sets? ([\w.-]+/\w(?:[\w.-]*\w)?)")


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Make records without a search for cycles among them: there are none.

    The collector would go through all that was made so far again and again, which
    takes as long as the rest of loading.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a benchmark lies on this disk, and which form of it is wanted."""

    path: Path | None = None
    """Its folder, or its annotation file; None for built-in ones."""
    videos: Path | None = None
    """Folder of its videos, where they lie elsewhere than `path` says."""
    variant: str | None = None
    """One of `Published.variants`; None for the first."""
    on_bad: OnBad = "strict"

    def __post_init__(self) -> None:
        """Refuse an unknown policy."""
        if self.on_bad not in ON_BAD:
            raise ConfigError(
                f"on_bad_records must be one of {', '.join(ON_BAD)}, got "
                f"{self.on_bad!r}.{did_you_mean(str(self.on_bad), ON_BAD)}"
            )


def require_there(path: Path) -> None:
    """Raise `BenchmarkError` unless *path* exists, naming what lies near it."""
    if not path.exists():
        raise BenchmarkError(
            f"{path}: there is no such file or folder.{near_path(path)}"
        )


@dataclass(frozen=True, kw_only=True)
class Published:
    """A benchmark as its authors publish it: how to load it, what to tell of it."""

    name: str
    """What it is called in ``vdg.yaml``."""
    title: str
    """What people call it."""
    load: Callable[[Source], Benchmark]
    expects: str
    """What must lie on disk, a line for each file or folder."""
    published: str
    """Where its authors publish it. ``Hugging Face data set owner/name`` in it
    is what `data_set` reads."""
    variants: tuple[str, ...] = ()
    """Forms to choose from, the default first; empty where there is one."""
    built_in: bool = False
    """Whether it comes with this package and takes no path."""

    def __call__(self, source: Source) -> Benchmark:
        """Load it from *source*, after a look at what does not depend on files."""
        if self.built_in and (source.path, source.videos) != (None, None):
            given = source.path or source.videos
            raise ConfigError(
                f"benchmark {self.name!r} is built in and takes no path, got "
                f"{str(given)!r}. For a file of yours use benchmark 'plain'"
            )
        if not self.built_in and source.path is None:
            raise ConfigError(
                f"benchmark {self.name!r} needs a path. It expects:\n{self.expects}"
            )
        if source.variant is not None and source.variant not in self.variants:
            hint = did_you_mean(source.variant, self.variants) if self.variants else ""
            raise ConfigError(
                f"benchmark {self.name!r} has no variant {source.variant!r}.{hint}"
            )
        if source.path is not None:
            require_there(source.path)
        with _collector_paused():
            return self.load(source)

    @property
    def data_set(self) -> str | None:
        """The Hugging Face data set that `published` names first; None if none."""
        found = _DATA_SET.search(self.published)
        return None if found is None else found[1]

    def variant(self, source: Source) -> str:
        """Return the variant that *source* asks for, or the default."""
        return source.variant or self.variants[0]
