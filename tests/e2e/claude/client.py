"""Runs the real Claude Code in a home of its own against the scripted API, and knows where it keeps a session.

The client is the npm package that scripts/npm-packages installs; nothing is skipped when it is missing.
"""
import json
import os
import pathlib
import shutil
import subprocess
import time

PATIENCE = 120  # seconds; a run takes one or two, on a busy machine ten; longer means hung
TOOLS = ["Agent", "Bash", "Edit", "ExitPlanMode", "Read", "SendMessage", "TaskCreate", "TaskList", "TaskOutput",
         "TaskUpdate", "Workflow", "Write", "mcp__holdfast"]
# What a developer's own session would leak into the client under test.
FOREIGN = ("ANTHROPIC_", "CLAUDE", "HOLDFAST_", "XDG_", "AI_AGENT", "MCP_")
AN_HOUR = 3600


def folder_name(path):
    """The client's name for a project folder: every UTF-16 unit that is no ASCII letter or digit becomes a dash."""
    units = str(path).encode("utf-16-le")
    return "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-"
                   for unit in (units[i] | units[i + 1] << 8 for i in range(0, len(units), 2)))


class Home:
    """A home folder (made when a program first runs in it) and the environment that makes programs live in it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.config = self.folder / ".claude"

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
        temporary = self.folder / "tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        return {**kept, "HOME": str(self.folder), "CLAUDE_CONFIG_DIR": str(self.config), "TMPDIR": str(temporary), **more}

    def tree(self):
        """Every session file below the configuration folder with its bytes; what the client keeps for itself is left out."""
        places = [self.config / name for name in ("projects", "plans", "tasks", "todos", "file-history")]
        return {str(path.relative_to(self.config)): path.read_bytes()
                for place in places for path in sorted(place.rglob("*")) if path.is_file() and path.name != ".lock"}

    def age(self):
        """Makes the files an hour old: a session written to a moment ago counts as running, and is not deleted or moved."""
        then = time.time() - AN_HOUR
        for path in self.config.rglob("*"):
            os.utime(path, (then, then))


class Session:
    """A session on disk: which home, which project, which id. Its plan's name is the one it had when this was made."""

    def __init__(self, home, project, id):
        self.home, self.project, self.id = home, pathlib.Path(project), id
        self.slug = None
        if self.transcript.exists():
            self.slug = next((record["slug"] for record in reversed(self.records()) if record.get("slug")), None)

    @property
    def transcript(self):
        return self.home.config / "projects" / folder_name(self.project) / f"{self.id}.jsonl"

    @property
    def folder(self):
        return self.transcript.with_suffix("")

    @property
    def tasks(self):
        return self.home.config / "tasks" / self.id

    def records(self):
        return [json.loads(line) for line in self.transcript.read_bytes().splitlines()]  # text would split at U+2028

    @property
    def plan(self):
        return self.home.config / "plans" / f"{self.slug}.md"

    def files(self):
        """The session's own files: bytes and time of last change by path."""
        return {path: (data, (self.home.config / path).stat().st_mtime_ns) for path, data in self.home.tree().items()
                if self.id in path or path == f"plans/{self.slug}.md"}


class Run:
    """What one run of the client sent to the API, and what it printed."""

    def __init__(self, requests, printed):
        self.requests, self.printed = requests, printed

    def of_subagent(self, marker):
        return [request for request in self.requests if marker in json.dumps(request["messages"][0])]

    def of_session(self, marker):
        return [request for request in self.requests if marker not in json.dumps(request["messages"][0])]


class Client:
    """The client program and the API it talks to."""

    def __init__(self, program, api):
        self.program, self.api = str(program), api

    def run(self, session, prompt, *words, resume=True):
        """One prompt in print mode; raises AssertionError when the client fails."""
        before = len(self.api.requests)
        session.project.mkdir(parents=True, exist_ok=True)
        environment = session.home.environment(
            ANTHROPIC_BASE_URL=self.api.url, ANTHROPIC_API_KEY="dummy", HTTP_PROXY=self.api.url, HTTPS_PROXY=self.api.url,
            NO_PROXY="127.0.0.1", DISABLE_AUTOUPDATER="1", DISABLE_TELEMETRY="1", DISABLE_ERROR_REPORTING="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1")
        done = subprocess.run(
            [self.program, "-p", prompt, "--resume" if resume else "--session-id", session.id, "--output-format", "json",
             "--permission-mode", "acceptEdits", "--strict-mcp-config", *words, "--allowedTools", *TOOLS],
            cwd=session.project, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE)
        if done.returncode != 0:
            raise AssertionError(f"claude ended with {done.returncode} in {session.project}, session {session.id}:\n"
                                 f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return Run(self.api.requests[before:], json.loads(done.stdout))


def replace_tree(source, target):
    """`target` becomes a copy of `source`, times included."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True)
