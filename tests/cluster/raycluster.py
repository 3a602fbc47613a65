"""A Ray cluster on this machine, of two nodes and more, for tests to add and remove.

Apart from the tests, as a script: what Ray leaves behind in a process that starts a
cluster (sockets, threads, warnings) is no test's affair.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

NODE = {"num_cpus": 1, "num_gpus": 0, "object_store_memory": 80_000_000}


class TwoNodes:
    """A cluster of two nodes with a CPU each, in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Wait until it is there."""
        self._process = process
        told = self._line()
        self.address: str = told["address"]
        self.nodes: list[str] = told["nodes"]

    def _line(self) -> dict[str, object]:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

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
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            yield TwoNodes(process)
        finally:
            process.stdin.close()  # type: ignore[union-attr] - it was asked for
            process.wait(timeout=300)


def main() -> None:
    """Begin a cluster, do what is said line by line, and end it with the input."""
    from ray.cluster_utils import Cluster

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
