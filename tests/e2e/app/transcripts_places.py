#!/usr/bin/env python3
"""usage: transcripts_places.py HOLDFAST HOLDFAST-SEED    sessions live in one place each, are repaired once, and are never taken
from their own caller"""
import collections
import json
import os
import subprocess

from program import HOLDFAST, PATIENCE, Lines, initialize, main
from transcripts_home import DEMO, OLD, TranscriptsTest, sid, tree_of

TORN = b'{"torn": \n'


class PlacesTest(TranscriptsTest):
    def run_here(self, *words, cwd=None, **environment):
        return subprocess.run([HOLDFAST, *words], cwd=cwd or self.home, env=self.environment(**environment), text=True,
                              capture_output=True, timeout=PATIENCE)

    def age(self):
        """As if nobody had worked here for an hour."""
        for path in self.claude.rglob("*"):
            if path.is_file():
                os.utime(path, (OLD, OLD))

    def places(self):
        """Session -> the project folders that have it."""
        found = collections.defaultdict(list)
        for path in (self.claude / "projects").glob("*/*.jsonl"):
            if not path.name.startswith("agent-"):
                found[path.stem].append(path.parent.name)
        return found

    def check_one_place_each(self):
        self.assertEqual({id: folders for id, folders in self.places().items() if len(folders) != 1}, {})

    def files(self):
        return {name: entry for name, entry in tree_of(self.claude).items() if entry[1] is not None}


class OneIdLivesOnce(PlacesTest):
    def move(self, short, target=None):
        return self.json_of("move", sid(short), "--tp", str(target or self.elsewhere), "--force")

    def test_p12_undo_of_a_move_moves_back(self):
        for each in ("a1", "a2", "a3", "a4", "a5", "a6"):
            with self.subTest(session=each):
                before = self.files()
                moved = self.move(each)
                self.assertEqual(moved["undo_command"], f"holdfast restore --in-place {moved['backup_path']}")
                undone = self.json_of("restore", "--in-place", moved["backup_path"])
                self.assertEqual((undone["project_path"], undone["new_session_id"], undone["was_in_place"]),
                                 (DEMO, sid(each), True))
                self.check_one_place_each()
                self.assertEqual(self.files(), before)
                again = self.json_of("restore", "--in-place", moved["backup_path"])
                self.assertIn("already", " ".join(again["warnings"]))
                self.assertEqual(self.files(), before)

    def test_p12_what_was_written_since_the_move_comes_back_too(self):
        moved = self.move("a4")
        now = next((self.claude / "projects").glob(f"*else-where/{sid('a4')}.jsonl"))
        with now.open("a") as file:
            file.write(json.dumps({"type": "user", "uuid": "x", "parentUuid": None, "cwd": str(self.elsewhere),
                                   "sessionId": sid("a4"), "message": {"role": "user", "content": "later"}}) + "\n")
        in_use = self.run_program("restore", "--in-place", moved["backup_path"])
        self.assertEqual(in_use.returncode, 5)
        self.assertIn("in use", in_use.stderr)
        os.utime(now, (OLD, OLD))
        undone = self.json_of("restore", "--in-place", sid("a4"))
        self.assertIn("moved back", " ".join(undone["warnings"]))
        self.check_one_place_each()
        last = json.loads(self.transcript("a4").read_text().splitlines()[-1])
        self.assertEqual((last["message"]["content"], last["cwd"]), ("later", DEMO))

    def test_p12_a_move_typed_twice_is_one_move(self):
        self.move("a5")
        before = self.files()
        again = self.move("a5")
        self.assertEqual(again["files_moved"], 0)
        self.assertIn("already", " ".join(again["warnings"]))
        self.assertEqual(self.files(), before)

    def test_p12_further_paths_are_translated_back(self):
        before = self.files()
        moved = self.json_of("move", sid("a2"), "--tp", str(self.elsewhere), "--force", "--map", "/home/dev=/srv/dev")
        self.json_of("restore", "--in-place", moved["backup_path"])
        self.assertEqual(self.files(), before)

    def test_p12_an_id_that_lives_elsewhere_is_not_restored(self):
        archive = self.home / "a1.json.zst"
        self.json_of("archive", sid("a1"), str(archive))
        self.assertEqual(self.run_program("guard").returncode, 0)
        moved = self.move("a1")
        os.unlink(moved["backup_path"])
        self.age()
        before = tree_of(self.claude)
        third = self.home / "third"
        third.mkdir()
        for words in ([str(archive)], [str(archive), "--tp", str(third)], [sid("a1"), "--version", "1"]):
            done = self.run_program("restore", "--in-place", *words)
            self.assertEqual(done.returncode, 5, (words, done.stdout, done.stderr))
            self.assertIn("lives in another project", done.stderr)
            self.assertIn("holdfast move", done.stderr)
            self.assertEqual(tree_of(self.claude), before)
        copy = self.json_of("restore", str(archive))
        self.assertNotEqual(copy["new_session_id"], sid("a1"))
        self.check_one_place_each()

    def test_p12_without_the_family_tree_nothing_is_made_twice(self):
        moved = self.move("a1")
        self.age()
        before = tree_of(self.claude)
        done = self.run_program("restore", "--in-place", moved["backup_path"], "--store", f"sqlite:{self.home}/other.db")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(tree_of(self.claude), before)

    def test_p12_a_codex_session_lives_once(self):
        id = "0199c0de-0000-7000-8000-0000000000c1"
        name = f"rollout-2026-11-15T08-00-00-{id}.jsonl"
        rollout = self.home / ".codex/sessions/2026/11/15" / name
        rollout.parent.mkdir(parents=True)
        meta = {"timestamp": "2026-11-15T08:00:00.000Z", "type": "session_meta", "payload": {
            "id": id, "timestamp": "2026-11-15T08:00:00.000Z", "cwd": DEMO, "originator": "codex", "cli_version": "0.9"}}
        rollout.write_text(json.dumps(meta) + "\n")
        os.utime(rollout, (OLD, OLD))
        self.json_of("archive", id, str(self.home / "c.json"))
        archived = self.home / ".codex/archived_sessions" / name
        archived.parent.mkdir()
        rollout.rename(archived)
        done = self.run_program("restore", "--in-place", str(self.home / "c.json"))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertFalse(rollout.exists())


class Doctor(PlacesTest):
    def damage(self, path, bytes=TORN, live=False):
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:2]) + bytes + b"".join(lines[2:]))
        if not live:
            os.utime(path, (OLD, OLD))

    def sick_home(self):
        clone = self.json_of("clone", sid("a2"))["new_session_id"]
        copy = self.project() / f"{clone}.jsonl"
        os.utime(copy, (OLD, OLD))
        self.damage(self.transcript("a1"))
        self.damage(copy, b"\0\0\0\0\n")
        self.damage(self.transcript("a3"), live=True)
        circle = [{"type": "user", "uuid": "1", "parentUuid": "2", "cwd": DEMO, "message": {"content": "x"}},
                  {"type": "user", "uuid": "2", "parentUuid": "1", "cwd": DEMO, "message": {"content": "y"}}]
        for short, text in (("e1", ""), ("e2", "\0\0\n" + TORN.decode()), ("e3", '{"type":"user"'),
                            ("e4", "".join(json.dumps(line) + "\n" for line in circle))):
            path = self.transcript(short)
            path.write_text(text)
            os.utime(path, (OLD, OLD))
        return {sid("a1"), clone}

    def test_p14_fix_repairs_once(self):
        damaged = self.sick_home()
        before, sessions = self.files(), set(self.places())
        # The family tree may come and go; what was repaired is seen on the disk.
        stores = [[], [], ["--store", f"sqlite:{self.home}/other.db"], ["--sp", DEMO]]
        after = None
        for number, words in enumerate(stores):
            self.age()
            os.utime(self.transcript("a3"))
            fixed = self.json_of("doctor", "--fix", *words)
            self.assertEqual({each["session_id"] for each in fixed["repaired"]}, damaged if number == 0 else set())
            self.assertEqual([each["error"] for each in fixed["repaired"] if each["error"]], [])
            after = after or self.files()
            self.assertEqual(self.files(), after, f"run {number}")
        copies = set(self.places()) - sessions
        self.assertEqual(len(copies), 2)
        self.assertEqual({name: after[name] for name in before}, before, "an original was changed")
        for copy in copies:
            self.assertTrue(self.json_of("verify", copy)["ok"])
        report = {each["session_id"]: each for each in self.json_of("doctor")["sick"]}
        self.assertEqual({report[id]["repaired_session_id"] for id in damaged}, copies)
        self.assertTrue(report[sid("a3")]["in_use"])
        self.assertIsNone(report[sid("e4")]["repaired_session_id"])
        text = self.run_program("doctor").stdout
        self.assertNotIn("all is well", text)
        self.assertIn("repaired in the copy", text)
        self.assertIn("in use: not repaired", text)

    def test_p14_at_rest_the_live_one_is_repaired_once(self):
        self.damage(self.transcript("a3"), live=True)
        self.assertEqual(self.json_of("doctor", "--fix")["repaired"], [])
        self.age()
        for count in (1, 0, 0):
            self.assertEqual(len(self.json_of("doctor", "--fix")["repaired"]), count)
            self.age()

    def test_p14_a_moved_session_and_its_copy_are_known_again(self):
        self.damage(self.transcript("a1"))
        copy = self.json_of("doctor", "--fix")["repaired"][0]["repaired_session_id"]
        self.age()
        for id in (sid("a1"), copy):
            self.json_of("move", id, "--tp", str(self.elsewhere), "--force")
        self.age()
        self.assertEqual(self.json_of("doctor", "--fix")["repaired"], [])

    def test_p14_warnings_are_not_damage(self):
        lines = self.transcript("a1").read_text().splitlines(keepends=True)
        records = [line for line in lines if '"uuid"' in line]
        lines.remove(records[1])  # the next one's parent
        self.transcript("a1").write_text("".join(lines)[:-1])
        self.age()
        before = tree_of(self.claude)
        report = self.json_of("doctor", "--fix")
        self.assertEqual((report["healthy"], report["repaired"]), (True, []))
        self.assertEqual([each["session_id"] for each in report["sick"]], [sid("a1")])
        text = self.run_program("doctor", "--fix").stdout
        self.assertNotIn("Damaged", text)
        self.assertNotIn("all is well", text)
        self.assertIn("nothing is damaged", text)
        self.assertEqual(tree_of(self.claude), before)


class TheCallersOwn(PlacesTest):
    def setUp(self):
        super().setUp()
        self.here = self.home / "proj"
        self.here.mkdir()
        self.own = self.json_of("clone", sid("a2"), "--tp", str(self.here))["new_session_id"]
        self.age()

    def inside(self, *words, cwd=None, own=None):
        """As a client's shell runs it: only the environment names the session."""
        return self.run_here(*words, cwd=cwd or self.here, CLAUDE_CODE_SESSION_ID=own or self.own)

    def test_p15_only_the_environment_names_it(self):
        before = tree_of(self.claude)
        for words in (["delete"], ["delete", "--force"], ["delete", self.own], ["delete", self.own[:13], "--force"],
                      ["delete", "--force", "--no-backup", "--terminate"], ["delete", "--dry-run", "--force"],
                      ["move", "--tp", str(self.elsewhere), "--force"], ["move", self.own, "--tp", str(self.elsewhere)],
                      ["move", self.own.upper(), "--tp", str(self.elsewhere), "--force"]):
            for cwd in (self.here, self.elsewhere):  # the environment counts wherever the shell has gone to
                done = self.inside(*words, cwd=cwd)
                named = self.own[:13] in " ".join(words).lower()
                self.assertIn(done.returncode, (5,) if named or cwd == self.here else (3,), (words, done.stdout, done.stderr))
                self.assertEqual(tree_of(self.claude), before, words)
        upper = self.inside("delete", self.own, own=self.own.upper())
        self.assertEqual(upper.returncode, 5, "whatever the case")
        self.assertEqual(tree_of(self.claude), before)

    def test_p15_relocate_leaves_it_alone(self):
        done = self.inside("relocate", str(self.here), str(self.elsewhere), "--yes")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(self.places()[self.own], [str(self.here).replace("/", "-").replace("_", "-").replace(".", "-")])

    def test_p15_undoing_a_move_leaves_it_alone(self):
        moved = self.json_of("move", self.own, "--tp", str(self.elsewhere))
        self.age()
        before = tree_of(self.claude)
        self.assertEqual(self.inside("restore", "--in-place", moved["backup_path"]).returncode, 5)
        self.assertEqual(tree_of(self.claude), before)

    def test_p15_others_may_go(self):
        self.assertEqual(self.inside("delete", sid("a1"), "--force").returncode, 0)
        self.assertEqual(self.inside("move", sid("a3"), "--tp", str(self.elsewhere), "--force").returncode, 0)

    def test_p15_tools(self):
        """A server that the client started, in whatever folder."""
        before = tree_of(self.claude)
        for folder in (self.here, self.elsewhere):
            server = subprocess.Popen([HOLDFAST, "mcp", "--root", str(folder)], text=True, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, env=self.environment(CLAUDE_CODE_SESSION_ID=self.own))
            lines = Lines(server.stdout)

            def ask(message):
                server.stdin.write(json.dumps(message) + "\n")
                server.stdin.flush()
                while "id" in message:
                    answer = json.loads(lines.next())
                    if answer.get("id") == message["id"]:
                        return answer

            ask(initialize())
            ask({"jsonrpc": "2.0", "method": "notifications/initialized"})
            for id, (name, more) in enumerate((("delete_session", {}), ("move_session", {"target_project": str(self.home)})), 2):
                answer = ask({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
                    "name": name, "arguments": {"session_id": self.own, "force": True} | more}})
                result = answer["result"]
                self.assertEqual(json.loads(result["content"][-1]["text"])["error"], "refused", result)
            server.stdin.close()
            server.wait(PATIENCE)
            self.assertEqual(tree_of(self.claude), before)


if __name__ == "__main__":
    main()
