"""``vdg benchmarks``: what can be asked, and what must lie on disk for it.

Apart from ``slice`` because nothing is read: it tells what to fetch and where
to put it. The network is touched only by ``--download``.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vdg._commands._arguments import Flag, Folder
from pytest_vdg.benchmarks.registry import benchmark_names, find_loader
from pytest_vdg.benchmarks.source import Published
from pytest_vdg.errors import BenchmarkError, ConfigError

ANNOTATIONS = (
    "*.csv",
    "*.json",
    "*.jsonl",
    "*.md",
    "*.parquet",
    "*.tsv",
    "*.txt",
    "*.xlsx",
)
"""What is fetched of a data set unless everything is asked for: no videos."""


def benchmarks(
    name: str | None = None,
    /,
    *,
    download: Folder | None = None,
    revision: str | None = None,
    with_videos: Flag = False,
) -> Sequence[str]:
    """List the benchmarks, and what each expects on disk.

    example:
      vdg benchmarks mvbench
      vdg benchmarks mvbench --download data/MVBench

    Parameters
    ----------
    name
        Show this one in full.
    download
        Fetch its annotations from the Hugging Face Hub into this folder.
    revision
        With --download: a branch, a tag or a commit.
    with_videos
        With --download: fetch all files, videos included.

    Raises
    ------
    ConfigError
        For an unknown name, and for a download that is not to be had.
    BenchmarkError
        When the download fails.
    """
    if any((download, revision, with_videos)) and None in (name, download):
        raise ConfigError("to fetch one: vdg benchmarks NAME --download FOLDER")
    if name is None:
        return [line for each in benchmark_names() for line in _brief(each)]
    found = find_loader(name)
    if download is None:
        return _full(found) if isinstance(found, Published) else _foreign(name)
    if not isinstance(found, Published) or found.data_set is None:
        where = found.published if isinstance(found, Published) else "its own package"
        raise ConfigError(
            f"benchmark {name!r} is no Hugging Face data set, and so is not "
            f"fetched from here. It is published at: {where}"
        )
    return _downloaded(found, download, revision, videos=with_videos)


def _brief(name: str) -> list[str]:
    found = find_loader(name)
    return [*(_told(found) if isinstance(found, Published) else _foreign(name)), ""]


def _told(found: Published) -> list[str]:
    lines = [f"{found.name}: {found.title}", f"    published  {found.published}"]
    if found.variants:
        first, *others = found.variants
        lines.append(f"    variants   {', '.join([f'{first} (default)', *others])}")
    first, *others = found.expects.splitlines() or ["-"]
    lines.append(f"    expects    {first}")
    return [*lines, *(f"               {line}" for line in others)]


def _full(found: Published) -> list[str]:
    if found.built_in:
        return _told(found)
    return [
        *_told(found),
        f"    look at it  vdg slice {found.name} --path PATH",
        "    in vdg.yaml",
        "        slices:",
        f"          {found.name}: {{path: PATH}}",
    ]


def _foreign(name: str) -> list[str]:
    return [f"{name}: of another package, which says what it expects"]


def _downloaded(
    found: Published, folder: str, revision: str | None, *, videos: bool
) -> list[str]:
    assert found.data_set is not None
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise ConfigError(
            "--download needs huggingface_hub, which is not installed.\n"
            "Install it with: pip install 'pytest-vdg[model]'"
        ) from None
    try:
        snapshot_download(
            found.data_set,
            repo_type="dataset",
            revision=revision,
            local_dir=folder,
            allow_patterns=None if videos else list(ANNOTATIONS),
        )
    # Whatever the network, the Hub or the disk raises goes to the user.
    except Exception as error:
        raise BenchmarkError(
            f"data set {found.data_set!r} could not be fetched: "
            f"{type(error).__name__}: {error}"
        ) from error
    what = "all files" if videos else "annotations (videos: --with-videos)"
    return [
        f"fetched {found.data_set} into {folder}: {what}",
        f"look at it: vdg slice {found.name} --path {folder}",
    ]
