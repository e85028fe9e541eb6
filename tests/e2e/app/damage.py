#!/usr/bin/env python3
"""usage: damage.py HOLDFAST HOLDFAST-SEED    stores with damaged pages and entries, through the command line and the tools"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys

from postgres_server import PostgresServer
from program import HOLDFAST, PATIENCE, Lines, ProgramTest, initialize, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from played import Model  # noqa: E402

PAGE = 4096


class Stdio:
    """A running `holdfast mcp` of an older client; answers come back in the order of the questions."""

    def __init__(self, case, words=(), **environment):
        self.process = subprocess.Popen([HOLDFAST, "mcp", "--tools", "all", *words], env=case.environment(**environment), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        case.addCleanup(self.stop)
        self.lines = Lines(self.process.stdout)
        self.send(initialize())
        self.lines.next()

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdin.close()

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def call(self, tool, **arguments):
        self.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        while True:
            message = json.loads(self.lines.next())
            if message.get("id") == 7:
                return message["result"]["structuredContent"]


class Damage(ProgramTest):
    def setUp(self):
        super().setUp()
        self.store = self.data / "store.db"

    def fill(self):
        """Sessions enough for some pages of everything; the last one is written last."""
        self.seed([{"id": f"thread-a1B2c3D4e5{number:02}", "kind": "thread", "title": f"number {number}", "status": "active",
                    "entries": [f"{word} of {number} " + "x" * 200 for word in ("first", "second", "third", "fourth")]}
                   for number in range(40)])

    def roots(self):
        with sqlite3.connect(self.store) as database:
            found = dict(database.execute("SELECT name, rootpage FROM sqlite_schema"))
        database.close()
        return found

    def zero(self, page):
        with open(self.store, "r+b") as file:
            file.seek((page - 1) * PAGE)
            file.write(bytes(PAGE))

    def last_leaf(self, root):
        """Of a table: the rightmost way down."""
        bytes = self.store.read_bytes()
        while bytes[(root - 1) * PAGE] == 5:
            root = int.from_bytes(bytes[(root - 1) * PAGE + 8:(root - 1) * PAGE + 12], "big")
        return root

    def expect_life(self, lost=20):
        """Everybody is listed; who is whole can be written to; there are new ones; and the same typed again says the same."""
        for again in range(2):
            listed = self.json_of("sessions", "list", "--limit", "1000")["sessions"]
            self.assertEqual(len([each for each in listed if each["type"] == "thread"]), 40)
            whole = [each["id"] for each in listed if each["status"] == "active" and each["type"] == "thread"]
            self.assertGreaterEqual(len(whole), 40 - lost)
            for session in (whole[0], whole[-1]):
                self.assertEqual(self.run_program("sessions", "pin", session).returncode, 0)
                self.assertIn("fourth of", self.run_program("sessions", "show", session).stdout)
        client = Stdio(self)
        self.assertEqual(client.call("thought", thought="go on", nextThoughtNeeded=True)["thoughtNumber"], 1)

    def test_p7_a_file_that_was_cut_by_a_page(self):
        self.fill()
        os.truncate(self.store, self.store.stat().st_size - PAGE)
        self.expect_life()

    def test_p7_the_last_leaf_of_the_entries(self):
        self.fill()
        self.zero(self.last_leaf(self.roots()["entries"]))
        self.expect_life()
        damaged = [each for each in self.json_of("sessions", "list", "--limit", "1000")["sessions"] if "damage" in each]
        self.assertGreater(len(damaged), 0, "those whose entries were there")

    def test_p7_the_roots_of_indexes(self):
        self.fill()
        whole = self.store.read_bytes()
        for name in ("sqlite_autoindex_sessions_1", "sqlite_autoindex_entries_1", "entries_number", "sessions_updated", "roots_session"):
            with self.subTest(name):
                for path in self.data.glob("store.db*"):
                    path.unlink()
                self.store.write_bytes(whole)
                self.zero(self.roots()[name])
                self.expect_life(lost=0)
                self.assertTrue(self.json_of("store", "verify")["ok"])

    def test_p7_any_page_zeroed_or_cut_off(self):
        """A small store, one page after the other: who is whole is listed and written to; salvage copies what can be read, or nothing."""
        self.fill()
        whole = self.store.read_bytes()
        pages, opened, saved = len(whole) // PAGE, 0, 0
        self.assertGreater(pages, 40)
        target = self.home / "saved.db"
        for page in range(1, pages + 1):
            for cut in (False, True):
                if cut and page % 8:  # everything behind it is gone, too
                    continue
                for path in (*self.data.glob("store.db*"), *self.home.glob("saved.db*")):
                    path.unlink()
                self.store.write_bytes(whole[:(page - 1) * PAGE] + (b"" if cut else bytes(PAGE) + whole[page * PAGE:]))
                damaged = self.store.read_bytes()
                salvaged = self.run_program("store", "salvage", str(self.store), str(target))
                self.assertEqual(self.store.read_bytes(), damaged, (page, cut))
                self.assertIn(salvaged.returncode, (0, 6), (page, cut, salvaged.stderr))
                self.assertEqual(target.exists(), salvaged.returncode == 0, (page, cut))
                saved += salvaged.returncode == 0
                listed = self.run_program("sessions", "list", "--limit", "1000", "--json")
                if listed.returncode:
                    self.assertEqual(json.loads(listed.stderr.splitlines()[-1])["error"]["code"], "corrupt", (page, cut))
                    continue
                opened += 1
                sessions = json.loads(listed.stdout)["sessions"]
                for session in [each for each in sessions if each["status"] == "active" and "damage" not in each][:1]:
                    done = self.run_program("sessions", "pin", session["id"])
                    self.assertEqual(done.returncode, 0, (page, cut, done.stderr))
        self.assertGreater(opened, pages * 3 // 4)
        self.assertGreater(saved, pages * 3 // 4)

    def test_p7_salvage(self):
        self.fill()
        self.zero(self.last_leaf(self.roots()["entries"]))
        damaged, target = self.store.read_bytes(), self.home / "saved.db"
        made = self.json_of("store", "salvage", str(self.store), str(target))
        self.assertEqual(self.store.read_bytes(), damaged)
        self.assertEqual(made["sessions"], 40)
        self.assertIn("entries", made["rebuilt"])
        self.assertTrue(made["losses"])
        names = {each["session"] for each in made["damaged"]}
        self.assertTrue(0 < len(names) < 12, names)
        self.assertEqual({each["session"] for each in self.verify_of(target)["damaged"]}, names)
        again = self.run_program("store", "salvage", str(self.store), str(target))
        self.assertEqual(again.returncode, 5, "nothing is overwritten")
        said = self.run_program("store", "salvage", str(self.store), str(self.home / "again.db"))
        self.assertEqual(said.returncode, 0, said.stderr)
        for name in names:
            self.assertIn(name, said.stdout)
        # It becomes the store, and the damaged one is put aside.
        self.assertEqual(self.run_program("store", "restore", str(target), "--replace").returncode, 6)
        restored = self.json_of("store", "restore", str(target), "--replace", "--with-damage")
        self.assertEqual(pathlib.Path(restored["put_aside"]).read_bytes()[:16], b"SQLite format 3\0")
        self.expect_life()

    def verify_of(self, path):
        return json.loads(self.run_program("store", "verify", "--json", "--store", f"sqlite:{path}").stdout)

    def change(self, session, text, into):
        """What somebody with an editor for databases could do."""
        with sqlite3.connect(self.store) as database:
            changed = database.execute(
                "UPDATE entries SET text = CAST(replace(CAST(text AS TEXT), ?, ?) AS BLOB) WHERE session = "
                "(SELECT key FROM sessions WHERE id = ?)", (text, into, session)).rowcount
            self.assertGreater(changed, 0)
        database.close()

    FOUND_BY = "monday"  # the words are taken from the text as it is

    def test_p8_what_does_not_fit_its_hash_is_marked_everywhere(self):
        model = Model(self)
        endpoint = {"HOLDFAST_LLM": json.dumps([{"name": "played", "base_url": model.url + "/v1", "model": "played"}])}
        begun = self.json_of("research", "chat", "deploy on friday", **endpoint)
        thread = begun["thread_id"]
        client = Stdio(self)
        thought = client.call("thought", thought="the cache is safe", nextThoughtNeeded=True)["sessionId"]
        client.call("thought", thought="so go on", nextThoughtNeeded=True)
        client.stop()
        self.change(thread, "friday", "monday")
        self.change(thought, "safe", "evil")

        # Lists, without anybody having verified anything.
        listed = {each["id"]: each for each in self.json_of("sessions", "list")["sessions"]}
        client = Stdio(self)
        by_tool = {each["id"]: each for each in client.call("session", operation="list", allRoots=True)["sessions"]}
        for items in (listed, by_tool):
            for session in (thread, thought):
                self.assertIn("hash", items[session]["damage"])
            self.assertEqual(items[thread]["status"], "corrupt")
        # Reading one: every message or thought that was changed says so, and no other.
        for answer in (client.call("research", action="thread-get", thread_id=thread),
                       client.call("session", operation="get", sessionId=thread),
                       client.call("session", operation="resume", sessionId=thread),
                       json.loads(client.call("session", operation="export", sessionId=thread, format="json")["content"])):
            messages = (answer.get("data") or answer)["messages"]
            self.assertTrue(messages)
            for message in messages:
                self.assertEqual("damage" in message, "monday" in message["content"] , message)
        for answer in (client.call("session", operation="get", sessionId=thought)["thoughts"],
                       client.call("session", operation="resume", sessionId=thought)["recentThoughts"],
                       client.call("init", operation="load_context", sessionId=thought)["recentThoughts"]):
            self.assertEqual(["damage" in each for each in answer], [True, False])
        for words in (("sessions", "show", thread), ("sessions", "show", thought), ("sessions", "export", thread),
                      ("sessions", "export", thought)):
            self.assertIn("damaged", self.run_program(*words).stdout, words)
        self.assertIn("[damaged", json.dumps(client.call("session", operation="search", query=self.FOUND_BY, allRoots=True)))
        brief = self.run_program("sessions", "resume", thought).stdout
        self.assertNotIn("evil", brief)
        self.assertIn("so go on", brief)
        # A model is not told it, and who asks is told that.
        model.play(reset=True)
        asked = self.run_program("research", "chat", "when was it?", "--thread", thread, **endpoint)
        self.assertEqual(asked.returncode, 0, asked.stderr)
        self.assertNotIn("monday", json.dumps(model.requests()))
        self.assertIn("when was it?", json.dumps(model.requests()))
        self.assertIn("damaged", asked.stderr)
        # Copies would make it look genuine.
        self.assertIn("damaged", json.dumps(client.call("session", operation="fork", sessionId=thread)))
        archive = self.home / "thread.json"
        self.assertEqual(self.run_program("archive", thread, str(archive)).returncode, 0)
        restored = self.json_of("restore", str(archive), "--new-id")
        shown = self.run_program("sessions", "show", restored.get("session_id") or restored["sessionId"]).stdout
        self.assertIn("[damaged when it was archived", shown)

    QUESTION = "how often is a failed job retried?"

    def researched(self, *words):
        """A finished run over a folder of its own: its id."""
        docs = self.home / "docs"
        docs.mkdir(exist_ok=True)
        (docs / "jobs.md").write_text("# Jobs\n\nA failed job is retried three times before it is given up.\n")
        return self.json_of("research", "start", self.QUESTION, "--corpus", str(docs), *words)["research_id"]

    def test_p8_a_report_that_was_changed(self):
        run = self.researched()
        self.assertIn("three times", self.run_program("research", "report", run).stdout)
        self.change(run, "three times", "ninety times")
        self.expect_marked_research(run, self.browser())

    def expect_marked_research(self, run, read_page, *store):
        client = Stdio(self, words=store)
        for shown in (self.run_program("research", "report", run, *store), self.run_program("sessions", "show", run, *store),
                      self.run_program("sessions", "export", run, *store)):
            said = shown.stdout + shown.stderr
            self.assertTrue("ninety" not in said or "damaged" in said, said)
            self.assertIn("damaged", said)
        report = json.dumps(client.call("research", action="deep-research-report", research_id=run))
        self.assertTrue("ninety" not in report or "damage" in report, report)
        self.assertIn("damage", report)
        for operation in ("get", "resume", "export"):
            answer = json.dumps(client.call("session", operation=operation, sessionId=run))
            self.assertTrue("ninety" not in answer or "damage" in answer, (operation, answer))
        listed = {each["id"]: each for each in self.json_of("sessions", "list", *store)["sessions"]}
        self.assertIn("hash", listed[run]["damage"])
        archive = self.home / f"{run}.json"
        archive.unlink(missing_ok=True)
        self.assertEqual(self.run_program("archive", run, str(archive), *store).returncode, 0)
        restored = self.json_of("restore", str(archive), "--new-id", *store)
        shown = self.run_program("sessions", "show", restored.get("session_id") or restored["sessionId"], *store).stdout
        self.assertIn("damaged when it was archived", shown)
        self.assertIn("damaged", read_page(run))

    def test_p8_a_run_that_was_changed(self):
        model = Model(self)
        endpoint = {"HOLDFAST_LLM": json.dumps([{"name": "played", "base_url": model.url + "/v1", "model": "played"}])}
        model.play(reset=True, answers=["The number is 4711."])
        work = self.home / "work"
        work.mkdir()
        done = subprocess.run([HOLDFAST, "run", "--task", "say the number", "--in", str(work)], env=self.environment(**endpoint),
                              cwd=work, text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        run = self.json_of("sessions", "list", "--type", "run")["sessions"][0]["id"]
        self.assertIn("4711", self.run_program("run", "show", run).stdout)
        self.change(run, "4711", "1147")
        client = Stdio(self)
        for words in (("run", "show", run), ("sessions", "show", run), ("sessions", "export", run)):
            shown = self.run_program(*words)
            said = shown.stdout + shown.stderr
            self.assertTrue("1147" not in said or "damaged" in said, (words, said))
        for operation in ("get", "resume", "export"):
            answer = json.dumps(client.call("session", operation=operation, sessionId=run))
            self.assertTrue("1147" not in answer or "damage" in answer, (operation, answer))
        self.assertIn("damaged", self.browser()(run))


class InPostgres(Damage):
    """The same behind the back of the program in a database."""

    FOUND_BY = "deploy"  # the words are those that were written

    @classmethod
    def setUpClass(cls):
        cls.server = PostgresServer()
        cls.addClassCleanup(cls.server.remove)

    def setUp(self):
        super().setUp()
        name = "t" + "".join(each for each in self.home.name if each.isalnum()).lower()
        self.url = self.server.make_database(name)
        (self.home / ".config/holdfast").mkdir(parents=True)
        (self.home / ".config/holdfast/config.json").write_text(json.dumps({"store": self.url}))

    def environment(self, **more):
        return super().environment(**({"HOLDFAST_STORE": self.url} | more))

    def change(self, session, text, into):
        changed = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", self.url, "-c",
             f"SET search_path = holdfast; WITH changed AS (UPDATE entries SET text = convert_to(replace(convert_from(text, 'UTF8'), '{text}', '{into}'), 'UTF8') "
             f"WHERE session = (SELECT key FROM sessions WHERE id = convert_to('{session}', 'UTF8')) AND text IS NOT NULL "
             "RETURNING 1) SELECT count(*) FROM changed"], text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual(changed.returncode, 0, changed.stderr)
        self.assertGreater(int(changed.stdout), 0)

    test_p7_a_file_that_was_cut_by_a_page = test_p7_the_last_leaf_of_the_entries = None  # there are no pages
    test_p7_the_roots_of_indexes = test_p7_any_page_zeroed_or_cut_off = test_p7_salvage = None


if __name__ == "__main__":
    main()
