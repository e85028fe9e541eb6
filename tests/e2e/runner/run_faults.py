#!/usr/bin/env python3
"""holdfast run when the world around it is at fault: no model, no servers, servers that hang or hold on, and places that stay closed."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from run_program import FILESYSTEM, HERE, NODE, RunnerTest, program


def reads(path, tool="read_text_file"):
    return {"calls": [{"name": tool, "arguments": {"path": path}}]}


def has_ended(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


class FaultsTest(RunnerTest):
    def setUp(self):
        super().setUp()
        self.a, self.b = self.folder("a", secret="secret of a"), self.folder("b", secret="secret of b")
        self.tasks = [{"task": "one", "working_directory": self.a}, {"task": "two", "working_directory": self.b}]
        self.answers = [reads(self.a + "/secret.txt"), "%TOOL%", reads(self.b + "/secret.txt"), "%TOOL%"]
        self.file = self.home / "tasks.json"
        self.file.write_text(json.dumps(self.tasks))

    def holdfast(self, *words, cwd=None, **environment):
        return subprocess.run([program.HOLDFAST, *words], env=self.environment(**environment), cwd=cwd or self.work, text=True,
                              capture_output=True, timeout=60)

    def wait_until(self, what):
        deadline = time.monotonic() + program.PATIENCE
        while not what():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def check_goes_on(self, *words, **more):
        self.model.play(reset=True, answers=self.answers)
        done = self.holdfast("run", "--resume", *words, "--json", **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["texts"], ["secret of a", "secret of b"])


class Environment(FaultsTest):
    def test_no_model_interrupts_the_run_and_it_goes_on_later(self):
        self.servers(files={"command": NODE, "args": [FILESYSTEM]})
        nobody = json.dumps([{"name": "gone", "base_url": "http://127.0.0.1:1/v1", "model": "m"}])
        done = self.holdfast("run", str(self.file), HOLDFAST_LLM=nobody)
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("gone", done.stderr)
        self.assertIn("--resume", done.stderr)
        again = self.holdfast("run", "--resume", HOLDFAST_LLM=nobody)
        self.assertEqual(again.returncode, 7, again.stderr)
        listed = self.holdfast("run", "list")
        self.assertIn("interrupted", listed.stdout)
        item = self.json_of("run", "list")["sessions"][0]
        self.assertTrue(item["resumable"])
        self.assertEqual((item["tasks"], item["tasks_done"]), (2, 0))
        self.check_goes_on()
        self.assertFalse(self.json_of("run", "list")["sessions"][0]["resumable"], "it is over")

    def test_the_servers_file_is_found_from_elsewhere_and_when_it_is_back(self):
        definitions = {"mcpServers": {"files": {"command": NODE, "args": [FILESYSTEM]}}}
        (self.work / "servers.json").write_text(json.dumps(definitions))
        self.model.play(reset=True, faults=["stall"])
        process = self.start("run", str(self.file), "--mcp-json", "servers.json")
        self.wait_until(lambda: self.model.requests())
        process.kill()
        process.communicate()
        shutil.move(self.work / "servers.json", self.home / "moved.json")
        lost = self.holdfast("run", "--resume", cwd="/")
        self.assertEqual(lost.returncode, 3, lost.stderr)
        self.assertIn("servers.json", lost.stderr)
        shutil.move(self.home / "moved.json", self.work / "servers.json")
        self.check_goes_on(cwd="/")

    def test_servers_that_never_start_interrupt_the_run(self):
        self.servers(files={"command": "/no/such/program"})
        done = self.holdfast("run", str(self.file))
        self.assertIn(done.returncode, (3, 7), done.stderr)
        self.assertIn("files", done.stderr)
        (self.home / "good.json").write_text(json.dumps({"mcpServers": {"files": {"command": NODE, "args": [FILESYSTEM]}}}))
        self.check_goes_on("--mcp-json", str(self.home / "good.json"))

    def test_what_resume_does_not_take_is_said(self):
        done = self.holdfast("run", "--resume", "--in", "/tmp")
        self.assertEqual(done.returncode, 2)


class Servers(FaultsTest):
    def test_one_that_hangs_costs_the_others_little(self):
        self.servers(files={"command": NODE, "args": [FILESYSTEM]}, stuck={"command": "/bin/sleep", "args": ["1000"]})
        self.model.play(reset=True, answers=[reads(self.a + "/secret.txt", "files__read_text_file"), "%TOOL%",
                                             reads(self.b + "/secret.txt", "files__read_text_file"), "%TOOL%"])
        for task in self.tasks:
            task["timeout_s"] = 14
        report = self.run_tasks(self.tasks)
        self.assertEqual(report["texts"], ["secret of a", "secret of b"])
        self.assertTrue(any("stuck" in problem for problem in report["problems"]), report["problems"])
        first, second = (r["duration_ms"] for r in report["results"])
        self.assertLess(first, 14_000, "within the task's own time")
        self.assertLess(second, first, "it is not waited for again")

    def bad(self, behaviour):
        self.servers(bad={"command": sys.executable, "args": [str(HERE / "bad_server.py"), behaviour]})
        self.model.play(reset=True, answers=[{"calls": [{"name": "misbehave", "arguments": {}}]}, "%TOOL%"])
        return self.run_tasks([{"task": "do it", "working_directory": self.a, "timeout_s": 20}])

    def test_half_a_character_does_not_lose_the_answer(self):
        report = self.bad("surrogate")
        self.assertEqual(report["texts"], ["cut here \ufffd"])

    def test_one_that_cannot_be_told_of_folders_is_named(self):
        report = self.bad("paths")
        self.assertTrue(any("rootsAt" in problem for problem in report["problems"]), report)
        self.assertFalse(report["results"][0]["roots"]["verified"])
        self.assertFalse(any("rootsAt" in problem for problem in self.bad("surrogate").get("problems", [])), "it takes no paths")

    def test_p29_a_tool_that_appears_is_usable_in_the_same_task(self):
        self.servers(bad={"command": sys.executable, "args": [str(HERE / "bad_server.py"), "grow"]})
        self.model.play(reset=True, answers=[{"calls": [{"name": "misbehave", "arguments": {}}]}, {"calls": [{"name": "grown", "arguments": {}}]},
                                             "done"])
        report = self.run_tasks([{"task": "do it", "working_directory": self.a}])
        self.assertEqual((report["texts"], report["results"][0]["tool_errors"]), (["done"], 0))
        offered = [[tool["function"]["name"] for tool in request["body"]["tools"]] for request in self.model.requests()]
        self.assertEqual(offered, [["misbehave"], ["misbehave", "grown"], ["misbehave", "grown"]])

    def test_p29_a_program_that_does_not_start_is_named_as_it_was_tried(self):
        self.servers(files={"command": NODE, "args": [FILESYSTEM]}, bad={"command": "/no/such/program", "args": ["--fast", "--token", "hush"]})
        self.model.play(reset=True, answers=["done"])
        report = self.run_tasks([{"task": "do it", "working_directory": self.a}])
        self.assertTrue(any("/no/such/program --fast" in problem for problem in report["problems"]), report["problems"])
        self.assertNotIn("hush", json.dumps(report))

    def test_an_error_that_was_answered_is_known(self):
        report = self.bad("error")
        self.assertIn("boom", report["texts"][0])
        self.assertNotIn("nobody knows", report["texts"][0])


class Groups(FaultsTest):
    """As npx does: processes between us and the server, and one that does not heed signals."""

    def begin(self):
        holder = self.home / "holder.sh"
        holder.write_text(f"#!/bin/sh\ntrap '' TERM HUP INT\necho $$ >> {self.starts}\nwhile :; do sleep 1000; done\n")
        wrapper = f"sh {holder} & '{NODE}' '{FILESYSTEM}'; true"
        self.servers(files={"command": "/bin/sh", "args": ["-c", wrapper]})
        self.model.play(reset=True, faults=["stall"])
        process = self.start("run", str(self.file))
        self.wait_until(lambda: self.model.requests() and self.pids())
        return process

    def check_nothing_is_left(self):
        for pid in self.pids():
            self.wait_until(lambda: has_ended(pid))

    def test_killed(self):
        process = self.begin()
        process.kill()
        process.communicate()
        self.check_nothing_is_left()
        self.check_goes_on()

    def test_a_closed_terminal_is_a_clean_stop(self):
        process = self.begin()
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=program.PATIENCE)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("--resume", err)
        self.check_nothing_is_left()

    def test_control_c_twice(self):
        process = self.begin()
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=program.PATIENCE)
        self.check_nothing_is_left()


class ClosedPlaces(FaultsTest):
    def test_keys_in_a_home_folder_stay_closed_and_a_person_is_told(self):
        self.servers(files={"command": NODE, "args": [FILESYSTEM]})
        home = self.environment()["HOME"]
        os.makedirs(home + "/.ssh", exist_ok=True)
        pathlib.Path(home, ".ssh", "id").write_text("PRIVATEKEY")
        self.model.play(reset=True, answers=[reads(home + "/.ssh/id"), "%TOOL%"])
        report = self.run_tasks([{"task": "read", "working_directory": "~"}])
        self.assertNotIn("PRIVATEKEY", json.dumps(report))
        self.assertIn(".ssh", report["texts"][0])
        self.assertTrue(any(".ssh" in problem for problem in report["problems"]), report)
        self.model.play(reset=True, answers=["nothing"])
        shown = self.holdfast("run", "--task", "x", "--in", "~")
        self.assertIn(".ssh", shown.stderr)

    def test_what_the_model_did_can_be_read(self):
        self.servers(files={"command": NODE, "args": [FILESYSTEM]})
        self.model.play(reset=True, answers=self.answers)
        report = self.run_tasks(self.tasks)
        shown = self.holdfast("sessions", "show", report["run_id"]).stdout
        for part in ("read_text_file", "secret.txt", "task-2: ok", "1 of task 2, 1 call"):
            self.assertIn(part, shown)


if __name__ == "__main__":
    program.main()
