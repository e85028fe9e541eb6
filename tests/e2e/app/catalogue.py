#!/usr/bin/env python3
"""usage: catalogue.py HOLDFAST HOLDFAST-SEED    the same session, or the same refusal, wherever one asks

One table: sessions of the store, on disk, in the guard and in a backup, by whole ids, prefixes and what is neither, through every
surface that takes an id, as two principals. And every surface that takes a time with the same words.
"""
import json
import os
import re
import subprocess
import tempfile
import urllib.parse

from program import ENVELOPE, HOLDFAST, PATIENCE, Lines, Server, initialize, main
from transcripts_home import DEMO, TranscriptsTest, sid

EXITS = {2: "invalid", 3: "not_found", 4: "ambiguous", 5: "refused"}
STATUSES = {400: "invalid", 403: "refused", 404: "not_found", 409: "ambiguous"}
JUST_BEFORE = 1924991995  # five seconds before 2031
STORED, OTHERS, TWIN = "thread-catalogue01", "thread-ofann00001", "000000a4-of-the-store"
ON_DISK, IN_GUARD, IN_BACKUP = sid("a2"), sid("a3"), sid("a5")

# What is asked: (text, the session it is, or the refusal).
WHOLE = [(id, id) for id in (STORED, ON_DISK, IN_GUARD, IN_BACKUP)]
PREFIXES = [("thread-cat", STORED), ("000000a2", ON_DISK), ("000000a3", IN_GUARD), ("000000a5", IN_BACKUP), ("000000A5-0000", IN_BACKUP)]
REFUSALS = [
    ("000000a", "ambiguous"),  # on disk, in the guard, in a backup and in the store
    ("000000a4", "ambiguous"),  # on disk and in the store
    ("thread-nobody", "not_found"), ("ffffffff", "not_found"), (sid("ff"), "not_found"),
    (OTHERS, "not_found"), ("thread-ofann", "not_found"),  # of somebody else
    ("000", "invalid"), ("thr", "invalid"), ("no id!", "invalid"), ("äöüß", "invalid"),
]
TABLE = WHOLE + PREFIXES + REFUSALS


def is_transcript(id):
    return id.startswith("000000") and id != TWIN


class Catalogue(TranscriptsTest):
    more = {}  # of the environment

    def setUp(self):
        super().setUp()
        self.seed([{"id": STORED, "kind": "thread", "title": "Redis or not", "status": "active", "entries": ["script words"]},
                   {"id": TWIN, "kind": "thread", "title": "twin", "status": "active", "entries": ["script words"]},
                   {"id": OTHERS, "kind": "thread", "title": "hers", "status": "active", "principal": "ann", "entries": ["script words"]}])
        self.json_of("delete", "--force", IN_BACKUP)
        self.json_of("guard")
        self.transcript("a3").unlink()

    def environment(self, **more):
        return super().environment(**self.more, **more)

    # Each surface: the id that was found, or the word of the refusal.

    def made_file(self, *words):
        """A command that writes ./ID.ending."""
        folder = tempfile.mkdtemp(dir=self.home)
        done = subprocess.run([HOLDFAST, *words], env=self.environment(), cwd=folder, text=True, capture_output=True, timeout=PATIENCE)
        names = subprocess.check_output(["ls", folder], text=True).split()
        if done.returncode:
            self.assertEqual(names, [], "a refused command writes nothing")
            return EXITS.get(done.returncode, done.stderr)
        return names[0].split(".")[0]

    def command(self, pick, *words):
        done = self.run_program(*words, "--json")
        return pick(json.loads(done.stdout)) if done.returncode == 0 else EXITS.get(done.returncode, done.stderr)

    def search(self, text):
        def only(found):
            ids = {each["session_id"] for each in found["sessions"]}
            self.assertLessEqual(len(ids), 1)
            return ids.pop() if ids else None
        return self.command(only, "search", "--session", text, "script")

    def over_stdio(self, tool, arguments):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        self.stdio.stdin.write(json.dumps(message) + "\n")
        self.stdio.stdin.flush()
        while True:
            answer = json.loads(self.lines.next())
            if answer.get("id") == self.number:
                return answer["result"]

    def over_http(self, tool, arguments, token=None):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments, "_meta": ENVELOPE}}
        return self.server.post(message, token=token, modern=True)[2]["result"]

    def begin_stdio(self):
        self.number = 1
        self.stdio = subprocess.Popen([HOLDFAST, "mcp", "--tools", "all"], env=self.environment(), stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(self.stdio.wait, PATIENCE)
        self.addCleanup(self.stdio.stdin.close)
        self.lines = Lines(self.stdio.stdout)
        for message in (initialize(), {"jsonrpc": "2.0", "method": "notifications/initialized"}):
            self.stdio.stdin.write(json.dumps(message) + "\n")
        self.stdio.stdin.flush()
        json.loads(self.lines.next())

    def begin_server(self):
        self.server = Server(self, "--tools", "all")
        self.cookie = self.log_in()

    def log_in(self):
        parts = urllib.parse.urlsplit(self.json_of("login")["url"])
        return self.server.ask("GET", f"{parts.path}?{parts.query}")[1]["set-cookie"].split("; ")[0]

    @staticmethod
    def picked(result, pick):
        state = result["structuredContent"]
        word = state.get("error")
        if word in ("usage", "invalid_argument"):
            return "invalid"
        return word if word else pick(state)

    def page(self, text):
        status, _, body = self.server.ask("GET", f"/sessions/{urllib.parse.quote(text, safe='')}", {"Cookie": self.cookie})
        if status != 200:
            return STATUSES.get(status, str(status))
        return re.search(r'data-live="([^"]+)"', body).group(1)

    def test_commands(self):
        for text, wanted in TABLE:
            with self.subTest(text=text):
                kind_of_files = "invalid" if wanted == STORED else wanted  # it has no files
                kind_of_store = "invalid" if is_transcript(wanted) else wanted  # `info` shows it
                self.assertEqual(self.command(lambda state: state["session_id"], "info", text), kind_of_files)
                self.assertEqual(self.made_file("archive", text), wanted)
                self.assertEqual(self.made_file("export", text), wanted)
                self.assertEqual(self.command(lambda state: state["session"]["id"], "sessions", "show", text), kind_of_store)
                # What nobody but a backup has is not searched.
                self.assertEqual(self.search(text), None if wanted == IN_BACKUP else wanted)

    def test_tools(self):
        self.begin_stdio()
        self.begin_server()
        for ask in (self.over_stdio, self.over_http):
            for text, wanted in TABLE:
                with self.subTest(text=text, ask=ask.__name__):
                    kind_of_files = "invalid" if wanted == STORED else wanted
                    get = ask("session", {"operation": "get", "sessionId": text})
                    self.assertEqual(self.picked(get, lambda state: state["session"]["id"]), wanted)
                    for tool in ("get_session_info", "get_session_detail"):
                        self.assertEqual(self.picked(ask(tool, {"session_id": text}), lambda state: state["session_id"]), kind_of_files)

    def test_pages(self):
        self.begin_server()
        for text, wanted in TABLE:
            with self.subTest(text=text):
                self.assertEqual(self.page(text), wanted)

    def test_resources(self):
        self.begin_server()
        for text, wanted in WHOLE + PREFIXES:
            with self.subTest(text=text):
                message = {"jsonrpc": "2.0", "id": 1, "method": "resources/read",
                           "params": {"uri": f"holdfast://sessions/{text}", "_meta": ENVELOPE}}
                headers = {**self.server.mcp_headers(modern=message), "Mcp-Name": message["params"]["uri"]}
                answer = json.loads(self.server.ask("POST", "/mcp", headers, json.dumps(message))[2])
                self.assertEqual(json.loads(answer["result"]["contents"][0]["text"])["session"]["id"], wanted)

    def test_somebody_else_has_no_transcripts(self):
        """Ann sees her thread; of the user who runs the server nothing, whatever she asks with."""
        self.begin_server()
        ann = self.json_of("token", "add", "ann")["token"]
        for text, wanted in TABLE:
            hers = {OTHERS: OTHERS, "thread-ofann": OTHERS}.get(text, "invalid" if wanted == "invalid" else "not_found")
            with self.subTest(text=text):
                get = self.over_http("session", {"operation": "get", "sessionId": text}, ann)
                self.assertEqual(self.picked(get, lambda state: state["session"]["id"]), hers)
                for tool in ("get_session_info", "get_session_detail"):
                    of_files = "invalid" if hers == OTHERS else hers  # her thread has none
                    self.assertEqual(self.picked(self.over_http(tool, {"session_id": text}, ann), lambda state: state["session_id"]), of_files)
        for tool in ("get_session_info", "get_session_detail", "save_current_session"):
            self.assertEqual(self.over_http(tool, {}, ann)["structuredContent"]["error"], "refused", "it names nothing")

    def test_a_refusal_reads_the_same(self):
        self.begin_stdio()
        for text, word in (("000000a4", "fits 2 sessions"), ("000", "is not a session id or the start of one"),
                           ("ffffffff", "there is no session ffffffff in the store, ")):
            said = [self.run_program(*words).stderr for words in (("info", text), ("export", text), ("sessions", "show", text),
                                                                  ("archive", text), ("search", "--session", text, "x"))]
            said += [self.over_stdio(tool, arguments)["structuredContent"]["message"] for tool, arguments in (
                ("session", {"operation": "get", "sessionId": text}), ("get_session_info", {"session_id": text}))]
            for each in said:
                self.assertIn(word, each)
        for place in ("transcript on disk", "thread in the store"):
            self.assertIn(place, self.run_program("info", "000000a4").stderr)
        for place in ("transcript in the guard", "transcript in a backup"):
            self.assertIn(place, self.run_program("info", "000000a").stderr)

    def test_a_kept_session_over_mcp(self):
        """What a command does with a kept session a tool does, too."""
        self.begin_stdio()
        for id, short in ((IN_GUARD, "000000a3"), (IN_BACKUP, "000000a5")):
            with self.subTest(id=id):
                self.assertTrue(self.over_stdio("session", {"operation": "verify", "sessionId": short})["structuredContent"]["ok"])
                info = self.over_stdio("get_session_info", {"session_id": short})["structuredContent"]
                self.assertEqual((info["session_id"], info["state"]), (id, "kept"))
                self.assertGreater(info["usage"]["messages"], 0)
                detail = self.over_stdio("get_session_detail", {"session_id": short})["structuredContent"]
                self.assertTrue(detail["opening"])
                path = str(self.home / f"{short}.json.zst")
                saved = self.over_stdio("save_current_session", {"session_id": short, "output_path": path})["structuredContent"]
                self.assertEqual(saved["session_id"], id)
                self.assertTrue(self.json_of("verify", path)["ok"])
                clone = self.over_stdio("clone_session", {"source_session_id": short})["structuredContent"]
                self.assertEqual(clone.get("original_session_id"), id, clone)
                self.assertEqual(self.json_of("info", clone["new_session_id"])["session_id"], clone["new_session_id"])
                refused = self.over_stdio("move_session", {"session_id": short, "force": True, "target_project": str(self.home)})
                self.assertIn(f"restore --in-place {id}", refused["structuredContent"]["hint"])
        self.assertEqual([path.name for path in (self.data / "tmp").iterdir() if path.name.startswith("kept-")], [])

    # Changes: the same operation by command, tool and page.

    def form_token(self, cookie):
        return re.search(r'name="form_token" value="([^"]+)"', self.server.ask("GET", "/notices", {"Cookie": cookie})[2])[1]

    def act(self, id, operation, cookie=None, **fields):
        cookie = cookie or self.cookie
        headers = {"Cookie": cookie, "Origin": f"http://127.0.0.1:{self.server.port}", "Content-Type": "application/x-www-form-urlencoded"}
        body = urllib.parse.urlencode({**fields, "form_token": self.form_token(cookie)})
        return self.server.ask("POST", f"/sessions/{id}/do/{operation}", headers, body)[0]

    def test_a_note_is_the_same_on_every_surface(self):
        self.begin_stdio()
        self.begin_server()
        for id in (STORED, sid("a1"), IN_GUARD, IN_BACKUP):
            with self.subTest(id=id):
                self.json_of("note", id[:13], "from a command")
                self.over_stdio("session", {"operation": "note", "sessionId": id, "text": "from stdio"})
                self.over_http("session", {"operation": "note", "sessionId": id, "text": "from http"})
                self.assertEqual(self.act(id, "note", text="from a page"), 303)
                wanted = ["from a command", "from stdio", "from http", "from a page"]
                shown = [self.json_of("note", id)["notes"],
                         self.over_stdio("session", {"operation": "get", "sessionId": id})["structuredContent"]["notes"],
                         self.json_of("sessions", "show", id)["notes"] if id == STORED else self.json_of("info", id)["notes"]]
                for notes in shown:
                    self.assertEqual([note["text"] for note in notes], wanted)
                page = self.server.ask("GET", f"/sessions/{id}", {"Cookie": self.cookie})[2]
                for text in wanted:
                    self.assertIn(text, page)
                self.assertEqual(self.act(id, "note", remove=shown[0][0]["id"]), 303)
                self.assertEqual(len(self.json_of("note", id)["notes"]), 3)

    def test_a_change_is_the_same_on_every_surface(self):
        self.begin_stdio()
        self.begin_server()
        title = lambda: self.json_of("sessions", "show", STORED)["session"]["title"]
        self.json_of("sessions", "update", STORED, "--title", "one", "--add-tags", "kelp")
        self.assertEqual(title(), "one")
        self.over_stdio("session", {"operation": "update", "sessionId": STORED, "title": "two"})
        self.assertEqual(title(), "two")
        self.assertEqual(self.act(STORED, "sessions-update", title="three"), 303)
        self.assertEqual(title(), "three")
        self.assertEqual(self.act(STORED, "sessions-archive"), 303)
        self.assertEqual(self.json_of("sessions", "unarchive", STORED)["session"]["visibility"], "live")
        for refused in (self.act(sid("a1"), "sessions-pin"), self.act(STORED, "clone"), self.act(STORED, "sessions-pin", expected_rev="99")):
            self.assertIn(refused, (400, 409, 422))
        self.assertEqual(self.run_program("sessions", "pin", sid("a1")).returncode, 2)

    def test_somebody_else_changes_nothing(self):
        self.begin_server()
        self.json_of("note", STORED, "mine")
        token = self.json_of("token", "add", "ann")["token"]
        parts = urllib.parse.urlsplit(self.json_of("login", "--for", "ann")["url"])
        hers = self.server.ask("GET", f"{parts.path}?{parts.query}")[1]["set-cookie"].split("; ")[0]
        for id in (STORED, sid("a1"), IN_GUARD):
            for operation in ("note", "sessions-update", "sessions-pin", "clone"):
                self.assertEqual(self.act(id, operation, hers, text="x", title="x"), 404, (id, operation))
            told = self.over_http("session", {"operation": "note", "sessionId": id, "text": "x"}, token=token)["structuredContent"]
            self.assertEqual(told["error"], "not_found")
            self.assertNotEqual(self.run_program("--principal", "ann", "note", STORED, "x").returncode, 0)
        self.assertEqual([note["text"] for note in self.json_of("note", STORED)["notes"]], ["mine"])

    def test_a_session_of_the_store_travels_over_mcp(self):
        self.begin_stdio()
        path = str(self.home / "thread.json.zst")
        saved = self.over_stdio("save_current_session", {"session_id": STORED, "output_path": path})["structuredContent"]
        self.assertEqual((saved["session_id"], saved["kind"], saved["output"]), (STORED, "thread", path), saved)
        again = self.over_stdio("restore_session", {"archive_path": path})["structuredContent"]
        self.assertEqual((again["session_id"], again["unchanged"]), (STORED, True), again)

    # Lists.

    # What is asked: conditions as the tool has them, and the sessions.
    OF_DEMO = [sid(short) for short in ("a1", "a2", "a4", "a6")]
    ON_DISK_ALL, KEPT, IN_STORE = [*OF_DEMO, sid("b1")], [IN_BACKUP, IN_GUARD], [STORED, TWIN]
    LISTS = [
        ({}, IN_STORE + KEPT + ON_DISK_ALL),
        ({"type": "transcript"}, KEPT + ON_DISK_ALL),
        ({"type": "thread"}, IN_STORE),
        ({"type": "run"}, []),
        ({"status": "kept"}, KEPT),
        ({"status": "idle"}, ON_DISK_ALL),
        ({"status": "active"}, IN_STORE),
        ({"q": "REDIS"}, [STORED]),
        ({"q": "simple chat"}, [sid("a1")]),
        ({"q": "simple", "type": "thread"}, []),
        ({"pinned": True}, []),
        ({"root": DEMO, "type": "transcript"}, KEPT + OF_DEMO),
        ({"root": DEMO, "status": "kept"}, KEPT),
        ({"root": "/home/dev/work/nowhere", "type": "transcript"}, []),
        ({"updated_since": "30m"}, IN_STORE + [IN_BACKUP]),
        ({"updated_before": "30m"}, [IN_GUARD, *ON_DISK_ALL]),
        ({"updated_since": "2020-01-01", "updated_before": "2020-01-02"}, []),
        ({"updated_since": "soon"}, "invalid"),
    ]

    def list_command(self, filters, **more):
        rows = {**filters, **more}
        words = [f"{name}={str(value).lower() if value is True else value}" for name, value in {"type": "all", **rows}.items() if name != "root"]
        return self.command(lambda state: state, "sessions", "list", *words, *(["--root", filters["root"]] if "root" in filters else []))

    def list_tool(self, ask, filters, *token, **more):
        arguments = {"operation": "list", "type": "all", **({} if "root" in filters else {"allRoots": True}), **filters, **more}
        return self.picked(ask("session", arguments, *token), lambda state: state)

    def list_page(self, filters, cookie):
        names = {"type": "kind", "status": "status", "q": "text", "root": "project", "updated_since": "since", "updated_before": "until"}
        query = urllib.parse.urlencode({names.get(name, name): "1" if value is True else value for name, value in filters.items()})
        status, _, body = self.server.ask("GET", "/?" + query, {"Cookie": cookie})
        self.assertEqual(status, 200, body)
        return re.findall(r'id="s-([^"]+)"', body)

    def test_one_list(self):
        self.begin_stdio()
        self.begin_server()
        for filters, wanted in self.LISTS:
            with self.subTest(filters=filters):
                states = [self.list_command(filters), self.list_tool(self.over_stdio, filters), self.list_tool(self.over_http, filters)]
                if wanted == "invalid":
                    self.assertEqual(states, ["invalid"] * 3)  # a page says so and leaves it out
                    continue
                ids = [each["id"] for each in states[0]["sessions"]]
                self.assertEqual(sorted(ids), sorted(wanted))
                for state in states:
                    self.assertEqual([each["id"] for each in state["sessions"]], ids)
                    self.assertEqual((state["total"], state["count"], state["hasMore"]), (len(wanted), len(wanted), False))
                self.assertEqual(self.list_page(filters, self.cookie), ids)

    def test_one_cursor(self):
        self.begin_stdio()
        wanted = [each["id"] for each in self.list_command({})["sessions"]]
        self.assertEqual(len(wanted), 9)
        for ask in (self.list_command, lambda filters, **more: self.list_tool(self.over_stdio, filters, **more)):
            seen, more = [], {}
            for _ in range(len(wanted)):
                state = ask({}, limit=3, **more)
                seen += [each["id"] for each in state["sessions"]]
                self.assertEqual(state["total"], len(wanted))
                if not state["hasMore"]:
                    break
                more = {"cursor": state["next_cursor"]}
            self.assertEqual(seen, wanted)
            self.assertIn(ask({"q": "simple"}, **more), ("INVALID_CURSOR", "invalid"))  # an exit says no more

    def test_a_list_of_somebody_else(self):
        """Ann lists her thread alone; her cursor is hers."""
        self.begin_server()
        ann = self.json_of("token", "add", "ann")["token"]
        address = urllib.parse.urlsplit(self.json_of("login", "--for", "ann")["url"])
        cookie = self.server.ask("GET", f"{address.path}?{address.query}")[1]["set-cookie"].split("; ")[0]
        for filters, _ in self.LISTS[:-1]:
            wanted = [OTHERS] if filters in ({}, {"type": "thread"}, {"status": "active"}, {"updated_since": "30m"}) else []
            with self.subTest(filters=filters):
                state = self.list_tool(self.over_http, filters, ann)
                self.assertEqual([each["id"] for each in state["sessions"]], wanted)
                self.assertEqual(state["total"], len(wanted))
                self.assertEqual(self.list_page(filters, cookie), wanted)
        recent = self.over_http("list_recent_sessions", {}, ann)["structuredContent"]
        self.assertEqual((recent["sessions"], recent["total"]), ([], 0))
        mine = self.list_tool(self.over_http, {}, limit=1)
        self.assertEqual(self.list_tool(self.over_http, {}, ann, cursor=mine["next_cursor"]), "INVALID_CURSOR")

    def test_lists_of_transcripts(self):
        """`list` and list_recent_sessions are the same list, of one kind."""
        self.begin_stdio()
        wanted = [each["id"] for each in self.list_command({"type": "transcript"})["sessions"]]
        of = {"all": ["--all"], "here": ["--project", DEMO], "kept": ["--kept"]}
        ids = {name: [each["session_id"] for each in self.json_of("list", *words)["sessions"]] for name, words in of.items()}
        recent = self.over_stdio("list_recent_sessions", {})["structuredContent"]
        self.assertEqual([each["session_id"] for each in recent["sessions"]], wanted)
        self.assertEqual({each["session_id"]: each["status"] for each in recent["sessions"]}[IN_GUARD], "kept")
        self.assertEqual(ids, {"all": wanted, "here": [id for id in wanted if id in self.OF_DEMO], "kept": [id for id in wanted if id in self.KEPT]})

    def test_research_finds_transcripts(self):
        """Beside the store; by the id that `session` get takes."""
        report = self.run_program("research", "start", "What was said in a simple chat?").stdout
        self.assertIn(f"<holdfast://sessions/{sid('a1')}#", report)

    # Times.

    GOOD = ("30m", "3d", "1w", "2026-07-01", "2026-07-01T10:00:00Z", "2026-07-01T10:00:00+02:00")
    BAD = ("soon", "3y", "2026-02-30", "-3d")

    def test_times(self):
        self.begin_stdio()
        self.begin_server()
        self.json_of("guard")
        commands = [("search", "x", "--since"), ("search", "x", "--until"), ("sessions", "list", "--since"), ("sessions", "list", "--before"),
                    ("export", "000000a3", "--output", "-", "--as-of")]
        tools = [("session", {"operation": "list"}, "updated_since"), ("session", {"operation": "list"}, "updated_before"),
                 ("search_sessions", {"query": "x"}, "after_date"), ("search_sessions", {"query": "x"}, "before_date"),
                 ("research", {"action": "thread-list"}, "updated_since")]
        pages = ["/?since=", "/?until=", "/search?q=x&since=", "/search?q=x&until="]
        for text in self.GOOD + self.BAD:
            good = text in self.GOOD
            for words in commands:
                with self.subTest(text=text, words=words):
                    done = self.run_program(*words[:-1], f"{words[-1]}={text}")
                    self.assertEqual(done.returncode, 0 if good else 2, done.stderr)
                    if not good:
                        self.assertIn(f'"{text}" is not a time', done.stderr)
                        self.assertIn("give an age (30m, 2h, 3d, 1w), a date", done.stderr)
            for ask in (self.over_stdio, self.over_http):
                for tool, arguments, name in tools:
                    with self.subTest(text=text, tool=tool, argument=name, ask=ask.__name__):
                        answer = json.dumps(ask(tool, {**arguments, name: text}), ensure_ascii=False)
                        self.assertEqual("is not a time" in answer, not good, answer)
                        self.assertEqual("give an age (30m, 2h, 3d, 1w), a date" in answer, not good, answer)
            for path in pages:
                with self.subTest(text=text, path=path):
                    status, _, body = self.server.ask("GET", path + urllib.parse.quote(text), {"Cookie": self.cookie})
                    self.assertEqual(status, 200)
                    self.assertEqual("is not a time" in body, not good)

    def test_an_age_keeps_its_cursor(self):
        """3d is another instant a second later; the list goes on all the same."""
        self.begin_stdio()
        first = self.over_stdio("session", {"operation": "list", "updated_since": "3d", "limit": 1})["structuredContent"]
        again = {"operation": "list", "updated_since": "3d", "limit": 1, "cursor": first["next_cursor"]}
        second = self.over_stdio("session", again)["structuredContent"]
        self.assertNotEqual(first["sessions"][0]["id"], second["sessions"][0]["id"])
        refused = self.over_stdio("session", {**again, "updated_since": "4d"})["structuredContent"]
        self.assertEqual(refused["error"], "INVALID_CURSOR")

    def test_what_is_to_come(self):
        for text in ("12h", "3d", "2126-07-01", "2126-07-01T10:00:00Z"):
            self.json_of("token", "add", f"t{text[:4]}{len(text)}", "--expires", text)
        for text, word in (("soon", "is not a time"), ("2020-01-01", "is over already")):
            done = self.run_program("token", "add", "late", "--expires", text)
            self.assertEqual(done.returncode, 2)
            self.assertIn(word, done.stderr)

    # Is it running: one answer.

    def test_running_is_one_answer(self):
        id = sid("a1")
        clock = self.home / "clock"
        clock.write_text("2031-01-01T00:00:00Z")
        self.more = {"HOLDFAST_CLOCK_FILE": str(clock)}
        self.begin_stdio()
        self.begin_server()

        def answers():
            listed = {each["session_id"]: each["state"] for each in self.json_of("list", "--all")["sessions"]}
            get = self.over_stdio("session", {"operation": "get", "sessionId": id})["structuredContent"]
            found = self.json_of("search", "--session", id, "script")["sessions"][0]
            _, _, body = self.server.ask("GET", "/?status=running", {"Cookie": self.cookie})
            on_page = "running" if id in body else "idle"
            info = self.json_of("info", id)
            refused = self.run_program("delete", "--force", id, "--dry-run").stderr
            return {listed[id], get["session"]["status"], get["transcript"]["state"], found["status"], on_page, info["state"],
                    "running" if "the session is in use" in refused else "idle"}
        self.assertEqual(answers(), {"idle"})
        os.utime(self.transcript("a1"), (JUST_BEFORE, JUST_BEFORE))
        self.assertEqual(answers(), {"running"})


if __name__ == "__main__":
    main()
