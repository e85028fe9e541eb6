#!/usr/bin/env python3
"""usage: guard_cli.py HOLDFAST HOLDFAST-SEED    what is kept comes back: holdfast guard, from outside"""
import json
import os
import shutil
import signal
import subprocess
import time

from program import HOLDFAST, PATIENCE, Lines, main
from transcripts_home import DEMO, TranscriptsTest, sid

AREAS = ("projects", "tasks", "plans", "file-history")


class Guard(TranscriptsTest):
    def files(self):
        """Every file of a session, as it is now: path -> bytes."""
        return {str(path.relative_to(self.claude)): path.read_bytes()
                for area in AREAS for path in (self.claude / area).rglob("*") if path.is_file() and path.name != ".lock"}

    def remove_originals(self):
        for area in AREAS:
            shutil.rmtree(self.claude / area)

    def test_rm_then_read_and_restore(self):
        # Beside what the client wrote: a saved result and a subagent of a workflow.
        more = self.project() / sid("a6") / "tool-results" / "pdf-1" / "page-01.jpg"
        more.parent.mkdir(parents=True)
        more.write_bytes(bytes(range(256)) * 500)
        before = self.files()
        kept = self.json_of("guard")
        self.assertEqual(kept["changed"], len(before))
        self.assertEqual(kept["troubles"], [])
        self.assertEqual(self.json_of("guard")["bytes_read"], 0)
        self.assertEqual(self.json_of("guard", "list", "--gone")["count"], 0)
        titles = {each["session_id"]: each["title"] for each in self.json_of("list", "--all")["sessions"]}
        self.remove_originals()

        gone = self.json_of("guard", "list", "--gone")["sessions"]
        self.assertEqual({each["session_id"]: each["title"] for each in gone}, titles)
        for words in (("list", "--all"), ("list", "--kept", "--all")):
            listed = self.json_of(*words)["sessions"]
            self.assertEqual({(each["session_id"], each["state"]) for each in listed}, {(each, "kept") for each in titles})
        self.assertEqual(self.json_of("list", "--kept", "--project", DEMO)["total"], 6)
        self.assertEqual(self.run_program("guard", "cat", "000000a3").stdout.encode(), before[f"projects/-home-dev-work-demo/{sid('a3')}.jsonl"])
        info = self.json_of("info", "000000a4")
        self.assertEqual((info["state"], info["session_file"]), ("kept", f"guard:{sid('a4')}"))
        self.assertEqual(info["files"]["nested_agent"], 1)
        self.assertEqual(info["restore_command"], f"holdfast restore --in-place {sid('a4')}")
        self.assertTrue(self.json_of("verify", "000000a4")["ok"])
        archive = self.home / "a4.json.zst"
        self.json_of("archive", "000000a4", str(archive))
        self.assertTrue(self.json_of("verify", str(archive))["ok"])
        self.assertEqual(self.json_of("clone", "000000a4")["original_session_id"], sid("a4"))
        shutil.rmtree(self.claude / "projects")

        for session in titles:
            self.json_of("restore", "--in-place", session)
        self.assertEqual({path: content for path, content in self.files().items() if path in before}, before)
        for path in before:
            self.assertGreater((self.claude / path).stat().st_mtime, time.time() - 600, f"{path}: the client would remove it again")
        self.assertEqual(self.json_of("guard", "list", "--gone")["count"], 0)
        self.assertEqual(list((self.data / "tmp").glob("*")), [])

    def test_a_newer_copy_wins(self):
        self.json_of("guard")
        self.json_of("delete", "--force", "000000a1")  # leaves a backup
        restored = self.json_of("restore", "--in-place", "000000a1", "--dry-run")
        self.assertEqual(restored["new_session_id"], sid("a1"))

    def test_verify_repair_forget(self):
        self.json_of("guard")
        self.assertTrue(self.json_of("guard", "verify")["ok"])
        pack = max((self.data / "guard" / "packs").glob("*.pack"), key=lambda path: path.stat().st_size)
        content = bytearray(pack.read_bytes())
        content[len(content) // 2] ^= 0x55
        pack.write_bytes(content)
        broken = self.run_program("guard", "verify", "--json")
        self.assertEqual(broken.returncode, 6)
        self.assertFalse(json.loads(broken.stdout)["ok"])
        self.assertTrue(self.json_of("guard", "repair")["problems"])
        self.json_of("guard")
        self.assertTrue(self.json_of("guard", "verify")["ok"], "taken again from the originals")

        refused = self.run_program("guard", "forget", "000000a1")
        self.assertEqual(refused.returncode, 5)
        self.assertEqual(self.json_of("guard", "forget", "000000a1", "--yes")["forgotten"], [sid("a1")])
        self.assertEqual(self.run_program("guard", "show", "000000a1").returncode, 3)
        self.assertEqual(self.run_program("guard", "show", "000000a").returncode, 4)
        self.assertEqual(self.run_program("guard", "--watch", "--hook").returncode, 2)
        self.assertEqual(self.run_program("guard", "--hook", "list").returncode, 2)
        self.assertEqual(len(self.json_of("guard", "show", "000000a3")["files"]), 3)
        self.assertGreater(self.json_of("guard", "status")["files"], 10)

    def test_what_was_swept_and_what_was_cut(self):
        self.json_of("guard")
        before = self.files()
        shutil.rmtree(self.project() / sid("a4") / "subagents")
        swept = self.json_of("guard", "list", "--gone")["sessions"]
        self.assertEqual([(each["session_id"], each["gone"], each["missing_files"]) for each in swept], [(sid("a4"), False, 2)])
        self.assertEqual(self.json_of("guard", "show", "000000a4")["missing_files"], 2)
        restored = self.json_of("restore", "--in-place", "000000a4")
        self.assertIn("with the same content", restored["left_out"][0])
        self.assertEqual(self.files(), before)

        self.transcript("a4").write_bytes(b"")
        self.json_of("guard")
        other = self.run_program("restore", "--in-place", "000000a4", "--version", "1")
        self.assertEqual(other.returncode, 5, "what is there differs")
        self.assertIn(str(self.transcript("a4")), other.stderr)
        self.transcript("a4").unlink()
        self.assertIn("--version 1", self.run_program("restore", "--in-place", "000000a4", "--dry-run").stderr)
        whole = before[str(self.transcript("a4").relative_to(self.claude))].decode()
        self.assertEqual(self.run_program("guard", "cat", "000000a4").stdout, "")
        self.assertEqual(self.run_program("guard", "cat", "000000a4", "--version", "1").stdout, whole)
        self.assertEqual(self.run_program("guard", "cat", "000000a4", "--as-of", "2020-01-01").stdout, whole)
        self.json_of("restore", "--in-place", "000000a4", "--version", "1")
        self.assertEqual(self.files(), before)
        self.assertEqual(self.run_program("guard", "cat", "zzzz").returncode, 3)

    def test_a_lost_catalogue(self):
        self.json_of("guard")
        before = self.files()
        self.remove_originals()
        for path in (self.data / "guard").glob("catalogue.db*"):
            path.unlink()
        for words in (("guard", "verify"), ("guard",), ("guard", "list")):
            refused = self.run_program(*words)
            self.assertEqual(refused.returncode, 6, words)
            self.assertIn("guard repair", refused.stderr)
        self.assertIn("warning", self.run_program("list", "--all").stderr)
        self.json_of("guard", "repair")
        self.assertTrue(self.json_of("guard", "verify")["ok"])
        exported = self.home / "all"
        self.assertEqual(self.json_of("export", "--all", "--format", "md", "-o", str(exported))["failed"], 0)
        for each in self.json_of("guard", "list", "--gone")["sessions"]:
            self.assertTrue((exported / f"{each['session_id']}.md").exists())
            self.json_of("restore", "--in-place", each["session_id"])
        self.assertEqual(self.files(), before)

    def test_hook(self):
        told = {"session_id": sid("a3"), "transcript_path": str(self.transcript("a3")), "cwd": DEMO, "hook_event_name": "Stop"}

        def hook(text):
            done = subprocess.run([HOLDFAST, "guard", "--hook"], input=text, text=True, capture_output=True, timeout=PATIENCE,
                                  env=self.environment())
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            return done.stderr

        self.assertEqual(hook(json.dumps(told)), "")
        self.assertEqual([each["session_id"] for each in self.json_of("guard", "list")["sessions"]], [sid("a3")])
        self.assertEqual(len(self.json_of("guard", "show", "000000a3")["files"]), 3)
        for wrong in ("", "no json", "[]", "{}", json.dumps({"transcript_path": "/etc/passwd"})):
            self.assertIn("hook", hook(wrong))

    def test_watch(self):
        process = subprocess.Popen([HOLDFAST, "guard", "--watch", "--log-level", "info"], env=self.environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        log = Lines(process.stderr)
        self.assertIn("files changed", log.next())  # the first pass
        with self.transcript("a1").open("a") as file:
            file.write('{"type":"user"}\n')
        self.assertIn("1 files changed", log.next())
        fresh = self.claude / "projects" / "-home-dev-work-fresh" / f"{sid('c1')}.jsonl"
        fresh.parent.mkdir()
        fresh.write_text('{"type":"user"}\n')
        self.assertIn("1 files changed", log.next())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 0)
        self.remove_originals()
        self.assertTrue(self.run_program("guard", "cat", "000000a1").stdout.endswith('{"type":"user"}\n'))
        self.assertEqual(self.run_program("guard", "cat", "000000c1").stdout, '{"type":"user"}\n')

    def test_install(self):
        tools = self.home / "bin"
        tools.mkdir()
        (tools / "systemctl").write_text(f'#!/bin/sh\necho "$@" >> {tools}/calls\n')
        (tools / "systemctl").chmod(0o755)
        path = f"{tools}:{os.environ['PATH']}"
        unit = self.home / ".config" / "systemd" / "user" / "holdfast-guard.service"

        def run(*words, **more):
            return subprocess.run([HOLDFAST, "guard", *words], text=True, capture_output=True, timeout=PATIENCE,
                                  env=self.environment(XDG_CONFIG_HOME=str(self.home / ".config"), **more))

        done = run("--install", PATH=path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(unit.read_text(), done.stdout)
        self.assertIn(f'ExecStart="{os.path.realpath(HOLDFAST)}" guard --watch', unit.read_text())
        self.assertIn("--user enable --now holdfast-guard.service", (tools / "calls").read_text())
        self.assertEqual(run("--uninstall", PATH=path).returncode, 0)
        self.assertFalse(unit.exists())
        self.assertIn("nothing to remove", run("--uninstall", PATH=path).stdout)
        # Without systemd the unit is written, and what is left to do is said; a script learns that no guard runs.
        alone = run("--install", PATH="/nowhere")
        self.assertEqual(alone.returncode, 7, alone.stderr)
        self.assertTrue(unit.exists())
        self.assertIn("left to do", alone.stderr)
        hooks = json.loads(run("--install-hook").stdout)["hooks"]
        self.assertIn("guard --hook", hooks["Stop"][0]["hooks"][0]["command"])
        self.assertFalse((self.claude / "settings.json").exists())


if __name__ == "__main__":
    main()
