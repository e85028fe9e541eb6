#!/usr/bin/env python3
"""Servers that want a login: from a terminal, ahead of time, and where nobody can be asked."""
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
import unittest

from run_program import HERE, RunnerTest, program

sys.path.insert(0, str(HERE.parent))

from oauth_server import OAuthServer, visit  # noqa: E402

OPENS = {"calls": [{"name": "open_vault", "arguments": {}}]}
NOBODY = 7


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Terminal:
    """The program as somebody sees it who sits in front of it."""

    def __init__(self, case, *words):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(case.work)
            os.execve(program.HOLDFAST, [program.HOLDFAST, *words], case.environment(DISPLAY=""))
        self.text, self.code = "", None
        case.addCleanup(self.end)

    def read(self):
        """False: nothing follows."""
        if not select.select([self.fd], [], [], program.PATIENCE)[0]:
            raise AssertionError("silence after: " + self.text)
        try:
            more = os.read(self.fd, 65536).decode(errors="replace")
        except OSError:  # the other end is closed
            more = ""
        self.text += more
        return bool(more)

    def wait_for(self, pattern):
        while not (found := re.search(pattern, self.text)):
            if not self.read():
                raise AssertionError(f"no {pattern} in: {self.text}")
        return found.group()

    def wait(self):
        while self.read():
            pass
        if self.code is None:
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code

    def end(self):
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


class Login(RunnerTest):
    def setUp(self):
        super().setUp()
        self.vault = self.server()
        self.servers(vault={"url": self.vault.url})
        self.folder("a")

    def server(self, **options):
        server = OAuthServer(**options)
        self.addCleanup(server.close)
        return server

    def address(self):
        return re.escape(self.vault.origin) + r"/authorize\?\S+(?=\s)"

    def play(self, *answers):
        self.model.play(reset=True, answers=list(answers))

    def log_in(self, *words):
        """`run login`, without a terminal: the address stands on stderr."""
        process = self.start("run", "login", "vault", *words)
        lines = program.Lines(process.stderr)
        while "/authorize?" not in (line := lines.next()):
            pass
        self.assertEqual(visit(line.strip()), 200)
        self.assertEqual(process.wait(program.PATIENCE), 0)
        with process.stdout as out:
            return out.read()

    def run_task(self, *words):
        return self.run_program("run", "--task", "open the vault", "--in", str(self.work), "--json", *words)

    @staticmethod
    def error_of(done):
        return json.loads(done.stderr.splitlines()[-1])["error"]  # behind what was logged

    def logins(self):
        return sorted((self.data / "logins").glob("*.json"))

    def tokens(self):
        return [token for file in self.logins() for token in json.loads(file.read_text()).get("tokens", {})]

    def test_where_nobody_can_be_asked_the_run_waits_for_a_login(self):
        self.play(OPENS, "%TOOL%")
        refused = self.run_task()
        self.assertEqual(refused.returncode, NOBODY, refused.stderr)
        error = self.error_of(refused)
        self.assertIn("log in", error["message"])
        self.assertIn("holdfast run login vault", error["hint"])
        self.assertIn("--resume", error["hint"])
        self.assertEqual(self.model.requests(), [], "nothing was begun")

        self.assertIn("you are logged in to vault", self.log_in())
        (kept,) = self.logins()
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        self.assertEqual(kept.parent.stat().st_mode & 0o777, 0o700)
        self.assertEqual(self.tokens(), [self.vault.url])
        self.assertEqual(self.vault.registered[0]["client_name"], "holdfast")
        self.assertEqual(self.vault.authorized[0]["resource"], self.vault.url)
        self.assertEqual(self.vault.authorized[0]["scope"], "read")

        resumed = self.json_of("run", "--resume")
        self.assertEqual(resumed["texts"], ["the vault holds 4711"])
        self.assertEqual(len(self.vault.authorized), 1)

    def test_on_a_terminal_the_address_is_shown_and_the_run_goes_on(self):
        self.play(OPENS, "%TOOL%")
        terminal = Terminal(self, "run", "--task", "open the vault")
        self.assertEqual(visit(terminal.wait_for(self.address())), 200)
        self.assertEqual(terminal.wait(), 0, terminal.text)
        self.assertIn("the vault holds 4711", terminal.text)
        self.assertIn("vault wants you to log in", terminal.text)

    def test_control_c_gives_up_waiting_for_somebody(self):
        terminal = Terminal(self, "run", "--task", "open the vault")
        terminal.wait_for(self.address())
        os.kill(terminal.pid, signal.SIGINT)
        self.assertEqual(terminal.wait(), 1, terminal.text)
        self.assertIn("--resume", terminal.text)
        terminal = Terminal(self, "run", "login", "vault")
        terminal.wait_for(self.address())
        os.kill(terminal.pid, signal.SIGINT)
        self.assertEqual(terminal.wait(), 1, terminal.text)
        self.assertEqual(self.tokens(), [])

    def test_what_is_kept_is_renewed_without_anybody(self):
        self.log_in()
        for _ in range(2):
            self.vault.forget_access()
            self.play(OPENS, "%TOOL%")
            done = self.run_task()
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([form["grant_type"] for form in self.vault.granted], ["authorization_code", "refresh_token", "refresh_token"])
        again = self.run_program("run", "login", "vault")
        self.assertIn("still works", again.stdout)

    def test_a_login_that_ends_in_the_middle_of_a_run_leaves_it_to_be_resumed(self):
        self.log_in()
        file = self.home / "tasks.json"
        file.write_text(json.dumps(["first", "second"]))

        def end_it(message):
            if message["method"] == "tools/call":
                self.vault.good.clear()
                self.vault.refresh.clear()

        self.play(OPENS, "%TOOL%", OPENS, "never said")
        self.vault.on_call = end_it
        done = self.run_program("run", str(file), "--in", str(self.work), "--json")
        self.assertEqual(done.returncode, NOBODY, done.stderr + done.stdout)
        self.assertIn("holdfast run login vault", self.error_of(done)["hint"])
        self.vault.on_call = None
        self.log_in()
        self.play(OPENS, "%TOOL% again")
        report = self.json_of("run", "--resume")
        self.assertEqual(report["texts"], ["the vault holds 4711", "the vault holds 4711 again"])

    def test_logout_forgets(self):
        self.log_in()
        self.assertEqual(self.json_of("run", "logout", "vault"), {"server": "vault", "logged_in": False})
        self.assertEqual(self.tokens(), [])
        self.assertEqual(self.run_task().returncode, NOBODY)
        self.assertIn("no login", self.run_program("run", "logout", "vault").stdout)

    def test_a_client_that_was_registered_by_hand(self):
        self.vault = self.server(registers=False, client=("our-id", "our-secret"))
        port = free_port()
        self.servers(vault={"type": "http", "url": self.vault.url, "oauth": {
            "clientId": "our-id", "clientSecret": "our-secret", "callbackPort": port, "scopes": "read write", "unknown": 1}})
        self.log_in()
        asked, granted = self.vault.authorized[0], self.vault.granted[0]
        self.assertEqual(asked["redirect_uri"], f"http://localhost:{port}/callback")
        self.assertEqual(asked["scope"], "read write")
        self.assertEqual((granted["client_id"], granted["client_secret"]), ("our-id", "our-secret"))
        self.play(OPENS, "%TOOL%")
        self.assertEqual(self.run_task().returncode, 0)

    def test_a_server_that_is_not_needed_is_left_out_and_named(self):
        other = self.server()
        self.servers(vault={"url": self.vault.url}, other={"url": other.url})
        self.log_in()
        self.play({"calls": [{"name": "vault__open_vault", "arguments": {}}]}, "%TOOL%")
        done = self.run_task()
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["texts"], ["the vault holds 4711"])
        self.assertTrue(any("holdfast run login other" in problem for problem in report["problems"]), report)
        asked_for = self.run_task("--servers", "vault,other")
        self.assertEqual(asked_for.returncode, NOBODY, "who is named is needed")

    def test_who_says_so_is_never_asked(self):
        for definition in ({"oauth": False}, {"headers": {"authorization": "Bearer of my own"}}):
            self.servers(vault={"url": self.vault.url, **definition})
            done = self.run_task()
            self.assertEqual(done.returncode, NOBODY, done.stderr)
            self.assertEqual(json.loads(done.stdout)["status"], "interrupted")
            self.assertIn("401", done.stderr)
        self.assertEqual((self.vault.registered, self.vault.granted), ([], []))

    def test_over_mcp_the_tool_says_how_to_log_in(self):
        process = subprocess.Popen([program.HOLDFAST, "mcp"], env=self.environment(), cwd=self.work, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.wait, program.PATIENCE)
        self.addCleanup(process.stdin.close)
        lines = program.Lines(process.stdout)

        def ask(id):
            message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
                "name": "autonomous_filesystem_full", "arguments": {"task": "open", "working_directory": str(self.work)},
                "_meta": program.ENVELOPE}}
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            while (answer := json.loads(lines.next())).get("id") != id:
                pass
            return answer["result"]

        refused = ask(1)
        self.assertTrue(refused["isError"])
        self.assertIn("holdfast run login vault", refused["content"][0]["text"])
        self.log_in()
        self.play(OPENS, "%TOOL%")
        # A failed login rests for a moment before it is tried again.
        deadline = time.monotonic() + program.PATIENCE
        while (answer := ask(2)).get("isError"):
            self.assertLess(time.monotonic(), deadline, answer)
            time.sleep(0.5)
        self.assertEqual(answer["structuredContent"]["texts"], ["the vault holds 4711"])

    def test_what_needs_no_login(self):
        self.servers(files={"command": "/bin/true"}, vault={"url": self.vault.url})
        self.assertEqual(self.run_program("run", "login", "files").returncode, 2)
        self.assertEqual(self.run_program("run", "login", "nobody").returncode, 3)
        self.assertEqual(self.run_program("run", "logout", "files").returncode, 2)


if __name__ == "__main__":
    program.main()
