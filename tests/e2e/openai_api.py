#!/usr/bin/env python3
"""A loopback server that speaks the OpenAI chat interface. It plays a model: nothing here thinks, answers come from a script.

  openai_api.py PORT_FILE       serves until it is terminated; PORT_FILE gets the port, by rename, once it listens

base_url is http://127.0.0.1:PORT/v1; POST /v1/chat/completions answers as the real ones do, as a stream of events when the request
says so (usage last, when asked for), else as one document. POST /v1/responses does the same in its own form when `responses` is set,
else it is not there. GET /v1/models lists the models; /api/v0/models and /api/v1/models do when `lmstudio` is set.

What it says: the next of `answers`; when there is none, "echo: " and the last message. A key is only wanted when `key` is set.

For tests: POST /_test with a JSON object sets any of
  answers  [text | {"content"?, "calls"?: [{"name", "arguments"? (object or text), "id"?}], "reasoning"?, "refusal"?, "finish_reason"?, "model"?,
           "usage"? (null: none), "pieces"? (number of events)}]   replaces the queue. In a content, %TOOL% is the last result of a
           tool and %TOOLS% all of them, one a line: what only the tools can know
  rules    [{"contains": text, "answer": as above}]  by what the request's messages contain; tried before `answers`, never used up
  faults   [fault]  for the next requests, in order, before any answer: "pass" (let one through), "429" (with Retry-After: 1), "401",
           "403", "404", "500", "503", "cut" (a stream without its end), "cut-plain" (half a document), "stall" (no byte, until the
           server ends), "slow" (a byte of the body every `slow_ms`), "malformed" (JSON that is none),
           "empty" (choices: []), "error" (an error object with status 200), "stream-error" (an error object behind half a stream),
           "no-usage", "plain" (a document although a stream was
           asked for), "overflow" (400 context_length_exceeded), "overflow-llama", "overflow-lmstudio", "overflow-ollama",
           "overflow-vllm"; or {"status", "headers"?, "body"?}
  deviations  [name]  what real servers do otherwise, for all answers:
           of calls: "empty-calls" (tool_calls: [] beside text), "ghost-call" (one more call, with an empty id and no function),
           "finish-stop" (the reason is "stop" although there are calls), "text-calls" (written as <tool_call>...</tool_call>),
           "whole-calls" (in one event each), "no-index", "same-index" (every call is number 0), "no-id", "object-arguments";
           of streams: "no-done", "crlf", "comments", "multi-line" (data over several lines), "split" (chunks of seven bytes, so that
           characters are cut); of thoughts: "reasoning-key" (`reasoning` instead of `reasoning_content`)
  models   [{"id", "type"?, "state"?, "max_context_length"?, "loaded_context_length"?}]  default: one, "played"
  lmstudio "v0" or "v1": which of LM Studio's lists there is ("v1" can load models too); null: none
  jit      false: a model that is not loaded is 404 until it is
  responses  true: /v1/responses is there; "forget" also forgets all conversations
  key      the bearer token that requests must bring; null: none
  slow_ms  pause between two bytes of "slow" (default 20)
  reset    true: forget everything first
GET /_test lists the requests: [{"path", "authorization", "body"}...]. Only 127.0.0.1 is served.
"""
import http.server
import itertools
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
        self.deviations, self.lmstudio, self.jit, self.responses = [], None, True, None
        self.models = [{"id": "played"}]
        self.conversations = {}  # response id -> messages
        self.ids = itertools.count(1)

    def configure(self, wanted):
        with self.lock:
            if wanted.get("reset"):
                self.reset()
            for name in ("answers", "rules", "faults", "deviations", "models"):
                if name in wanted:
                    setattr(self, name, list(wanted[name]))
            for name in ("key", "slow_ms", "lmstudio", "jit", "responses"):
                if name in wanted:
                    setattr(self, name, wanted[name])
            if wanted.get("responses") == "forget":
                self.conversations.clear()

    def next_answer(self, messages):
        text = "\n".join(str(m.get("content", "")) for m in messages)
        with self.lock:
            for rule in self.rules:
                if rule["contains"] in text:
                    answer = rule["answer"]
                    break
            else:
                answer = self.answers.pop(0) if self.answers else "echo: " + str(messages[-1].get("content", "") if messages else "")
            answer = dict(answer) if isinstance(answer, dict) else {"content": answer}
            answer["calls"] = [{"id": call.get("id", f"call-{next(self.ids)}"), "name": call["name"],
                                "arguments": call.get("arguments", {})} for call in answer.get("calls", [])]
        results = [str(m.get("content", "")) for m in messages if m.get("role") == "tool"]
        answer["content"] = (answer.get("content") or "").replace("%TOOLS%", "\n".join(results)).replace(
            "%TOOL%", results[-1] if results else "")
        return answer

    def loaded(self, name):
        with self.lock:
            return self.jit or any(m["id"] == name and m.get("state", "loaded") != "not-loaded" for m in self.models)

    def load(self, name):
        with self.lock:
            found = [m for m in self.models if m["id"] == name]
            for model in found:
                model["state"] = "loaded"
            return bool(found)


def wire_calls(calls, deviations):
    """The calls of an answer as they stand in a message that is sent whole."""
    made = []
    for call in calls:
        arguments = call["arguments"]
        if "object-arguments" not in deviations and not isinstance(arguments, str):
            arguments = json.dumps(arguments)
        made.append({"id": "" if "no-id" in deviations else call["id"], "type": "function",
                     "function": {"name": call["name"], "arguments": arguments}})
    if "ghost-call" in deviations:
        made.append({"id": "", "type": "function"})
    return made


def call_pieces(calls, deviations):
    """The same calls as deltas of a stream, each a list."""
    for number, call in enumerate(wire_calls(calls, deviations)):
        index = {} if "no-index" in deviations else {"index": 0 if "same-index" in deviations else number}
        function = call.get("function", {})
        arguments = function.get("arguments")
        if "whole-calls" in deviations or not isinstance(arguments, str):
            yield [{**index, **call}]
            continue
        yield [{**index, **call, "function": {"name": function["name"], "arguments": ""}}]
        again = {} if index else {"id": call["id"]}
        for at in range(0, len(arguments), 8):
            yield [{**index, **again, "function": {"arguments": arguments[at:at + 8]}}]


def listed(models, lmstudio):
    if lmstudio != "v1":
        return {"object": "list", "data": [{"object": "model", **m} for m in models]}
    made = []
    for model in models:
        loaded = model.get("state", "loaded") != "not-loaded"
        config = {"context_length": model.get("loaded_context_length", model.get("max_context_length", 4096))}
        made.append({"type": model.get("type", "llm"), "key": model["id"], "max_context_length": model.get("max_context_length", 4096),
                     "loaded_instances": [{"id": model["id"], "config": config}] if loaded else []})
    return {"models": made}


def messages_of(items):
    """Items of /responses as messages."""
    made = []
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        if item.get("type") == "function_call_output":
            made.append({"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]})
        elif item.get("type") == "function_call":
            made.append({"role": "assistant", "content": "", "call_id": item["call_id"]})
        else:
            made.append({"role": item["role"], "content": item["content"]})
    return made


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "holdfast-test-model"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

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
        with self.state.lock:
            models, lmstudio = [dict(m) for m in self.state.models], self.state.lmstudio
        if self.path == "/v1/models":
            return self.answer(200, listed([{"id": m["id"]} for m in models], None))
        if lmstudio and self.path == f"/api/{lmstudio}/models":
            return self.answer(200, listed(models, lmstudio))
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
        if self.path == "/api/v1/models/load" and self.state.lmstudio == "v1":
            found = self.state.load(body.get("model"))
            return self.answer(200 if found else 404, {"status": "loaded"} if found else {"error": {"message": "model not found"}})
        known = ["/v1/chat/completions"] + (["/v1/responses"] if self.state.responses else [])
        if self.path not in known:
            return self.answer(404, {"error": {"message": "no such path"}})
        with self.state.lock:
            self.state.requests.append({"path": self.path, "authorization": self.headers.get("Authorization"), "body": body})
            fault = self.state.faults.pop(0) if self.state.faults else "pass"
            key = self.state.key
        if key is not None and self.headers.get("Authorization") != "Bearer " + key:
            return self.answer(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})
        if not self.state.loaded(body.get("model")):
            return self.answer(404, {"error": {"message": "No models loaded. Please load a model.", "code": "model_not_found"}})
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
        if self.path == "/v1/responses":
            return self.respond(body)
        return self.say(body, fault, self.state.next_answer(body.get("messages", [])))

    def say(self, body, fault, said):
        deviations = self.state.deviations
        content, calls = said["content"], said["calls"]
        if calls and "text-calls" in deviations:
            content += "".join("<tool_call>" + json.dumps({"name": c["name"], "arguments": c["arguments"]}) + "</tool_call>" for c in calls)
            calls = []
        finish = said.get("finish_reason", "tool_calls" if calls and "finish-stop" not in deviations else "stop")
        model = said.get("model", body.get("model") or "played")
        characters = sum(len(str(m.get("content", ""))) for m in body.get("messages", []))
        usage = said.get("usage", {"prompt_tokens": characters // 4, "completion_tokens": len(content) // 4 + 1})
        if fault == "no-usage":
            usage = None
        thought = {"reasoning" if "reasoning-key" in deviations else "reasoning_content": said["reasoning"]} if "reasoning" in said else {}
        if "refusal" in said:
            thought["refusal"] = said["refusal"]
        if not body.get("stream") or fault in ("plain", "cut-plain", "slow"):
            message = {"role": "assistant", "content": content or (None if calls else ""), **thought}
            if calls or "empty-calls" in deviations or "ghost-call" in deviations:
                message["tool_calls"] = wire_calls(calls, deviations)
            document = {"id": "chatcmpl-test", "object": "chat.completion", "created": int(time.time()), "model": model,
                        "choices": [{"index": 0, "message": message, "finish_reason": finish}]}
            if usage:
                document["usage"] = usage
            return self.answer(200, document, cut=fault == "cut-plain", slow=self.state.slow_ms / 1000 if fault == "slow" else 0.0)
        deltas = [thought] if thought else []
        step = max(1, -(-len(content) // said.get("pieces", 4)))
        empty = {"tool_calls": []} if "empty-calls" in deviations else {}
        deltas += [{"content": content[at:at + step], **empty} for at in range(0, len(content), step)]
        deltas += [{"tool_calls": piece} for piece in call_pieces(calls, deviations)]
        deltas = deltas or [{"content": ""}]
        return self.stream(deltas, finish, model, usage if (body.get("stream_options") or {}).get("include_usage") else None, fault)

    def stream(self, deltas, finish, model, usage, fault):
        def event(choices, **more):
            self.event({"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": int(time.time()), "model": model,
                        "choices": choices, **more})

        self.head(200, "text/event-stream", headers=[("Transfer-Encoding", "chunked")])
        broken = fault in ("cut", "stream-error")
        for delta in deltas[:max(1, len(deltas) // 2)] if broken else deltas:
            event([{"index": 0, "delta": delta, "finish_reason": None}])
        if fault == "stream-error":
            self.event({"error": {"message": "the model crashed", "type": "server_error"}})
        if broken:
            self.close_connection = True
            return
        event([{"index": 0, "delta": {}, "finish_reason": finish}])
        if usage:
            event([], usage=usage)
        if "no-done" not in self.state.deviations:
            self.chunk(b"data: [DONE]\n\n")
        self.write(b"0\r\n\r\n")

    def respond(self, body):
        """POST /v1/responses."""
        state, previous = self.state, body.get("previous_response_id")
        with state.lock:
            if previous is not None and previous not in state.conversations:
                return self.answer(400, {"error": {"message": f"Previous response with id '{previous}' not found.",
                                                   "code": "previous_response_not_found"}})
            messages = list(state.conversations.get(previous, [])) + messages_of(body.get("input", []))
        said = state.next_answer(messages)
        output = [{"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": said["reasoning"]}]}] \
            if "reasoning" in said else []
        if said["content"]:
            output.append({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": said["content"]}]})
        for call in said["calls"]:
            arguments = call["arguments"] if isinstance(call["arguments"], str) else json.dumps(call["arguments"])
            output.append({"type": "function_call", "call_id": call["id"], "name": call["name"], "arguments": arguments})
        with state.lock:
            name = f"resp-{next(state.ids)}"
            state.conversations[name] = messages + [{"role": "assistant", "content": said["content"]}]
        response = {"id": name, "object": "response", "status": "completed", "model": said.get("model", body.get("model") or "played"),
                    "output": output, "error": None, "usage": {"input_tokens": len(json.dumps(messages)) // 4, "output_tokens": 7}}
        if not body.get("stream"):
            return self.answer(200, response)
        self.head(200, "text/event-stream", headers=[("Transfer-Encoding", "chunked")])
        self.event({"type": "response.created", "response": {"id": name, "status": "in_progress", "output": []}})
        if said["content"]:
            self.event({"type": "response.output_text.delta", "delta": said["content"]})
        self.event({"type": "response.completed", "response": response})
        return self.write(b"0\r\n\r\n")

    def event(self, data):
        deviations = self.state.deviations
        text = json.dumps(data, ensure_ascii=False, indent=1 if "multi-line" in deviations else None)
        lines = ["data: " + line for line in text.split("\n")]
        if "comments" in deviations:
            lines = [": keep-alive", ""] + lines
        self.chunk(("\r\n" if "crlf" in deviations else "\n").join(lines + ["", ""]).encode())

    def chunk(self, data):
        size = 7 if "split" in self.state.deviations else len(data)
        for at in range(0, len(data), size):
            piece = data[at:at + size]
            self.write(b"%x\r\n%s\r\n" % (len(piece), piece))


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
