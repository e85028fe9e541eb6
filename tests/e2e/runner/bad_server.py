#!/usr/bin/env python3
"""A legacy MCP server with one tool, `misbehave`, that does what the first argument says: crash, exit, hang, stderr, garbage,
large, surrogate, error; paths: its tool takes one; grow: a second tool appears.

freeze FILE: as long as FILE is there, whoever is called says nothing, and hears nothing; thaw FILE: takes FILE away, and waits until the other has
said something. mute METHOD FILE: this is not answered as long as FILE is there, everything else is. deaf: asks for folders once, and does not heed that they change.
slow: tells progress for three seconds before it answers.

steps LOG: three tools, `look`, `put` and `append`, that write a line into LOG with the text they are given; with `hang`, the first that is given
this text never answers."""
import json
import os
import pathlib
import sys
import time

BEHAVIOUR = sys.argv[1]
PROPERTIES = {"path": {"type": "string"}} if BEHAVIOUR == "paths" else {}
FILE = pathlib.Path(sys.argv[-1])
THAWED = FILE.with_suffix(".thawed")
TOOLS = [{"name": "misbehave", "description": "misbehaves", "inputSchema": {"type": "object", "properties": PROPERTIES}}]
if BEHAVIOUR == "steps":
    TOOLS = [{"name": name, "inputSchema": {"type": "object"}, "annotations": annotations}
             for name, annotations in (("look", {"readOnlyHint": True}), ("put", {"idempotentHint": True}), ("append", {}))]


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def step(name, text, hang=False):
    with open(sys.argv[2], "a+") as log:
        log.seek(0)
        first = text not in log.read()
        log.write(f"{name} {text}\n")
    while hang and first:
        time.sleep(3600)
    return f"{name} has done {text}"


def wait_for(event):
    while not event():
        time.sleep(0.01)
    return "here again"


def slow(token):
    for step in range(6):
        send({"method": "notifications/progress", "params": {"progressToken": token, "progress": step}})
        time.sleep(0.5)
    return "slow and sure"


def grow():
    TOOLS.append({"name": "grown", "inputSchema": {"type": "object"}})
    send({"method": "notifications/tools/list_changed"})
    return "grown up"


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
    if BEHAVIOUR == "grow":
        return grow()
    if BEHAVIOUR == "freeze":
        return wait_for(lambda: not FILE.exists())
    if BEHAVIOUR == "thaw":
        FILE.unlink()
        return wait_for(THAWED.exists)
    if BEHAVIOUR == "mute":
        return "heard"
    if BEHAVIOUR == "paths":
        return os.getcwd()
    return "x" * (60 << 20)


for line in sys.stdin:
    request = json.loads(line)
    method, number = request.get("method"), request.get("id")
    if BEHAVIOUR == "deaf" and method == "notifications/initialized":
        send({"id": "roots", "method": "roots/list"})
    if number is None or method is None or (BEHAVIOUR == "mute" and method == sys.argv[2] and FILE.exists()):
        continue
    if method == "initialize":
        send({"id": number, "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}},
                                       "serverInfo": {"name": "bad", "version": "1"}}})
    elif method == "tools/list":
        send({"id": number, "result": {"tools": TOOLS}})
    elif method == "tools/call" and BEHAVIOUR == "error":
        send({"id": number, "error": {"code": -32000, "message": "boom"}})
    elif method == "tools/call" and BEHAVIOUR == "steps":
        text = step(request["params"]["name"], **request["params"]["arguments"])
        send({"id": number, "result": {"content": [{"type": "text", "text": text}]}})
    elif method == "tools/call":
        text = slow(request["params"]["_meta"]["progressToken"]) if BEHAVIOUR == "slow" else misbehave()
        send({"id": number, "result": {"content": [{"type": "text", "text": text}]}})
        if BEHAVIOUR == "freeze":
            THAWED.touch()
    elif method == "ping":
        send({"id": number, "result": {}})
    else:
        send({"id": number, "error": {"code": -32601, "message": "no such method"}})
