#!/usr/bin/env python3
"""Opens many idle event streams and reports what each costs the server in memory.

  idle_streams.py [--streams N] [--limit BYTES] SERVER [ARGUMENTS...]

The streams are modern subscriptions/listen requests, each on its own connection, opened until the server has
acknowledged it. Memory is the resident set of the server process. Exits 1 above --limit bytes per stream.
"""
import argparse
import contextlib
import json
import resource
import socket
import subprocess
import sys
import time

START_SECONDS = 20
SPARE_DESCRIPTORS = 100
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "idle-streams", "version": "1"}}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def resident_bytes(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))


def listen_request(port, number):
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "subscriptions/listen",
                       "params": {"notifications": {"toolsListChanged": True}, "_meta": META}}).encode()
    head = (f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
            f"Mcp-Method: subscriptions/listen\r\nContent-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


def open_stream(port, number):
    """A connection whose subscription the server has acknowledged."""
    connection = socket.create_connection(("127.0.0.1", port), START_SECONDS)
    connection.sendall(listen_request(port, number))
    received = b""
    while b"subscriptions/acknowledged" not in received:
        more = connection.recv(65536)
        if not more or len(received) > 65536:
            raise SystemExit(f"stream {number} was not acknowledged: {received[:300]!r}")
        received += more
    return connection


def wait_until_it_accepts(process, port):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise SystemExit("the server did not start")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=5000)
    parser.add_argument("--limit", type=int, default=8192)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # the server inherits it
    count = min(arguments.streams, hard - SPARE_DESCRIPTORS) if hard != resource.RLIM_INFINITY else arguments.streams

    port = free_port()
    process = subprocess.Popen([*arguments.command, "--port", str(port)], stdin=subprocess.DEVNULL)
    try:
        wait_until_it_accepts(process, port)
        with open_stream(port, 0):  # what is set up once does not count
            before = resident_bytes(process.pid)
            began = time.monotonic()
            streams = [open_stream(port, number) for number in range(1, count + 1)]
            seconds = time.monotonic() - began
            after = resident_bytes(process.pid)
        each = (after - before) / count
        print(f"{count} idle streams opened in {seconds:.1f} s; RSS {before / 1e6:.1f} -> {after / 1e6:.1f} MB, "
              f"{each:.0f} bytes each (limit {arguments.limit})")
        for stream in streams:
            stream.close()
        return 0 if each <= arguments.limit else 1
    finally:
        process.terminate()
        process.wait(START_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
