"""From a checkpoint's name to its folder: a local one, or a Hub snapshot.

Apart from the folder's content so that the only lines that may reach the
network stand together, and are seen to ask before they do.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from pytest_vdg.errors import BackendUnavailable, ConfigError

_HUB_ID = re.compile(r"(?P<id>[\w.-]+/[\w.-]+)(?:@(?P<revision>(?!.*\.\.)\w[\w./-]*))?")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_WANTED = ["*.json", "*.safetensors", "*.txt", "*.model", "*.tiktoken", "*.jinja"]
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_MAIN = "main"
_MOST_COMMITS = 3


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a checkpoint lies here, and which one of the Hub it is."""

    folder: Path
    hub_id: str = ""
    """``owner/name``; empty for a folder that was named."""
    revision: str = _MAIN
    """Branch, tag or commit of it, as it was asked for."""

    @property
    def commit(self) -> str:
        """The commit that was found; empty for a folder that was named."""
        name = self.folder.name
        return name if self.hub_id and _COMMIT.fullmatch(name) else ""

    @property
    def name(self) -> str:
        """What people call it: the Hub id, or the folder's name."""
        return self.hub_id or self.folder.resolve().name

    def note(self, key: str = "") -> str:
        """Return that a branch or tag may move, and how to stay; else nothing.

        *key* stands before what to write, where the id is not enough.
        """
        if not self.commit or self.revision == self.commit:
            return ""
        return (
            f"{self.hub_id} is asked at commit {self.commit[:12]} of "
            f"{self.revision!r}, which may move. To stay with it: "
            f"{key}{self.hub_id}@{self.commit}"
        )


def is_hub_id(checkpoint: str) -> bool:
    """Tell whether *checkpoint* may be ``owner/name[@revision]``, not a folder here."""
    return not Path(checkpoint).exists() and bool(_HUB_ID.fullmatch(checkpoint))


def find_checkpoint(
    checkpoint: str,
    *,
    revision: str | None,
    local_files_only: bool,
    allow_pickle: bool,
    trust_remote_code: bool,
) -> Place:
    """Return where *checkpoint* lies, downloading only where that is allowed.

    Nothing is fetched where the environment says that the Hub is offline. Raises
    `ConfigError` where there is neither such a folder nor a snapshot.
    """
    folder = Path(checkpoint).expanduser()
    if folder.is_dir():
        return Place(folder=folder)
    named = None if folder.exists() else _HUB_ID.fullmatch(checkpoint)
    if named is None:
        what = "is a file" if folder.exists() else "does not exist"
        raise ConfigError(f"the checkpoint folder {checkpoint} {what}")
    wanted = [
        *_WANTED,
        *(["*.bin"] if allow_pickle else []),
        *(["*.py"] if trust_remote_code else []),
    ]
    hub_id, own = named["id"], named["revision"]
    if own and revision and own != revision:
        raise ConfigError(
            f"{checkpoint} names a revision, and revision names another one, "
            f"{revision!r}. Leave one of them out"
        )
    asked = own or revision or _MAIN
    found = _snapshot(hub_id, asked, local_files_only or bool(_offline()), wanted)
    return Place(folder=found, hub_id=hub_id, revision=asked)


def _offline() -> str:
    """Return the variable that forbids the network; empty where none does.

    Read here and now: the Hub's client reads it when it is imported.
    """
    yes = ("1", "ON", "YES", "TRUE")
    return next((n for n in _OFFLINE if os.environ.get(n, "").upper() in yes), "")


def _snapshot(
    hub_id: str, revision: str, local_files_only: bool, wanted: list[str]
) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise BackendUnavailable("transformers", "huggingface_hub") from None
    try:
        return Path(
            snapshot_download(
                hub_id,
                revision=revision,
                local_files_only=local_files_only,
                allow_patterns=wanted,
                ignore_patterns=["*/*.safetensors", "*/*.bin"],
            )
        )
    # Those of the Hub, of its client and of the disk share no base; told to all.
    except Exception as error:
        told = _told(error, hub_id, revision, local_files_only=local_files_only)
        raise ConfigError(told) from error


def _told(
    error: Exception, hub_id: str, revision: str, *, local_files_only: bool
) -> str:
    """Return what came, and what to type."""
    log_in = "log in with: hf auth login (or set HF_TOKEN)"
    at = "" if revision == _MAIN else f" --revision {revision}"
    fetch = f"hf download {hub_id}{at}"
    page = f"https://huggingface.co/{hub_id}"
    reason = str(error.__cause__ or error).strip().partition("\n")[0]
    known = {
        "GatedRepoError": f"{hub_id} is gated: the Hub gives it to accounts that "
        f"accepted its terms.\nAccept them at {page}, then {log_in}",
        "RepositoryNotFoundError": f"{hub_id} is not on the Hub, or is private.\n"
        f"Look whether it is spelt so; where it is private, {log_in}",
        "RevisionNotFoundError": f"{hub_id} has no revision {revision!r}: no such "
        f"branch, tag or commit.\nThey are listed at {page}/commits/main",
        "IncompleteSnapshotError": f"{hub_id} is in the Hub cache only in part: a "
        f"download was cut off.\nFetch the rest:  {fetch}",
        "LocalEntryNotFoundError": _not_here(hub_id, revision, fetch)
        if local_files_only
        else f"{hub_id} is not in the Hub cache, and the Hub cannot be reached: "
        f"{reason}\nWhere there is a network:  {fetch}",
    }
    # By name, the nearest first: versions of the client differ in which there are.
    for kind in type(error).__mro__:
        if kind.__name__ in known:
            return known[kind.__name__]
    refused = getattr(getattr(error, "response", None), "status_code", None)
    hint = f"\nThe Hub refused it: {log_in}" if refused in (401, 403) else ""
    return f"{hub_id} cannot be fetched: {reason}{hint}"


def _not_here(hub_id: str, revision: str, fetch: str) -> str:
    """Say what the cache lacks, of an id that may not be fetched."""
    others = _cached_commits(hub_id)
    begun = [commit for commit in others if commit.startswith(revision)]
    if len(begun) == 1:
        return (
            f"{hub_id} is in the Hub cache; a commit is named in full: "
            f"{hub_id}@{begun[0]}"
        )
    where = "is neither a folder here nor in the Hub cache."
    if others:
        more = ", ..." if len(others) > _MOST_COMMITS else ""
        listed = ", ".join(others[:_MOST_COMMITS])
        where = f"is in the Hub cache, but not at {revision!r}. There is {listed}{more}"
    variable = _offline()
    allow = f"unset {variable}, and " if variable else ""
    return (
        f"{hub_id} {where}\nFetch it first:  {fetch}\n"
        f"Or let the run fetch it:  {allow}local_files_only: false"
    )


def _cached_commits(hub_id: str) -> list[str]:
    """Return the commits of *hub_id* that are in the cache."""
    from huggingface_hub import constants

    folder = Path(constants.HF_HUB_CACHE) / f"models--{hub_id.replace('/', '--')}"
    found = (folder / "snapshots").glob("*")
    return sorted(path.name for path in found if path.is_dir())
