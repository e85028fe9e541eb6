#!/usr/bin/env python3
"""A legacy MCP server with one tool, `misbehave`, that does what the first argument says: crash, exit, hang, stderr, garbage,
large, surrogate, error; paths: its tool takes one."""
import json
import os
import sys
import time

BEHAVIOUR = sys.argv[1]
PROPERTIES = {"path": {"type": "string"}} if BEHAVIOUR == "paths" else {}
TOOL = {"name": "misbehave", "description": "misbehaves", "inputSchema": {"type": "object", "properties": PROPERTIES}}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def misbehave():
    if BEHAVIOUR == "crash":
        os.kill(os.getpid(), 11)
    if BEHAVIOUR == "exit":
        os._exit(0)
    if BEHAVIOUR == "hang":
        while True:
            time.sleep(3600)
    if BEHAVIOUR == "stderr":
        line = b"complaint " * 100 + b"\n"
        for _ in range(50_000):  # 50 MB
            os.write(2, line)
        return "survived the flood"
    if BEHAVIOUR == "garbage":
        sys.stdout.write("debug: this is no JSON\n{\"neither\": \"is this\"\n" * 20 + "\x00\xff\n")
        return "after the garbage"
    if BEHAVIOUR == "surrogate":
        return "cut here \ud83d"
    if BEHAVIOUR == "paths":
        return os.getcwd()
    return "x" * (60 << 20)


for line in sys.stdin:
    request = json.loads(line)
    method, number = request.get("method"), request.get("id")
    if number is None:
        continue
    if method == "initialize":
        send({"id": number, "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                                       "serverInfo": {"name": "bad", "version": "1"}}})
    elif method == "tools/list":
        send({"id": number, "result": {"tools": [TOOL]}})
    elif method == "tools/call" and BEHAVIOUR == "error":
        send({"id": number, "error": {"code": -32000, "message": "boom"}})
    elif method == "tools/call":
        send({"id": number, "result": {"content": [{"type": "text", "text": misbehave()}]}})
    elif method == "ping":
        send({"id": number, "result": {}})
    else:
        send({"id": number, "error": {"code": -32601, "message": "no such method"}})
