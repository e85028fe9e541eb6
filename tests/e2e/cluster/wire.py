"""Raw MCP over HTTP for the load: both eras, one request a connection, nothing repeated behind the caller's back.

What a call came to is one of three things: its result, a refusal (nothing has happened), or Unknown: nobody has said. Only the
caller knows whether an unknown call may be made again.
"""
import http.client
import json
import socket
import threading
import time

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
TASKS = "io.modelcontextprotocol/tasks"


class Unknown(Exception):
    """The call may or may not have been done."""


class Refused(Exception):
    """The server has answered that it did not do it. `answer` is the JSON of the tool, or the RPC error."""

    def __init__(self, answer):
        super().__init__(json.dumps(answer)[:500])
        self.answer = answer


class SessionEnded(Exception):
    """404: initialize again."""


def events(response):
    """(id, data) of a server-sent event stream, as they arrive; ends with the stream, raises OSError when it breaks."""
    id, data = None, []
    while True:
        line = response.readline()
        if not line:
            return
        line = line.decode().rstrip("\r\n")
        if line.startswith("id:"):
            id = line[3:].strip()
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and (data or id):
            yield id, "\n".join(data)
            id, data = None, []


def tool_json(result):
    """What a tool said: its JSON, or its text."""
    if "structuredContent" in result:
        return result["structuredContent"]
    for block in reversed(result.get("content", [])):
        if block.get("type") == "text":
            try:
                return json.loads(block["text"])
            except ValueError:
                return {"text": block["text"]}
    return {}


UNAVAILABLE = ("unavailable", "outcome_unknown", "locked by others", "could not be reached", "connection")


def judge(message):
    """Result of a JSON-RPC answer, or raises."""
    if "error" in message:
        # Internal errors come of a store that is away; whether the work was done is not said.
        if message["error"].get("code") == -32603:
            raise Unknown(message["error"].get("message"))
        raise Refused(message["error"])
    result = message["result"]
    if result.get("isError"):
        answer = tool_json(result)
        text = json.dumps(answer).lower()
        if any(word in text for word in UNAVAILABLE):
            raise Unknown(text[:300])
        raise Refused(answer)
    return result


class Peer:
    """What both eras have in common."""

    def __init__(self, port, token, capabilities=None):
        self.port, self.token, self.capabilities = port, token, capabilities or {}
        self.ids = iter(range(1, 1 << 60))
        self.answer_form = None  # params of an elicitation -> its result

    def open(self, method, headers, body=None, timeout=20):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, "/mcp", body=body, headers={"Authorization": f"Bearer {self.token}", **headers})
            return connection, connection.getresponse()
        except (OSError, http.client.HTTPException) as problem:
            connection.close()
            raise Unknown(repr(problem)) from problem

    def check_status(self, response, session=False):
        if response.status < 300:
            return
        body = response.read(2000)
        if response.status == 404 and session:
            raise SessionEnded
        if response.status in (400, 403, 404) and body.startswith(b"{"):
            message = json.loads(body)
            if "error" in message:
                raise Refused(message["error"])
        if response.status >= 500:
            raise Unknown(f"{response.status} {body!r}")
        raise Refused({"status": response.status, "body": repr(body)})


class Modern(Peer):
    def headers(self, method, params):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                   "MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        name = params.get("name") or params.get("uri") or params.get("taskId")
        if name and method != "subscriptions/listen":
            headers["Mcp-Name"] = name
        return headers

    def message(self, method, params):
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities}
        return json.dumps({"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": {**params, "_meta": meta}})

    def request(self, method, params, timeout=20):
        connection, response = self.open("POST", self.headers(method, params), self.message(method, params), timeout)
        try:
            self.check_status(response)
            if response.getheader("Content-Type", "").startswith("text/event-stream"):
                for _, data in events(response):
                    message = json.loads(data) if data else {}
                    if "result" in message or "error" in message:
                        return judge(message)
                raise Unknown("the stream ended without an answer")
            return judge(json.loads(response.read()))
        except (OSError, http.client.HTTPException, ValueError) as problem:
            raise Unknown(repr(problem)) from problem
        finally:
            connection.close()

    def call(self, tool, arguments, timeout=20):
        """Answers forms on the way, each round as a new call (which may reach another node)."""
        params = {"name": tool, "arguments": arguments}
        while True:
            result = self.request("tools/call", params, timeout)
            if result.get("resultType") != "input_required":
                return result
            answers = {key: self.answer_form(request["params"]) for key, request in result["inputRequests"].items()}
            params = {"name": tool, "arguments": arguments, "inputResponses": answers, "requestState": result["requestState"]}

    def listen(self, notifications):
        """(connection, iterator over messages) of a subscription."""
        params = {"notifications": notifications}
        connection, response = self.open("POST", self.headers("subscriptions/listen", params),
                                         self.message("subscriptions/listen", params), 600)
        self.check_status(response)
        return connection, (json.loads(data) for _, data in events(response) if data)


class Legacy(Peer):
    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.session = None
        self.resumed = 0
        self.lock = threading.Lock()

    def headers(self):
        return {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                **({"Mcp-Session-Id": self.session, "MCP-Protocol-Version": LEGACY} if self.session else {})}

    def post(self, message, timeout=20):
        return self.open("POST", self.headers(), json.dumps({"jsonrpc": "2.0", **message}), timeout)

    def tell(self, message):
        """A notification or a response: taken, or said to be unknown."""
        connection, response = self.post(message)
        try:
            self.check_status(response, session=True)
        finally:
            connection.close()

    def initialize(self):
        self.session = None
        connection, response = self.post({"id": next(self.ids), "method": "initialize", "params": {
            "protocolVersion": LEGACY, "capabilities": self.capabilities, "clientInfo": {"name": "load", "version": "1"}}})
        try:
            self.check_status(response)
            judge(json.loads(response.read()))
            self.session = response.getheader("Mcp-Session-Id")
        except (OSError, http.client.HTTPException, ValueError) as problem:
            raise Unknown(repr(problem)) from problem
        finally:
            connection.close()
        self.tell({"method": "notifications/initialized"})

    def request(self, method, params, timeout=20):
        if not self.session:
            self.initialize()
        id = next(self.ids)
        connection, response = self.post({"id": id, "method": method, "params": params}, timeout)
        try:
            self.check_status(response, session=True)
            if response.getheader("Content-Type", "").startswith("text/event-stream"):
                return self.follow(response, id, timeout)
            return judge(json.loads(response.read()))
        except SessionEnded:
            self.session = None
            raise Unknown("the session was over")
        except (OSError, http.client.HTTPException, ValueError) as problem:
            raise Unknown(repr(problem)) from problem
        finally:
            connection.close()

    def follow(self, response, id, timeout):
        """The answer on a stream; a stream that breaks is resumed, at whatever node."""
        last, deadline = None, time.monotonic() + timeout
        while True:
            try:
                for event, data in events(response):
                    last = event or last
                    message = json.loads(data) if data else {}
                    if message.get("id") == id and ("result" in message or "error" in message):
                        return judge(message)
                    if message.get("method") == "elicitation/create":
                        self.answer(message)
            except (OSError, http.client.HTTPException):
                pass
            if not last or time.monotonic() > deadline:
                raise Unknown("the stream broke and could not be resumed")
            self.resumed += 1
            time.sleep(0.05)
            try:
                connection, response = self.open("GET", {**self.headers(), "Last-Event-ID": last}, timeout=timeout)
                self.check_status(response, session=True)
            except Unknown:
                continue

    def answer(self, question):
        response = {"id": question["id"], "result": self.answer_form(question["params"])}
        for _ in range(20):
            try:
                return self.tell(response)
            except Unknown:
                time.sleep(0.1)

    def call(self, tool, arguments, timeout=20):
        return self.request("tools/call", {"name": tool, "arguments": arguments}, timeout)

    def stream(self, last=None):
        """(connection, iterator over (id, message)) of the stand-alone stream."""
        if not self.session:
            self.initialize()
        connection, response = self.open("GET", {**self.headers(), **({"Last-Event-ID": last} if last else {})}, timeout=600)
        try:
            self.check_status(response, session=True)
        except SessionEnded:
            self.session = None
            raise
        return connection, ((id, json.loads(data) if data else None) for id, data in events(response))


def cut(connection):
    """Ends a connection that another thread reads from."""
    if connection.sock:
        try:
            connection.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
