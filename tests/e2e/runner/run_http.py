#!/usr/bin/env python3
"""holdfast run over HTTP: the official server of the legacy era, one of the modern era, ourselves; servers and runs that are killed."""
import json
import signal
import socket
import subprocess
import time

from run_program import HERE, NODE, NPM, RunnerTest, program

EVERYTHING = str(NPM / "@modelcontextprotocol/server-everything/dist/index.js")
MODERN = HERE.parent / "client/modern_server.mjs"


def calls(tool, **arguments):
    return {"calls": [{"name": tool, "arguments": arguments}]}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class HttpServer:
    """A server of npm's, on a port of its own, until it is killed."""

    def __init__(self, case, *command, port=None):
        self.port = port or free_port()
        words = [str(self.port) if word == "PORT" else word for word in command]
        self.process = subprocess.Popen([NODE, *words], env={"PORT": str(self.port), "NODE_PATH": str(NPM), "PATH": "/usr/bin:/bin"},
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        case.addCleanup(self.kill)
        deadline = time.monotonic() + program.PATIENCE
        while not self.answers():
            case.assertIsNone(self.process.poll(), "the server did not start")
            case.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        self.url = f"http://127.0.0.1:{self.port}/mcp"

    def answers(self):
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        self.process.kill()
        self.process.wait()


class OverHttp(RunnerTest):
    def everything(self, **more):
        return HttpServer(self, EVERYTHING, "streamableHttp", **more)

    def test_the_official_server_of_the_legacy_era(self):
        self.servers(everything={"type": "http", "url": self.everything().url})
        self.model.play(reset=True, answers=[calls("echo", message="kelp"), "%TOOL%", calls("get-sum", a=4000, b=711), "%TOOL%"])
        report = self.run_tasks([{"task": "one", "working_directory": self.folder("a")}, {"task": "two", "working_directory": self.folder("b")}])
        self.assertEqual([r["status"] for r in report["results"]], ["ok", "ok"], report)
        self.assertIn("kelp", report["texts"][0])
        self.assertIn("4711", report["texts"][1])
        self.assertEqual([problem for problem in report.get("problems", []) if "everything" in problem], [], report)

    def test_a_server_of_the_modern_era_asks_for_its_folders_with_each_call(self):
        # It has to find its packages beside it.
        copy = self.home / "modern"
        copy.mkdir()
        (copy / "server.mjs").write_text(MODERN.read_text())
        (copy / "node_modules").symlink_to(NPM)
        server = HttpServer(self, str(copy / "server.mjs"), "--port", "PORT")
        self.servers(modern={"url": server.url})
        a, b = self.folder("a"), self.folder("b")
        self.model.play(reset=True, answers=[calls("where"), "%TOOL%", calls("where"), "%TOOL%", calls("echo", message="kelp"), "%TOOL%"])
        report = self.run_tasks([{"task": "one", "working_directory": a}, {"task": "two", "working_directory": b}, "three"])
        self.assertEqual(report["texts"], [f"file://{a}", f"file://{b}", "kelp"])
        self.assertEqual([r["roots"]["mode"] for r in report["results"]], ["reconnected", "per_request", "none"])

    def test_our_own_server(self):
        server = program.Server(self)
        self.servers(ours={"url": server.about["mcp"], "headers": {"Authorization": "Bearer " + server.token()}})
        self.model.play(reset=True, answers=[calls("thought", thought="kelp grows slowly", thoughtNumber=1, totalThoughts=1, nextThoughtNeeded=False),
                                             "kept", calls("session", operation="search", query="kelp"), "%TOOL%"])
        report = self.run_tasks(["keep a thought", "find it again"])
        self.assertEqual([r["status"] for r in report["results"]], ["ok", "ok"], report)
        self.assertEqual([r["tool_errors"] for r in report["results"]], [0, 0], report)
        self.assertIn("kelp grows slowly", report["texts"][1])

    def wait_for_requests(self, count):
        deadline = time.monotonic() + program.PATIENCE
        while len(self.model.requests()) < count:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_a_run_that_is_killed_goes_on_with_the_same_server(self):
        self.servers(everything={"url": self.everything().url})
        file = self.home / "tasks.json"
        file.write_text(json.dumps([f"task number {i}" for i in range(3)]))
        answers = [[calls("echo", message=f"word {i}"), "%TOOL%"] for i in range(3)]
        self.model.play(reset=True, answers=answers[0], faults=["pass", "pass", "stall"])
        process = self.start("run", str(file))
        self.wait_for_requests(3)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=program.PATIENCE)
        self.model.play(reset=True, answers=answers[1] + answers[2])
        report = self.json_of("run", "--resume")
        for i, text in enumerate(report["texts"]):
            self.assertIn(f"word {i}", text)
        self.assertNotIn("task number 0", json.dumps(self.model.requests()), "what is finished is not repeated")

    def test_a_server_that_is_killed_and_comes_back_is_used_again(self):
        server = self.everything()
        self.servers(everything={"url": server.url})
        file = self.home / "tasks.json"
        file.write_text(json.dumps(["one", "two"]))
        self.model.play(reset=True, answers=[calls("echo", message="before"), "%TOOL%"], faults=["pass", "pass", "stall"])
        process = self.start("run", str(file), "--json")
        self.wait_for_requests(3)
        server.kill()
        self.everything(port=server.port)
        process.send_signal(signal.SIGINT)  # the model stalls; what follows is another process with the new server
        process.communicate(timeout=program.PATIENCE)
        self.model.play(reset=True, answers=[calls("echo", message="behind"), "%TOOL%"])
        report = self.json_of("run", "--resume")
        self.assertIn("before", report["texts"][0])
        self.assertIn("behind", report["texts"][1])


if __name__ == "__main__":
    program.main()
