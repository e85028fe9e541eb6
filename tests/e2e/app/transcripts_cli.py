#!/usr/bin/env python3
"""usage: transcripts_cli.py HOLDFAST HOLDFAST-SEED    every command over transcripts, from outside"""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import uuid

from program import HOLDFAST, PATIENCE, main
from transcripts_home import DEMO, TranscriptsTest, sid, times_of, tree_of


class Looking(TranscriptsTest):
    def test_list(self):
        self.assertIn("--all", self.run_program("list").stdout)
        everything = self.json_of("list", "--all")
        self.assertEqual((everything["count"], everything["total"], everything["hasMore"]), (7, 7, False))
        first = everything["sessions"][0]
        for field in ("session_id", "product", "title", "project_path", "state", "session_file", "size_bytes", "updated_at"):
            self.assertIn(field, first)
        self.assertEqual({each["state"] for each in everything["sessions"]}, {"idle"})
        demo = self.json_of("list", "--project", DEMO)
        self.assertEqual({each["project_path"] for each in demo["sessions"]}, {DEMO})
        self.assertEqual(demo["total"], 6)
        self.assertEqual(len(self.json_of("list", "--all", "--limit", "2")["sessions"]), 2)
        text = self.run_program("list", "--all").stdout
        self.assertIn("PRODUCT", text)
        self.assertIn("000000b1", text)

    def test_a_session_written_to_now_is_running(self):
        self.transcript("a1").touch()
        listed = self.json_of("list", "--all")["sessions"]
        self.assertEqual((listed[0]["session_id"], listed[0]["state"]), (sid("a1"), "running"))

    def test_info(self):
        info = self.json_of("info", "000000a4", "--cost")
        self.assertEqual(info["session_id"], sid("a4"))
        self.assertEqual(info["project_path"], DEMO)
        self.assertTrue(info["is_native"])
        self.assertFalse(info["has_lineage"])
        self.assertEqual(info["files"]["nested_agent"], 1)
        self.assertEqual(info["resume_command"], f"cd {DEMO} && claude --resume {sid('a4')}")
        self.assertEqual(info["usage"]["subagents"], 1)
        self.assertIn("dollars", info["cost"])
        self.assertEqual(json.loads(self.run_program("info", "-f", "json", "000000a4").stdout)["session_id"], sid("a4"))
        self.assertIn(sid("a5"), self.run_program("info", "000000a5", "-v").stdout)
        self.assertFalse(self.data.exists(), "looking made something")

    def test_current_session_by_environment(self):
        self.assertEqual(self.run_program("info").returncode, 3)
        info = subprocess.run([HOLDFAST, "info", "--json"], cwd=self.elsewhere, text=True, capture_output=True, timeout=PATIENCE,
                              env=self.environment(CLAUDE_CODE_SESSION_ID=sid("a2")))
        self.assertEqual(info.returncode, 3, "the session is of another project")
        project = self.home / "proj"
        project.mkdir()
        self.assertEqual(self.run_program("clone", "000000a2", "--tp", str(project)).returncode, 0)
        clone = next((self.claude / "projects").glob("*proj/*.jsonl")).stem
        info = subprocess.run([HOLDFAST, "info", "--json"], cwd=project, text=True, capture_output=True, timeout=PATIENCE,
                              env=self.environment(CLAUDE_CODE_SESSION_ID=clone))
        self.assertEqual(json.loads(info.stdout)["session_id"], clone, info.stderr)
        wrong = subprocess.run([HOLDFAST, "info", "--sp", str(project)], cwd=project, text=True, capture_output=True,
                               timeout=PATIENCE, env=self.environment(CLAUDE_CODE_SESSION_ID=clone))
        self.assertEqual(wrong.returncode, 2)

    def test_verify_schema_doctor(self):
        report = self.json_of("verify", "000000a3")
        self.assertTrue(report["ok"])
        drift = self.json_of("verify", "--drift")
        self.assertEqual(drift["sessions"], 7)
        schema = json.loads(self.run_program("schema").stdout)
        self.assertIn("$schema", schema)
        doctor = self.json_of("doctor")
        self.assertEqual(doctor["repaired"], [])
        with self.transcript("a1").open("ab") as file:
            file.write(b'{"torn": \n')
        os.utime(self.transcript("a1"), (1e9, 1e9))
        damaged = self.run_program("verify", "000000a1")
        self.assertEqual(damaged.returncode, 6)
        self.assertIn("damage", damaged.stdout)
        before = tree_of(self.claude)
        fixed = self.json_of("doctor", "--fix")["repaired"]
        self.assertEqual(fixed[0]["session_id"], sid("a1"))
        self.assertTrue(self.json_of("verify", fixed[0]["repaired_session_id"])["ok"])
        after = tree_of(self.claude)
        self.assertEqual({name: after[name] for name in before}, before, "the original was changed")
        self.assertEqual(self.json_of("lineage", fixed[0]["repaired_session_id"])["root_session_id"], sid("a1"))

    def test_doctor_explains_an_unreadable_journal(self):
        folder = self.claude / ".holdfast/delete-1"
        folder.mkdir(parents=True)
        (folder / "journal").write_text("no line of ours\n")
        (folder / "old-0").write_text("all that is left")
        text = self.run_program("doctor").stdout
        self.assertIn(f"{folder}: line 1 of the journal is damaged", text)
        self.assertIn("Move back what you miss", text)
        self.assertNotIn("1970", text)
        with self.transcript("a1").open("ab") as file:
            file.write(b'{"torn": \n')
        os.utime(self.transcript("a1"), (1e9, 1e9))
        fixed = self.json_of("doctor", "--fix")
        self.assertEqual((fixed["leftovers"][0]["will_be"], len(fixed["repaired"])), ("left alone", 1))
        self.assertEqual((folder / "old-0").read_text(), "all that is left")

    def test_ids(self):
        ambiguous = self.run_program("info", "000000a")
        self.assertEqual(ambiguous.returncode, 4)
        for short in ("a1", "a6"):
            self.assertIn(sid(short), ambiguous.stderr)
        self.assertEqual(len(ambiguous.stderr.splitlines()), 8, "one match a line")
        self.assertIn("21 lines", ambiguous.stderr)
        self.assertIn("-home-dev-work-demo", ambiguous.stderr)
        missing = self.run_program("info", "ffffffff")
        self.assertEqual(missing.returncode, 3)
        self.assertIn(str(self.claude / "projects"), missing.stderr)
        self.assertEqual(self.run_program("info", "not-an-id!").returncode, 2)
        self.assertEqual(self.run_program("info", "000000b1", "--sp", DEMO).returncode, 3)
        self.seed([{"id": "thread-1", "kind": "thread", "title": "T"}])
        other = self.run_program("info", "thread-1")
        self.assertEqual(other.returncode, 2)
        self.assertIn("holdfast sessions show thread-1", other.stderr)
        second = self.project("-home-dev-work-second")
        shutil.copy2(self.transcript("a1"), second)
        self.assertEqual(self.run_program("info", sid("a1")).returncode, 4)
        self.assertEqual(self.run_program("info", sid("a1"), "--sp", DEMO).returncode, 0)


class Copying(TranscriptsTest):
    def archive(self, short, name, *words):
        path = self.home / name
        done = self.json_of("archive", sid(short), str(path), *words)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        return path, done

    def test_archive_fields(self):
        path, done = self.archive("a4", "x.json")
        for field in ("file_path session_id format size_mb archived_at session_records agent_records file_count files "
                      "custom_title").split():
            self.assertIn(field, done)
        self.assertEqual((done["format"], done["session_id"], done["file_path"]), ("json", sid("a4"), str(path)))
        document = json.loads(path.read_text())
        self.assertEqual((document["version"], document["session_id"]), ("2.4", sid("a4")))
        self.assertTrue(self.json_of("verify", str(path))["ok"])
        old = json.loads(self.archive("a4", "old.json", "--format-version", "2.1")[0].read_text())
        self.assertEqual(old["version"], "2.1")
        self.assertNotIn("holdfast", old)

    def test_archive_output_rules(self):
        self.assertEqual(self.run_program("archive", sid("a1"), "x.tar").returncode, 2)
        self.assertEqual(self.run_program("archive", sid("a1"), str(self.home / "x.json"), "-f", "zst").returncode, 2)
        self.assertEqual(self.run_program("archive", sid("a1"), str(self.home / "none/x.json")).returncode, 3)
        taken = self.home / "taken.json"
        taken.write_text("mine")
        self.assertEqual(self.run_program("archive", sid("a1"), str(taken)).returncode, 5)
        self.assertEqual(taken.read_text(), "mine")
        done = subprocess.run([HOLDFAST, "archive", sid("a1")], cwd=self.elsewhere, env=self.environment(), timeout=PATIENCE,
                              stdout=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0)
        self.assertTrue((self.elsewhere / f"{sid('a1')}.json.zst").exists())

    def test_uploads_ask(self):
        for place in ("gist://", "s3://bucket/key"):
            done = self.run_program("archive", sid("a1"), place, GITHUB_TOKEN="x", AWS_ACCESS_KEY_ID="x",
                                    AWS_SECRET_ACCESS_KEY="x")
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("--yes", done.stderr)
            self.assertIn(sid("a1"), done.stderr)

    def test_restore_as_copy(self):
        path, _ = self.archive("a5", "x.json.zst")
        done = self.json_of("restore", str(path), "--tp", str(self.elsewhere))
        for field in ("new_session_id original_session_id restored_at project_path was_in_place main_session_file agent_files "
                      "main_records_restored agent_records_restored agent_metadata_restored plan_files_restored "
                      "tool_results_restored todos_restored session_env_restored tasks_restored session_memory_restored "
                      "debug_log_restored resume_command paths_translated slug_mappings_applied agent_id_mappings_applied "
                      "source_machine_id custom_title").split():
            self.assertIn(field, done)
        self.assertEqual((done["original_session_id"], done["was_in_place"]), (sid("a5"), False))
        self.assertEqual(done["resume_command"], f"cd '{self.elsewhere}' && claude --resume {done['new_session_id']}")
        records = [json.loads(line) for line in pathlib.Path(done["main_session_file"]).read_text().splitlines()]
        self.assertEqual({each["sessionId"] for each in records if "sessionId" in each}, {done["new_session_id"]})
        self.assertEqual({each["cwd"] for each in records if "cwd" in each}, {str(self.elsewhere)})
        piped = subprocess.run([HOLDFAST, "restore", "-", "--json"], input=path.read_bytes(), capture_output=True,
                               cwd=self.elsewhere, env=self.environment(), timeout=PATIENCE)
        self.assertEqual(piped.returncode, 0, piped.stderr)
        self.assertEqual(json.loads(piped.stdout)["project_path"], str(self.elsewhere))

    def test_dry_runs_change_nothing(self):
        path, _ = self.archive("a5", "x.json.zst")
        before = tree_of(self.claude)
        self.assertTrue(self.json_of("restore", str(path), "--dry-run")["was_dry_run"])
        self.assertTrue(self.json_of("clone", sid("a5"), "--dry-run")["was_dry_run"])
        self.assertTrue(self.json_of("delete", sid("a5"), "--dry-run")["was_dry_run"])
        self.assertTrue(self.json_of("move", sid("a5"), "--tp", str(self.elsewhere), "--dry-run")["was_dry_run"])
        self.assertEqual(self.json_of("relocate", DEMO, str(self.elsewhere), "--dry-run")["count"], 6)
        self.assertEqual(tree_of(self.claude), before)

    def test_bad_archives(self):
        before = tree_of(self.claude)
        for text in ("", "{", "[]", '{"version":"9.0","session_id":"' + sid("a1") + '"}', "\x28\xb5\x2f\xfd junk"):
            path = self.home / "bad.json"
            path.write_bytes(text.encode("latin-1"))
            done = self.run_program("restore", str(path))
            self.assertEqual(done.returncode, 6, (text, done.stderr))
            self.assertEqual(self.run_program("verify", str(path)).returncode, 6)
        self.assertEqual(self.run_program("restore", str(self.home / "none.json")).returncode, 3)
        good, _ = self.archive("a1", "good.json")
        good.write_bytes(good.read_bytes().replace(b"assistant", b"assistanT", 1))
        self.assertEqual(self.run_program("restore", str(good)).returncode, 6)
        # A folder where a file is: both cannot be.
        clashing, _ = self.archive("a6", "clashing.json")
        text = clashing.read_text()
        path = next(each["path"] for each in json.loads(text)["holdfast"]["files"] if "tool-results/" in each["path"])
        clashing.write_text(text.replace('"folders":[', '"folders":[{"path":"' + path + '","mode":448},', 1))
        self.assertEqual(self.run_program("restore", str(clashing)).returncode, 6)
        self.assertEqual(tree_of(self.claude), before)

    def test_clone_leaves_the_parent_alone(self):
        before, times = tree_of(self.claude), times_of(self.claude)
        clones = [subprocess.Popen([HOLDFAST, "clone", sid("a5"), "--json"], stdout=subprocess.PIPE, env=self.environment())
                  for _ in range(2)]
        results = [json.loads(each.communicate(timeout=PATIENCE)[0]) for each in clones]
        self.assertEqual([each.returncode for each in clones], [0, 0])
        ids = [each["new_session_id"] for each in results]
        self.assertNotEqual(*ids)
        self.assertEqual({uuid.UUID(each).version for each in ids}, {7})
        after, later = tree_of(self.claude), times_of(self.claude)
        self.assertEqual({name: after[name] for name in before}, before)
        self.assertEqual({name: later[name] for name in times}, times)
        again = self.json_of("clone", ids[0])
        self.assertRegex(again["custom_title"] or "", r"^[^(]*( \(clone-[0-9a-f]{8}\))?$", "titles are not stacked")
        tree = self.json_of("lineage", again["new_session_id"])
        self.assertEqual(tree["root_session_id"], sid("a5"))
        self.assertEqual(tree["nodes"][again["new_session_id"]]["parent_id"], ids[0])
        self.assertEqual(tree["nodes"][again["new_session_id"]]["depth"], 2)
        self.assertIn("Parent:", self.run_program("lineage", again["new_session_id"]).stdout)
        self.assertIn(ids[1], self.run_program("lineage", ids[0], "-f", "tree").stdout)
        exported = json.loads(self.run_program("lineage", "export", ids[0]).stdout)
        self.assertEqual(exported["sessions"][ids[0]]["parent_session_id"], sid("a5"))
        self.assertEqual(self.run_program("lineage", sid("a1")).returncode, 0)

    def test_forks_of_the_client_are_family(self):
        fork = self.transcript("f1")
        text = self.transcript("a1").read_text().replace(sid("a1"), sid("f1"))
        origin = f'{{"forkedFrom":{{"sessionId":"{sid("a1")}","messageUuid":"x"}},'
        fork.write_text("".join(origin + line[1:] for line in text.splitlines(keepends=True)))
        os.utime(fork, (0, 0))
        tree = self.json_of("lineage", sid("a1"))
        self.assertEqual((tree["root_session_id"], tree["nodes"][sid("f1")]["method"]), (sid("a1"), "fork"))
        self.assertIn("Parent: " + sid("a1"), self.run_program("lineage", sid("f1")).stdout)
        self.assertIn(f"{sid('f1')} (fork)", self.run_program("lineage", sid("f1"), "-f", "tree").stdout)
        self.assertTrue(self.json_of("info", sid("f1"))["has_lineage"])
        self.assertFalse(self.data.exists(), "looking made something")

    def test_clone_options(self):
        records = [json.loads(line) for line in self.transcript("a2").read_text().splitlines()]
        last = [each["uuid"] for each in records if "uuid" in each][3]
        done = self.json_of("clone", sid("a2"), "--up-to", last, "--fresh-uuids")
        copied = [json.loads(line) for line in pathlib.Path(done["main_session_file"]).read_text().splitlines()]
        self.assertEqual(sum("uuid" in each for each in copied), 4)
        self.assertNotIn(last, {each.get("uuid") for each in copied})
        self.assertEqual(self.run_program("clone", sid("a2"), "--up-to", str(uuid.uuid4())).returncode, 3)
        self.assertEqual(self.run_program("clone", sid("a2"), "--map", "nonsense").returncode, 2)

    def test_launch(self):
        fake = self.home / "claude"
        fake.write_text('#!/bin/sh\npwd; echo "$@"; env | grep ^CLAUDE; exit 0\n')
        fake.chmod(0o755)
        path = f"{self.home}:{os.environ['PATH']}"
        done = self.run_program("clone", sid("a1"), "--tp", str(self.elsewhere), "-l", "--", "--model", "x y", PATH=path,
                                CLAUDE_CODE_CHILD_SESSION="1", CLAUDE_CODE_SESSION_ID=sid("a1"))
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[-2], str(self.elsewhere))
        self.assertRegex(lines[-1], r"^--resume [0-9a-f-]{36} --model x y$")
        self.assertEqual(self.run_program("clone", sid("a1"), "-l", PATH=path, CLAUDECODE="1").returncode, 5)
        self.assertEqual(self.run_program("clone", sid("a1"), "-l", PATH="/nowhere").returncode, 3)
        self.assertEqual(self.run_program("clone", sid("a1"), "--", "--model").returncode, 2)


class Removing(TranscriptsTest):
    def test_archive_delete_restore_gives_the_same_tree(self):
        (self.claude / "session-env" / sid("a5")).mkdir(parents=True, mode=0o700)
        odd = self.project() / sid("a4") / "odd" / "file.bin"
        odd.parent.mkdir(mode=0o755)
        odd.write_bytes(bytes(range(256)))
        odd.chmod(0o640)
        for each in ("a1", "a2", "a3", "a4", "a5", "a6"):
            with self.subTest(session=each):
                before = tree_of(self.claude)
                done = self.json_of("delete", sid(each), "--force")
                for field in ("session_id was_dry_run success error_message backup_path files_deleted size_freed_bytes "
                              "deleted_files directories_removed duration_ms deleted_at").split():
                    self.assertIn(field, done)
                self.assertFalse(self.transcript(each).exists())
                self.assertRegex(pathlib.Path(done["backup_path"]).name, rf"^{sid(each)}-\d{{8}}-\d{{6}}.*\.json$")
                undone = subprocess.run([HOLDFAST, "restore", "--in-place", done["backup_path"], "--json"], cwd=self.elsewhere,
                                        env=self.environment(), capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(undone.returncode, 0, undone.stderr)
                self.assertTrue(json.loads(undone.stdout)["was_in_place"])
                self.assertEqual(tree_of(self.claude), before)
                os.utime(self.transcript(each), (1e9, 1e9))

    def test_undo_by_id(self):
        self.assertEqual(self.run_program("delete", sid("a1"), "--force").returncode, 0)
        self.assertEqual(self.json_of("info", sid("a1"))["state"], "kept")
        self.assertEqual(self.run_program("restore", "--in-place", "000000a1").returncode, 0)
        self.assertEqual(self.run_program("info", sid("a1")).returncode, 0)
        there = self.run_program("restore", "--in-place", sid("a1"))
        self.assertEqual(there.returncode, 0, "it is there as the backup has it")
        self.assertIn("nothing was written", there.stderr)
        with self.transcript("a1").open("a") as file:
            file.write("{}\n")
        self.assertEqual(self.run_program("restore", "--in-place", sid("a1")).returncode, 5, "somebody has gone on with it")
        self.assertEqual(self.run_program("restore", sid("a2")).returncode, 3)

    def test_refusals(self):
        before = tree_of(self.claude)
        self.assertEqual(self.run_program("delete", sid("a1")).returncode, 5)
        self.assertEqual(self.run_program("move", sid("a1"), "--tp", str(self.elsewhere)).returncode, 5)
        self.assertEqual(self.run_program("delete", sid("a1"), "-f", "--delete-cross-session-artifacts").returncode, 2)
        self.transcript("a2").touch()
        self.assertEqual(self.run_program("delete", sid("a2"), "--force").returncode, 5)
        relocate = self.run_program("relocate", DEMO, str(self.elsewhere))
        self.assertEqual(relocate.returncode, 5)
        self.assertIn("--yes", relocate.stderr)
        self.assertEqual(tree_of(self.claude), before)

    def test_our_own_copies_need_no_force(self):
        clone = self.json_of("clone", sid("a1"))["new_session_id"]
        os.utime(self.project() / f"{clone}.jsonl", (1e9, 1e9))
        self.assertEqual(self.run_program("delete", clone, "--no-backup").returncode, 0)
        self.assertEqual(list((self.data / "deleted").iterdir()), [])
        self.assertEqual(self.run_program("lineage", clone).returncode, 0, "its family outlives it")
        self.assertEqual(self.json_of("lineage", clone[:13])["queried_session_id"], clone)
        self.assertEqual(self.run_program("lineage", "fffffff").returncode, 3)

    def test_move(self):
        done = self.json_of("move", sid("a4"), "--tp", str(self.elsewhere), "--force")
        for field in ("session_id source_project target_project files_moved files_deleted paths_translated was_running "
                      "was_terminated backup_path custom_title resume_command was_dry_run duration_ms moved_at warnings").split():
            self.assertIn(field, done)
        self.assertEqual((done["source_project"], done["target_project"]), (DEMO, str(self.elsewhere)))
        self.assertFalse(self.transcript("a4").exists())
        self.assertFalse((self.project() / sid("a4")).exists())
        self.assertEqual(self.json_of("info", sid("a4"))["project_path"], str(self.elsewhere))
        self.assertEqual(self.json_of("info", sid("a4"))["files"]["nested_agent"], 1)

    def test_relocate(self):
        done = self.json_of("relocate", DEMO, str(self.elsewhere), "--yes")
        self.assertEqual((done["count"], done["failed"]), (6, []))
        self.assertEqual(self.json_of("list", "--project", str(self.elsewhere))["total"], 6)
        self.assertEqual(self.json_of("list", "--project", DEMO)["total"], 0)
        self.assertEqual(self.run_program("relocate", "/nowhere/at/all", str(self.elsewhere), "--yes").returncode, 3)

    def test_one_id_in_two_projects(self):
        second = self.project("-home-dev-work-second")
        shutil.copy2(self.transcript("a3"), second)
        words = ["delete", sid("a3"), "--sp", DEMO, "--force"]
        self.assertEqual(self.run_program(*words).returncode, 2)
        self.assertEqual(self.run_program(*words, "--no-delete-cross-session-artifacts").returncode, 0)
        self.assertTrue((self.claude / "tasks" / sid("a3") / "1.json").exists())

    def test_a_store_that_cannot_be_opened_is_a_warning(self):
        (self.home / "junk.db").write_text("not a database, but long enough to be looked at" * 100)
        done = self.run_program("clone", sid("a1"), "--store", f"sqlite:{self.home}/junk.db", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("family tree", " ".join(json.loads(done.stdout)["warnings"]))


class Lineage(TranscriptsTest):
    def write_original(self):
        child, parent = str(uuid.uuid4()), str(uuid.uuid4())
        path = self.home / ".claude-session-mcp/lineage.json"
        path.parent.mkdir()
        path.write_text(json.dumps({"schema_version": "1.0", "sessions": {child: {
            "child_session_id": child, "parent_session_id": parent, "cloned_at": "2026-01-02T03:04:05Z", "method": "clone",
            "parent_project_path": DEMO, "parent_machine_id": None, "target_project_path": DEMO,
            "target_machine_id": "u@h", "paths_translated": False, "archive_path": None}}}))
        return child, parent, path

    def test_the_originals_file_is_taken_over(self):
        child, parent, _ = self.write_original()
        self.assertEqual(self.json_of("lineage", child)["root_session_id"], parent)

    def test_import(self):
        child, parent, path = self.write_original()
        path = path.rename(self.home / "elsewhere.json")
        self.assertEqual(self.json_of("import", "lineage", str(path)), {"imported": 1})
        self.assertEqual(self.json_of("import", "lineage", str(path)), {"imported": 0})
        self.assertEqual(self.json_of("lineage", child)["root_session_id"], parent)
        self.assertEqual(self.run_program("import", "lineage", str(self.home / "none.json")).returncode, 3)


class Codex(TranscriptsTest):
    def setUp(self):
        super().setUp()
        self.id = "0199c0de-0000-7000-8000-0000000000c1"
        self.rollout = self.home / f".codex/sessions/2026/11/15/rollout-2026-11-15T08-00-00-{self.id}.jsonl"
        self.rollout.parent.mkdir(parents=True)
        lines = [{"timestamp": "2026-11-15T08:00:00.000Z", "type": "session_meta", "payload": {
                     "id": self.id, "timestamp": "2026-11-15T08:00:00.000Z", "cwd": DEMO, "originator": "codex", "cli_version": "0.9"}},
                 {"timestamp": "2026-11-15T08:00:01.000Z", "type": "event_msg",
                  "payload": {"type": "user_message", "message": "fix the retries"}}]
        self.rollout.write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.utime(self.rollout, (1e9, 1e9))

    def test_list_and_info(self):
        listed = self.json_of("list", "--all")["sessions"]
        self.assertEqual([each["session_id"] for each in listed if each["product"] == "codex"], [self.id])
        info = self.json_of("info", "0199c0de")
        self.assertEqual((info["product"], info["resume_command"]), ("codex", f"codex resume {self.id}"))

    def test_archive_delete_restore(self):
        path = self.home / "c.json.zst"
        self.assertEqual(self.json_of("archive", self.id, str(path))["product"], "codex")
        self.assertTrue(self.json_of("verify", str(path))["ok"])
        text = self.rollout.read_text()
        self.assertEqual(self.run_program("delete", self.id, "--force").returncode, 0)
        self.assertFalse(self.rollout.exists())
        self.assertEqual(self.run_program("restore", "--in-place", str(path)).returncode, 0)
        self.assertEqual(self.rollout.read_text(), text)

    def test_clone_and_what_codex_lacks(self):
        done = self.json_of("clone", self.id, "--tp", str(self.elsewhere))
        meta = json.loads(pathlib.Path(done["main_session_file"]).read_text().splitlines()[0])["payload"]
        self.assertEqual((meta["id"], meta["cwd"]), (done["new_session_id"], str(self.elsewhere)))
        self.assertEqual(self.run_program("move", self.id, "--tp", str(self.elsewhere), "--force").returncode, 2)
        for option in (("--up-to", str(uuid.uuid4())), ("--fresh-uuids",)):
            refused = self.run_program("clone", self.id, *option)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("no uuids", refused.stderr)

    def test_dry_runs_and_maps(self):
        path = self.home / "codex.json"
        self.json_of("archive", self.id, str(path))
        before = tree_of(self.home / ".codex")
        trial = self.json_of("restore", str(path), "--dry-run", "--tp", str(self.elsewhere))
        self.assertEqual((trial["was_dry_run"], trial["paths_translated"]), (True, True))
        self.assertEqual(tree_of(self.home / ".codex"), before)
        mapped = self.json_of("restore", str(path), "--map", f"{DEMO}=/srv/demo")
        meta = json.loads(pathlib.Path(mapped["main_session_file"]).read_text().splitlines()[0])["payload"]
        self.assertEqual(meta["cwd"], "/srv/demo")


class Names(TranscriptsTest):
    def setUp(self):
        super().setUp()
        for name in ("claude-session", "claude-session-mcp"):
            (self.home / name).symlink_to(HOLDFAST)

    def run_as(self, name, *words, input=None):
        return subprocess.run([self.home / name, *words], env=self.environment(), text=True, capture_output=True, input=input,
                              timeout=PATIENCE)

    def test_claude_session(self):
        shown = self.run_as("claude-session", "--help").stdout
        self.assertIn("claude-session", shown)
        self.assertNotIn(" serve ", shown)
        for command in ("list", "info", "archive", "restore", "clone", "move", "delete", "lineage"):
            self.assertIn(f"  {command} ", shown)
        self.assertEqual(self.run_as("claude-session", "serve").returncode, 2)
        wrong = self.run_as("claude-session", "info", "ffffffff")
        self.assertEqual(wrong.returncode, 3)
        self.assertTrue(wrong.stderr.startswith("Error: "), wrong.stderr)
        self.assertEqual(self.run_as("claude-session", "info", "000000a1").returncode, 0)
        self.assertEqual(self.run_as("claude-session-mcp", "info", "000000a1").returncode, 0)

    def test_claude_session_mcp_is_a_server(self):
        lines = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                     "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
                 {"jsonrpc": "2.0", "method": "notifications/initialized"},
                 {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]
        done = self.run_as("claude-session-mcp", input="".join(json.dumps(line) + "\n" for line in lines))
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        names = [tool["name"] for tool in answers[-1]["result"]["tools"]]
        self.assertEqual(names, ["save_current_session", "restore_session", "clone_session", "delete_session", "move_session",
                                 "session_lineage", "get_session_info", "save_session_to_gist", "search_sessions",
                                 "list_recent_sessions", "get_session_detail"])


if __name__ == "__main__":
    main()
