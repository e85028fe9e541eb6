"""A home folder with real transcripts in it, for the tests of commands and tools over them."""
import hashlib
import os
import pathlib
import shutil
import time

from program import ProgramTest

FIXTURE = pathlib.Path(__file__).parents[2] / "data/claude-home-basic/.claude"
DEMO, SECOND = "/home/dev/work/demo", "/home/dev/work/second"
OLD = time.time() - 3600  # not "written a moment ago"


def sid(short):
    """a3 -> 000000a3-0000-4000-8000-0000000000a3"""
    return f"000000{short}-0000-4000-8000-0000000000{short}"


def tree_of(folder):
    """Relative path -> (mode, sha256) of files, (mode, None) of folders. holdfast's own folder is left out."""
    tree = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.split("/")[0] == ".holdfast":
            continue
        digest = None if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        tree[name] = (path.lstat().st_mode, digest)
    return tree


def times_of(folder):
    return {str(path): path.lstat().st_mtime_ns for path in sorted(folder.rglob("*")) if path.is_file()}


class TranscriptsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.claude = self.home / ".claude"
        self.elsewhere = self.home / "else where"
        self.elsewhere.mkdir()
        self.lay_out_home()

    def lay_out_home(self):
        shutil.copytree(FIXTURE, self.claude)
        for path in self.claude.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
            if path.is_file():
                os.utime(path, (OLD, OLD))

    def environment(self, **more):
        kept = super().environment(**more)
        for name in [name for name in kept if name.startswith(("CLAUDE", "CODEX", "AWS_", "GITHUB_", "GH_")) and name not in more]:
            del kept[name]
        return kept

    def project(self, name="-home-dev-work-demo"):
        return self.claude / "projects" / name

    def transcript(self, short):
        return self.project() / f"{sid(short)}.jsonl"
