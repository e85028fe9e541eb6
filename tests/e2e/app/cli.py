#!/usr/bin/env python3
"""usage: cli.py HOLDFAST HOLDFAST-SEED    the command line and the stdio server, from outside"""
import json
import pathlib
import re
import signal
import sqlite3
import stat
import subprocess

from program import ENVELOPE, HOLDFAST, PATIENCE, Lines, ProgramTest, call, initialize, main


SOURCES = pathlib.Path(__file__).resolve().parents[3]
# Words that follow the program's name, or a command, where no command is meant.
PROSE = """again alone also and another answers as at brings cannot corpus cursor does entry explains from has holdfast installs is
    its itself keeps knows lists made makes meanwhile names never of on or pages prints puts reads said saw says server session sets
    shows store takes tells that then to under version was where which with wrote writes""".split()


class CommandLine(ProgramTest):
    def test_help_and_version(self):
        for words in (["--help"], ["serve", "--help"], ["sessions", "list", "--help"]):
            done = self.run_program(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Usage: ", done.stdout)
        self.assertIn("claude mcp add holdfast -- holdfast mcp", self.run_program("--help").stdout)
        self.assertRegex(self.run_program("--version").stdout, r"^holdfast \d+\.\d+\.\d+\n$")

    def test_mistakes_are_usage_errors(self):
        for words in ([], ["frobnicate"], ["--nothing"], ["serve", "--nothing"], ["sessions", "show"],
                      ["serve", "--port", "x"], ["serve", "--port", "70000"], ["mcp", "--tools", "nothing"],
                      ["--store", "ftp://x", "store", "info"], ["--log-level", "loud", "store", "info"]):
            done = self.run_program(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertRegex(done.stderr, r"^holdfast: .+\n", words)

    def known_commands(self):
        """The options and the commands below each command."""
        script = self.run_program("completion", "bash").stdout
        return {path: set(words.split()) for path, words in re.findall(r'^    "([a-z ]*)"\) words="([^"]*)" ;;$', script, re.M)}

    def test_p31_every_hinted_command_parses(self):
        known, hinted = self.known_commands(), 0
        for file in sorted((SOURCES / "src").rglob("*.*")):
            if file.suffix not in (".cpp", ".h", ".js") or file.stem.endswith("_test"):
                continue
            for number, line in enumerate(file.read_text().splitlines(), 1):
                for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
                    for hint in re.split(r"\bholdfast ", literal)[1:]:
                        hinted += self.check_hint(hint, known, f"{file.relative_to(SOURCES)}:{number}: holdfast {hint}")
        self.assertGreater(hinted, 40)

    def test_p31_every_command_of_the_documents_parses(self):
        known, named = self.known_commands(), 0
        pages = [SOURCES / "README.md", SOURCES / "CONTRIBUTING.md", *(SOURCES / "docs").rglob("*.md"),
                 *(SOURCES / "packaging").rglob("*.service")]
        for file in sorted(pages):
            fenced = False
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if line.lstrip().startswith("```"):
                    fenced = not fenced
                is_code = fenced or file.suffix == ".service"
                for words in (re.split(r"(?:^|(?<=[\s;|&(]))holdfast (?=[a-z])", line.split(" # ")[0])[1:] if is_code
                              else re.findall(r"`holdfast ([^`]+)`", line)):
                    words = re.sub(r"[a-z]+(\|[a-z]+)+", lambda found: found[0].split("|")[0], words)
                    named += self.check_hint(words, known, f"{file.relative_to(SOURCES)}:{number}: holdfast {words}")
        self.assertGreater(named, 100)

    def check_hint(self, hint, known, where):
        """The words of a command are known, and so are the options that follow them. How many commands that is."""
        path, words = "", hint.replace("{}", "").split()
        while words and re.fullmatch(r"[a-z]+[.,:]?", words[0]):
            longer = f"{path} {words[0].rstrip('.,:')}".strip()
            if longer not in known:
                takes_words = path != "" and not any(each.startswith(path + " ") for each in known)
                self.assertTrue(takes_words or words[0].rstrip(".,:") in PROSE, where)
                return 1 if path else 0
            path = longer
            words.pop(0)
        for word in words:
            if re.match("--[a-z]", word):
                self.assertIn(word.rstrip(".,:;)'"), known[path] | known[""], where)
            elif not re.fullmatch(r"[A-Z{}./:=\[\]|]+", word):
                break
        return 1 if path else 0

    def test_exit_codes(self):
        self.seed([{"id": "abcd-1", "kind": "thread", "title": "A"}, {"id": "abcd-2", "kind": "thread", "title": "B"}])
        self.assertEqual(self.run_program("sessions", "show", "zzzz").returncode, 3)
        self.assertEqual(self.run_program("sessions", "show", "abcd").returncode, 4)
        self.assertEqual(self.run_program("serve", "--host", "0.0.0.0", "--no-auth").returncode, 5)
        self.assertEqual(self.run_program("token", "revoke", "nobody").returncode, 3)
        (self.home / "junk.db").write_text("this is not a database, it only looks like a file of some length" * 100)
        self.assertEqual(self.run_program("--store", f"sqlite:{self.home}/junk.db", "store", "info").returncode, 6)

    def test_the_first_use_brings_an_older_store_forward(self):
        self.data.mkdir(parents=True, mode=0o700)
        with sqlite3.connect(self.data / "store.db") as old:
            old.executescript((SOURCES / "tests/data/store-version-1/store.sql").read_text())
        old.close()
        self.assertIn("thread-aaaaaaaa", self.run_program("sessions", "list").stdout)

    def test_what_may_not_be_read_is_not_taken_for_nothing(self):
        self.seed([{"id": "thread-1", "kind": "thread", "title": "A"}])
        (self.data / "store.db").rename(self.home / "elsewhere.db")
        (self.data / "store.db").symlink_to("store.db")
        done = self.run_program("sessions", "list")
        self.assertNotEqual((done.returncode, done.stdout), (0, "no sessions\n"))

    def test_errors_as_json(self):
        done = self.run_program("sessions", "show", "zzzz", "--store", f"sqlite:{self.home}/none.db", "--json")
        self.assertEqual(done.stdout, "")
        error = json.loads(done.stderr)["error"]
        self.assertEqual(error["code"], "not_found")
        done = self.run_program("--json", "--nothing")
        self.assertIn("--nothing", json.loads(done.stderr)["error"]["message"])

    def test_sessions(self):
        self.assertEqual(self.run_program("sessions", "list").stdout, "no sessions\n")
        self.assertFalse(self.data.exists(), "looking made something")
        self.seed([{"id": "thread-1", "kind": "thread", "title": "Retries\x1b[31m", "status": "active", "root_name": "here",
                    "root": "file:///srv/here", "entries": ["one", "two\x07"]},
                   {"id": "other-1", "kind": "research", "title": "Not mine", "principal": "ann"}])
        listed = self.run_program("sessions", "list").stdout
        self.assertIn("thread-1", listed)
        self.assertNotIn("Not mine", listed)
        self.assertNotIn("\x1b", listed)
        shown = self.run_program("sessions", "show", "thread").stdout
        self.assertIn("two", shown)
        self.assertNotIn("\x07", shown)
        self.assertEqual(self.json_of("sessions", "list")["total"], 1)
        self.assertEqual([entry["text"] for entry in self.json_of("sessions", "show", "thread-1")["entries"]],
                         ["one", "two\x07"])
        self.assertEqual(self.json_of("sessions", "list", "--kind", "run")["total"], 0)
        self.assertEqual(self.json_of("sessions", "list", "--principal", "ann")["total"], 1)
        self.assertEqual(self.json_of("sessions", "list", "--root", "/srv/there")["total"], 0)

    def test_store(self):
        self.seed([{"id": "thread-1", "kind": "thread", "title": "T", "entries": ["one"]}])
        info = self.json_of("store", "info")
        self.assertEqual((info["sessions"], info["entries"]), (1, 1))
        self.assertEqual(info["path"], f"{self.data}/store.db")
        self.assertEqual(self.json_of("store", "verify"),
                         {"ok": True, "sessions": 1, "entries": 1, "damaged": [], "problems": []})

    def test_tokens(self):
        token = self.run_program("token", "add", "ann").stdout.strip()
        self.assertRegex(token, r"^hf_[0-9A-Za-z]{43}$")
        self.assertEqual(self.run_program("token", "add", "ann").returncode, 5)
        self.assertEqual([each["name"] for each in self.json_of("token", "list")["tokens"]], ["ann"])
        self.assertNotIn(token, self.run_program("token", "list").stdout)
        self.assertEqual(self.run_program("token", "revoke", "ann").returncode, 0)
        self.assertEqual(self.json_of("token", "list")["tokens"], [])

    def test_completion(self):
        for shell, word in (("bash", "complete -F"), ("zsh", "bashcompinit"), ("fish", "complete -c holdfast")):
            self.assertIn(word, self.run_program("completion", shell).stdout)
        script = self.run_program("completion", "bash").stdout
        words = subprocess.run(
            ["bash", "-c", script + '\nCOMP_WORDS=(holdfast sessions ""); COMP_CWORD=2; _holdfast; echo "${COMPREPLY[@]}"'],
            text=True, capture_output=True, timeout=PATIENCE).stdout.split()
        self.assertEqual(words[:2], ["list", "show"])
        self.assertEqual(self.run_program("completion", "tcsh").returncode, 2)

    def test_settings_come_from_four_places(self):
        def store_of(*words, **environment):
            return self.run_program(*words, "store", "info", **environment).stderr

        config = self.home / ".config/holdfast/config.json"
        config.parent.mkdir(parents=True)
        self.assertIn("store.db", store_of())
        config.write_text(json.dumps({"store": f"sqlite:{self.home}/from-file.db"}))
        self.assertIn("from-file.db", store_of())
        self.assertIn("from-env.db", store_of(HOLDFAST_STORE=f"sqlite:{self.home}/from-env.db"))
        self.assertIn("from-flag.db", store_of("--store", f"sqlite:{self.home}/from-flag.db",
                                               HOLDFAST_STORE=f"sqlite:{self.home}/from-env.db"))
        config.write_text("{broken")
        done = self.run_program("store", "info")
        self.assertEqual(done.returncode, 2)
        self.assertIn("config.json", done.stderr)

    def test_clock_file(self):
        clock = self.home / "clock"
        done = self.run_program("--clock-file", str(clock), "token", "add", "ann")
        self.assertEqual(done.returncode, 3)
        self.assertIn("clock_file", done.stderr)
        clock.write_text("2031-05-06T07:08:09Z\n")
        self.run_program("--clock-file", str(clock), "token", "add", "ann")
        self.assertEqual(self.json_of("token", "list")["tokens"][0]["created_at"], "2031-05-06T07:08:09.000Z")


class Stdio(ProgramTest):
    def start(self, *words, **environment):
        process = subprocess.Popen([HOLDFAST, "mcp", *words], env=self.environment(**environment), text=True, bufsize=1,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.wait, PATIENCE)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        self.addCleanup(process.stdin.close)
        return process, Lines(process.stdout)

    def exchange(self, process, lines, message):
        process.stdin.write(json.dumps(message) + "\n")
        return json.loads(lines.next())

    def test_both_eras_on_one_pipe(self):
        self.seed([{"id": "thread-1", "kind": "thread", "title": "T"}])
        process, lines = self.start()
        listed = self.exchange(process, lines, call(1, {"operation": "list"}, modern=True))["result"]
        self.assertEqual(listed["structuredContent"]["total"], 1)
        self.assertEqual(listed["resultType"], "complete")
        welcome = self.exchange(process, lines, initialize(2))["result"]
        self.assertEqual((welcome["protocolVersion"], welcome["serverInfo"]["name"]), ("2025-11-25", "holdfast"))
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
        listed = self.exchange(process, lines, call(3, {"action": "list", "args": {"limit": "1"}}))["result"]
        self.assertEqual(listed["structuredContent"]["sessions"][0]["id"], "thread-1")
        read = self.exchange(process, lines, {"jsonrpc": "2.0", "id": 4, "method": "resources/read",
                                              "params": {"uri": "holdfast://sessions/thread-1"}})["result"]
        self.assertIn("thread-1", read["contents"][0]["text"])
        process.stdin.close()
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_the_last_request_is_answered_before_the_end(self):
        done = self.run_program("mcp", input=json.dumps(call(1, {"operation": "list"}, modern=True)) + "\n")
        self.assertEqual(json.loads(done.stdout)["result"]["structuredContent"]["count"], 0)
        self.assertEqual(done.returncode, 0)

    def test_signals_end_it_well(self):
        for signal_ in (signal.SIGTERM, signal.SIGINT):
            process, lines = self.start()
            self.exchange(process, lines, initialize())
            process.send_signal(signal_)
            self.assertEqual(process.wait(PATIENCE), 0)

    def test_what_was_changed_is_kept(self):
        self.seed([{"id": "thread-1", "kind": "thread", "title": "T"}])
        process, lines = self.start()
        update = {"operation": "update", "session_id": "thread-1", "title": "New title"}
        self.assertTrue(self.exchange(process, lines, call(1, update, modern=True))["result"]["structuredContent"]["changed"])
        process.kill()
        process.wait(PATIENCE)
        self.assertEqual(self.json_of("sessions", "list")["sessions"][0]["title"], "New title")

    def test_changes_of_other_processes_are_announced(self):
        self.seed([{"id": "thread-1", "kind": "thread", "title": "T"},
                   {"id": "anns-1", "kind": "thread", "title": "A", "principal": "ann"}])
        process, lines = self.start()
        self.exchange(process, lines, initialize())
        for number, uri in enumerate(("holdfast://sessions/anns-1", "holdfast://sessions/thread-1"), 2):
            self.exchange(process, lines, {"jsonrpc": "2.0", "id": number, "method": "resources/subscribe", "params": {"uri": uri}})
        for id, principal in (("anns-1", "ann"), ("thread-1", "local")):
            other, others = self.start(HOLDFAST_PRINCIPAL=principal)
            pin = call(1, {"operation": "pin", "sessionId": id}, modern=True)
            self.assertTrue(self.exchange(other, others, pin)["result"]["structuredContent"]["changed"])
        news = json.loads(lines.next())
        self.assertEqual((news["method"], news["params"]["uri"]),
                         ("notifications/resources/updated", "holdfast://sessions/thread-1"))

    def test_project_root_and_principal(self):
        self.seed([{"id": "here-1", "kind": "thread", "title": "H", "root": "file:///srv/here"},
                   {"id": "there-1", "kind": "thread", "title": "T", "root": "file:///srv/there"},
                   {"id": "anns-1", "kind": "thread", "title": "A", "principal": "ann"}])

        def ids(*words, **environment):
            process, lines = self.start(*words, **environment)
            state = self.exchange(process, lines, call(1, {"operation": "list"}, modern=True))["result"]["structuredContent"]
            return sorted(each["id"] for each in state["sessions"])

        self.assertEqual(ids(), ["here-1", "there-1"])
        self.assertEqual(ids("--root", "/srv/here"), ["here-1"])
        self.assertEqual(ids(CLAUDE_PROJECT_DIR="/srv/there"), ["there-1"])
        self.assertEqual(ids("--root", "/srv/here", CLAUDE_PROJECT_DIR="/srv/there"), ["here-1"])
        self.assertEqual(ids(HOLDFAST_PRINCIPAL="ann"), ["anns-1"])

    def test_data_folder_is_private(self):
        self.run_program("mcp", input="")
        self.assertEqual(stat.S_IMODE(self.data.stat().st_mode), 0o700)
        self.assertEqual(stat.S_IMODE((self.data / "store.db").stat().st_mode), 0o600)

    def test_toolsets(self):
        process, lines = self.start("--tools", "documents")
        listed = self.exchange(process, lines, {"jsonrpc": "2.0", "id": 1, "method": "resources/list",
                                                "params": {"_meta": ENVELOPE}})
        self.assertEqual(listed["result"]["resources"][0]["uri"], "holdfast://sessions")
        refused = self.exchange(process, lines, call(2, {"operation": "list"}, modern=True))
        self.assertIn("error", refused)


main()
