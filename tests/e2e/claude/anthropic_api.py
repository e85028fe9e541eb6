"""A stand-in for the Anthropic Messages API on loopback, for tests that run the real Claude Code offline.

It is no model: it answers by script. The newest text of the user that holds `[[script:NAME]]` names the script; the
step is the number of assistant messages since. A step is a list of content blocks (`say`, `think`, `use`), or a function
of the messages that returns one; after the last step, or without a marker, the answer is a short text. So the answer
depends on the request alone, and a session that is resumed, copied or run twice gets the same one. Only ids are counted
up, as the client wants them unique.

Every request is kept (`requests`) and its body written to a folder, for whoever has to find out what went wrong. The
server is also named as the client's proxy: whatever the client asks of another host ends here, is refused and kept in
`strays`, and the test that finds one there fails. Requests come on threads of their own.
"""
import http.server
import itertools
import json
import pathlib
import re
import threading

MARKER = re.compile(r"\[\[script:([a-z0-9-]+)\]\]")
CLOSING = "Scripted answer."
SIGNATURE = "c2lnbmF0dXJl"  # thinking blocks carry one; nobody here can check it
USAGE = {"input_tokens": 1000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 50}


def say(text):
    return {"type": "text", "text": text}


def think(text):
    return {"type": "thinking", "thinking": text, "signature": SIGNATURE}


def use(tool, **arguments):
    return {"type": "tool_use", "name": tool, "input": arguments}


def texts_of(message):
    """The texts of a message, without tool results (they may quote a marker)."""
    content = message["content"]
    return [content] if isinstance(content, str) else [block["text"] for block in content if block["type"] == "text"]


def script_position(messages):
    """Name of the script the newest marker asks for and the steps already answered; (None, 0) without a marker."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index]["role"] == "user":
            found = MARKER.findall("\n".join(texts_of(messages[index])))
            if found:
                return found[-1], sum(later["role"] == "assistant" for later in messages[index + 1:])
    return None, 0


def events_of(message):
    """The message as the API streams it."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, deltas = {"type": "text", "text": ""}, [{"type": "text_delta", "text": block["text"]}]
        elif block["type"] == "thinking":
            start = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": block["thinking"]},
                      {"type": "signature_delta", "signature": block["signature"]}]
        else:
            start, deltas = {**block, "input": {}}, [
                {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
           "usage": {"output_tokens": USAGE["output_tokens"]}}
    yield {"type": "message_stop"}


class AnthropicApi:
    """The running server: `scripts` may be added to at any time, `requests` holds the message requests so far."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.scripts, self.requests, self.strays = {}, [], []
        self.numbers, self.lock = itertools.count(1), threading.Lock()
        api = self

        class Handler(RequestHandler):
            owner = api

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def keep(self, request):
        with self.lock:
            self.requests.append(request)
            (self.folder / f"{len(self.requests):04}.json").write_text(json.dumps(request, indent=1, ensure_ascii=False))

    def answer(self, request):
        name, step = script_position(request["messages"])
        steps = self.scripts.get(name, [])
        blocks = steps[step] if step < len(steps) else [say(CLOSING)]
        blocks = [dict(block) for block in (blocks(request["messages"]) if callable(blocks) else blocks)]
        for block in blocks:
            if block["type"] == "tool_use":
                block["id"] = f"toolu_01{next(self.numbers):022x}"
        return {"id": f"msg_01{next(self.numbers):022x}", "type": "message", "role": "assistant", "model": request["model"],
                "content": blocks, "stop_reason": "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn",
                "stop_sequence": None, "usage": USAGE}


class RequestHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None

    def log_message(self, *words):
        pass

    def reply(self, status, body, kind="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def stray(self):
        self.owner.strays.append(f"{self.command} {self.path}")
        self.close_connection = True
        self.reply(403, {"type": "error", "error": {"type": "permission_error", "message": "loopback only"}})

    def do_CONNECT(self):
        self.stray()

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        if not self.path.startswith("/"):
            return self.stray()  # a proxy request to another host
        return self.reply(404, {"type": "error", "error": {"type": "not_found_error", "message": self.path}})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.partition("?")[0]
        if not self.path.startswith("/"):
            return self.stray()
        if path == "/v1/messages/count_tokens":
            return self.reply(200, {"input_tokens": max(1, len(body) // 4)})
        if path != "/v1/messages":
            return self.do_GET()
        request = json.loads(body)
        self.owner.keep(request)
        message = self.owner.answer(request)
        if not request.get("stream"):
            return self.reply(200, message)
        stream = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events_of(message))
        return self.reply(200, stream.encode(), "text/event-stream")
