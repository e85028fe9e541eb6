"""Runs the built program in a home of its own, for the tests beside this file.

usage of each test: NAME.py HOLDFAST HOLDFAST-SEED
"""
import http.client
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

HOLDFAST, SEED = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
PATIENCE = 30  # seconds; longer means hung, no test waits on purpose

MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


def initialize(id=1):
    return {"jsonrpc": "2.0", "id": id, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}


def call(id, arguments, modern=False):
    params = {"name": "session", "arguments": arguments}
    if modern:
        params["_meta"] = ENVELOPE
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


class Lines:
    """Lines of a pipe, read on a thread so that waiting for one can end."""

    def __init__(self, pipe):
        self.queue = queue.Queue()
        threading.Thread(target=self.read, args=(pipe,), daemon=True).start()

    def read(self, pipe):
        for line in pipe:
            self.queue.put(line)
        pipe.close()
        self.queue.put(None)

    def next(self):
        line = self.queue.get(timeout=PATIENCE)
        if line is None:
            raise EOFError
        return line


class Server:
    """A running `holdfast serve`."""

    def __init__(self, case, *words, port=0, **environment):
        self.process = subprocess.Popen(
            [HOLDFAST, "serve", "--json", "--port", str(port), *words], env=case.environment(**environment),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.log = Lines(self.process.stderr)
        case.addCleanup(self.kill)
        try:
            self.about = json.loads(Lines(self.process.stdout).next())
        except EOFError:
            raise AssertionError("the server did not start: " + self.log.next()) from None
        self.port = self.about["port"]

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def token(self):
        return pathlib.Path(self.about["token_file"]).read_text().strip()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, method, path, headers=None, body=None):
        """Status, headers (lower case) and text."""
        connection = self.connect()
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, {key.lower(): value for key, value in answer.getheaders()}, text

    def mcp_headers(self, session=None, token=None, modern=None):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                   "Authorization": "Bearer " + (token or self.token())}
        if session:
            headers["Mcp-Session-Id"] = session
        if modern:
            headers.update({"MCP-Protocol-Version": MODERN, "Mcp-Method": modern["method"]})
            for key in ("name", "taskId"):
                if key in modern["params"]:
                    headers["Mcp-Name"] = modern["params"][key]
        return headers

    def post(self, message, session=None, token=None, modern=False):
        headers = self.mcp_headers(session, token, message if modern else None)
        status, headers, text = self.ask("POST", "/mcp", headers, json.dumps(message))
        return status, headers, json.loads(text) if text else None


class ProgramTest(unittest.TestCase):
    """A test with a fresh home folder."""

    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="holdfast-e2e-"))
        self.addCleanup(shutil.rmtree, self.home, True)
        self.data = self.home / ".local/share/holdfast"

    def environment(self, **more):
        kept = {key: value for key, value in os.environ.items()
                if not key.startswith(("HOLDFAST_", "XDG_")) and key != "CLAUDE_PROJECT_DIR"}
        return {**kept, "HOME": str(self.home), **more}

    def run_program(self, *words, input=None, **environment):
        return subprocess.run([HOLDFAST, *words], env=self.environment(**environment), input=input, text=True,
                              capture_output=True, timeout=PATIENCE)

    def json_of(self, *words, **environment):
        done = self.run_program(*words, "--json", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def browser(self):
        """Reads pages of sessions as somebody who has logged in."""
        server = Server(self)
        address = self.json_of("login")["url"]
        _, headers, _ = server.ask("GET", address[address.index("/", len("https://")):])
        cookie = headers["set-cookie"].split(";")[0]

        def read(session):
            status, _, text = server.ask("GET", f"/sessions/{session}", {"Cookie": cookie})
            self.assertEqual(status, 200, text[:300])
            return text

        return read

    def seed(self, sessions, store=None):
        self.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        subprocess.run([SEED, store or f"sqlite:{self.data}/store.db"], input=json.dumps(sessions), text=True, check=True,
                       timeout=PATIENCE)


def main():
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
