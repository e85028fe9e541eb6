#!/usr/bin/env python3
"""usage: export.py HOLDFAST HOLDFAST-SEED    sessions as documents, and archives of sessions of the store, from outside"""
import json
import re
import subprocess
from html.parser import HTMLParser

from program import HOLDFAST, main
from transcripts_home import DEMO, TranscriptsTest, sid

SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
TAGS = {"html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "h4", "h5", "h6", "dl", "dt", "dd", "main",
        "nav", "ol", "ul", "li", "a", "span", "code", "article", "time", "div", "p", "details", "summary", "b", "pre", "figure",
        "figcaption", "ins", "del", "em", "strong", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "br", "hr",
        "input", "img", "section", "footer"}


class Document(HTMLParser):
    """Every tag, id and address of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.images, self.events = set(), [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name == "href":
                self.links.append(value)
            if name == "src":
                self.images.append(value)
            if name.startswith("on") or name == "style":
                self.events.append(name)


class Exporting(TranscriptsTest):
    def exported(self, *words):
        return self.run_program("export", *words, "--output", "-")

    def document(self, *words):
        done = self.exported(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout, Document(done.stdout)

    def append(self, short, *records):
        with self.transcript(short).open("a") as file:
            for record in records:
                file.write((record if isinstance(record, str) else json.dumps(record)) + "\n")

    def test_a_page_that_needs_nobody(self):
        html, page = self.document("000000a2")
        self.assertLessEqual(page.tags, TAGS)
        self.assertEqual(page.events, [])
        self.assertEqual(len(page.ids), len(set(page.ids)), "an id twice")
        for link in page.links:
            if link.startswith("#"):
                self.assertIn(link[1:], page.ids)
        self.assertIn("Content-Security-Policy", html)
        self.assertIn("Running a command.", html)
        self.assertIn("-beta", html)
        self.assertIn(f"claude --resume {sid('a2')}", html.replace("&amp;", "&"))

    def test_hostile_text_stays_text(self):
        hostile = "<script>alert(1)</script><svg onload=alert(1)>\u202e \x1b[31m [x](javascript:alert(1)) ![i](https://evil.example/x.png)"
        self.append("a1", {"type": "user", "uuid": "x1", "parentUuid": None, "message": {"role": "user", "content": hostile}},
                    {"type": "assistant", "uuid": "x2", "parentUuid": "x1", "message": {"id": "m", "content": [
                        {"type": "text", "text": hostile}, {"type": "tool_use", "id": "t", "name": hostile, "input": {hostile: hostile}}]}},
                    {"type": "user", "uuid": "x3", "parentUuid": "x2", "message": {"content": [
                        {"type": "tool_result", "tool_use_id": "t", "content": hostile, "is_error": True}]}},
                    "not JSON " + hostile, "\0" * 20)
        html, page = self.document("000000a1", "--all-branches")
        self.assertLessEqual(page.tags, TAGS)
        self.assertEqual((page.events, page.images), ([], []))
        self.assertFalse([link for link in page.links if not link.startswith(("#", "https://"))])
        self.assertNotIn("\x1b", html)
        self.assertNotIn("\u202e", html)
        self.assertIn("⟨U+202E⟩", html)

    def test_markdown_and_json(self):
        plain = self.exported("000000a2", "--format", "md").stdout
        self.assertIn("All done with tools.", plain)
        self.assertNotIn("lab-out", plain)
        detailed = self.exported("000000a2", "--format", "md", "--detailed").stdout
        self.assertIn("lab-out", detailed)
        self.assertIn("**Edit**", detailed)
        session = json.loads(self.exported("000000a2", "--format", "json").stdout)
        self.assertEqual(session["session"]["id"], sid("a2"))
        self.assertTrue(session["turns"])

    def test_files_are_made_once(self):
        told = self.json_of("export", "000000a4", "--subagents", "--output", str(self.home / "x.html"))
        self.assertEqual((told["session"], told["subagents"]), (sid("a4"), 1))
        self.assertIn("agent-agent-a19cecce4a9a1d58e", (self.home / "x.html").read_text())
        self.assertEqual(self.run_program("export", "000000a4", "--output", str(self.home / "x.html")).returncode, 5)
        self.assertEqual(self.run_program("export", "ffffffff", "--output", "-").returncode, 3)
        self.assertEqual(self.run_program("export", "000000", "--output", "-").returncode, 4)

    def test_credentials_are_masked(self):
        self.append("a1", {"type": "user", "uuid": "x1", "parentUuid": None, "message": {"content": f"my token is {SECRET}"}})
        self.assertIn(SECRET, self.exported("000000a1", "--all-branches").stdout)
        for format in ("html", "md", "json"):
            text = self.exported("000000a1", "--all-branches", "--redact", "--format", format).stdout
            self.assertNotIn(SECRET, text)
            self.assertIn("redacted:github-token", text)

    def test_a_folder_of_all(self):
        told = self.json_of("export", "--all", "--output", str(self.home / "all"))
        self.assertEqual((told["sessions"], told["failed"]), (7, 0))
        page = Document((self.home / "all/index.html").read_text())
        self.assertEqual(len(page.links), 7)
        for link in page.links:
            self.assertTrue((self.home / "all" / link).is_file())
        told = self.json_of("export", "--project", DEMO, "--format", "md", "--output", str(self.home / "demo"))
        self.assertEqual(told["sessions"], 6)

    def test_sessions_of_the_store(self):
        self.seed([{"id": "thread-AbCdEfGh1234", "kind": "thread", "title": "Retries", "status": "active",
                    "entries": ["hello <b>you</b>", "answer"]}])
        html, page = self.document("thread-AbCd")
        self.assertLessEqual(page.tags, TAGS)
        self.assertIn("hello &lt;b&gt;you&lt;/b&gt;", html)
        self.assertIn("answer", self.exported("thread-AbCd", "--format", "md").stdout)

    def test_a_long_session_is_exported_in_little_memory(self):
        with self.transcript("a1").open("a") as file:
            for number in range(30_000):
                file.write(json.dumps({"type": "user" if number % 2 else "assistant", "uuid": f"n{number}", "parentUuid": f"n{number - 1}",
                                       "message": {"id": f"m{number}", "content": f"words {number} " + "x" * 900}}) + "\n")
            file.write(json.dumps({"type": "user", "uuid": "big", "parentUuid": "n29999",
                                   "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "y" * (64 << 20)}]}}) + "\n")
        script = ("import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
                  "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        done = subprocess.run(["python3", "-c", script, HOLDFAST, "export", "000000a1", "--all-branches", "--output", "-"],
                              capture_output=True, text=True, env=self.environment(), timeout=120, check=True)
        code, kilobytes = map(int, done.stdout.split())
        self.assertEqual(code, 0)
        self.assertLess(kilobytes, 96 * 1024)


class ArchivesOfTheStore(TranscriptsTest):
    def setUp(self):
        super().setUp()
        self.seed([{"id": "thread-AbCdEfGh1234", "kind": "thread", "title": "Retries", "status": "active",
                    "entries": ["hello", f"answer {SECRET}"]}])

    def other(self):
        return f"sqlite:{self.home}/other.db"

    def test_there_and_back(self):
        for name in ("a.json", "a.json.zst"):
            path = str(self.home / name)
            told = self.json_of("archive", "thread-AbCd", path)
            self.assertEqual((told["session_id"], told["entries"]), ("thread-AbCdEfGh1234", 2))
            self.assertEqual(self.run_program("archive", "thread-AbCd", path).returncode, 5, "it exists")
        self.assertEqual(json.loads((self.home / "a.json").read_text())["holdfast_session"], 1)
        told = self.json_of("restore", str(self.home / "a.json.zst"), "--store", self.other())
        self.assertEqual((told["session_id"], told["unchanged"]), ("thread-AbCdEfGh1234", False))
        shown = self.json_of("sessions", "show", "thread-AbCd", "--store", self.other())
        self.assertEqual([entry["text"] for entry in shown["entries"]], ["hello", f"answer {SECRET}"])
        told = self.json_of("restore", str(self.home / "a.json"), "--store", self.other())
        self.assertTrue(told["unchanged"])
        told = self.json_of("restore", str(self.home / "a.json"), "--store", self.other(), "--new-id")
        self.assertRegex(told["session_id"], r"^thread-\w{12}$")
        self.assertNotEqual(told["session_id"], told["original_id"])
        self.assertEqual(self.run_program("store", "verify", "--store", self.other()).returncode, 0)

    def test_another_session_of_the_id_is_kept(self):
        path = self.home / "a.json"
        self.json_of("archive", "thread-AbCd", str(path))
        path.write_text(path.read_text().replace('"hello"', '"changed"'))
        self.assertEqual(self.run_program("restore", str(path)).returncode, 5)

    def test_masked(self):
        self.assertEqual(self.json_of("archive", "thread-AbCd", str(self.home / "m.json"), "--redact")["redacted"], 1)
        self.assertNotIn(SECRET, (self.home / "m.json").read_text())

    def test_hostile_files_change_nothing(self):
        path = self.home / "a.json"
        self.json_of("archive", "thread-AbCd", str(path))
        good = path.read_text()
        for bad in (good[: len(good) // 2], good.replace('"entries":[', '"entries":[7,'), good.replace('"kind":"thread",\n', '"kind":"run",\n'),
                    re.sub(r'"time":\d+', '"time":"x"', good)):
            path.write_text(bad)
            done = self.run_program("restore", str(path), "--store", self.other())
            self.assertEqual(done.returncode, 6, done.stderr)
        self.assertEqual(self.json_of("sessions", "list", "--store", self.other())["total"], 0)


if __name__ == "__main__":
    main()
