#!/usr/bin/env python3
"""usage: transcripts_cancel.py HOLDFAST HOLDFAST-SEED    tool calls over stdio that the client gives up in the middle"""
import json
import os
import pathlib
import subprocess
import tempfile
import time

from program import HOLDFAST, PATIENCE, Lines, initialize, main
from transcripts_home import OLD, TranscriptsTest, sid, tree_of

SMALLEST, LARGEST = 64 << 20, 2 << 30  # bytes of a session; the first that is still being worked on when the client gives up


class Client:
    """A client over stdio that looks at what comes while a call runs."""

    def __init__(self, case):
        self.process = subprocess.Popen([HOLDFAST, "mcp", "--root", str(case.elsewhere)], env=case.environment(), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        case.addCleanup(self.end)
        self.lines = Lines(self.process.stdout)
        self.id = 1
        self.send(initialize())
        self.answer_to(1)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def end(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def begin(self, name, arguments):
        """Sends the call and returns when it has reported progress."""
        self.id += 1
        self.send({"jsonrpc": "2.0", "id": self.id, "method": "tools/call",
                   "params": {"name": name, "arguments": arguments, "_meta": {"progressToken": self.id}}})
        while json.loads(self.lines.next()).get("method") != "notifications/progress":
            pass
        return self.id

    def cancel(self, id):
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": "enough"}})

    def answer_to(self, id):
        """The answer; whatever else comes before it is passed over."""
        while (message := json.loads(self.lines.next())).get("id") != id:
            pass
        return message

    def was_answered(self, id):
        """A cancelled call has no answer: one to a later message comes first."""
        self.id += 1
        self.send({"jsonrpc": "2.0", "id": self.id, "method": "ping"})
        while True:
            message = json.loads(self.lines.next())
            if message.get("id") in (id, self.id):
                return message["id"] == id


class Cancelling(TranscriptsTest):
    def enlarge(self, size):
        """The transcript of a1 with its records over and over."""
        path = self.transcript("a1")
        block = path.read_bytes()
        block *= max(1, (1 << 20) // len(block))
        with path.open("wb") as file:
            while file.tell() < size:
                file.write(block)
        os.utime(path, (OLD, OLD))

    def wait_until_nothing_runs(self):
        def operations():
            try:
                return os.listdir(self.claude / ".holdfast")
            except FileNotFoundError:
                return []

        end = time.monotonic() + PATIENCE
        while operations():
            self.assertLess(time.monotonic(), end, "the call goes on")
            time.sleep(0.01)

    def check(self, name, arguments, prepare=lambda: None):
        size = SMALLEST
        while True:
            self.enlarge(size)
            prepare()
            before = tree_of(self.claude)
            client = Client(self)
            call = client.begin(name, arguments)
            client.cancel(call)
            if not client.was_answered(call):
                break
            size *= 2  # it was done before the word reached it
            self.assertLess(size, LARGEST, "never in time")
            self.setUp()
        self.wait_until_nothing_runs()
        self.assertEqual(tree_of(self.claude), before)
        kept = self.data / "deleted"
        self.assertEqual(list(kept.iterdir()) if kept.exists() else [], [], "half a backup")
        client.send({"jsonrpc": "2.0", "id": "after", "method": "tools/call",
                     "params": {"name": "get_session_info", "arguments": {"session_id": sid("a2")}}})
        self.assertFalse(client.answer_to("after")["result"].get("isError", False))
        doctor = self.json_of("doctor", "--quick")
        self.assertEqual(doctor["leftovers"], [])
        self.assertEqual(doctor["sessions"], 7)

    def test_clone(self):
        self.check("clone_session", {"source_session_id": sid("a1")})

    def test_delete(self):
        self.check("delete_session", {"session_id": sid("a1"), "force": True})

    def test_move(self):
        self.check("move_session", {"session_id": sid("a1"), "force": True, "target_project": str(self.elsewhere)})

    def test_restore(self):
        folder = tempfile.TemporaryDirectory()  # not in the home, of which every try has a new one
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "session.json"

        def prepare():
            path.unlink(missing_ok=True)
            self.json_of("archive", sid("a1"), str(path))

        self.check("restore_session", {"archive_path": str(path)}, prepare)


if __name__ == "__main__":
    main()
