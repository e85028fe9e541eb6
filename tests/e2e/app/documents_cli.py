#!/usr/bin/env python3
"""usage: documents_cli.py HOLDFAST HOLDFAST-SEED    documents under review: scenarios of document-review §11, and the person at the command line"""
import contextlib
import json
import os
import pathlib
import pty
import re
import select
import sqlite3
import subprocess
import threading
import time

from program import ENVELOPE, HOLDFAST, PATIENCE, ProgramTest, Server, main

TEXT = "# Kelp\n\nKelp grows slowly here.\nThe wharf is shut.\nFive words stand right here.\n"


class Caller:
    """Calls tools over one stdio server of its own, as the modern era does: every call says all it needs."""

    def __init__(self, case, *words, **environment):
        self.process = subprocess.Popen([HOLDFAST, "mcp", *words], env=case.environment(**environment), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        case.addCleanup(self.close)
        self.lock = threading.Lock()

    def request(self, method, **params):
        with self.lock:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": ENVELOPE}}) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())

    def ask(self, tool, arguments):
        return self.request("tools/call", name=tool, arguments=arguments)

    def call(self, tool, **arguments):
        """(text, whether it was refused)"""
        answer = self.ask(tool, arguments)
        assert "result" in answer, answer
        result = answer["result"]
        assert "structuredContent" not in result, result
        return result["content"][0]["text"], result.get("isError", False)

    def close(self):
        if not self.process.stdin.closed:
            self.process.stdin.close()
            self.process.stdout.close()
        if self.process.poll() is None:
            self.process.wait(PATIENCE)


class Documents(ProgramTest):
    def setUp(self):
        super().setUp()
        self.kb = self.home / "kb"
        self.kb.mkdir()
        self.note = self.kb / "kelp.md"
        self.note.write_text(TEXT)

    def caller(self, *words, **environment):
        return Caller(self, "--documents", str(self.kb), *words, **environment)

    def ok(self, caller, tool, **arguments):
        text, refused = caller.call(tool, **arguments)
        self.assertFalse(refused, text)
        return text

    def no(self, caller, tool, **arguments):
        text, refused = caller.call(tool, **arguments)
        self.assertTrue(refused, text)
        return text

    def handle(self, text):
        found = re.search(r"\n\n\[session: (s_[a-z2-7]{26})\]$", text)
        self.assertTrue(found, text)
        return found[1]

    def read(self, caller, path="kelp.md", **more):
        return self.handle(self.ok(caller, "read", file_path=path, **more))

    def edit(self, caller, session, old, new, path="kelp.md"):
        text = self.ok(caller, "edit", file_path=path, old_string=old, new_string=new, session_id=session)
        return re.findall(r"\b[cp]_\w+", text)

    def review(self, *words, code=0, cwd=None, **environment):
        done = subprocess.run([HOLDFAST, "review", *words], env=self.environment(**environment), cwd=cwd or self.kb, text=True,
                              capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def pending(self, *words, **environment):
        return json.loads(self.review("list", "--json", *words, **environment).stdout)["changes"]

    def snapshot(self):
        return {path.relative_to(self.kb): (path.stat().st_mtime_ns, path.stat().st_ino, path.is_file() and path.read_bytes())
                for path in sorted(self.kb.rglob("*")) if ".git" not in path.parts}

    # ---- the nine scenarios of §11 (1, 2, 8 and 9 also in documents.mjs, with official clients) ----

    def test_1_2_a_process_for_every_call(self):
        session = self.read(self.caller())
        self.edit(self.caller(), session, "slowly", "fast")
        self.assertIn("Kelp grows fast here.", self.ok(self.caller(), "read", file_path="kelp.md"))

    def test_3_a_person_saves_another_paragraph_in_between(self):
        caller = self.caller()
        session = self.read(caller)
        self.note.write_text(TEXT.replace("The wharf is shut.", "The wharf is open again."))
        text = self.ok(caller, "edit", file_path="kelp.md", old_string="slowly", new_string="fast", session_id=session)
        self.assertIn("changed on disk", text)
        self.review("accept", "--all")
        self.assertEqual(self.note.read_text(), TEXT.replace("shut", "open again").replace("slowly", "fast"))

    def test_4_a_person_rewrites_the_very_sentence(self):
        caller = self.caller()
        session = self.read(caller)
        self.note.write_text(TEXT.replace("Kelp grows slowly here.", "Nothing grows."))
        before = self.snapshot()
        text = self.no(caller, "edit", file_path="kelp.md", old_string="grows slowly", new_string="grows fast", session_id=session)
        self.assertTrue(text.startswith("stale: "), text)
        self.assertEqual(self.snapshot(), before)

    def test_5_three_revisions_and_back(self):
        caller = self.caller()
        session = self.read(caller)
        for old, new in (("slowly", "fast"), ("fast", "quickly"), ("quickly", "at speed"), ("at speed", "slowly")):
            self.edit(caller, session, old, new)
        self.assertEqual(self.note.read_text(), TEXT)
        self.assertEqual(self.pending(), [])

    def test_6_three_of_five_one_vanished(self):
        caller = self.caller()
        session = self.read(caller)
        ids = [self.edit(caller, session, word, word.upper())[0] for word in ("Five", "words", "stand", "right")]
        ids.append(self.edit(caller, session, "wharf", "pier")[0])
        self.ok(caller, "withdraw", ids=[ids[3]], session_id=session)
        done = self.review("accept", *ids[:4], "--json", code=5)
        report = json.loads(done.stdout)
        self.assertEqual(sorted(report["applied"]), sorted(ids[:3]))
        self.assertEqual([each["id"] for each in report["failed"]], [ids[3]])
        self.assertEqual(report["remaining"], 1)
        self.assertEqual([each["id"] for each in self.pending()], [ids[4]])
        self.assertIn("FIVE WORDS STAND right here.", self.note.read_text())

    def test_7_two_handles_at_the_same_instant(self):
        callers = [self.caller(), self.caller()]
        sessions = [self.handle(self.ok(caller, "create_session", name=name)) for caller, name in zip(callers, ("Ada", "Bob"))]
        for caller, session in zip(callers, sessions):
            self.read(caller, session_id=session)
        words = ("Five", "words"), ("wharf", "shut")
        at_once = threading.Barrier(2)
        failures = []

        def work(caller, session, own):
            try:
                for word in own:
                    at_once.wait(PATIENCE)
                    self.edit(caller, session, word, word.upper())
            except Exception as problem:  # told by the main thread
                failures.append(problem)
                at_once.abort()

        threads = [threading.Thread(target=work, args=each) for each in zip(callers, sessions, words)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        self.assertEqual(failures, [])
        by_author = {(each["del"], each["author"]) for each in self.pending()}
        self.assertEqual({author for _, author in by_author}, {"Ada's AI", "Bob's AI"})
        accepted = self.review("export", "kelp.md", "--accepted").stdout
        self.assertEqual(accepted, TEXT.replace("Five words", "FIVE WORDS").replace("wharf", "WHARF").replace("shut", "SHUT"))
        self.assertEqual(self.review("export", "kelp.md", "--base").stdout, TEXT)

    def test_8_the_handle_of_another_principal(self):
        session = self.read(self.caller())
        before = self.snapshot()
        stranger = self.caller("--principal", "eve")
        arguments = {"file_path": "kelp.md", "old_string": "slowly", "new_string": "fast"}
        leaked = self.no(stranger, "edit", **arguments, session_id=session)
        self.assertEqual(leaked, self.no(stranger, "edit", **arguments, session_id="s_" + "a" * 26))
        self.assertEqual(self.snapshot(), before)

    def test_9_the_handle_is_lost(self):
        caller = self.caller()
        self.read(caller)
        listed = caller.ask("session", {"operation": "list", "type": "document"})["result"]["structuredContent"]["sessions"]
        session = self.handle(self.ok(caller, "create_session", resume=listed[0]["label"]))
        self.edit(caller, session, "slowly", "fast")

    # ---- the person ----

    def test_accepting_is_not_for_models(self):
        caller = self.caller()
        answer = caller.ask("accept", {"ids": ["c_1"]})
        self.assertEqual(answer["error"]["code"], -32602)
        names = {"accept", "reject", "decide"}
        listed = caller.request("tools/list")["result"]["tools"]
        self.assertFalse(names & {tool["name"] for tool in listed})

    def test_list_show_and_reject_give_back_the_bytes(self):
        text = b"\xef\xbb\xbf# Kelp\r\n\r\nIt\xe2\x80\x99s brown, slowly.\r\nno end"
        self.note.write_bytes(text)
        caller = self.caller()
        session = self.handle(self.ok(caller, "create_session", name="Ada"))
        self.read(caller, session_id=session)
        ids = self.edit(caller, session, "It's brown", "It's green")
        self.assertIn("Ada's AI", self.review("list").stdout)
        shown = self.review("show", ids[0]).stdout
        self.assertIn("[-brown-]{+green+}", shown)
        self.assertEqual(self.review("show", "kelp.md").stdout, shown)
        self.assertEqual(self.review("list", "--author", "Bob's AI").stdout, "no pending changes\n")
        self.assertEqual(self.review().stdout, self.review("list").stdout, "without a terminal it is the list")
        self.review("show", "c_none", code=3)
        self.review("accept", code=2)
        self.review("accept", ids[0], "--all", code=2)
        self.review("reject", "--all", "--author", "Ada's AI")
        self.assertEqual(self.note.read_bytes(), text)

    def walk(self, steps, last, cwd=None):
        """The interactive review on a terminal: (what must have been shown, keys to press then), in order; returns all that was shown."""
        controller, terminal = pty.openpty()
        process = subprocess.Popen([HOLDFAST, "review"], env=self.environment(TERM="xterm", NO_COLOR="1", HOLDFAST_REVIEW_NAME="Ada"),
                                   cwd=cwd or self.kb, stdin=terminal, stdout=terminal, stderr=terminal)
        os.close(terminal)
        everything = shown = ""
        for expected, keys in steps:
            while not (expected in shown and shown.endswith(("?] ", "comment: "))):
                shown += self.read_terminal(controller)
            everything += shown
            shown = ""
            os.write(controller, keys.encode() if isinstance(keys, str) else keys())
        while last not in shown:
            shown += self.read_terminal(controller)
        self.assertEqual(process.wait(PATIENCE), 0)
        os.close(controller)
        return (everything + shown).replace("\r\n", "\n")

    def test_p27_the_interactive_review(self):
        self.note.write_text(TEXT + "".join(f"\nParagraph {number} says nothing new.\n" for number in range(1, 5)))
        before = self.note.read_text()
        caller = self.caller()
        session = self.read(caller)
        for old, new in (("slowly", "fast\nand\ntall"), ("shut", "open"), ("Five", "Six")):
            self.edit(caller, session, old, new)
        for number in (1, 2, 3, 4):
            self.edit(caller, session, f"{number} says nothing new", f"{number} says something")
        other = self.kb / "other.md"
        other.write_text("one two\n")
        self.read(caller, path="other.md", session_id=session)
        self.edit(caller, session, "one", "1", path="other.md")
        before_comment = self.note.read_text()
        shown = self.walk([
            ("1/8", "x"),                        # no key of ours: the keys are shown
            ("a  accept this change", "\x1b[A"),  # nor is an arrow, or Enter
            ("a  accept this change", "\n"),
            ("a  accept this change", "b"),
            ("first one that is pending", "c"),
            ("comment: ", "are you sure?\n"),
            ("> Ada: are you sure?", "a"),       # the same change, with its comment; and accepted
            ("2/8", "s"),                        # "shut" is skipped
            ("3/8", "r"),                        # "Five" is rejected
            ("4/8", "b"),                        # what is decided is passed over on the way back
            ("[-shut-]", "s"),
            ("4/8", "a"),
            ("5/8", "R"),                        # all that is left of this file, "shut" too
            ("8/8", "q"),
        ], "left 1")
        self.assertIn("kelp.md:6  substitution", shown, "lines are those of the file as it is now")
        self.assertIn("accepted 2, rejected 5, resolved 0, left 1", shown)
        self.assertEqual(self.note.read_text(), before.replace("slowly", "fast\nand\ntall").replace("1 says nothing new", "1 says something"),
                         "the comment went with the decision")
        self.assertNotEqual(before_comment, self.note.read_text())
        self.assertEqual([each["path"] for each in self.pending()], ["other.md"])

    def test_p27_what_a_model_does_meanwhile_is_seen(self):
        caller = self.caller()
        session = self.read(caller)
        self.edit(caller, session, "slowly", "fast")
        gone = self.edit(caller, session, "shut", "open")[0]
        self.edit(caller, session, "Five", "Six")

        def meanwhile():
            self.ok(caller, "withdraw", ids=[gone], session_id=session)
            return b"a"

        shown = self.walk([("1/3", meanwhile), ("[-Five-]", "a")], "left 0")
        self.assertNotIn("[-shut-]", shown)
        self.assertIn("accepted 2, rejected 0, resolved 0, left 0", shown)

    def test_p24_a_copied_note(self):
        caller = self.caller()
        session = self.read(caller)
        id = self.edit(caller, session, "slowly", "fast")[0]
        copy, template = self.kb / "copy.md", self.kb / "sub/template.md"
        template.parent.mkdir()
        for path in (copy, template):
            path.write_bytes(self.note.read_bytes())
        listed = {each["path"]: each["id"] for each in self.pending()}
        self.assertEqual(len(set(listed.values())), 3, listed)
        told = self.review("accept", id, code=4).stderr
        for path, long in listed.items():
            self.assertIn(f"{long} in {path}", told)
        self.review("comment", listed["copy.md"], "mine")
        self.assertIn("mine", copy.read_text())
        self.assertNotIn("mine", self.note.read_text())
        self.assertIn("sub/template.md", self.review("show", listed["sub/template.md"]).stdout)
        self.review("reject", listed["copy.md"])
        self.assertEqual(copy.read_text(), TEXT)
        self.review("accept", id, "--path", "kelp.md")
        self.assertEqual(self.note.read_text(), TEXT.replace("slowly", "fast"))
        copy.write_bytes(template.read_bytes())
        self.ok(caller, "read", file_path="copy.md", session_id=session)
        self.ok(caller, "withdraw", ids=[id], session_id=session)  # the one that this session has read
        self.assertEqual(copy.read_text(), TEXT)
        copy.write_bytes(template.read_bytes())
        self.walk([("1/2", "a"), ("2/2", "r")], "left 0")
        self.assertEqual((copy.read_text(), template.read_text()), (TEXT.replace("slowly", "fast"), TEXT))

    def test_p24_three_copies_are_walked_through_one_by_one(self):
        caller = self.caller()
        session = self.read(caller)
        self.edit(caller, session, "slowly", "fast")
        self.edit(caller, session, "shut", "open")
        paths = [self.kb / "copy.md", self.note, self.kb / "sub/deep/kelp.md"]
        paths[2].parent.mkdir(parents=True)
        for path in (paths[0], paths[2]):
            path.write_bytes(self.note.read_bytes())
        shown = self.walk([("1/6", "a"), ("2/6", "c"), ("comment: ", "why?\n"), ("> Ada: why?", "r"), ("3/6", "s"), ("4/6", "b"), ("3/6", "A"), ("5/6", "R")], "left 0")
        self.assertIn("accepted 3, rejected 3, resolved 0, left 0", shown)
        self.assertEqual([path.read_text() for path in paths],
                         [TEXT.replace("slowly", "fast"), TEXT.replace("slowly", "fast").replace("shut", "open"), TEXT])

    def test_p24_accept_all_of_copies(self):
        caller = self.caller()
        self.edit(caller, self.read(caller), "slowly", "fast")
        (self.kb / "copy.md").write_bytes(self.note.read_bytes())
        report = json.loads(self.review("accept", "--all", "--json").stdout)
        self.assertEqual((len(report["applied"]), report["failed"]), (2, []))
        self.assertEqual(self.pending(), [])

    def test_p25_marks_in_code_and_a_file_that_is_to_go(self):
        text = "`{++a++}` `{>>b<<}`\n\n```\n{--c--} {>>d<<} {==e==}\n```\n"
        (self.kb / "code.md").write_text(text)
        self.assertEqual(self.pending(), [])
        self.assertEqual(self.review("accept", "--all").stdout, "nothing to decide\n")
        caller = self.caller()
        session = self.read(caller)
        self.edit(caller, session, "slowly", "fast")
        self.read(caller, session_id=session)
        self.ok(caller, "delete", file_path="kelp.md", session_id=session)
        first, second = self.pending()
        self.assertEqual((first["kind"], second["kind"]), ("delete", "substitution"))
        self.assertIn("delete file", self.review("list").stdout)
        self.assertRegex(self.review("show", first["id"]).stdout, r"\A\S+  delete file kelp\.md  by .*\n  the whole file goes to the trash\n  \[-# Kelp\n")
        self.assertRegex(self.ok(caller, "read", file_path="kelp.md"), r"\A\[to be deleted: ")
        self.assertRegex(self.ok(caller, "list_changes"), r"kelp\.md delete file by ")
        shown = self.walk([("1/2", "q")], "left 2")
        self.assertIn("delete file kelp.md", shown)

    def test_p25_code_in_lists_and_quotations_and_signs_that_open_none(self):
        fences = "1. do\n\n    ```sh\n    {++a++}\n\n    {--b--}\n    ```\n\n> ~~~\n> {>>c<<}\n>\n> {~~d~>e~~}\n> ~~~\n\n````\n```\n{++f++}\n```\n````\n"
        (self.kb / "fences.md").write_text(fences)
        open_ones = {"escaped": "\\`{++a++}\\`\n", "items": "- a ` b\n- {++a++} ` d\n", "heading": "# a ` b\n{++a++} ` d\n", "rows": "| x ` |\n| {++a++} ` |\n"}
        for name, text in open_ones.items():
            (self.kb / f"{name}.md").write_text(text)
        self.assertEqual({each["path"] for each in self.pending()}, {f"{name}.md" for name in open_ones})
        self.review("accept", "--all")
        self.assertEqual((self.kb / "fences.md").read_text(), fences)
        for name, text in open_ones.items():
            self.assertEqual((self.kb / f"{name}.md").read_text(), text.replace("{++a++}", "a"))

    def test_p25_an_edit_in_any_code_is_one_change_with_its_comment(self):
        texts = {"fence": "a\n\n```\nfoo = 1\n```\n", "quote": "> ```\n> foo = 1\n> ```\n", "list": "1. a\n\n    ~~~\n    foo = 1\n\n    ~~~\n",
                 "inline": "use ``foo ` x`` now\n", "html": "<!-- foo = 1 -->\nx\n", "indented": "x\n\n    foo = 1\n"}
        caller = self.caller()
        for name, text in texts.items():
            path = self.kb / f"{name}.md"
            for verdict, expected in (("reject", text), ("accept", text.replace("foo", "bar"))):
                path.write_text(text)
                self.edit(caller, self.read(caller, path=path.name), "foo", "bar", path=path.name)
                (change,) = self.pending()
                self.review("comment", change["id"], "why `so`?")
                self.assertEqual(len(self.pending()), 1, "the comment is part of its change")
                self.review(verdict, change["id"])
                self.assertEqual(path.read_text(), expected, f"{verdict} {name}")

    def test_p26_edits_of_two_that_overlap_are_decided_in_any_order(self):
        text = "# T\n\nred cat and red dog.\n\nOne red thing.\n\nLast words.\n"
        one = text.replace("red", "blue")
        both = "# T\n\nblue cat and blue hen.\n\nTwo blue things.\n\nFinal words.\n"
        other = "# T\n\nred cat and red hen.\n\nTwo red things.\n\nFinal words.\n"
        caller = self.caller()
        self.note.write_text(text)
        first = self.read(caller)
        self.ok(caller, "edit", file_path="kelp.md", old_string="red", new_string="blue", replace_all=True, session_id=first)
        second = self.handle(self.ok(caller, "create_session", name="Bob"))
        self.ok(caller, "read", file_path="kelp.md", session_id=second)
        self.edit(caller, second, "dog.\n\nOne blue thing.\n\nLast", "hen.\n\nTwo blue things.\n\nFinal")
        a, b = [each["id"] for each in self.pending()]
        marked = self.note.read_text()
        for decisions, expected in ((("accept", a, "accept", b), both), (("accept", b, "accept", a), both), (("reject", a, "reject", b), text),
                                    (("reject", b, "reject", a), text), (("accept", a, "reject", b), one), (("accept", b, "reject", a), other)):
            self.note.write_text(marked)
            self.review("comment", a, "all of them?")
            for verdict, id in (decisions[:2], decisions[2:]):
                self.review(verdict, id)
            self.assertEqual((self.note.read_text(), self.pending()), (expected, []), decisions)

    def test_p26_one_edit_is_one_change(self):
        caller = self.caller()
        session = self.read(caller)
        ids = self.edit(caller, session, "Five words stand right here.", "Six signs stand left there.")
        self.assertEqual(len(set(ids)), 1, ids)
        self.assertGreater(self.note.read_text().count("{--"), 1, "the text keeps the fine marks")
        (change,) = self.pending()
        self.assertEqual((change["id"], change["places"]), (ids[0], 2))
        self.assertIn("[-Five words-]{+Six signs+} stand [-right here-]{+left there+}.", self.review("show", ids[0]).stdout)
        self.review("accept", ids[0])
        self.assertEqual(self.note.read_text(), TEXT.replace("Five words stand right here", "Six signs stand left there"))

    def test_p28_a_file_without_write_permission(self):
        caller = self.caller()
        session = self.read(caller)
        linked = self.kb / "linked.md"
        linked.write_text("see [[kelp]]\n")
        for path in (self.note, linked):
            path.chmod(0o444)
        before = self.snapshot()
        refused = self.no(caller, "edit", file_path="kelp.md", old_string="slowly", new_string="fast", session_id=session)
        self.assertTrue(refused.startswith("read_only: "), refused)
        self.assertEqual(self.snapshot(), before)
        self.note.chmod(0o644)
        self.ok(caller, "move", path="kelp.md", new_path="deep/weed.md", session_id=session)
        self.assertEqual(linked.read_text(), "see [[kelp]]\n")

    def test_p28_documents_are_opt_in_and_read_tells_the_version(self):
        bare = Caller(self, "--root", str(self.kb))
        names = [tool["name"] for tool in bare.request("tools/list")["result"]["tools"]]
        self.assertNotIn("read", names)
        self.assertIn("thought", names)
        self.assertRegex(self.no(bare, "read", file_path="kelp.md"), r"^path_denied: .*--documents")
        caller = self.caller()
        self.assertIn("read", [tool["name"] for tool in caller.request("tools/list")["result"]["tools"]])
        text = self.ok(caller, "read", file_path="kelp.md")
        version = re.search(r"\[version: (\w+)\]", text)[1]
        edit = {"file_path": "kelp.md", "session_id": self.handle(text), "expected_version": version}
        self.ok(caller, "edit", old_string="slowly", new_string="fast", **edit)
        self.assertTrue(self.no(caller, "edit", old_string="shut", new_string="open", **edit).startswith("stale: "))

    def test_p28_tokens_see_what_they_may_use_and_the_paths_of_everybody(self):
        for name in ("one", "two"):
            (self.home / name).mkdir()
            (self.home / name / "a.md").write_text("kelp\n")
        server = Server(self, "--documents", str(self.home / "one"), "--documents", str(self.home / "two"))
        tokens = {"reader": json.loads(self.run_program("token", "add", "reader", "--scope", "read", "--json").stdout)["token"],
                  "ann": json.loads(self.run_program("token", "add", "ann", "--json").stdout)["token"],
                  "folder": json.loads(self.run_program("token", "add", "folder", "--project", str(self.home / "one"), "--json").stdout)["token"]}

        def ask(who, method, **params):
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": ENVELOPE}}
            headers = server.mcp_headers(token=tokens[who], modern=message)
            return json.loads(server.ask("POST", "/mcp", headers, json.dumps(message))[2])["result"]

        offered = {who: {tool["name"] for tool in ask(who, "tools/list")["tools"]} for who in tokens}
        self.assertFalse(offered["reader"] & {"edit", "create", "delete", "move", "withdraw", "thought", "delete_session"}, offered["reader"])
        self.assertTrue({"read", "grep", "session", "search_sessions"} <= offered["reader"])
        self.assertTrue({"edit", "thought"} <= offered["ann"])
        glob = {who: ask(who, "tools/call", name="glob", arguments={"pattern": "**"})["content"][0]["text"] for who in tokens}
        self.assertEqual(glob["ann"], "one/a.md\ntwo/a.md")
        self.assertEqual(glob["folder"], "one/a.md")
        self.assertIn("kelp", ask("folder", "tools/call", name="read", arguments={"file_path": "one/a.md"})["content"][0]["text"])

    def test_p30_a_client_that_never_passes_its_handle(self):
        for number in range(5):
            (self.kb / f"{number}.md").write_text("text\n")
        for _ in range(3):
            caller = self.caller()
            handles = {self.read(caller, path=f"{number % 5}.md") for number in range(60)}
            self.assertEqual(len(handles), 1)
        listed = caller.ask("session", {"operation": "list", "type": "document", "allRoots": True})["result"]["structuredContent"]["sessions"]
        self.assertEqual([each["title"] for each in listed], ["0.md, 1.md, 2.md and 2 more"])
        self.assertEqual(listed[0]["counts"]["read"], 180)

    def test_p30_programs_that_never_live_until_a_sweep(self):
        clock = self.home / "clock"
        for number in range(5):
            (self.kb / f"{number}.md").write_text("text\n")

        def rows():
            with contextlib.closing(sqlite3.connect(self.data / "store.db")) as store:
                return store.execute("SELECT count(*) FROM keyed WHERE key LIKE '%doc-%'").fetchone()[0]

        for day in range(3):
            clock.write_text(f"2031-01-{1 + 9 * day:02}T00:00:00Z")  # by then those of before have expired
            for number in range(5):
                caller = self.caller(HOLDFAST_CLOCK_FILE=str(clock))  # a program for every call
                self.read(caller, path=f"{number}.md")
                caller.close()
            self.assertEqual(rows(), 5, "what was read by the one session that is open")

    def read_terminal(self, controller):
        ready, _, _ = select.select([controller], [], [], PATIENCE)
        self.assertTrue(ready, "the terminal stays silent")
        return os.read(controller, 65536).decode()

    def test_folders_here_and_by_name(self):
        caller = self.caller()
        self.edit(caller, self.read(caller), "slowly", "fast")
        (self.kb / "deep").mkdir()
        self.assertEqual(len(self.pending()), 1)
        subprocess.run(["git", "init", "--quiet", "."], cwd=self.kb, check=True, env=self.environment())
        self.assertIn("kelp.md", self.review("list", cwd=self.kb / "deep").stdout, "the work tree around this folder")
        self.assertIn("kelp.md", self.review("list", "../kelp.md", cwd=self.kb / "deep").stdout)
        other = self.home / "other"
        other.mkdir()
        listed = json.loads(self.review("list", "--json", "--documents", f"main={self.kb}", "--documents", str(other), cwd=self.home).stdout)
        self.assertEqual([each["path"] for each in listed["changes"]], ["main/kelp.md"])
        self.review("list", "--documents", str(self.home / "none"), code=3)

    def test_a_path_is_meant_from_the_current_folder_on(self):
        deep = self.kb / "sub"
        deep.mkdir()
        (deep / "kelp.md").write_text(TEXT)
        caller = self.caller()
        self.edit(caller, self.read(caller), "slowly", "fast")
        self.edit(caller, self.read(caller, path="sub/kelp.md"), "slowly", "fast", path="sub/kelp.md")
        self.git("init", "--quiet", ".")
        self.assertEqual([each["path"] for each in json.loads(self.review("list", "kelp.md", "--json", cwd=deep).stdout)["changes"]],
                         ["sub/kelp.md"])
        self.review("accept", "--all", "--path", ".", cwd=self.home, HOLDFAST_DOCUMENTS_ROOTS=str(deep))
        self.assertEqual((deep / "kelp.md").read_text(), TEXT.replace("slowly", "fast"))
        self.edit(caller, self.read(caller, path="sub/kelp.md"), "shut", "open", path="sub/kelp.md")
        self.review("accept", "--all", "--path", ".", cwd=deep)
        self.assertEqual([each["path"] for each in self.pending()], ["kelp.md"], "what is above stays")
        elsewhere = self.home / "elsewhere"
        elsewhere.mkdir()
        self.review("accept", "--all", "--path", ".", cwd=elsewhere, code=3, HOLDFAST_DOCUMENTS_ROOTS=str(self.kb))
        self.assertEqual(len(self.pending()), 1)
        self.assertNotIn("glob", self.review("list", "none.md", code=3).stderr)
        self.assertEqual(self.review("list", "--since", "1h").stdout, self.review("list").stdout)
        self.assertEqual(self.review("list", "--since", "2999-01-31").stdout, "no pending changes\n")
        self.assertIn("3d", self.review("list", "--since", "soon", code=2).stderr)

    def test_ids_may_be_shortened_and_comments_come_in_order(self):
        self.note.write_bytes(TEXT.replace("\n", "\r\n").encode())
        caller = self.caller()
        session = self.read(caller)
        first = self.edit(caller, session, "slowly", "fast")[0]
        second = self.edit(caller, session, "shut", "open")[0]
        for id in (first, second):
            short = next(id[:length] for length in range(3, len(id) + 1)
                         if not all(each.startswith(id[:length]) for each in (first, second)))
            self.assertEqual(self.review("show", short).stdout, self.review("show", id).stdout)
        self.assertNotIn("\ufffd", self.review("show", first).stdout, "a line end is no sign")
        self.review("comment", first[:-1], "why?\nreally", HOLDFAST_REVIEW_NAME="Ada")
        shown = self.review("comment", first, "so", HOLDFAST_REVIEW_NAME="Bo").stdout
        self.assertIn("  > Ada: why?\n  > really\n  > Bo: so\n", shown)
        self.assertEqual(self.review("show", first).stdout.splitlines()[1:], shown.splitlines()[1:])
        self.review("accept", first[:-1])
        self.review("reject", second[:-1], "--commit")
        self.assertIn(b"Kelp grows fast here.", self.note.read_bytes(), "what was said about it went with the decision")

    def git(self, *words):
        done = subprocess.run(["git", *words], cwd=self.kb, env=self.environment(), text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_git_commit_on_accept(self):
        self.git("init", "--quiet", ".")
        self.git("config", "user.name", "Ada Reviewer")
        self.git("config", "user.email", "ada@example.org")
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", "begin")
        (self.kb / "staged.md").write_text("staged\n")
        self.git("add", "staged.md")
        caller = self.caller()
        session = self.handle(self.ok(caller, "create_session", name="Bob"))
        self.read(caller, session_id=session)
        ids = self.edit(caller, session, "slowly", "fast") + self.edit(caller, session, "shut", "open")
        first = json.loads(self.review("accept", ids[0], "--commit", "--json").stdout)
        self.assertEqual(first["commits"], [], "pending markup is never committed")
        second = json.loads(self.review("accept", ids[1], "--json", HOLDFAST_DOCUMENTS_COMMIT_ON_ACCEPT="true").stdout)
        self.assertEqual(second["commits"], [self.git("rev-parse", "HEAD")])
        self.assertEqual(self.git("log", "-1", "--format=%an %ae %cn"), "Ada Reviewer ada@example.org Ada Reviewer")
        self.assertRegex(self.git("log", "-1", "--format=%(trailers)"), r"^Proposed-by: Bob's AI\nHoldfast-Session: [0-9a-f]+$")
        self.assertEqual(self.git("show", "HEAD:kelp.md"), TEXT.replace("slowly", "fast").replace("shut", "open").strip())
        self.assertEqual(self.git("status", "--porcelain"), "A  staged.md")

    def test_nothing_is_accepted_in_the_middle_of_a_merge(self):
        caller = self.caller()
        ids = self.edit(caller, self.read(caller), "slowly", "fast")
        self.note.write_text(self.note.read_text() + "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n")
        before = self.snapshot()
        done = self.review("accept", *ids, code=5)
        self.assertIn("merge markers", done.stdout)
        self.assertEqual(self.snapshot(), before)
        self.review("reject", *ids)

    def test_new_deleted_moved_documents(self):
        caller = self.caller()
        (self.kb / "index.md").write_text("See [[kelp]] and [it](kelp.md#x).\n")
        session = self.handle(self.ok(caller, "create", file_path="new/sand.md", content="Sand.\n"))
        self.review("reject", "--all", "--path", "new/sand.md")
        self.assertFalse((self.kb / "new/sand.md").exists())
        trashed = json.loads(self.review("trash", "--json").stdout)["trash"]
        self.assertEqual([each["path"] for each in trashed], ["new/sand.md"])

        self.read(caller, session_id=session)
        self.assertIn("index.md", self.ok(caller, "delete", file_path="kelp.md", session_id=session))
        self.assertTrue(self.note.exists(), "until a person agrees")
        self.review("accept", "--all")
        self.assertFalse(self.note.exists())
        gone = json.loads(self.review("trash", "--json").stdout)["trash"]
        self.review("restore", next(each["id"] for each in gone if each["path"] == "kelp.md"))
        self.assertEqual(self.note.read_text(), TEXT)

        self.read(caller, session_id=session)
        moved = self.ok(caller, "move", path="kelp.md", new_path="sea/kelp.md", session_id=session)
        self.assertRegex(moved, r"^Moved kelp\.md -> sea/kelp\.md \([12] links rewritten in 1 files\)", "[[kelp]] may stay: the name is unique")
        self.assertIn("](sea/kelp.md#x)", (self.kb / "index.md").read_text())
        self.edit(caller, session, "slowly", "fast", path="sea/kelp.md")
        self.review("reject", "--all")
        self.review("undo")
        self.assertEqual(self.note.read_text(), TEXT)
        self.assertFalse((self.kb / "sea").exists(), "the move made it")
        self.review("undo", code=3)
        self.assertEqual((self.kb / "index.md").read_text(), "See [[kelp]] and [it](kelp.md#x).\n")

    def test_kinds_without_markup_are_proposals(self):
        data = self.kb / "data.json"
        data.write_text('{"a": 1}\n')
        caller = self.caller()
        session = self.read(caller, path="data.json")
        self.edit(caller, session, '"a": 1', '"a": 2', path="data.json")
        self.assertEqual(data.read_text(), '{"a": 1}\n')
        self.assertIn('"a": 2', self.ok(caller, "read", file_path="data.json"))
        change, = self.pending()
        data.write_text('{"a": 1, "b": 0}\n')
        self.assertIn("stale", self.review("accept", change["id"], code=5).stdout)
        self.assertEqual(data.read_text(), '{"a": 1, "b": 0}\n')
        data.write_text('{"a": 1}\n')
        self.review("accept", change["id"])
        self.assertEqual(data.read_text(), '{"a": 2}\n')

    def test_read_only(self):
        caller = self.caller("--read-only")
        session = self.read(caller)
        before = self.snapshot()
        text = self.no(caller, "edit", file_path="kelp.md", old_string="slowly", new_string="fast", session_id=session)
        self.assertTrue(text.startswith("read_only: "), text)
        self.assertTrue(self.no(caller, "create", file_path="x.md").startswith("read_only: "))
        self.assertEqual(self.snapshot(), before)

    def test_paths_that_lead_out(self):
        (self.home / "secret.md").write_text("secret\n")
        (self.kb / "link.md").symlink_to("../secret.md")
        (self.kb / "up").symlink_to("..")
        (self.home / "kb-private").mkdir()
        (self.home / "kb-private/x.md").write_text("private\n")
        caller = self.caller()
        session = self.read(caller)
        before = self.snapshot()
        for path in ("../secret.md", str(self.home / "secret.md"), "link.md", "up/secret.md", "../kb-private/x.md", "a\0b", ".git/config"):
            text = self.no(caller, "read", file_path=path, session_id=session)
            self.assertRegex(text, r"^(path_denied|no_such_document|bad_argument): ", path)
            self.assertNotIn("secret\n", text)
            self.assertRegex(self.no(caller, "create", file_path=path, content="x", session_id=session), r"^[a-z_]+: ")
        self.no(caller, "create", file_path="up/new.md", content="x", session_id=session)
        self.assertEqual(self.snapshot(), before)
        self.assertFalse((self.home / "new.md").exists())

    def test_a_handle_lives_as_long_as_the_setting_says(self):
        clock = self.home / "clock"
        start = int(time.time() * 1000)
        clock.write_text(str(start))
        caller = self.caller("--clock-file", str(clock), HOLDFAST_DOCUMENTS_HANDLE_TTL_DAYS="0.5")
        session = self.read(caller)
        for hours in (11, 22, 33):  # every use makes it live longer
            clock.write_text(str(start + hours * 3_600_000))
            self.read(caller, session_id=session)
        clock.write_text(str(start + 46 * 3_600_000))
        self.assertTrue(self.no(caller, "read", file_path="kelp.md", session_id=session).startswith("session_expired: "))

    def test_over_http_a_connection_each(self):
        server = Server(self, "--documents", str(self.kb))

        def call(tool, **arguments):
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments, "_meta": ENVELOPE}}
            status, _, answer = server.post(message, modern=True)
            self.assertEqual(status, 200, answer)
            return answer["result"]["content"][0]["text"]

        session = self.handle(call("read", file_path="kelp.md"))
        self.assertIn("1 change(s) pending", call("edit", file_path="kelp.md", old_string="slowly", new_string="fast", session_id=session))
        state = self.data / "documents"
        self.assertEqual(state.stat().st_mode & 0o777, 0o700)
        self.assertEqual(pathlib.Path(self.data).stat().st_mode & 0o777, 0o700)


if __name__ == "__main__":
    main()
