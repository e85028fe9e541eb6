#!/usr/bin/env python3
"""Three nodes over PostgreSQL behind HAProxy, as one server command for `run`.

  three_nodes.py SERVER --port N

N is the port of the balancer, which sends every request to the next node. Ends with SIGTERM.
"""
import pathlib
import signal
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e/cluster"))
from cluster import Cluster  # noqa: E402


def main():
    server, flag, port = sys.argv[1:]
    if flag != "--port":
        raise SystemExit(__doc__)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with Cluster(lambda folder, url: [server, "--store", url], port=int(port)) as cluster:
        stop.wait()
        for node in cluster.nodes:
            if node.process.poll() is not None:
                print(f"{node.name} ended with {node.process.returncode}:\n{node.log.read_text()[-4000:]}", file=sys.stderr)


if __name__ == "__main__":
    main()
