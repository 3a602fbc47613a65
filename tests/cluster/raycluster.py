"""A Ray cluster on this machine, of two nodes and more, for tests to add and remove.

Apart from the tests, as a script: what Ray leaves behind in a process that starts a
cluster (sockets, threads, warnings) is no test's affair.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

NODE = {"num_cpus": 1, "num_gpus": 0, "object_store_memory": 80_000_000}
PATIENT = {
    "RAY_health_check_timeout_ms": "60000",
    "RAY_memory_monitor_refresh_ms": "0",
    "RAY_worker_register_timeout_seconds": "600",
}
"""For the environment of a cluster: nothing on it dies of a machine that has too
little time or memory, but of what a test does."""
PATIENCE_S = 600.0


class TwoNodes:
    """A cluster of two nodes with a CPU each, in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], said: IO[str]) -> None:
        """Wait until it is there; *said* is what it writes of what went wrong."""
        self._process = process
        self._said = said
        told = self._line()
        self.address: str = told["address"]
        self.nodes: list[str] = told["nodes"]

    def _line(self) -> dict[str, object]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._said.seek(0)
            raise RuntimeError(f"the cluster ended:\n{self._said.read()[-2000:]}")
        told: dict[str, object] = json.loads(line)
        return told

    def _say(self, word: str) -> dict[str, object]:
        assert self._process.stdin is not None
        self._process.stdin.write(word + "\n")
        self._process.stdin.flush()
        return self._line()

    def add(self) -> str:
        """Add a node with a CPU; return its id."""
        return str(self._say("add")["node"])

    def remove(self) -> None:
        """Remove the node that was added, without a word to what runs there."""
        self._say("remove")


@contextmanager
def two_nodes() -> Iterator[TwoNodes]:
    """Give a cluster, and end it."""
    command = [sys.executable, "-W", "ignore", __file__]
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            env={**os.environ, **PATIENT},
        ) as process,
    ):
        try:
            yield TwoNodes(process, said)
        finally:
            process.stdin.close()  # type: ignore[union-attr] - it was asked for
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:  # how it ends is no test's affair
                process.kill()


def _wait_longer() -> None:
    """Have Ray wait for a node for as long as it takes; it would for 30 s."""
    from ray._private import services

    get, wait = services.get_node, services.wait_for_node

    def get_node(*args: object) -> object:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            with suppress(RuntimeError):  # it is not there yet
                return get(*args)
            time.sleep(0.1)
        return get(*args)

    services.get_node = get_node
    services.wait_for_node = lambda gcs, store, timeout: wait(gcs, store, PATIENCE_S)


def main() -> None:
    """Begin a cluster, do what is said line by line, and end it with the input."""
    from ray.cluster_utils import Cluster

    _wait_longer()
    cluster = Cluster(
        initialize_head=True, head_node_args={**NODE, "include_dashboard": False}
    )
    nodes = [cluster.head_node, cluster.add_node(**NODE)]
    told: dict[str, object] = {
        "address": cluster.address,
        "nodes": [node.node_id for node in nodes],
    }
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
    more = []
    for line in sys.stdin:
        if line.strip() == "add":
            more.append(cluster.add_node(**NODE))
            told = {"node": more[-1].node_id}
        else:
            cluster.remove_node(more.pop(), allow_graceful=False)
            told = {}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
    cluster.shutdown()


if __name__ == "__main__":
    main()
