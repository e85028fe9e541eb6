"""The server under test for hostile.py: over stdio and over raw HTTP, with every wait bounded."""
import contextlib
import json
import os
import queue
import socket
import subprocess
import threading
import time

WAIT_SECONDS = 20  # for an answer that a working server gives at once
PING = {"jsonrpc": "2.0", "id": "alive", "method": "ping"}


class Broken(AssertionError):
    """The server did not do what it must."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class StdioServer:
    """One server process; lines in, parsed lines out. stdout must hold JSON-RPC and nothing else."""

    def __init__(self, command):
        self.process = subprocess.Popen([*command, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.ask({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "hostile", "version": "1"}}})
        self.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode() + b"\n")

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, data):
        """Writes all of it; from a thread, so that a server that answers before it has read all cannot block us."""
        def write():
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.write(data)
                self.process.stdin.flush()
        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        writer.join(WAIT_SECONDS)
        if writer.is_alive():
            raise Broken("the server does not read its input")

    def answer(self):
        """The next line, which must be a JSON-RPC message."""
        try:
            line = self.lines.get(timeout=WAIT_SECONDS)
        except queue.Empty:
            raise Broken("no answer") from None
        if line is None:
            raise Broken(f"the server ended with {self.process.wait()}")
        message = json.loads(line)
        if message.get("jsonrpc") != "2.0":
            raise Broken(f"not JSON-RPC: {line[:200]!r}")
        return message

    def ask(self, message):
        """Sends a good request; what comes before its answer, and its answer."""
        self.send(json.dumps(message).encode() + b"\n")
        before = []
        while True:
            got = self.answer()
            if got.get("id") == message["id"] and "method" not in got:
                return before, got
            before.append(got)

    def check_alive(self):
        """Everything that the server said since the last good request, which it must answer again."""
        before, got = self.ask(PING)
        if got.get("result") != {}:
            raise Broken(f"ping answered with {got}")
        return before

    def close(self):
        self.process.stdin.close()
        try:
            return self.process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Broken("the server does not end when its input ends") from None


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


class HttpServer:
    """One server process on a loopback port. Requests are bytes, so that they can be wrong in every way."""

    def __init__(self, command):
        self.port = free_port()
        self.process = subprocess.Popen([*command, "--port", str(self.port)], stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            with contextlib.suppress(OSError), self.connect():
                break
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Broken(f"the server did not start ({self.process.poll()})")
            time.sleep(0.02)
        reply = self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "hostile", "version": "1"}}})
        if reply.status != 200:
            raise Broken(f"initialize answered {reply.status}")
        self.session = reply.headers.get("mcp-session-id")

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), WAIT_SECONDS)

    def head(self, length, *more, kind="application/json"):
        """A request head for POST /mcp; `more` are further header lines."""
        lines = ["POST /mcp HTTP/1.1", f"Host: 127.0.0.1:{self.port}", "Accept: application/json, text/event-stream"]
        lines += [f"Content-Type: {kind}"] if kind else []
        lines += [f"Content-Length: {length}"] if length is not None else []
        return ("\r\n".join([*lines, *more]) + "\r\n\r\n").encode("latin-1")

    def in_session(self, *more):
        return (f"Mcp-Session-Id: {self.session}", "MCP-Protocol-Version: 2025-11-25", *more)

    def exchange(self, data, shutdown=False):
        """Sends bytes on a connection of their own; the reply, or None when the server closes without one."""
        with self.connect() as connection:
            with contextlib.suppress(ConnectionError):  # it may refuse before it has read everything
                connection.sendall(data)
                if shutdown:
                    connection.shutdown(socket.SHUT_WR)
            return read_reply(connection)

    def post(self, message, *more):
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.exchange(self.head(len(body), *more) + body)

    def post_in_session(self, message, *more):
        return self.post(message, *self.in_session(*more))

    def check_alive(self):
        reply = self.post_in_session(PING)
        if reply is None or reply.status != 200:
            raise Broken(f"ping answered {reply and reply.status}")
        if b'"result":{}' not in reply.body.replace(b" ", b""):
            raise Broken(f"ping answered {reply.body[:200]!r}")

    def open_descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def close(self):
        self.process.terminate()
        try:
            return self.process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Broken("the server does not end when asked") from None


def read_reply(connection):
    """One HTTP reply. Chunked bodies are read to their end and joined."""
    stream = connection.makefile("rb")
    try:
        start = stream.readline(65536)
        if not start:
            return None
        status = int(start.split()[1])
        headers = {}
        while (line := stream.readline(65536)) not in (b"\r\n", b"\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        if status == 100:
            return read_reply(connection)
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while (size := int(stream.readline(65536).split(b";")[0], 16)) > 0:
                body += stream.read(size)
                stream.readline()
        else:
            body = stream.read(int(headers["content-length"])) if "content-length" in headers else b""
        return Reply(status, headers, body)
    except ConnectionResetError:
        return None
    except socket.timeout:
        raise Broken("no reply") from None
