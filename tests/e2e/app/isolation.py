#!/usr/bin/env python3
"""usage: isolation.py HOLDFAST HOLDFAST-SEED    nobody sees or changes what is not theirs, with every tool there is

Sessions of every kind belong to two persons and two teams, in two projects. Strangers then call every tool, every operation, every
resource, every prompt, every page and every stream with the ids and the words of sessions that are not theirs. No answer may hold a
secret, and no session may have changed. What the server lists is compared with what is tried here: a tool, an operation or a page without a
case fails the test.
"""
import http.client
import itertools
import json
import pathlib
import re
import urllib.parse

from program import ENVELOPE, PATIENCE, ProgramTest, Server, main

WEB = pathlib.Path(__file__).resolve().parents[3] / "src/web"

KINDS = ("reasoning", "thread", "research", "document", "run")
SECRET = "xyzzyplugh"  # in every title and text of a victim, and in no id


def ids_in(owner, place):
    return [f"{kind}-{(owner + place).ljust(12, '0')}" for kind in KINDS]


# research: what each action takes beside its name; ID is the victim's session.
ACTIONS = {
    "chat": {"prompt": "intrusion", "thread_id": "ID"},
    "thinkdeep": {"topic": "intrusion", "thread_id": "ID"},
    "ideate": {"topic": "intrusion", "thread_id": "ID"},
    "consensus": {"prompt": "intrusion", "thread_id": "ID"},
    "thread-create": {"title": "mine"},
    "thread-append": {"thread_id": "ID", "role": "user", "content": "intrusion"},
    "thread-list": {"q": SECRET},
    "thread-get": {"thread_id": "ID"},
    "thread-archive": {"thread_id": "ID"},
    "thread-unarchive": {"thread_id": "ID"},
    "thread-delete": {"thread_id": "ID"},
    "thread-restore": {"thread_id": "ID"},
    "deep-research": {"research_id": "ID", "deep_research_action": "resume"},
    "deep-research-status": {"research_id": "ID"},
    "deep-research-report": {"research_id": "ID"},
    "deep-research-list": {"q": SECRET},
    "deep-research-cancel": {"research_id": "ID"},
    "deep-research-archive": {"research_id": "ID"},
    "deep-research-unarchive": {"research_id": "ID"},
    "deep-research-delete": {"research_id": "ID"},
    "deep-research-restore": {"research_id": "ID"},
    "pin": {"id": "ID"},
    "unpin": {"id": "ID"},
    "redact": {"id": "ID", "pattern": SECRET},
    "purge": {"id": "ID", "confirm_id": "ID"},
    "cleanup": {"dry_run": True},
}

INIT = {"get_state", "list_roots", "bind_root", "start_new", "load_context", "list_sessions", "navigate"}

SESSION = {"list", "pick", "get", "search", "verify", "update", "pin", "unpin", "archive", "unarchive", "restore", "delete", "purge",
           "redact", "notices", "notices-ack", "resume", "resume_latest", "read_thoughts", "get_structure", "query_thoughts", "export",
           "analyze", "note", "close", "stitch", "link_root", "unlink_root", "brief", "graph", "set_alias", "fork", "cancel"}

# The other tools; HIDDEN stands for a document that is not theirs, HANDLE for somebody else's handle, ID as above.
TOOLS = {
    "thought": [{"thought": "intrusion", "nextThoughtNeeded": True, "sessionId": "ID"}],
    "create_session": [{"name": "x", "resume": "ID"}, {"name": "x"}],
    "read": [{"file_path": "HIDDEN"}, {"file_path": "HIDDEN", "session_id": "HANDLE"}],
    "edit": [{"file_path": "HIDDEN", "old_string": "a", "new_string": "b", "session_id": "HANDLE"}],
    "glob": [{"pattern": "**"}, {"pattern": "**", "session_id": "HANDLE"}],
    "grep": [{"pattern": SECRET}],
    "get_links": [{"file_path": "HIDDEN"}],
    "search": [{"query": SECRET}],
    "create": [{"file_path": "HIDDEN-new.md", "content": "x", "session_id": "HANDLE"}],
    "move": [{"source": "HIDDEN", "destination": "other.md", "session_id": "HANDLE"}],
    "delete": [{"file_path": "HIDDEN", "session_id": "HANDLE"}],
    "list_changes": [{}, {"path": "HIDDEN"}],
    "withdraw": [{"session_id": "HANDLE", "change_ids": ["c1"]}],
    "end_session": [{"session_id": "HANDLE"}],
    "save_current_session": [{}],
    "restore_session": [{"file_path": "/nowhere.json"}],
    "clone_session": [{"session_id": "ID"}],
    "move_session": [{"session_id": "ID", "destination": "/tmp"}],
    "delete_session": [{"session_id": "ID"}],
    "session_lineage": [{"session_id": "ID"}],
    "get_session_info": [{"session_id": "ID"}],
    "save_session_to_gist": [{"session_id": "ID"}],
    "search_sessions": [{"query": SECRET}, {"query": SECRET, "kind": "thread"}],
    "list_recent_sessions": [{}],
    "get_session_detail": [{"session_id": "ID"}],
    "autonomous_filesystem_full": [{"task": "x"}],
    "autonomous_persistent_session": [{"run_id": "ID"}],
}


# Pages: what stands behind each address, and what each form sends; {} and ID are sessions that are not theirs, HIDDEN as above.
SEEN = {
    "/": ["", f"q={SECRET}", "kind=thread", "deleted=1"],
    "/search": [f"q={SECRET}", f"q={SECRET}&kind=thread", f"q={SECRET}&order=newest"],
    "/sessions/{}": ["", "at=1"],
    "/sessions/{}/record": ["", "seq=1"],
    "/sessions/{}/raw": ["", "seq=1", "line=1"],
    "/sessions/{}/image": ["", "seq=1", "line=1&n=0"],
    "/sessions/{}/family": [""],
    "/sessions/{}/graph": [""],
    "/review": ["", "path=HIDDEN"],
    "/review/document": ["path=HIDDEN", "path=HIDDEN&view=sides"],
    "/research": [""],
    "/research/{}": [""],
    "/notices": [""],
    "/storage": [""],
}
# Operations that a page can do to a session.
DONE = ["sessions-update", "sessions-pin", "sessions-unpin", "sessions-archive", "sessions-unarchive", "sessions-restore", "note", "clone", "deep-research-cancel"]
SENT = {
    "/sessions/{}/do/{}": {"text": "intrusion", "title": "stolen"},
    "/review/decide": {"path": "HIDDEN", "verdict": "accept", "all": "1"},
    "/review/comment": {"path": "HIDDEN", "id": "c1", "note": "intrusion"},
    "/notices/acknowledge": {"id": "ID"},
    "/storage/verify": {},
    "/theme": {"theme": "dark"},
    "/logout": {},
}


class Isolation(ProgramTest):
    def setUp(self):
        super().setUp()
        self.roots = {}
        for name in ("a", "b"):
            folder = self.home / name
            folder.mkdir()
            (folder / "open.md").write_text("nothing to hide\n")
            self.roots[name] = folder.as_uri()
        (self.home / "b" / "hidden.md").write_text(f"the word is {SECRET}\n")
        sessions = []
        for owner, principal in (("ann", "ann"), ("red", "team:red")):
            for place, root in (("a", self.roots["a"]), ("b", self.roots["b"]), ("none", "")):
                word = "nothing" if (owner, place) == ("red", "a") else SECRET  # what rita of team red may see
                sessions += [{"id": id, "kind": kind, "title": f"{word} {id}", "status": "active", "root": root, "root_name": place,
                              "principal": principal, "entries": [f"{word} entry"]} for kind, id in zip(KINDS, ids_in(owner, place))]
        for owner, principal in (("bob", "bob"), ("blue", "team:blue")):
            sessions.append({"id": f"thread-{(owner + 'own').ljust(12, '0')}", "kind": "thread", "title": "of my own", "status": "active",
                             "root": self.roots["a"], "principal": principal, "entries": ["of my own"]})
        self.seed(sessions)
        self.server = Server(self, "--documents", str(self.home / "a"), "--documents", str(self.home / "b"))
        self.tokens = {}
        for name, *more in (("ann",), ("bob",), ("rose", "--team", "red"), ("ben", "--team", "blue"),
                            ("rita", "--team", "red", "--project", str(self.home / "a"))):
            self.tokens[name] = self.json_of("token", "add", name, *more)["token"]

    def send(self, who, method, params):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": ENVELOPE}}
        headers = self.server.mcp_headers(token=self.tokens[who], modern=message)
        if "uri" in params:
            headers["Mcp-Name"] = params["uri"]
        status, _, text = self.server.ask("POST", "/mcp", headers, json.dumps(message))
        return status, text

    def call(self, who, tool, arguments):
        return self.send(who, "tools/call", {"name": tool, "arguments": arguments})

    def state_of(self, who, owner):
        """Everything a victim sees of its sessions, as it would show any change."""
        state = {}
        for place in ("a", "b", "none"):
            for id in ids_in(owner, place):
                status, text = self.call(who, "session", {"operation": "get", "sessionId": id})
                self.assertEqual(status, 200)
                session = json.loads(text)["result"]["structuredContent"]
                self.assertNotIn("error", session, text)
                state[id] = text
        return state

    def attempts(self, hidden_ids, handle):
        """(tool, arguments) of everything that is tried."""
        listed = {tool["name"]: tool for tool in json.loads(self.send("bob", "tools/list", {})[1])["result"]["tools"]}
        self.assertEqual(set(listed), set(TOOLS) | {"session", "init", "research"}, "a tool without a case here, or a case without a tool")
        operations = {name.strip() for name in listed["session"]["inputSchema"]["properties"]["operation"]["description"].split(",")}
        self.assertEqual(operations, SESSION, "an operation of session without a case")
        self.assertEqual(set(listed["init"]["inputSchema"]["properties"]["operation"]["enum"]), INIT)
        self.assertEqual(set(listed["research"]["inputSchema"]["properties"]["action"]["enum"]), set(ACTIONS))
        for id in hidden_ids:
            for operation in sorted(SESSION):
                yield "session", {"operation": operation, "sessionId": id, "q": SECRET, "title": "stolen", "alias": "stolen",
                                  "fromSessionId": id, "intoSessionId": id, "rootUri": self.roots["a"], "pattern": SECRET}
            for action, arguments in ACTIONS.items():
                yield "research", {"action": action, **{key: id if value == "ID" else value for key, value in arguments.items()}}
            for operation in sorted(INIT):
                yield "init", {"operation": operation, "sessionId": id}
        for operation in sorted(SESSION):
            yield "session", {"operation": operation, "q": SECRET, "allRoots": True, "type": "all"}
            yield "session", {"operation": operation, "q": SECRET, "root": self.roots["b"]}
        for operation in sorted(INIT):
            yield "init", {"operation": operation, "root": self.roots["b"], "allRoots": True, "search": SECRET}
        for tool, cases in TOOLS.items():
            for arguments in cases:
                for id in hidden_ids if "ID" in arguments.values() else [""]:
                    fill = {"ID": id, "HIDDEN": "b/hidden.md", "HANDLE": handle}
                    yield tool, {key: fill.get(value, value) if isinstance(value, str) else value for key, value in arguments.items()}

    def attack(self, who, hidden_ids, documents_too):
        handle = self.handle_of("rose")
        tried = 0
        for tool, arguments in self.attempts(hidden_ids, handle):
            if not documents_too and tool in ("read", "grep", "search", "edit", "move", "get_links", "list_changes"):
                continue  # the folders under review are everybody's who may see their project
            status, text = self.call(who, tool, arguments)
            self.assertIn(status, (200, 400, 403), (tool, arguments, text))
            told = text.replace(json.dumps(SECRET)[1:-1], "") if SECRET in arguments.values() else text
            if SECRET in arguments.values():  # what was asked for may be repeated, what stands beside it in a victim's text not
                self.assertNotIn(f"{SECRET} entry", text, (who, tool, arguments))
                self.assertNotIn(f"{SECRET} thread", text, (who, tool, arguments))
                self.assertNotIn("the word is", text, (who, tool, arguments))
            else:
                self.assertNotIn(SECRET, told, (who, tool, arguments))
            tried += 1
        for uri in ["holdfast://sessions", "holdfast://notices"] + [f"holdfast://sessions/{id}" for id in hidden_ids]:
            self.assertNotIn(SECRET, self.send(who, "resources/read", {"uri": uri})[1], uri)
        self.assertNotIn(SECRET, self.send(who, "resources/list", {})[1])
        for prompt in json.loads(self.send(who, "prompts/list", {})[1])["result"]["prompts"]:
            for arguments in ({}, {"root": self.roots["b"]}, {"sessionId": hidden_ids[0]}):
                self.assertNotIn(SECRET, self.send(who, "prompts/get", {"name": prompt["name"], "arguments": arguments})[1])
        return tried

    def handle_of(self, who):
        _, text = self.call(who, "create_session", {"name": "victim"})
        words = [word.strip('.,"[]()\\') for word in text.replace("\\n", " ").split() if "s_" in word]
        return next(word[word.index("s_"):][:28] for word in words)

    def test_persons_and_teams(self):
        before = self.state_of("ann", "ann"), self.state_of("rose", "red")
        for who in ("bob", "ben"):
            tried = self.attack(who, ids_in("ann", "a") + ids_in("red", "none"), documents_too=False)
            self.assertGreater(tried, 500)
            own = self.call(who, "session", {"operation": "list", "allRoots": True, "limit": 100})[1]
            self.assertIn("of my own", own, "it is not that nobody sees anything")
        self.assertEqual((self.state_of("ann", "ann"), self.state_of("rose", "red")), before)

    def test_projects_of_one_team(self):
        before = self.state_of("rose", "red")
        self.attack("rita", ids_in("red", "b") + ids_in("red", "none"), documents_too=True)
        after = self.state_of("rose", "red")
        inside = ids_in("red", "a")
        self.assertEqual({id: text for id, text in after.items() if id not in inside},
                         {id: text for id, text in before.items() if id not in inside})
        listed = json.loads(self.call("rita", "session", {"operation": "list", "allRoots": True, "limit": 100})[1])
        ids = {session["id"] for session in listed["result"]["structuredContent"]["sessions"]}
        self.assertTrue(set(ids_in("red", "a")) & ids, listed)
        self.assertFalse((set(ids_in("red", "b")) | set(ids_in("red", "none"))) & ids)

    def error_of(self, who, arguments):
        return json.loads(self.call(who, "session", arguments)[1])["result"]["structuredContent"]

    def browser(self, who):
        """The headers of somebody who has logged in, and what a form of that login must carry."""
        address = urllib.parse.urlsplit(self.json_of("login", "--for", who)["url"])
        _, headers, _ = self.server.ask("GET", f"/?{address.query}")
        cookie = {"Cookie": headers["set-cookie"].split(";")[0]}
        _, _, page = self.server.ask("GET", "/", cookie)
        return cookie, re.search(r'name="form_token" value="([^"]+)"', page)[1]

    def visit_every_page(self, who, hidden_ids, documents_too):
        cookie, form_token = self.browser(who)
        sending = {**cookie, "Origin": f"http://127.0.0.1:{self.server.port}", "Content-Type": "application/x-www-form-urlencoded"}
        visited = 0
        for pattern, queries in SEEN.items():
            if not documents_too and pattern.startswith("/review"):
                continue  # as in attack()
            for id in hidden_ids if "{}" in pattern else [""]:
                for query in queries:
                    path = pattern.replace("{}", id) + "?" + query.replace("HIDDEN", "b/hidden.md")
                    status, _, text = self.server.ask("GET", path, cookie)
                    self.assertIn(status, (200, 303, 403, 404), (who, path, text))
                    if "{}" in pattern:
                        self.assertEqual(status, 404, (who, path))
                    for told in ([f"{SECRET} entry", f"{SECRET} thread", "the word is"] if SECRET in query else [SECRET]):
                        self.assertNotIn(told, text, (who, path))
                    visited += 1
        for pattern, form in sorted(SENT.items(), key=lambda each: each[0] == "/logout"):
            if not documents_too and pattern.startswith("/review"):
                continue
            for id, action in itertools.product(hidden_ids if "{}" in pattern or "ID" in form.values() else [""],
                                                DONE if "/do/" in pattern else [""]):
                fields = {key: {"ID": id, "HIDDEN": "b/hidden.md"}.get(value, value) for key, value in form.items()}
                body = urllib.parse.urlencode({**fields, "form_token": form_token})
                status, _, text = self.server.ask("POST", pattern.replace("/do/{}", "/do/" + action).replace("{}", id), sending, body)
                self.assertNotIn(SECRET, text, (who, pattern))
                if "{}" in pattern:
                    self.assertEqual(status, 404, (who, pattern, text))
                visited += 1
        return visited

    def test_p3_every_page_is_seen_as_who_has_logged_in(self):
        source = "".join(file.read_text() for file in sorted(WEB.rglob("*.cpp")) if not file.stem.endswith("_test"))
        routes = {(method, path) for method, path in re.findall(r'\bpages_?\.(get|post)\(\s*"([^"]*)"', source)}
        self.assertEqual(routes, {("get", path) for path in SEEN} | {("post", path) for path in SENT}, "a page without a case")
        self.tokens["chief"] = self.json_of("token", "add", "chief", "--team", "blue", "--scope", "admin")["token"]
        before = self.state_of("ann", "ann"), self.state_of("rose", "red")
        for who in ("bob", "ben", "chief"):
            self.assertGreater(self.visit_every_page(who, ids_in("ann", "a") + ids_in("red", "none"), documents_too=False), 80)
        self.assertEqual(self.state_of("rose", "red"), before[1])
        self.visit_every_page("rita", ids_in("red", "b") + ids_in("red", "none"), documents_too=True)
        self.assertEqual(self.state_of("ann", "ann"), before[0])
        inside = ids_in("red", "a")
        self.assertEqual({id: text for id, text in self.state_of("rose", "red").items() if id not in inside},
                         {id: text for id, text in before[1].items() if id not in inside})
        cookie, _ = self.browser("rose")
        self.assertIn(SECRET, self.server.ask("GET", "/sessions/" + ids_in("red", "b")[0], cookie)[2], "it is not that nobody sees anything")

    def stream(self, method, path, headers, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        return answer

    def test_p3_streams_tell_of_what_their_listener_may_see(self):
        """Two kinds of streams, of a stranger and of somebody in another project: the first news of each are of their own sessions."""
        foreign = ids_in("ann", "a") + ids_in("red", "b") + ids_in("red", "none")
        own = {"bob": "thread-" + "bobown".ljust(12, "0"), "rita": ids_in("red", "a")[1]}
        streams = []
        for who, id in own.items():
            streams.append((who, id, self.stream("GET", "/events", self.browser(who)[0])))
            message = {"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen", "params": {"_meta": ENVELOPE, "notifications": {
                "resourceSubscriptions": [f"holdfast://sessions/{each}" for each in foreign + [id]] + ["holdfast://sessions"]}}}
            answer = self.stream("POST", "/mcp", self.server.mcp_headers(token=self.tokens[who], modern=message), json.dumps(message))
            while "acknowledged" not in answer.readline().decode():
                pass
            streams.append((who, id, answer))
        for owner, ids in (("ann", ids_in("ann", "a")), ("rose", ids_in("red", "b") + ids_in("red", "none"))):
            for id in ids:
                self.assertNotIn("error", json.loads(self.call(owner, "session", {"operation": "pin", "sessionId": id})[1]))
        for who, id in own.items():
            self.call(who, "session", {"operation": "pin", "sessionId": id})
        for who, id, answer in streams:
            told = ""
            while id not in told:
                line = answer.readline().decode()
                self.assertTrue(line, "the stream ended")
                told += line
            for each in foreign:
                self.assertNotIn(each, told, who)

    def test_p3_a_short_id_is_looked_for_among_what_its_caller_may_see(self):
        """However many sessions of others begin in the same way, and stand before one's own in every order."""
        of = lambda id, principal, place: {"id": id, "kind": "thread", "title": id, "status": "active", "principal": principal,
                                           "root": self.roots[place], "entries": []}
        self.seed([of(f"thread-samea0000{number:03}", "bob", "a") for number in range(150)]
                  + [of("thread-sameb0000001", "ann", "a"), of("thread-sameb0000002", "ann", "a")]
                  + [of(f"thread-samec0000{number:03}", "team:red", "b") for number in range(150)]
                  + [of("thread-samed0000001", "team:red", "a")])
        get = {"operation": "get", "sessionId": "thread-same"}
        ambiguous = self.error_of("ann", get)
        self.assertIn("fits 2 sessions", json.dumps(ambiguous))
        for mine in ("thread-sameb0000001", "thread-sameb0000002"):
            self.assertIn(f"{mine}  thread in the store", json.dumps(ambiguous))
        self.assertNotIn("thread-samea", json.dumps(ambiguous))
        self.assertEqual(self.error_of("rita", get)["session"]["id"], "thread-samed0000001", "the only one in her project")
        self.assertIn("fits 100 or more sessions", json.dumps(self.error_of("bob", get)))
        self.assertIn("there is no session", json.dumps(self.error_of("ben", get)))
        status, text = self.send("rita", "resources/read", {"uri": "holdfast://sessions/thread-same"})
        self.assertIn("thread-samed0000001", text)

    def test_p3_nobody_learns_how_much_the_operator_has(self):
        transcript = self.home / ".claude/projects/-home-dev/11111111-0000-4000-8000-000000000001.jsonl"
        transcript.parent.mkdir(parents=True)
        transcript.write_text(json.dumps({"type": "user", "message": {"role": "user", "content": "own " * 5000}}) + "\n")
        for arguments in ({"query": "own"}, {"query": "own", "kind": "thread"}):
            status, text = self.call("bob", "search_sessions", arguments)
            found = json.loads(text)["result"]["structuredContent"]
            self.assertNotIn("index", found)
            self.assertNotIn("bytes", text)
            self.assertNotIn("11111111-0000", text)
        _, _, own = self.server.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "search_sessions", "arguments": {"query": "own"}, "_meta": ENVELOPE}}, modern=True)
        self.assertGreater(own["result"]["structuredContent"]["index"]["source_bytes"], 10_000, "its owner does")

    def test_p3_a_task_is_there_for_those_who_see_all_that_its_owner_sees(self):
        def ask(who, method, params):
            envelope = {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": {
                "extensions": {"io.modelcontextprotocol/tasks": {}}}}
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": envelope}}
            return json.loads(self.server.ask("POST", "/mcp", self.server.mcp_headers(token=self.tokens[who], modern=message),
                                              json.dumps(message))[2])
        start = {"name": "research", "arguments": {"action": "deep-research", "query": f"what is {SECRET}", "wait": True,
                                                   "root": self.roots["b"]}}
        created = ask("rose", "tools/call", start)["result"]
        self.assertEqual(created["resultType"], "task")
        task = {"taskId": created["taskId"]}
        for who in ("rita", "bob", "ben", "ann"):
            for method in ("tasks/get", "tasks/update", "tasks/cancel"):
                never = ask(who, method, {"taskId": "never-was", "inputResponses": {}})["error"]
                self.assertEqual(ask(who, method, {**task, "inputResponses": {}})["error"], never, (who, method))
        self.assertIn(ask("rose", "tasks/get", task)["result"]["status"], ("working", "completed"))

    def test_a_reader_changes_nothing(self):
        """Every tool that is not for reading answers 403, and names what is missing."""
        self.tokens["reader"] = self.json_of("token", "add", "reader", "--team", "red", "--scope", "read")["token"]
        before = self.state_of("rose", "red")
        refused = 0
        for tool, arguments in self.attempts(ids_in("red", "a")[:1], self.handle_of("rose")):
            status, text = self.call("reader", tool, arguments)
            self.assertIn(status, (200, 403), (tool, arguments, text))
            refused += status == 403
        self.assertGreater(refused, 50)
        self.assertEqual(self.state_of("rose", "red"), before)
        status, headers, _ = self.server.post(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "session", "arguments": {"operation": "delete", "sessionId": "x"}, "_meta": ENVELOPE}},
            token=self.tokens["reader"], modern=True)
        self.assertEqual((status, headers["www-authenticate"]), (403, 'Bearer error="insufficient_scope", scope="write"'))


if __name__ == "__main__":
    main()
