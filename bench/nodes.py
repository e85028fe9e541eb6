#!/usr/bin/env python3
"""Thoughts through 1, 2 and 3 nodes over one PostgreSQL, beside what the same server does with plain inserts of the same size.

  nodes.py HOLDFAST MCP_LOAD [--seconds N] [--connections N] [--rounds N]

The database is a real one in a temporary folder with its usual settings (fsync and synchronous_commit on). Plain inserts are pgbench's:
one prepared statement and one commit each, on as many connections as there are clients in all. A thought is more than an insert (it finds its
session and number, chains hashes, cuts words, tells others), so the ratio is what that costs. Rounds are interleaved; medians are printed.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/e2e/app"))
from postgres_server import PostgresServer  # noqa: E402

TEXT = "A thought as long as thoughts are. " * 20
INSERT = f"INSERT INTO plain(session, text) VALUES(1, '{TEXT}');\n"


class Node:
    def __init__(self, program, folder, url):
        self.process = subprocess.Popen([program, "serve", "--json", "--no-auth", "--port", "0", "--store", url], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": folder})
        self.port = json.loads(self.process.stdout.readline())["port"]

    def stop(self):
        self.process.terminate()
        self.process.wait(30)

    def peak_mb(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def think(load, nodes, connections, seconds):
    """All nodes at once; thoughts a second in all, and the worst node's p50 and p99."""
    running = []
    for node in nodes:
        words = [load, "--mode", "load", "--transport", "http", "--era", "legacy", "--port", str(node.port), "--pid",
                 str(node.process.pid), "--conns", str(connections // len(nodes)), "--duration", str(seconds), "--tool", "thought",
                 "--args", json.dumps({"thought": TEXT, "nextThoughtNeeded": True}), "--expect-any"]
        running.append(subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    answers = []
    for each in running:
        out, problems = each.communicate(timeout=seconds + 60)
        if each.returncode:
            raise SystemExit(f"the load generator failed: {out}{problems}")
        answers.append(json.loads(out))
    return answers


def plain_inserts(database, connections, seconds, folder):
    script = pathlib.Path(folder) / "insert.sql"
    script.write_text(INSERT)
    for old in pathlib.Path(folder).glob("pgbench_log*"):
        old.unlink()
    done = subprocess.run([database.bin / "pgbench", "-h", "127.0.0.1", "-p", str(database.port), "-U", database.user, "-n", "-M", "prepared",
                           "-f", script, "-c", str(connections), "-j", "2", "-T", str(seconds), "-l", "postgres"], cwd=folder, text=True,
                          capture_output=True, check=True)
    micros = sorted(int(line.split()[2]) for log in pathlib.Path(folder).glob("pgbench_log*") for line in log.read_text().splitlines())
    return float(re.search(r"tps = ([0-9.]+)", done.stdout)[1]), micros[len(micros) // 2] / 1000, micros[len(micros) * 99 // 100] / 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("holdfast")
    parser.add_argument("mcp_load")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=24, help="clients in all; divisible by 6")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    database = PostgresServer()
    try:
        with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
            url = database.make_database("holdfast")
            database.run("psql", "-h", database.folder, "-p", database.port, "-U", database.user, "-d", "postgres", "-c",
                         "CREATE TABLE plain(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session bigint NOT NULL, text text NOT NULL)")
            nodes = [Node(given.holdfast, folder, url) for _ in range(3)]
            rounds = {"plain": [], 1: [], 2: [], 3: []}
            for _ in range(given.rounds):
                rounds["plain"].append(plain_inserts(database, given.connections, given.seconds, folder))
                for count in (1, 2, 3):
                    answers = think(given.mcp_load, nodes[:count], given.connections, given.seconds)
                    rounds[count].append((sum(each["rps"] for each in answers), max(each["latency_us"]["p50"] for each in answers) / 1000,
                                          max(each["latency_us"]["p99"] for each in answers) / 1000))
            medians = {name: [statistics.median(column) for column in zip(*values)] for name, values in rounds.items()}
            print(f"{given.connections} clients, {given.rounds} rounds of {given.seconds} s, text of {len(TEXT)} bytes")
            print(f"{'':<16}{'a second':>10}{'of plain':>10}{'p50 ms':>9}{'p99 ms':>9}")
            for name in ("plain", 1, 2, 3):
                rate, p50, p99 = medians[name]
                title = "plain inserts" if name == "plain" else f"{name} node{'s' if name > 1 else ''}"
                print(f"{title:<16}{rate:>10.0f}{rate / medians['plain'][0]:>10.2f}{p50:>9.1f}{p99:>9.1f}")
            print("peak memory of the nodes, MB:", " ".join(f"{node.peak_mb():.0f}" for node in nodes))
            for node in nodes:
                node.stop()
    finally:
        database.remove()


if __name__ == "__main__":
    main()
