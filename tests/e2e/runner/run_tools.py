#!/usr/bin/env python3
"""The tools of the task runner over MCP: results, progress, cancellation, tasks, and who may."""
import json
import subprocess
import time

from run_program import FILESYSTEM, NODE, RunnerTest, program


class Client:
    """A client of `holdfast mcp`."""

    def __init__(self, case, *words):
        self.process = subprocess.Popen([program.HOLDFAST, "mcp", *words], env=case.environment(), cwd=case.work, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        case.addCleanup(self.end)
        self.lines = program.Lines(self.process.stdout)
        self.notifications = []

    def end(self):
        if not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.wait(program.PATIENCE)

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def answer(self, id):
        while True:
            message = json.loads(self.lines.next())
            if message.get("id") == id:
                return message
            self.notifications.append(message)

    def ask(self, message):
        self.send(message)
        return self.answer(message["id"])

    def progress(self):
        return [m["params"] for m in self.notifications if m["method"] == "notifications/progress"]


def tool_call(id, name, arguments, **meta):
    params = {"name": name, "arguments": arguments}
    if meta:
        params["_meta"] = {key.replace("__", "/"): value for key, value in meta.items()}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


class RunnerTools(RunnerTest):
    def setUp(self):
        super().setUp()
        self.servers(files={"command": self.logged(NODE, FILESYSTEM)})
        self.a, self.b = self.folder("a", secret="secret of a"), self.folder("b", secret="secret of b")

    def connect(self, *words):
        client = Client(self, *words)
        client.ask(program.initialize())
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return client

    @staticmethod
    def reads(folder):
        return {"calls": [{"name": "read_text_file", "arguments": {"path": folder + "/secret.txt"}}]}

    def test_one_task_and_many(self):
        client = self.connect()
        names = [tool["name"] for tool in client.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})["result"]["tools"]]
        self.assertIn("autonomous_filesystem_full", names)
        self.assertIn("autonomous_persistent_session", names)

        self.model.play(reset=True, answers=[self.reads(self.a), "%TOOL%"])
        result = client.ask(tool_call(3, "autonomous_filesystem_full", {"task": "read", "working_directory": self.a, "model": None},
                                      progressToken="p"))["result"]
        state = result["structuredContent"]
        self.assertEqual(state["texts"], ["secret of a"])
        self.assertEqual(json.loads(result["content"][0]["text"]), state)
        self.assertEqual(state["status"], "completed")
        steps = [p["progress"] for p in client.progress()]
        self.assertEqual(steps, sorted(set(steps)), "strictly increasing")
        said = [p["message"] for p in client.progress()]
        for part in ("task-1: read", "folders: reconnected", "round 1", "calls read_text_file", "round 2", "task-1: ok"):
            self.assertTrue(any(part in message for message in said), (part, said))

        self.model.play(reset=True, answers=[self.reads(self.a), "%TOOL%", self.reads(self.b), "%TOOL%"])
        tasks = [{"task": "one", "working_directory": self.a}, {"task": "two", "working_directory": self.b, "id": "second"}]
        state = client.ask(tool_call(4, "autonomous_persistent_session", {"tasks": tasks}))["result"]["structuredContent"]
        self.assertEqual(state["texts"], ["secret of a", "secret of b"])
        self.assertEqual([r["id"] for r in state["results"]], ["task-1", "second"])
        self.assertEqual(state["results"][1]["roots"]["mode"], "notified")
        self.assertEqual(len(self.pids()), 2, "one process a run")

        run = state["run_id"]
        session = lambda id, **arguments: client.ask(program.call(id, arguments))["result"]["structuredContent"]
        listed = session(5, operation="list", type="run")
        self.assertEqual(listed["sessions"][0]["id"], run)
        self.assertEqual((listed["sessions"][0]["tasks"], listed["sessions"][0]["tasks_done"]), (2, 2))
        types = [entry["type"] for entry in session(6, operation="get", sessionId=run)["entries"]]
        self.assertEqual(types.count("tool_call"), 2)
        self.assertEqual(types.count("result"), 2)
        self.assertEqual(session(7, operation="resume", sessionId=run)["texts"], state["texts"])
        self.assertIn("## second: ok", session(8, operation="export", sessionId=run)["content"])
        self.assertIn("secret of b", json.dumps(session(9, operation="search", query="secret", type="run")))
        self.assertEqual(session(10, operation="cancel", sessionId=run)["error"], "conflict")

    def test_what_is_wrong_is_refused(self):
        client = self.connect()
        for id, name, arguments, part in (
                (2, "autonomous_filesystem_full", {"task": "x", "colour": "red"}, "colour"),
                (3, "autonomous_filesystem_full", {}, "task"),
                (4, "autonomous_persistent_session", {"tasks": ["x", "", 3]}, "tasks[2]"),
                (5, "autonomous_persistent_session", {"tasks": ["x"], "colour": 1}, "colour"),
                (6, "autonomous_persistent_session", {"tasks": ["x"], "servers": ["nobody"]}, "nobody")):
            result = client.ask(tool_call(id, name, arguments))["result"]
            self.assertTrue(result["isError"], result)
            self.assertIn(part, result["content"][0]["text"])
        self.assertEqual(self.pids(), [])

    def wait_until(self, what):
        deadline = time.monotonic() + program.PATIENCE
        while not what():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def runs(self):
        return self.json_of("run", "list")["sessions"]

    def test_a_call_that_is_cancelled_cancels_its_run(self):
        client = self.connect()
        self.model.play(reset=True, faults=["stall"])
        client.send(tool_call(2, "autonomous_filesystem_full", {"task": "read", "working_directory": self.a}))
        self.wait_until(lambda: self.model.requests())
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
        self.wait_until(lambda: self.runs()[0]["status"] == "cancelled")

    def test_a_server_that_ends_leaves_its_run_to_be_resumed(self):
        client = self.connect()
        self.model.play(reset=True, faults=["stall"])
        client.send(tool_call(2, "autonomous_filesystem_full", {"task": "read", "working_directory": self.a}))
        self.wait_until(lambda: self.model.requests())
        begun = time.monotonic()
        client.end()
        self.assertLess(time.monotonic() - begun, 8, "a call that could finish is waited for, a run is not")
        self.assertEqual(self.runs()[0]["status"], "interrupted")
        self.model.play(reset=True, answers=[self.reads(self.a), "%TOOL%"])
        self.assertEqual(self.json_of("run", "--resume")["texts"], ["secret of a"])

    def test_a_run_goes_on_over_mcp(self):
        client = self.connect()
        self.model.play(reset=True, answers=[self.reads(self.a), "%TOOL%"], faults=["pass", "pass", "stall"])
        tasks = [{"task": "one", "working_directory": self.a}, {"task": "two", "working_directory": self.b}]
        client.send(tool_call(2, "autonomous_persistent_session", {"tasks": tasks}))
        self.wait_until(lambda: len(self.model.requests()) == 3)
        client.process.kill()
        client.process.wait()
        run = self.runs()[0]["id"]
        self.model.play(reset=True, answers=[self.reads(self.b), "%TOOL%"])
        client = self.connect()
        refused = client.ask(tool_call(2, "autonomous_persistent_session", {"run_id": run, "tasks": ["x"]}))["result"]
        self.assertTrue(refused["isError"])
        for unknown, why in (("x", "is not a session id"), ("0190ffff", "there is no session 0190ffff")):
            said = client.ask(tool_call(3, "autonomous_persistent_session", {"run_id": unknown}))["result"]
            self.assertTrue(said["isError"])
            self.assertIn(why, said["content"][0]["text"])
        state = client.ask(tool_call(4, "autonomous_persistent_session", {"run_id": run}))["result"]["structuredContent"]
        self.assertEqual(state["texts"], ["secret of a", "secret of b"])
        self.assertEqual(len(self.model.requests()), 2, "what is finished is not repeated")

    def test_as_a_task(self):
        client = Client(self)
        capabilities = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
        envelope = {**program.ENVELOPE, "io.modelcontextprotocol/clientCapabilities": capabilities}

        def modern(id, method, **params):
            answer = client.ask({"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": envelope}})
            self.assertIn("result", answer, answer)
            return answer["result"]

        self.model.play(reset=True, answers=[self.reads(self.a), "%TOOL%"])
        task = modern(1, "tools/call", name="autonomous_filesystem_full", arguments={"task": "read", "working_directory": self.a})
        id, state = 2, task
        while state.get("status") not in ("completed", "failed", "cancelled"):
            time.sleep(0.05)
            state = modern(id, "tasks/get", taskId=task["taskId"])
            id += 1
        self.assertEqual(state["result"]["structuredContent"]["texts"], ["secret of a"])

    def test_p1_a_project_is_not_agreed_to_over_mcp(self):
        (self.home / ".mcp.json").rename(self.work / ".mcp.json")
        client = self.connect()
        self.model.play(reset=True, answers=[self.reads(self.a), "%TOOL%"] * 2)
        for id, name, arguments in ((2, "autonomous_filesystem_full", {"task": "read"}),
                                    (3, "autonomous_persistent_session", {"tasks": ["read"]})):
            refused = client.ask(tool_call(id, name, arguments))["result"]
            self.assertTrue(refused["isError"])
            for part in ("not_agreed", str(self.work / ".mcp.json"), "run --trust"):
                self.assertIn(part, refused["content"][0]["text"])
        self.assertEqual((self.pids(), self.runs(), self.model.requests()), ([], [], []))
        agreed = subprocess.run([program.HOLDFAST, "run", "--trust"], env=self.environment(), cwd=self.work, text=True, capture_output=True,
                                timeout=program.PATIENCE)
        self.assertEqual(agreed.returncode, 0, agreed.stderr)
        state = client.ask(tool_call(4, "autonomous_filesystem_full", {"task": "read", "working_directory": self.a}))["result"]
        self.assertEqual(state["structuredContent"]["texts"], ["secret of a"])

    def test_p29_a_broken_file_keeps_the_servers_it_named_before(self):
        client = self.connect()
        call = lambda id: client.ask(tool_call(id, "autonomous_filesystem_full", {"task": "read", "working_directory": self.a}))["result"]
        for id, broken in ((2, False), (3, True)):
            if broken:
                (self.home / ".mcp.json").write_text('{"mcpServers": {"files": ')
            self.model.play(reset=True, answers=[self.reads(self.a), "%TOOL%"])
            state = call(id)["structuredContent"]
            self.assertEqual(state["texts"], ["secret of a"], state)
            self.assertEqual(any(".mcp.json is broken" in problem for problem in state.get("problems", [])), broken, state)

    def test_only_for_the_user_who_runs_the_server(self):
        server = program.Server(self)
        guest = self.json_of("token", "add", "guest")["token"]
        self.model.play(reset=True, answers=[self.reads(self.a), "%TOOL%"])
        call = tool_call(1, "autonomous_filesystem_full", {"task": "read", "working_directory": self.a})
        call["params"]["_meta"] = program.ENVELOPE
        _, _, refused = server.post(call, token=guest, modern=True)
        self.assertIn("not_local", refused["result"]["content"][0]["text"])
        _, _, done = server.post(call, modern=True)
        self.assertEqual(done["result"]["structuredContent"]["texts"], ["secret of a"])


if __name__ == "__main__":
    program.main()
