#!/usr/bin/env python3
"""usage: transcripts_bytes.py HOLDFAST HOLDFAST-SEED    what no client should have written, and what commands promise of bytes"""
import json
import os
import pathlib
import random
import shutil
import stat
import subprocess

from program import HOLDFAST, PATIENCE, main
from transcripts_home import DEMO, OLD, TranscriptsTest, sid, tree_of

MORE_THAN_A_LINE = 129 << 20  # bytes; a longer line is not held in memory


def age(path):
    os.utime(path, (OLD, OLD))


class Bytes(TranscriptsTest):
    def output_of(self, *words):
        return subprocess.run([HOLDFAST, *words], cwd=self.elsewhere, env=self.environment(), capture_output=True,
                              timeout=PATIENCE)

    def copy_of(self, done):
        return pathlib.Path(done["main_session_file"]).read_bytes()

    def test_p16_no_copy_names_the_original(self):
        old, path = sid("a1"), self.transcript("a1")
        own_file = f"{self.claude}/projects/-home-dev-work-demo/{old}/tool-results/b1.txt"
        with path.open("ab") as file:
            file.write(f'\0\0{{"sessionId":"{old}"}}\nnot JSON of {old}\n{{"sessionId":"{old}","file":"{own_file}","to'.encode())
        age(path)
        before = path.read_bytes()
        clone = self.json_of("clone", old)
        new, copy = clone["new_session_id"], self.copy_of(clone)
        self.assertNotIn(old.encode(), copy)
        self.assertEqual(copy.count(new.encode()), before.count(old.encode()))
        self.assertTrue(copy.endswith(own_file.replace(old, new).encode() + b'","to\n'))
        self.assertEqual(len([each for each in clone["warnings"] if "3 lines are no JSON records" in each]), 1, clone["warnings"])
        self.assertEqual(clone["rewritten"]["opaque_lines"], 3)
        moved = self.json_of("move", new, "--tp", str(self.elsewhere))
        self.assertIn("3 lines are no JSON records", " ".join(moved["warnings"]))
        self.json_of("delete", new)
        archive = self.home / "x.json.zst"
        archived = self.json_of("archive", old, str(archive))
        self.assertEqual(archived["irregular_lines"], 3)
        self.assertIn("3 lines are not one record", " ".join(archived["warnings"]))
        restored = self.run_program("restore", str(archive), "--tp", str(self.elsewhere))
        self.assertIn("3 lines are no JSON records", restored.stderr)
        copies = list(self.claude.glob("projects/*else-where/*.jsonl"))
        self.assertEqual(len(copies), 1)
        self.assertNotIn(old.encode(), copies[0].read_bytes())
        path.unlink()
        back = self.json_of("restore", str(archive), "--in-place")
        self.assertEqual(path.read_bytes(), before)
        self.assertIn("3 lines are no JSON records", " ".join(back["warnings"]))
        self.assertEqual(path.read_bytes(), before, "the original was changed")

    def torn(self, dice, whole):
        """What crashes, disks and editors leave of a transcript; its id stays readable wherever it was."""
        lines = whole.splitlines(keepends=True)
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(lines))
            line = lines[at]
            lines[at] = dice.choice([
                lambda: line[:dice.randrange(len(line))] + b"\n", lambda: line[dice.randrange(len(line)):],
                lambda: line.rstrip(b"\n"), lambda: b"\n" + line, lambda: b"\0" * dice.randint(1, 40) + line,
                lambda: line.rstrip(b"\n") + b"\r\n", lambda: b"\xef\xbb\xbf" + line, lambda: line + line,
                lambda: line.replace(b":", b"", 1), lambda: b"\xff\xfe" + line, lambda: line.replace(b"{", b"[" * 3, 1)])()
        whole = b"".join(lines)
        return whole[:dice.randrange(len(whole) // 2, len(whole) + 1)]

    def test_p16_whatever_is_torn_no_copy_names_the_original_and_the_archive_is_whole(self):
        old, path, archive = sid("a1"), self.transcript("a1"), self.home / "torn.json.zst"
        whole = path.read_bytes()
        for seed in range(30):
            before = self.torn(random.Random(seed), whole)
            path.write_bytes(before)
            age(path)
            archive.unlink(missing_ok=True)
            made = self.json_of("archive", old, str(archive))
            clone = self.json_of("clone", old)
            copy, new = self.copy_of(clone), clone["new_session_id"]
            self.assertNotIn(old.encode(), copy, seed)
            self.assertEqual(copy.count(new.encode()), before.count(old.encode()), seed)
            self.assertEqual(any("no JSON record" in each for each in clone["warnings"]), clone["rewritten"]["opaque_lines"] > 0, seed)
            if not before.endswith(b"\n"):
                self.assertTrue(copy.endswith(b"\n"), (seed, "the client would go on in the torn line"))
            self.assertEqual(made["irregular_lines"] > 0, any("not one record" in each for each in made["warnings"]), seed)
            path.unlink()
            self.json_of("restore", str(archive), "--in-place")
            self.assertEqual(path.read_bytes(), before, seed)
            self.json_of("delete", new, "--force", "--no-backup")

    def test_p16_nor_does_a_record_that_is_too_long_to_look_into(self):
        old, path = sid("a1"), self.transcript("a1")
        head = f'{{"sessionId":"{old}","cwd":"{DEMO}","data":"'
        with path.open("wb") as file:
            file.write(b'{"type":"user","sessionId":"%b"}\n' % old.encode())
            file.write(head.encode())
            # Across the place where it is cut in two, and everywhere else.
            piece = f"{old}-{'x' * 4058}".encode()
            for _ in range(MORE_THAN_A_LINE // len(piece)):
                file.write(piece)
            file.write(f'","last":"{old}"}}\n{{"type":"user","sessionId":"{old}"}}\n'.encode())
        age(path)
        clone = self.json_of("clone", old)
        before, copy = path.read_bytes(), self.copy_of(clone)
        self.assertTrue(copy == before.replace(old.encode(), clone["new_session_id"].encode()))
        self.assertIn("1 line is no JSON record", " ".join(clone["warnings"]))

    def test_p16_a_plan_of_two_sessions_is_in_the_backup_of_both(self):
        plan = self.claude / "plans/two-of-us.md"
        plan.parent.mkdir(exist_ok=True)
        plan.write_text("# ours\n")
        for short in ("a1", "a2"):
            with self.transcript(short).open("a") as file:
                file.write(f'{{"type":"user","sessionId":"{sid(short)}","slug":"two-of-us"}}\n')
            age(self.transcript(short))
        first = self.json_of("delete", sid("a1"), "--force")
        self.assertTrue(plan.exists())
        self.assertIn("another session uses this plan", " ".join(first["kept"]))
        # It may be there, and have been written to, when the first comes back.
        plan.write_text("# ours, and more\n")
        again = self.json_of("restore", "--in-place", first["backup_path"])
        self.assertIn("another session uses it", " ".join(again["left_out"]))
        self.assertEqual(plan.read_text(), "# ours, and more\n")
        plan.write_text("# ours\n")
        age(self.transcript("a1"))
        first = self.json_of("delete", sid("a1"), "--force")
        self.json_of("delete", sid("a2"), "--force")
        self.assertFalse(plan.exists())
        self.json_of("restore", "--in-place", first["backup_path"])
        self.assertEqual(plan.read_text(), "# ours\n")

    def test_p16_a_foreign_archive_that_counts_wrongly_is_restored(self):
        path = self.home / "foreign.json"
        self.json_of("archive", sid("a1"), str(path), "--format-version", "2.1")
        document = json.loads(path.read_text())
        records = len(document["main_session"]["records"])
        for wrong in (records + 1, 0, "many", None, -1):
            document["main_session"]["record_count"] = wrong
            path.write_text(json.dumps(document))
            done = self.json_of("restore", str(path), "--tp", str(self.elsewhere))
            self.assertEqual(done["main_records_restored"], records)
            says = wrong if isinstance(wrong, int) else "no number"
            self.assertIn(f"{records} records, and record_count says {says}", " ".join(done["warnings"]))

    def test_p17_a_folder_whose_letters_are_decomposed(self):
        project = self.home / "Cafe\u0301 dir"
        project.mkdir()
        at = str(self.home).replace("/", "-").replace(".", "-").replace("_", "-")
        decomposed, composed = (self.claude / f"projects/{at}-{name}--dir" for name in ("Cafe", "Caf"))
        # As the client on Linux names it: letter by letter, as the file system has them.
        made = self.json_of("clone", sid("a1"), "--tp", str(project))
        self.assertEqual(pathlib.Path(made["main_session_file"]).parent, decomposed)
        self.assertEqual(made["project_path"], str(project))
        # However the path is typed.
        for typed in (str(project), str(self.home / "Caf\u00e9 dir")):
            self.assertEqual([each["session_id"] for each in self.json_of("list", "--sp", typed)["sessions"]],
                             [made["new_session_id"]], typed)
            self.assertEqual(self.json_of("info", made["new_session_id"], "--sp", typed)["session_id"], made["new_session_id"])
        # A home that came from a Mac, or from an earlier version: the folder that is there is found, and used.
        decomposed.rename(composed)
        self.assertEqual(self.json_of("list", "--sp", str(project))["total"], 1)
        more = self.json_of("clone", sid("a2"), "--tp", str(project))
        self.assertEqual(pathlib.Path(more["main_session_file"]).parent, composed)
        # Both at once.
        decomposed.mkdir()
        shutil.copy2(self.transcript("a3"), decomposed)
        self.assertEqual(self.json_of("list", "--sp", str(project))["total"], 3)

    def test_p18_an_answer_that_was_written_before_its_prompt_is_read_behind_it(self):
        def record(kind, number, parent, text, **more):
            return json.dumps({"parentUuid": parent and f"aaaaaaaa-0000-4000-8000-{parent:012}", "isSidechain": False,
                               "type": kind, "message": {"role": kind, "id": f"msg_{number}", "content": text},
                               "uuid": f"aaaaaaaa-0000-4000-8000-{number:012}", "sessionId": sid("a1"), "cwd": DEMO,
                               **more}) + "\n"

        def said(number, parent, text):
            return record("assistant", number, parent, [{"type": "text", "text": text}])

        boundary = record("system", 3, None, "", subtype="compact_boundary", logicalParentUuid=f"aaaaaaaa-0000-4000-8000-{2:012}")
        summary = record("user", 4, 3, "the summary", isCompactSummary=True)
        self.transcript("a1").write_text(record("user", 1, None, "first prompt") + said(2, 1, "first answer") + boundary +
                                         summary + said(6, 5, "second answer") + record("user", 5, 4, "second prompt") +
                                         record("user", 7, 6, "third prompt") + said(8, 7, "third answer"))
        age(self.transcript("a1"))
        expected = ["first prompt", "first answer", "the summary", "second prompt", "second answer", "third prompt",
                    "third answer"]
        shown = {form: self.output_of("export", sid("a1"), "-f", form, "--detailed", "-o", "-").stdout.decode()
                 for form in ("md", "html", "json")}
        shown["page"] = self.browser()(sid("a1"))
        for form, text in shown.items():
            places = [text.rfind(each) for each in expected]
            self.assertNotIn(-1, places, form)
            self.assertEqual(places, sorted(places), form)

    def test_p31_output_that_is_lost_is_an_error(self):
        self.seed([{"id": "thread-1", "kind": "thread", "title": "T"}])
        self.json_of("guard")
        for words in (["list"], ["list", "--all", "--json"], ["info", sid("a1")], ["lineage", sid("a1")], ["verify", sid("a1")],
                      ["schema"], ["doctor"], ["sessions", "list"], ["sessions", "show", "thread-1"], ["store", "info"],
                      ["search", "echo"], ["archive", sid("a1"), "-"], ["archive", "thread-1", "-"], ["token", "list"],
                      ["export", sid("a1"), "-o", "-"], ["guard", "list"], ["guard", "cat", sid("a1")], ["--help"], ["--version"],
                      ["clone", sid("a1"), "--dry-run"], ["completion", "bash"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([HOLDFAST, *words], env=self.environment(), stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=PATIENCE)
            self.assertEqual(done.returncode, 1, (words, done.stderr))
            self.assertIn("No space left on device", done.stderr, words)

    def test_p31_an_archive_goes_to_standard_output(self):
        self.seed([{"id": "thread-1", "kind": "thread", "title": "T"}])
        for words in ([sid("a1"), "-"], [sid("a1"), "-", "--format", "json"], ["thread-1", "-"],
                      ["thread-1", "-", "--format", "json"]):
            done = self.output_of("archive", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            if "json" in words:
                json.loads(done.stdout)
            back = subprocess.run([HOLDFAST, "restore", "-", "--dry-run"], input=done.stdout, capture_output=True,
                                  cwd=self.elsewhere, env=self.environment(), timeout=PATIENCE)
            self.assertEqual(back.returncode, 0, back.stderr)
        self.assertEqual(list(self.elsewhere.iterdir()), [])
        both = self.output_of("archive", sid("a1"), "-", "--json")
        self.assertEqual((both.returncode, both.stdout), (2, b""))

    def test_p31_a_target_that_is_not_there_is_refused(self):
        archive = self.home / "x.json.zst"
        self.json_of("archive", sid("a1"), str(archive))
        gone = str(self.home / "not" / "there")
        before = tree_of(self.claude)
        for words in (["clone", sid("a1")], ["clone", sid("a1"), "--dry-run"], ["restore", str(archive)],
                      ["restore", "--in-place", str(archive)], ["move", sid("a1"), "--force"]):
            done = self.run_program(*words, "--tp", gone)
            self.assertEqual((done.returncode, done.stdout), (3, ""), words)
            self.assertIn(f"there is no folder {gone}", done.stderr)
        self.assertEqual(self.run_program("relocate", DEMO, gone, "--yes").returncode, 3)
        self.assertEqual(tree_of(self.claude), before)
        # Where nobody said where to, a folder that is gone is told.
        self.assertIn(f"{DEMO} is not there", " ".join(self.json_of("clone", sid("a1"))["warnings"]))

    def test_p31_what_was_just_made_can_be_removed(self):
        def made():
            return self.json_of("clone", sid("a5"), "--tp", str(self.elsewhere))["new_session_id"]

        self.assertTrue(self.json_of("delete", made())["deleted_files"])
        moved = made()
        other = self.home / "other"
        other.mkdir()
        self.json_of("move", moved, "--tp", str(other))
        again = self.json_of("delete", moved)
        self.json_of("restore", "--in-place", again["backup_path"])
        self.json_of("delete", moved)
        # But not what somebody has written to since.
        used = made()
        with next(self.claude.glob(f"projects/*/{used}.jsonl")).open("a") as file:
            file.write('{"type":"user"}\n')
        done = self.run_program("delete", used)
        self.assertEqual(done.returncode, 5)
        self.assertIn("in use", done.stderr)

    def test_p31_a_time_in_the_future_is_a_wrong_clock(self):
        year = 365 * 86400
        os.utime(self.transcript("a1"), (OLD + year, OLD + year))
        states = {each["session_id"]: each["state"] for each in self.json_of("list", "--all")["sessions"]}
        self.assertEqual(states[sid("a1")], "idle")
        self.assertEqual(self.json_of("info", sid("a1"))["state"], "idle")
        hits = {each["session_id"]: each["state"] for each in self.json_of("search", "echo")["sessions"] if "state" in each}
        self.assertNotIn("running", hits.values())
        self.json_of("delete", sid("a1"), "--force")

    def test_p31_the_guard_restores_modes(self):
        modes, areas = {}, ("projects", "tasks", "plans", "file-history")
        files = [path for area in areas for path in sorted((self.claude / area).rglob("*"))]
        for number, path in enumerate(path for path in files if path.is_file() and path.name != ".lock"):
            path.chmod((0o600, 0o644, 0o400, 0o640, 0o755)[number % 5])
            modes[path] = stat.S_IMODE(path.stat().st_mode)
        self.json_of("guard")
        self.assertGreater(len(set(modes.values())), 3)
        ids = {each["session_id"] for each in self.json_of("list", "--all")["sessions"]}
        for area in areas:
            shutil.rmtree(self.claude / area)
        for each in ids:
            self.json_of("restore", "--in-place", each)
        self.assertEqual({path: stat.S_IMODE(path.stat().st_mode) for path in modes if path.exists()}, modes)


if __name__ == "__main__":
    main()
