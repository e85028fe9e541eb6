#!/usr/bin/env python3
"""A loopback server that speaks the OpenAI chat interface. It plays a model: nothing here thinks, answers come from a script.

  openai_api.py PORT_FILE       serves until it is terminated; PORT_FILE gets the port, by rename, once it listens

base_url is http://127.0.0.1:PORT/v1; POST /v1/chat/completions answers as the real ones do, as a stream of events when the request
says so (usage last, when asked for), else as one document. GET /v1/models lists one model.

What it says: the next of `answers`; when there is none, "echo: " and the last message. A key is only wanted when `key` is set.

For tests: POST /_test with a JSON object sets any of
  answers  [text | {"content", "finish_reason"?, "model"?, "usage"? (null: none), "pieces"? (number of events)}]   replaces the queue
  rules    [{"contains": text, "answer": as above}]  by what the request's messages contain; tried before `answers`, never used up
  faults   [fault]  for the next requests, in order, before any answer: "pass" (let one through), "429" (with Retry-After: 1), "401",
           "403", "404", "500", "503", "cut" (a stream without its end), "cut-plain" (half a document), "stall" (no byte, until the
           server ends), "slow" (a byte of the body every `slow_ms`), "malformed" (JSON that is none),
           "empty" (choices: []), "error" (an error object with status 200), "no-usage", "plain" (a document although a stream was
           asked for), "overflow" (400 context_length_exceeded), "overflow-llama", "overflow-lmstudio", "overflow-ollama",
           "overflow-vllm"; or {"status", "headers"?, "body"?}
  key      the bearer token that requests must bring; null: none
  slow_ms  pause between two bytes of "slow" (default 20)
  reset    true: forget everything first
GET /_test lists the requests: [{"path", "authorization", "body"}...]. Only 127.0.0.1 is served.
"""
import http.server
import json
import os
import sys
import threading
import time

LONGEST_BODY = 64 << 20
OVERFLOWS = {
    "overflow": {"error": {"message": "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.",
                           "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}},
    "overflow-llama": {"error": {"code": 400, "type": "exceed_context_size_error",
                                 "message": "the request exceeds the available context size. try increasing the context size"}},
    "overflow-lmstudio": {"error": "The number of tokens to keep from the initial prompt is greater than the context length."},
    "overflow-ollama": {"error": {"message": "input length exceeds maximum context length", "type": "api_error"}},
    "overflow-vllm": {"object": "error", "type": "BadRequestError", "code": 400,
                      "message": "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens."},
}
STATUSES = {"401": "invalid key", "403": "forbidden", "404": "model not found", "500": "internal error", "503": "Loading model"}


class State:
    def __init__(self):
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.reset()

    def reset(self):
        self.answers, self.rules, self.faults, self.requests = [], [], [], []
        self.key, self.slow_ms = None, 20

    def configure(self, wanted):
        with self.lock:
            if wanted.get("reset"):
                self.reset()
            for name in ("answers", "rules", "faults"):
                if name in wanted:
                    setattr(self, name, list(wanted[name]))
            if "key" in wanted:
                self.key = wanted["key"]
            self.slow_ms = wanted.get("slow_ms", self.slow_ms)

    def next_answer(self, messages):
        text = "\n".join(str(m.get("content", "")) for m in messages)
        with self.lock:
            for rule in self.rules:
                if rule["contains"] in text:
                    answer = rule["answer"]
                    break
            else:
                answer = self.answers.pop(0) if self.answers else "echo: " + str(messages[-1].get("content", "") if messages else "")
        return answer if isinstance(answer, dict) else {"content": answer}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "holdfast-test-model"

    @property
    def state(self):
        return self.server.state

    def log_message(self, *_):
        pass

    def write(self, data):
        try:
            self.wfile.write(data)
            self.wfile.flush()
        except OSError:  # the client has left
            self.close_connection = True

    def head(self, status, kind, length=None, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers:
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def answer(self, status, body, headers=(), cut=False, slow=0.0):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.head(status, "application/json", len(data), headers)
        if cut:
            data, self.close_connection = data[:len(data) // 2], True
        if not slow:
            return self.write(data)
        for byte in data:
            if self.close_connection or self.state.ended.wait(slow):
                return None
            self.write(bytes([byte]))
        return None

    def do_GET(self):
        if self.path == "/_test":
            with self.state.lock:
                return self.answer(200, list(self.state.requests))
        if self.path == "/v1/models":
            return self.answer(200, {"object": "list", "data": [{"id": "played", "object": "model"}]})
        return self.answer(404, {"error": {"message": "no such path"}})

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > LONGEST_BODY:
            self.close_connection = True
            return self.answer(413, {"error": {"message": "too long"}})
        raw = self.rfile.read(length)
        try:
            body = json.loads(raw)
        except ValueError:
            return self.answer(400, {"error": {"message": "not JSON"}})
        if self.path == "/_test":
            self.state.configure(body)
            return self.answer(200, {"ok": True})
        if self.path != "/v1/chat/completions":
            return self.answer(404, {"error": {"message": "no such path"}})
        with self.state.lock:
            self.state.requests.append({"path": self.path, "authorization": self.headers.get("Authorization"), "body": body})
            fault = self.state.faults.pop(0) if self.state.faults else "pass"
            key = self.state.key
        if key is not None and self.headers.get("Authorization") != "Bearer " + key:
            return self.answer(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})
        return self.complete(body, fault)

    def complete(self, body, fault):
        if isinstance(fault, dict):
            given = fault.get("body", {})
            return self.answer(fault["status"], given.encode() if isinstance(given, str) else given,
                               list(fault.get("headers", {}).items()))
        if fault in OVERFLOWS:
            return self.answer(400, OVERFLOWS[fault])
        if fault in STATUSES:
            return self.answer(int(fault), {"error": {"message": STATUSES[fault]}})
        if fault == "429":
            return self.answer(429, {"error": {"message": "rate limit reached", "code": "rate_limit_exceeded"}}, [("Retry-After", "1")])
        if fault == "stall":
            self.state.ended.wait()
            self.close_connection = True
            return None
        if fault == "malformed":
            return self.answer(200, b'{"choices": [{"message": {"content": "half')
        if fault == "empty":
            return self.answer(200, {"choices": []})
        if fault == "error":
            return self.answer(200, {"error": {"message": "the model crashed", "type": "server_error"}})
        return self.say(body, fault, self.state.next_answer(body.get("messages", [])))

    def say(self, body, fault, said):
        content, finish = said["content"], said.get("finish_reason", "stop")
        model = said.get("model", body.get("model") or "played")
        characters = sum(len(str(m.get("content", ""))) for m in body.get("messages", []))
        usage = said.get("usage", {"prompt_tokens": characters // 4, "completion_tokens": len(content) // 4 + 1})
        if fault == "no-usage":
            usage = None
        if not body.get("stream") or fault in ("plain", "cut-plain", "slow"):
            document = {"id": "chatcmpl-test", "object": "chat.completion", "created": int(time.time()), "model": model,
                        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}]}
            if usage:
                document["usage"] = usage
            return self.answer(200, document, cut=fault == "cut-plain", slow=self.state.slow_ms / 1000 if fault == "slow" else 0.0)
        return self.stream(content, finish, model, usage if (body.get("stream_options") or {}).get("include_usage") else None,
                           said.get("pieces", 4), cut=fault == "cut")

    def stream(self, content, finish, model, usage, pieces, cut):
        def event(choices, **more):
            data = {"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": int(time.time()), "model": model,
                    "choices": choices, **more}
            self.chunk(b"data: " + json.dumps(data).encode() + b"\n\n")

        self.head(200, "text/event-stream", headers=[("Transfer-Encoding", "chunked")])
        step = max(1, -(-len(content) // pieces))
        texts = [content[at:at + step] for at in range(0, len(content), step)] or [""]
        for text in texts[:max(1, len(texts) // 2)] if cut else texts:
            event([{"index": 0, "delta": {"content": text}, "finish_reason": None}])
        if cut:
            self.close_connection = True
            return
        event([{"index": 0, "delta": {}, "finish_reason": finish}])
        if usage:
            event([], usage=usage)
        self.chunk(b"data: [DONE]\n\n")
        self.write(b"0\r\n\r\n")

    def chunk(self, data):
        self.write(b"%x\r\n%s\r\n" % (len(data), data))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


def main():
    server = Server(("127.0.0.1", 0), Handler)
    server.state = State()
    port_file = sys.argv[1]
    with open(port_file + ".new", "w", encoding="ascii") as file:
        file.write(str(server.server_address[1]))
    os.rename(port_file + ".new", port_file)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.state.ended.set()


if __name__ == "__main__":
    main()
