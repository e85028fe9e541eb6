"""The judge: resumes a copy with the real client and compares what reaches the API with what the original sent.

usage of each test: NAME.py HOLDFAST CLAUDE

The corpus is written once; every test starts from that state, in the same places, because transcripts name paths.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import corpus
from anthropic_api import AnthropicApi
from client import PATIENCE, Client, Home, Session, replace_tree
from history import History, difference

HOLDFAST, CLAUDE = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])


class World:
    """The one scripted API, home and corpus of a test program."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="holdfast-judge-")).resolve()
        self.api = AnthropicApi(self.folder / "requests")
        self.client = Client(CLAUDE, self.api)
        self.home, self.project = Home(self.folder / "home"), self.folder / "work" / "demo"
        self.elsewhere, self.other_project = Home(self.folder / "elsewhere"), self.folder / "work" / "other_place (2)"
        self.api.scripts.update(corpus.scripts(self.project))
        self.plain, self.compacted, self.rich, self.workflow = (
            write(self.client, self.home, self.project)
            for write in (corpus.write_plain, corpus.write_compacted, corpus.write_rich, corpus.write_workflow))
        self.home.age()
        replace_tree(self.home.folder, self.folder / "snapshot")
        self.expected = {each.id: self.client.run(each, corpus.AGAIN) for each in (self.plain, self.compacted)}
        self.expected_rich = self.client.run(self.rich, corpus.CHECK)
        self.expected_workflow = self.client.run(self.workflow, corpus.RERUN)

    def reset(self):
        """The state right after the corpus was written."""
        replace_tree(self.folder / "snapshot", self.home.folder)
        for path in (self.elsewhere.folder, self.other_project):
            shutil.rmtree(path, ignore_errors=True)
        self.other_project.mkdir(parents=True)  # a copy goes only to a project that is there

    def close(self):
        self.api.close()
        shutil.rmtree(self.folder, ignore_errors=True)


WORLD = None


def start():
    """For setUpModule: a client that cannot run is a failure with a reason, never a skipped test."""
    global WORLD
    if not os.access(CLAUDE, os.X_OK):
        raise AssertionError(f"Claude Code is not at {CLAUDE}; scripts/npm-packages installs it")
    try:
        done = subprocess.run([CLAUDE, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    except OSError as problem:
        raise AssertionError(f"{CLAUDE} cannot be started here: {problem}") from None
    if "Claude Code" not in done.stdout:
        raise AssertionError(f"{CLAUDE} --version ended with {done.returncode}: {done.stdout}{done.stderr}")
    WORLD = World()


def finish():
    """For tearDownModule; it also runs, without a world, when start failed."""
    if WORLD:
        WORLD.close()


class JudgeTest(unittest.TestCase):
    def setUp(self):
        self.world = WORLD
        self.plain, self.compacted, self.rich, self.workflow = WORLD.plain, WORLD.compacted, WORLD.rich, WORLD.workflow
        WORLD.reset()

    def tearDown(self):
        self.assertEqual(WORLD.api.strays, [], "the client asked hosts other than the stand-in")

    def holdfast(self, *words, home=None, cwd=None, status=0):
        """Runs the program, from a folder that has nothing to do with the sessions; what it says as JSON."""
        home = home or WORLD.home
        environment = home.environment()
        done = subprocess.run([HOLDFAST, *map(str, words), "--json"], env=environment, cwd=cwd or WORLD.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, status, f"holdfast {' '.join(map(str, words))}\n{done.stdout}\n{done.stderr}")
        return json.loads(done.stdout) if status == 0 else None

    def copied(self, told, home=None):
        """The session that a clone or restore says it made."""
        session = Session(home or WORLD.home, told["project_path"], told["new_session_id"])
        self.assertEqual(str(session.transcript), told["main_session_file"])
        self.assertTrue(session.transcript.exists(), session.transcript)
        return session

    def judge_history(self, session, original, *ancestors):
        """The history of `session` is that of `original`, the plain or the compacted one."""
        run = WORLD.client.run(session, corpus.AGAIN)
        self.assert_same_history(History(WORLD.expected[original.id].requests[0], original),
                                 History(run.requests[0], session, original, *ancestors))

    def judge_rich(self, session, *ancestors):
        """The whole history, the tasks, the saved result and the subagent of `session` are those of the original."""
        run, expected = WORLD.client.run(session, corpus.CHECK), WORLD.expected_rich
        self.assert_same_history(History(expected.of_session(corpus.CHILD)[0], self.rich),
                                 History(run.of_session(corpus.CHILD)[0], session, *ancestors))
        self.assert_same_beside(expected, run, session, ancestors)
        return run

    def judge_workflow(self, session, *ancestors):
        """The workflow of `session` can be run again from its script and its journal."""
        run, expected = WORLD.client.run(session, corpus.RERUN), WORLD.expected_workflow
        self.assert_same_history(History(expected.requests[0], self.workflow), History(run.requests[0], session, *ancestors))
        used = corpus.tool_results(run.of_session(corpus.WORKER)[-1])
        self.assertTrue(used["Workflow"][0]["scriptPath"].startswith(f"{session.folder}/"), used["Workflow"])
        self.assertIn("workedworked", used["TaskOutput"][1])
        self.assertEqual(run.of_subagent(corpus.WORKER), [], "agents were asked again: the journal was not found")

    def judge_beside(self, session, other, ancestors, other_ancestors):
        """Two sessions that went the same way send the same when they go on."""
        runs = [WORLD.client.run(each, corpus.AGAIN) for each in (session, other)]
        self.assert_same_history(History(runs[0].requests[0], session, *ancestors),
                                 History(runs[1].requests[0], other, *other_ancestors))

    def assert_same_history(self, expected, actual):
        found = difference(expected.messages, actual.messages)
        if found:
            self.fail(f"the copy's history is not the original's: {found}")

    def assert_same_beside(self, expected, run, session, ancestors):
        theirs, ours = (corpus.tool_results(each.of_session(corpus.CHILD)[-1]) for each in (expected, run))
        self.assertEqual(ours["TaskList"], theirs["TaskList"])
        asked, answer = ours["Read"]
        self.assertTrue(asked["file_path"].startswith(f"{session.folder}/"),
                        f"the history names {asked['file_path']}, which is not the session's own file")
        self.assertEqual(answer, theirs["Read"][1])
        self.assertIn('"success":true', ours["SendMessage"][1])
        woken, expected_woken = run.of_subagent(corpus.CHILD), expected.of_subagent(corpus.CHILD)
        self.assertTrue(woken, "the subagent was not woken")
        self.assert_same_history(History(expected_woken[0], self.rich), History(woken[0], session, *ancestors))


def main():
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
