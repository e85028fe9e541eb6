#!/usr/bin/env python3
"""usage: claude_judge.py HOLDFAST CLAUDE    whether the judge sees what is missing, with copies made without holdfast"""
import shutil

import crude_copy
import judge
from judge import JudgeTest

ID = "0000c0de-0000-4000-8000-00000000c09f"


def setUpModule():
    judge.start()


def tearDownModule():
    judge.finish()


class TheJudge(JudgeTest):
    def crude(self, session, project=None):
        return crude_copy.copy(session, project or self.world.project, ID)

    def assert_condemned(self, session, part):
        with self.assertRaisesRegex(AssertionError, part):
            self.judge_rich(session, self.rich)

    def test_accepts_the_original(self):
        self.judge_history(self.plain, self.plain)
        self.judge_history(self.compacted, self.compacted)
        self.judge_rich(self.rich)
        self.judge_workflow(self.workflow)

    def test_accepts_a_complete_copy(self):
        self.judge_rich(self.crude(self.rich), self.rich)
        self.world.reset()
        self.judge_workflow(self.crude(self.workflow), self.workflow)
        for session in (self.plain, self.compacted):
            self.world.reset()
            self.judge_history(self.crude(session), session)

    def test_accepts_a_complete_copy_in_another_project(self):
        self.judge_rich(self.crude(self.rich, self.world.other_project), self.rich)

    def test_sees_a_dropped_record(self):
        copy = self.crude(self.rich)
        lines = copy.transcript.read_bytes().splitlines(keepends=True)
        answer = next(i for i, line in enumerate(lines) if b"Running it." in line)
        copy.transcript.write_bytes(b"".join(lines[:answer] + lines[answer + 1:]))
        self.assert_condemned(copy, "message 2")

    def test_sees_a_changed_character(self):
        copy = self.crude(self.plain)
        copy.transcript.write_bytes(copy.transcript.read_bytes().replace("Grüße".encode(), b"Gruesse"))
        with self.assertRaisesRegex(AssertionError, "Gruesse"):
            self.judge_history(copy, self.plain)

    def test_sees_a_history_that_names_the_parent(self):
        copy = self.crude(self.rich)
        copy.transcript.write_bytes(copy.transcript.read_bytes().replace(f"{ID}/tool-results".encode(),
                                                                         f"{self.rich.id}/tool-results".encode()))
        self.assert_condemned(copy, self.rich.id)

    def test_sees_missing_tasks(self):
        copy = self.crude(self.rich)
        shutil.rmtree(copy.tasks)
        self.assert_condemned(copy, "No tasks found")

    def test_sees_a_missing_saved_result(self):
        copy = self.crude(self.rich)
        shutil.rmtree(copy.folder / "tool-results")
        self.assert_condemned(copy, "does not exist")

    def test_sees_a_missing_subagent(self):
        copy = self.crude(self.rich)
        shutil.rmtree(copy.folder / "subagents")
        self.assert_condemned(copy, "success")

    def test_sees_a_missing_journal(self):
        copy = self.crude(self.workflow)
        for journal in copy.folder.rglob("journal.jsonl"):
            journal.unlink()
        with self.assertRaisesRegex(AssertionError, "asked again|workedworked"):
            self.judge_workflow(copy, self.workflow)


judge.main()
