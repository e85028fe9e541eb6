#!/usr/bin/env python3
"""Our own client logs in to our own server: 401, metadata, issuer, token, call."""
import json
import shutil
import sys
import tempfile

from run_program import HERE, RunnerTest, program

sys.path.insert(0, str(HERE.parent))

from jwt_issuer import JwtIssuer  # noqa: E402
from oauth_server import visit  # noqa: E402


class OwnServer(program.ProgramTest):
    """The server has a home of its own, so that nothing of its token can be found by the client."""

    def runTest(self):
        pass


class Oauth(RunnerTest):
    def setUp(self):
        super().setUp()
        keys = tempfile.TemporaryDirectory(prefix="holdfast-keys-")
        self.addCleanup(keys.cleanup)
        self.issuer = JwtIssuer(keys.name)
        self.addCleanup(self.issuer.close)
        self.other = OwnServer()
        self.other.setUp()
        self.addCleanup(shutil.rmtree, self.other.home, True)
        self.other.seed([{"id": "anns-1", "kind": "thread", "title": "The word is 4711", "principal": f"{self.issuer.origin}|ann"}])
        self.server = program.Server(self.other, HOLDFAST_OAUTH_ISSUER=self.issuer.origin)
        self.addCleanup(self.server.kill)
        self.servers(holdfast={"url": f"http://127.0.0.1:{self.server.port}/mcp"})
        self.folder("a")

    def test_a_login_end_to_end(self):
        process = self.start("run", "login", "holdfast")
        lines = program.Lines(process.stderr)
        while "/authorize?" not in (line := lines.next()):
            pass
        self.assertEqual(visit(line.strip()), 200)
        self.assertEqual(process.wait(program.PATIENCE), 0)
        process.stdout.close()
        self.assertEqual(self.issuer.authorized[0]["resource"], f"http://127.0.0.1:{self.server.port}/mcp")
        self.assertEqual(self.issuer.authorized[0]["scope"], "read write")

        self.model.play(reset=True, answers=[{"calls": [{"name": "session", "arguments": {"operation": "list"}}]}, "%TOOL%"])
        done = self.run_program("run", "--task", "what is there?", "--in", str(self.work), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("The word is 4711", json.dumps(json.loads(done.stdout)["texts"]))


if __name__ == "__main__":
    program.main()
