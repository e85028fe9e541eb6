#!/usr/bin/env python3
"""What a thought costs through MCP, made durable, beside what the disk itself can do.

  thoughts.py HOLDFAST MCP_LOAD [--seconds N] [--long N] [--sessions N]

1. one session per connection, 1, 8 and 64 connections: answers a second and latency;
2. one session that grows: the same with 10, 1,000 and --long thoughts in it. The cost must not grow with it;
3. load_context on that session, in a store with --sessions others in 100 projects, as many in its own.

The floor is pwrite + fdatasync of one commit in the same folder, measured in the same run. The load comes from bench/mcp-load.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time
import urllib.request

ROOT = "file:///bench/project"
TEXT = "A thought as long as thoughts are. " * 20
PROJECTS = 100  # that the other sessions belong to
COMMIT_BYTES = 5 * 4120  # what one append writes to the log
ENVELOPE = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"}}


def disk_commits_per_second(folder, seconds=1.0):
    path = pathlib.Path(folder) / "floor"
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        os.pwrite(descriptor, b"x" * (8 << 20), 0)
        os.fsync(descriptor)
        block, commits, began = b"y" * COMMIT_BYTES, 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            os.pwrite(descriptor, block, (commits * COMMIT_BYTES) % (4 << 20))
            os.fdatasync(descriptor)
            commits += 1
        return commits / (time.perf_counter() - began)
    finally:
        os.close(descriptor)
        path.unlink()


class Server:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "serve", "--json", "--no-auth", "--port", "0", "--store", f"sqlite:{folder}/store.db"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "HOME": folder})
        self.port = json.loads(self.process.stdout.readline())["port"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)

    def resident_mb(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))

    def call(self, tool, arguments):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": {"name": tool, "arguments": arguments, "_meta": ENVELOPE}}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/mcp", body, {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool})
        return json.load(urllib.request.urlopen(request, timeout=60))["result"]["structuredContent"]


def load(program, server, tool, arguments, connections, era="legacy", **limits):
    words = [program, "--mode", "load", "--transport", "http", "--era", era, "--port", str(server.port), "--pid", str(server.process.pid),
             "--conns", str(connections), "--tool", tool, "--args", json.dumps(arguments), "--expect-any"]  # an error is never accepted
    for name, value in limits.items():
        words += [f"--{name}", str(value)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def row(label, answer, floor=None):
    of_disk = f"{answer['rps'] / floor:8.2f}" if floor else " " * 8
    print(f"{label:44} {answer['rps']:9.0f}/s {of_disk}  p50 {answer['latency_us']['p50'] / 1000:7.3f} ms  p99 {answer['latency_us']['p99'] / 1000:7.3f} ms")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("holdfast")
    arguments.add_argument("mcp_load")
    arguments.add_argument("--seconds", type=float, default=3)
    arguments.add_argument("--long", type=int, default=100_000)
    arguments.add_argument("--sessions", type=int, default=10_000)
    chosen = arguments.parse_args()

    with tempfile.TemporaryDirectory() as folder, Server(chosen.holdfast, folder) as server:
        floor = disk_commits_per_second(folder)
        print(f"{'':44} {'thoughts':>11} {'of disk':>8}\n{'the disk: write + fdatasync':44} {floor:9.0f}/s {1:8.2f}")
        for connections in (1, 8, 64):
            answer = load(chosen.mcp_load, server, "thought", {"thought": TEXT, "sessionTitle": f"with {connections}", "root": ROOT}, connections,
                          duration=chosen.seconds)
            row(f"{connections} sessions at once", answer, floor)
        session = server.call("thought", {"thought": TEXT, "newSession": True, "root": ROOT, "sessionTitle": "long"})["sessionId"]
        written = 1
        for length in (10, 1000, chosen.long):
            if length > written:
                load(chosen.mcp_load, server, "thought", {"thought": TEXT, "sessionId": session}, 64, era="modern",
                     requests=length - written, warmup=0, timeout=600)
                written = length
            answer = load(chosen.mcp_load, server, "thought", {"thought": TEXT, "sessionId": session}, 1, duration=chosen.seconds)
            row(f"one session of {length:,} thoughts", answer, floor)
        for number in range(chosen.sessions):
            server.call("init", {"operation": "start_new", "title": f"session {number}", "root": f"{ROOT}/{number % PROJECTS}"})
        server.call("session", {"operation": "pin", "sessionId": session})
        for number in range(chosen.sessions // PROJECTS):
            server.call("init", {"operation": "start_new", "title": f"beside {number}", "root": ROOT})
        for era in ("modern", "legacy"):
            answer = load(chosen.mcp_load, server, "init", {"operation": "load_context", "root": ROOT}, 1, era=era, duration=chosen.seconds)
            row(f"load_context among {chosen.sessions:,} sessions, {era}", answer)
        print(f"{'peak memory of the server':44} {server.resident_mb():9.1f} MB")


if __name__ == "__main__":
    main()
