#!/usr/bin/env python3
"""usage: erasure.py HOLDFAST HOLDFAST-SEED    what was purged or redacted is in no file any more

A marker is written through every tool there is, in every text that a tool takes, and through the calls that make sessions of every kind.
Then all sessions are purged, and every file below the home folder (by name, too) and the server's log are searched for the marker.
"""
import contextlib
import json
import pathlib
import re

from program import ProgramTest, Server, initialize, main

MARKER = "zugzwangmarker"
QUESTION = f"what does {MARKER} say about retries?"


def values_for(schema):
    """What a parameter may be given so that it holds the marker: every word of a list of words, else one value."""
    if "enum" in schema:
        return schema["enum"]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "array":
        return [values_for(schema.get("items", {"type": "string"}))[:1]]
    return [{"object": {"text": MARKER, "project": MARKER, "task": MARKER}, "integer": 1, "number": 0.5, "boolean": False}.get(kind, MARKER)]


class Erasure(ProgramTest):
    def setUp(self):
        super().setUp()
        self.docs = self.home / "docs"
        self.docs.mkdir()
        self.root = self.home / f"root-{MARKER}"
        self.root.mkdir()
        self.write_documents(MARKER)
        self.server = Server(self, "--tools", "all", "--documents", str(self.docs), HOLDFAST_RESEARCH_CORPUS=str(self.docs))
        status, headers, _ = self.server.post(initialize())
        self.assertEqual(status, 200)
        self.session = headers["mcp-session-id"]
        self.server.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, session=self.session)
        self.number = 1

    def write_documents(self, word):
        for name in ("guide", "other", "moved"):
            (self.docs / f"{name}.md").write_text(f"# About {word} {name}\n\nIn {word} a failed job is retried three times.\n")

    def request(self, method, params):
        """The answer, whether it came alone or as the end of a stream."""
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        status, _, text = self.server.ask("POST", "/mcp", self.server.mcp_headers(session=self.session), json.dumps(message))
        self.assertEqual(status, 200, text)
        found = [json.loads(line[5:]) for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
        answers = [each for each in found or [json.loads(text)] if each.get("id") == self.number]
        self.assertEqual(len(answers), 1, text)
        return answers[0]

    def call(self, tool, /, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def done(self, tool, /, **arguments):
        """The text of a call that must have worked."""
        answer = self.call(tool, **arguments)
        self.assertIn("result", answer, (tool, arguments))
        text = "\n".join(part.get("text", "") for part in answer["result"]["content"])
        self.assertFalse(answer["result"].get("isError"), (tool, arguments, text))
        return text

    def files_with_marker(self):
        """All but a person's own: the documents with their trash and the journal that undoes their moves, and the project."""
        own = (self.docs, self.root, self.data / "documents")
        found = [file for file in self.home.rglob("*") if not any(file.is_relative_to(each) for each in own)
                 and (MARKER in file.name or (file.is_file() and MARKER.encode() in file.read_bytes()))]
        return [str(file.relative_to(self.home)) for file in found]

    def write_through_every_tool(self):
        tools = self.request("tools/list", {})["result"]["tools"]
        self.assertGreater(len(tools), 25)
        tried = 0
        for tool in tools:
            properties = dict(tool["inputSchema"]["properties"])
            if tool["name"] == "session":
                operations = properties["operation"]["description"]
                properties["operation"] = {"enum": [name.strip() for name in operations.split(",")]}
            first = next((name for name in ("operation", "action") if name in properties), None)
            arguments = {name: values_for(schema)[0] for name, schema in properties.items() if name != first}
            for word in values_for(properties[first]) if first else [None]:
                self.call(tool["name"], **arguments, **({first: word} if first else {}))
                tried += 1
        self.assertGreater(tried, 80)

    def make_sessions_of_every_kind(self):
        root = self.root.as_uri()
        self.done("init", operation="bind_root", rootUri=root)
        self.done("init", operation="start_new", title=MARKER, project=MARKER, task=MARKER, aspect=MARKER, tags=[MARKER],
                  description=MARKER)
        for i in range(3):
            self.done("thought", thought=f"{MARKER} {i}", nextThoughtNeeded=True, sessionTitle=MARKER, sessionTags=[MARKER],
                      agentName=MARKER, idempotencyKey=f"{MARKER}-{i}")
        self.done("thought", thought=MARKER, nextThoughtNeeded=True, branchId=MARKER, branchFromThought=1)
        listed = json.loads(self.done("session", operation="list", type="reasoning", allRoots=True))
        reasoning = listed["sessions"][0]["id"]
        self.done("session", operation="set_alias", sessionId=reasoning, alias=MARKER)
        self.done("session", operation="update", sessionId=reasoning, title=MARKER, description=MARKER, addTags=[MARKER])
        self.done("session", operation="analyze", sessionId=reasoning)

        thread = json.loads(self.done("research", action="thread-create", title=MARKER))["data"]["thread_id"]
        for role in ("user", "assistant"):
            self.done("research", action="thread-append", thread_id=thread, role=role, content=f"say {MARKER}")
        self.call("research", action="chat", prompt=f"again {MARKER}", client_msg_id=MARKER)
        self.done("research", action="deep-research", query=QUESTION, wait=True)

        text = self.done("create_session", name=MARKER, model=MARKER)
        handle = re.search(r"s_[a-z2-7]{26}", text)[0]
        for name in ("guide", "other", "moved"):
            self.done("read", file_path=f"{name}.md", session_id=handle)
        self.done("edit", file_path="guide.md", old_string="three times", new_string=f"four {MARKER}", session_id=handle)
        self.done("create", file_path="new.md", content=f"# {MARKER}\n", session_id=handle)
        self.done("move", path="moved.md", new_path=f"{MARKER}.md", session_id=handle)
        self.done("delete", file_path="other.md", session_id=handle)
        for words in (["list"], ["accept", "--all"]):
            done = self.run_program("review", *words, "--documents", str(self.docs))
            self.assertEqual(done.returncode, 0, done.stderr)
        self.done("end_session", session_id=handle)

        self.seed([{"id": "run-000000000001", "kind": "run", "title": MARKER, "status": "completed", "root": root,
                    "principal": "local", "entries": [f"did {MARKER}"]}])

    def purge_everything(self):
        kinds = set()
        while True:
            found = []
            for visibility in ("live", "archived", "deleted"):
                found += self.json_of("sessions", "list", "--visibility", visibility, "--limit", "1000")["sessions"]
            if not found:
                return kinds
            for session in found:
                kinds.add(session["type"])
                done = self.run_program("sessions", "purge", session["id"], "--yes")
                self.assertEqual(done.returncode, 0, (session, done.stderr))

    def test_P6_what_was_purged_is_in_no_file(self):
        self.write_through_every_tool()
        self.make_sessions_of_every_kind()
        self.assertIn("store.db", [pathlib.Path(name).name.removesuffix("-wal") for name in self.files_with_marker()], "otherwise nothing is tested")
        status, _, _ = self.server.ask("DELETE", "/mcp", self.server.mcp_headers(session=self.session))
        self.assertEqual(status, 200)
        # The documents change as well: what was known of them is an index, and follows with the next search.
        for file in self.docs.rglob("*.md"):
            file.unlink()
        self.write_documents("nothing")
        self.json_of("research", "start", "how often is a failed job retried?", HOLDFAST_RESEARCH_CORPUS=str(self.docs))
        self.assertEqual(self.purge_everything(), {"reasoning", "thread", "research", "document", "run"})
        self.assertEqual(self.files_with_marker(), [])
        self.server.stop()
        self.assertEqual(self.files_with_marker(), [])
        with contextlib.suppress(EOFError):
            while True:
                self.assertNotIn(MARKER, self.server.log.next())


if __name__ == "__main__":
    main()
