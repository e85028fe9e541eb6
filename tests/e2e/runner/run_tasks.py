#!/usr/bin/env python3
"""holdfast run: three tasks in three folders over one server process, servers that misbehave, and a run that is killed."""
import json
import os
import pty
import signal
import stat
import subprocess
import sys
import threading
import time
import unittest

from run_program import FILESYSTEM, HERE, NODE, OLD_FILESYSTEM, RunnerTest, program

STATUSES = ["ok", "ok", "ok"]


def reads(path, tool="read_text_file"):
    return {"calls": [{"name": tool, "arguments": {"path": path}}]}


def drain(terminal):
    """Reads what is shown until nobody has the other side any more."""
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass


class ThreeFolders(RunnerTest):
    def setUp(self):
        super().setUp()
        self.folders = [self.folder(name, secret=f"the number of {name} is {number}")
                        for name, number in (("alpha", 4711), ("beta", 815), ("gamma", 42))]
        self.tasks = [{"task": f"What is the number in {folder}?", "working_directory": folder} for folder in self.folders]

    def play_reading(self, tool="read_text_file", **more):
        answers = []
        for folder in self.folders:
            answers += [reads(folder + "/secret.txt", tool), "I read: %TOOL%"]
        self.model.play(reset=True, answers=answers, **more)

    def check(self, report):
        self.assertEqual([r["status"] for r in report["results"]], STATUSES, report)
        for text, number in zip(report["texts"], ("4711", "815", "42")):
            self.assertIn(number, text)
        self.assertEqual(report["status"], "completed")

    def test_one_process_serves_all_of_them(self):
        self.servers(files={"command": self.logged(NODE, FILESYSTEM)})
        for self.stream in (True, False):
            self.starts.unlink(missing_ok=True)
            self.play_reading()
            report = self.run_tasks(self.tasks)
            self.check(report)
            self.assertEqual(len(self.pids()), 1, "one start for three folders")
            self.assertEqual([r["roots"]["mode"] for r in report["results"]], ["reconnected", "notified", "notified"])
            self.assertTrue(all(r["roots"]["verified"] for r in report["results"]))
            self.assertEqual([r["tool_calls"] for r in report["results"]], [1, 1, 1])
            self.assertEqual([r["body"]["stream"] for r in self.model.requests()], [self.stream] * 6)

    def test_the_model_deviates_as_lm_studio_does(self):
        self.servers(files={"command": self.logged(NODE, FILESYSTEM)})
        for deviations in (["empty-calls", "finish-stop"], ["ghost-call"], ["no-id", "no-index", "whole-calls"], ["split", "crlf", "comments"]):
            self.play_reading(deviations=deviations)
            self.check(self.run_tasks(self.tasks))

    def test_the_local_endpoint_is_used_when_none_is_configured(self):
        self.servers(files={"command": self.logged(NODE, FILESYSTEM)})
        self.play_reading()
        port = self.model.url.rsplit(":", 1)[1]
        self.check(self.run_tasks(self.tasks, HOLDFAST_LLM="[]", LMSTUDIO_HOST="127.0.0.1", LMSTUDIO_PORT=port))

    def test_an_old_server_that_ignores_roots_is_started_anew(self):
        self.servers(files={"command": self.logged(NODE, OLD_FILESYSTEM), "rootsAt": "end"})
        self.play_reading("read_file")
        report = self.run_tasks(self.tasks)
        self.check(report)
        self.assertEqual(len(self.pids()), 3)
        self.assertEqual([r["roots"]["mode"] for r in report["results"]], ["reconnected"] * 3)
        self.assertTrue(all(r["roots"]["verified"] for r in report["results"]))

    def test_a_call_outside_of_the_task_folder_is_denied(self):
        self.servers(files={"command": self.logged(NODE, FILESYSTEM)})
        first, second = self.folders[:2]
        self.model.play(reset=True, answers=[reads(first + "/secret.txt"), "first: %TOOL%", reads(first + "/secret.txt"), "second: %TOOL%"])
        report = self.run_tasks(self.tasks[:2])
        self.assertIn("4711", report["texts"][0])
        self.assertNotIn("4711", report["texts"][1])
        self.assertEqual(report["results"][1]["tool_errors"], 1)

    def test_folders_that_cannot_be_used_fail_their_task_alone(self):
        self.servers(files={"command": self.logged(NODE, FILESYSTEM)})
        self.play_reading()
        tasks = [self.tasks[0], {"task": "no", "working_directory": str(self.work / "missing")},
                 {"task": "no", "working_directory": "/etc"}, *self.tasks[1:]]
        report = self.run_tasks(tasks, expect=1)
        self.assertEqual([r["status"] for r in report["results"]], ["ok", "error", "error", "ok", "ok"])
        self.assertEqual([r["error"]["code"] for r in report["results"][1:3]], ["missing", "system_path"])
        self.assertEqual(len(self.pids()), 1)

    def test_words_on_the_command_line(self):
        self.servers(files={"command": self.logged(NODE, FILESYSTEM)})
        self.model.play(reset=True, answers=[reads(self.folders[0] + "/secret.txt"), "It says: %TOOL%", "done"])
        done = subprocess.run([program.HOLDFAST, "run", "--task", "read it", "--task", "say done", "--in", "alpha", "--servers", "files"],
                              env=self.environment(), cwd=self.work, text=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("task-1 ok (2 rounds, 1 call", done.stdout)
        self.assertIn("It says: the number of alpha is 4711", done.stdout)
        self.assertIn("task-2 ok (1 round, 0 calls", done.stdout)
        listed = self.run_program("run", "list")
        self.assertIn("completed", listed.stdout)
        run = json.loads(self.run_program("sessions", "list", "--type", "run", "--json").stdout)["sessions"][0]
        shown = self.run_program("run", "show", run["id"][:13])
        self.assertIn("## task-2: ok\n\n> say done\n\ndone\n", shown.stdout)
        self.assertEqual(self.run_program("sessions", "export", run["id"]).stdout, shown.stdout)
        self.assertEqual(self.run_program("run", "cancel", run["id"]).returncode, 5, "it is over")

    def test_what_is_wrong_is_said_before_anything_starts(self):
        for words, code in (((), 2), (("--servers", "nobody", "--task", "x"), 3), (("--resume",), 3), (("no-such-file.json",), 3),
                            (("x.json", "--task", "y"), 2), (("--resume", "--task", "y"), 2)):
            done = self.run_program("run", *words)
            self.assertEqual(done.returncode, code, (words, done.stderr))
        (self.home / "bad.json").write_text('{"tasks": ["", 7, {"task": "x", "max_rounds": 0}]}')
        done = self.run_program("run", str(self.home / "bad.json"))
        self.assertEqual(done.returncode, 2)
        for index in range(3):
            self.assertIn(f"tasks[{index}]", done.stderr)


@unittest.skipUnless(os.environ.get("HF_EXAMPLE"), "HF_EXAMPLE names the example")
class Example(RunnerTest):
    def test_the_library_does_the_same_in_another_program(self):
        folder = self.folder("alpha", secret="the number is 4711")
        self.servers(files={"command": self.logged(NODE, FILESYSTEM)})
        self.model.play(reset=True, answers=[reads(folder + "/secret.txt"), "%TOOL%", "done"])
        environment = self.environment(LMSTUDIO_HOST="127.0.0.1", LMSTUDIO_PORT=self.model.url.rsplit(":", 1)[1])
        done = subprocess.run([os.environ["HF_EXAMPLE"], str(self.home / ".mcp.json"), folder, "read it", "say done"], env=environment,
                              text=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "task-1: ok\nthe number is 4711\ntask-2: ok\ndone\n")


class BadServers(RunnerTest):
    """A server that misbehaves in the middle of a run; the other tasks get their results."""

    def run_with(self, behaviour, patience=60):
        self.servers(files={"command": self.logged(NODE, FILESYSTEM)},
                     bad={"command": self.logged(sys.executable, str(HERE / "bad_server.py"), behaviour)})
        folders = [self.folder(behaviour + "-" + name, secret=f"secret of {name}") for name in ("a", "b", "c")]
        read = lambda folder: {"calls": [{"name": "files__read_text_file", "arguments": {"path": folder + "/secret.txt"}}]}
        after = [] if behaviour == "hang" else [read(folders[1]), "%TOOLS%"]
        self.model.play(reset=True, answers=[
            read(folders[0]), "%TOOL%", {"calls": [{"name": "bad__misbehave", "arguments": {}}]}, *after, read(folders[2]), "%TOOL%"])
        tasks = [{"task": f"task {i}", "working_directory": folder, "timeout_s": patience} for i, folder in enumerate(folders)]
        return self.run_tasks(tasks, expect=None)

    def check_others(self, report):
        for index, name in ((0, "a"), (2, "c")):
            self.assertEqual(report["results"][index]["status"], "ok", report)
            self.assertEqual(report["texts"][index], f"secret of {name}")

    def test_crash(self):
        report = self.run_with("crash")
        self.check_others(report)
        self.assertIn("secret of b", report["texts"][1])
        self.assertEqual(report["results"][1]["tool_errors"], 1)

    def test_exit_0(self):
        report = self.run_with("exit")
        self.check_others(report)
        self.assertIn("secret of b", report["texts"][1])

    def test_hang(self):
        report = self.run_with("hang", patience=12)
        self.check_others(report)
        self.assertEqual(report["results"][1]["status"], "timeout")

    def test_stderr_flood(self):
        report = self.run_with("stderr")
        self.check_others(report)
        self.assertIn("survived the flood", report["texts"][1])

    def test_garbage(self):
        report = self.run_with("garbage")
        self.check_others(report)
        self.assertIn("after the garbage", report["texts"][1])

    def test_sixty_megabytes(self):
        report = self.run_with("large")
        self.check_others(report)
        self.assertIn("secret of b", report["texts"][1])
        self.assertIn("xxxxxxxx", report["texts"][1])
        self.assertLess(len(report["texts"][1]), 200_000, "the model is shown head and tail")

    def test_a_server_that_never_starts_is_named_and_the_others_go_on(self):
        self.servers(files={"command": self.logged(NODE, FILESYSTEM)}, bad={"command": "/no/such/program"})
        folder = self.folder("d", secret="secret of d")
        self.model.play(reset=True, answers=[reads(folder + "/secret.txt", "files__read_text_file"), "%TOOL%"])
        report = self.run_tasks([{"task": "read", "working_directory": folder}], expect=0)
        self.assertEqual(report["texts"], ["secret of d"])
        self.assertTrue(any("bad" in problem for problem in report["problems"]), report["problems"])


class Projects(RunnerTest):
    """A .mcp.json in the folder of a project is somebody else's text."""

    def setUp(self):
        super().setUp()
        self.file = self.work / ".mcp.json"
        self.define()
        self.a = self.folder("a", secret="secret of a")

    def define(self, **more):
        definitions = {"files": {"command": self.logged(NODE, FILESYSTEM), **more}}
        self.file.write_text(json.dumps({"mcpServers": definitions}))

    def holdfast(self, *words, cwd=None, **environment):
        self.model.play(reset=True, answers=[reads(self.a + "/secret.txt"), "%TOOL%"])
        return subprocess.run([program.HOLDFAST, "run", *words], env=self.environment(**environment), cwd=cwd or self.work, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def check_refused(self, done, *parts):
        self.assertEqual(done.returncode, 5, done.stderr)
        for part in (str(self.file), "--trust", *parts):
            self.assertIn(part, done.stderr)
        self.assertEqual(self.model.requests(), [], "nothing was begun")

    def check_done(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("secret of a", done.stdout)

    def on_terminal(self, answer, *words):
        self.model.play(reset=True, answers=[reads(self.a + "/secret.txt"), "%TOOL%"])
        leader, follower = pty.openpty()
        process = subprocess.Popen([program.HOLDFAST, "run", *words], env=self.environment(), cwd=self.work, stdin=follower,
                                   stdout=subprocess.PIPE, stderr=follower, text=True)
        os.close(follower)
        shown = b""
        while b"[y/N]" not in shown:
            shown += os.read(leader, 65536)
        os.write(leader, (answer + "\n").encode())
        drained = threading.Thread(target=drain, args=(leader,))
        drained.start()
        out = process.communicate(timeout=60)[0]
        drained.join()
        os.close(leader)
        return process.returncode, out, shown.decode()

    def test_p1_nothing_of_a_project_starts_before_somebody_agreed(self):
        words = ("--task", "read", "--in", "a")
        self.check_refused(self.holdfast(*words))
        self.check_refused(self.holdfast(*words, "--json"))
        self.check_refused(self.holdfast("login", "files"))
        self.assertEqual(self.pids(), [])
        self.assertEqual(self.json_of("run", "list")["sessions"], [])
        agreed = self.holdfast("--trust")
        self.assertEqual(agreed.returncode, 0, agreed.stderr)
        self.assertIn("server-0", agreed.stderr, "what it starts is shown")
        self.assertEqual(self.pids(), [], "to agree starts nothing")
        self.assertEqual(stat.S_IMODE((self.data / "trusted-servers.json").stat().st_mode), 0o600)
        self.check_done(self.holdfast(*words))
        self.define(env={"NEW": "1"})
        self.check_refused(self.holdfast(*words), "has changed")
        self.check_done(self.holdfast(*words, "--trust"))
        self.check_done(self.holdfast(*words))
        self.file.chmod(0o664)
        refused = self.holdfast(*words, "--trust")
        self.assertEqual(refused.returncode, 5, "consent is no cure for what others can write")
        self.assertIn("chmod go-w", refused.stderr)

    def test_p1_whoever_sits_at_the_terminal_is_asked_once(self):
        words = ("--task", "read", "--in", "a")
        code, out, shown = self.on_terminal("n", *words)
        self.assertEqual((code, out, self.pids()), (5, "", []))
        self.assertIn("server-0", shown)
        code, out, _ = self.on_terminal("y", *words)
        self.assertEqual(code, 0)
        self.assertIn("secret of a", out)
        self.check_done(self.holdfast(*words))

    def test_p1_the_folder_above_and_a_link_are_not_the_project(self):
        below = self.work / "below"
        below.mkdir()
        done = self.holdfast("--task", "read", "--trust", cwd=below)
        self.assertIn("no servers are configured", done.stderr)
        (below / ".mcp.json").symlink_to(self.file)
        self.assertEqual(self.holdfast("--task", "read", "--trust", cwd=below).returncode, 5)
        self.assertEqual(self.pids(), [])
        self.check_done(self.holdfast("--task", "read", "--in", self.a, "--mcp-json", str(self.file), cwd=below))

    def test_p1_variables_are_given_to_a_project_by_name(self):
        self.define(env={"TOKEN": "${CLOUD_SECRET}"})
        words = ("--task", "read", "--in", "a", "--trust", "--json")
        done = self.holdfast(*words, CLOUD_SECRET="hush")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("CLOUD_SECRET", done.stderr)
        self.assertIn("runner.project_variables", done.stderr)
        self.assertEqual(self.pids(), [])
        allowed = self.holdfast(*words, CLOUD_SECRET="hush", HOLDFAST_RUNNER_PROJECT_VARIABLES="OTHER,CLOUD_SECRET")
        self.assertEqual(json.loads(allowed.stdout)["texts"], ["secret of a"], allowed.stderr)

    def test_p1_a_run_that_goes_on_asks_again_when_the_file_has_changed(self):
        self.assertEqual(self.holdfast("--trust").returncode, 0)
        self.model.play(reset=True, faults=["stall"])
        process = self.start("run", "--task", "read", "--in", "a")
        deadline = time.monotonic() + program.PATIENCE
        while not self.model.requests():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        process.kill()
        process.communicate()
        self.define(env={"NEW": "1"})
        starts = len(self.pids())
        self.check_refused(self.holdfast("--resume", cwd="/"), "has changed")
        self.assertEqual(len(self.pids()), starts)
        self.check_done(self.holdfast("--resume", "--trust", cwd="/"))


class Interrupted(RunnerTest):
    def setUp(self):
        super().setUp()
        self.servers(files={"command": self.logged(NODE, FILESYSTEM)})
        self.folders = [self.folder(f"f{i}", secret=f"secret {i}") for i in range(4)]
        self.file = self.home / "tasks.json"
        self.file.write_text(json.dumps([{"task": f"task number {i}", "working_directory": folder} for i, folder in enumerate(self.folders)]))

    def answers(self, indexes):
        made = []
        for index in indexes:
            made += [reads(self.folders[index] + "/secret.txt"), "%TOOL%"]
        return made

    def wait_for_requests(self, count):
        deadline = time.monotonic() + program.PATIENCE
        while len(self.model.requests()) < count:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def begin_and(self, signal_number):
        """Two tasks are done, the third waits for its model; then the signal."""
        self.model.play(reset=True, answers=self.answers([0, 1]), faults=["pass"] * 4 + ["stall"])
        process = self.start("run", str(self.file))
        self.wait_for_requests(5)
        process.send_signal(signal_number)
        out, err = process.communicate(timeout=program.PATIENCE)
        return process.returncode, out, err

    def check_resumed(self, *words):
        self.model.play(reset=True, answers=self.answers([2, 3]))
        done = subprocess.run([program.HOLDFAST, "run", "--resume", *words, "--json"], env=self.environment(), cwd="/", text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["texts"], [f"secret {i}" for i in range(4)])
        asked = json.dumps(self.model.requests())
        self.assertNotIn("task number 0", asked, "what is finished is not repeated")
        self.assertNotIn("task number 1", asked)
        self.assertEqual(len(self.model.requests()), 4)
        again = self.run_program("run", "--resume")
        self.assertEqual(again.returncode, 3, "every run is finished")

    def test_killed_and_resumed(self):
        code, out, _ = self.begin_and(signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        self.assertIn("secret 1", out, "each result is printed when it is there")
        self.check_resumed()

    def test_control_c_says_how_to_go_on(self):
        code, _, err = self.begin_and(signal.SIGINT)
        self.assertEqual(code, 1, err)
        self.assertIn("--resume", err)
        self.check_resumed(err.split("--resume ")[1].split()[0])

    def test_cancelled_by_another_process(self):
        self.model.play(reset=True, answers=self.answers([0, 1]), faults=["pass"] * 4 + ["stall"])
        process = self.start("run", str(self.file), "--json")
        self.wait_for_requests(5)
        run = json.loads(self.run_program("run", "list", "--json").stdout)["sessions"][0]["id"]
        busy = self.run_program("run", "--resume", run)
        self.assertEqual(busy.returncode, 5, "somebody works on it")
        self.assertEqual(self.run_program("run", "cancel", run).returncode, 0)
        out, err = process.communicate(timeout=program.PATIENCE)
        self.assertEqual(process.returncode, 1, err)
        report = json.loads(out)
        self.assertEqual(report["status"], "cancelled")
        self.assertEqual([r["status"] for r in report["results"]], ["ok", "ok", "cancelled", "skipped"])
        self.assertEqual(report["results"][2]["error"]["code"], "cancelled")
        self.assertEqual(self.run_program("run", "--resume", run).returncode, 5)

    def steps_server(self):
        self.log = self.home / "steps.log"
        self.servers(steps={"command": sys.executable, "args": [str(HERE / "bad_server.py"), "steps", str(self.log)]})
        return lambda name, text, **more: {"name": name, "arguments": {"text": text, **more}}

    def stop_in_the_middle(self, signal_number, tool):
        """Two calls are done, the third is under way, the fourth was not begun."""
        call = self.steps_server()
        self.model.play(reset=True, answers=[{"calls": [call("append", "a")]},
                                             {"calls": [call("append", "b"), call(tool, "c", hang=True), call("append", "d")]}])
        process = self.start("run", "--task", "do the steps", "--in", self.folders[0])
        deadline = time.monotonic() + program.PATIENCE
        while not (self.log.exists() and "c" in self.log.read_text().split()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        process.send_signal(signal_number)
        process.communicate(timeout=program.PATIENCE)

    def go_on(self):
        """The report, and what the model was shown of each call."""
        self.model.play(reset=True, answers=["all done"])
        report = self.json_of("run", "--resume")
        self.assertEqual(report["texts"], ["all done"])
        (request,) = self.model.requests()
        self.assertEqual((report["results"][0]["rounds"], report["results"][0]["tool_calls"]), (3, 4))
        return [m["content"] for m in request["body"]["messages"] if m["role"] == "tool"]

    def test_p23_what_was_done_is_not_done_again_and_what_may_have_happened_is_said(self):
        for signal_number in (signal.SIGKILL, signal.SIGINT):
            self.stop_in_the_middle(signal_number, "append")
            shown = self.go_on()
            self.assertEqual(self.log.read_text().splitlines(), ["append a", "append b", "append c", "append d"])
            self.assertEqual(shown[:2] + shown[3:], ["append has done a", "append has done b", "append has done d"])
            self.assertIn("may have happened", shown[2])
            self.log.unlink()

    def test_p23_what_does_no_harm_is_made_again(self):
        for tool in ("look", "put"):
            self.stop_in_the_middle(signal.SIGKILL, tool)
            shown = self.go_on()
            self.assertEqual(self.log.read_text().splitlines(), ["append a", "append b", f"{tool} c", f"{tool} c", "append d"])
            self.assertEqual(shown[2], f"{tool} has done c")
            self.log.unlink()

    def test_p23_a_run_that_is_interrupted_twice_goes_on_from_both(self):
        self.stop_in_the_middle(signal.SIGKILL, "append")
        self.model.play(reset=True, faults=["stall"])
        process = self.start("run", "--resume")
        self.wait_for_requests(1)
        process.kill()
        process.communicate()
        shown = self.go_on()
        self.assertEqual(self.log.read_text().splitlines(), ["append a", "append b", "append c", "append d"])
        self.assertIn("may have happened", shown[2])
        shown = self.run_program("sessions", "show", self.json_of("run", "list")["sessions"][0]["id"]).stdout
        self.assertIn("append has done d", shown)

    def test_p23_killed_at_every_step(self):
        def killed(process, when):
            while not when():
                self.assertIsNone(process.poll(), "it ended before it was killed")
                time.sleep(0.01)
            process.kill()
            process.communicate()

        call = self.steps_server()
        command = ["run", "--task", "do the steps", "--in", self.folders[0]]
        for text in "abc":
            self.model.play(reset=True, faults=["stall"])  # while the model thinks
            killed(self.start(*command), self.model.requests)
            command = ["run", "--resume"]
            self.model.play(reset=True, answers=[{"calls": [call("append", text, hang=True)]}])  # while a tool works
            killed(self.start(*command), lambda text=text: self.log.exists() and f"append {text}" in self.log.read_text())
        self.model.play(reset=True, answers=["all done"])
        report = self.json_of("run", "--resume")
        self.assertEqual((report["texts"], report["results"][0]["rounds"], report["results"][0]["tool_calls"]), (["all done"], 4, 3))
        self.assertEqual(self.log.read_text().splitlines(), ["append a", "append b", "append c"])
        told = [m["content"] for m in self.model.requests()[0]["body"]["messages"] if m["role"] == "tool"]
        self.assertEqual(["may have happened" in each for each in told], [True] * 3)

    def test_a_conversation_and_the_folder_go_on_after_a_kill(self):
        tasks = [{"task": "remember the word walnut", "working_directory": self.folders[0]}, {"task": "say the word", "keep_context": True}]
        self.file.write_text(json.dumps(tasks))
        self.model.play(reset=True, answers=["I will remember walnut"], faults=["pass", "stall"])
        process = self.start("run", str(self.file))
        self.wait_for_requests(2)
        process.kill()
        process.communicate()
        self.model.play(reset=True, answers=[reads(self.folders[0] + "/secret.txt"), "%TOOL%"])
        done = self.json_of("run", "--resume")
        self.assertEqual(done["texts"], ["I will remember walnut", "secret 0"])
        said = [m["content"] for m in self.model.requests()[0]["body"]["messages"]]
        self.assertIn("I will remember walnut", said)


if __name__ == "__main__":
    program.main()
