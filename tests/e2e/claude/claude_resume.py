#!/usr/bin/env python3
"""usage: claude_resume.py HOLDFAST CLAUDE    copies made by holdfast, resumed by the real Claude Code

Clause numbers are those of the contract for transcripts: 5 identity, 6 paths, 8 safety, 3.1 the current session.
"""
import json
import pathlib
import re
import shutil

import corpus
import crude_copy
import judge
from anthropic_api import use
from client import Home, Session
from history import History
from judge import HOLDFAST, JudgeTest

FIXTURE = pathlib.Path(__file__).resolve().parents[2] / "data/claude-home-basic/.claude"
FIXTURE_SESSIONS = [("demo", f"000000a{n}-0000-4000-8000-0000000000a{n}") for n in range(1, 7)] + [
    ("second", "000000b1-0000-4000-8000-0000000000b1")]
CRUDE_ID = "0000c0de-0000-4000-8000-00000000c09f"
UUID_V7 = r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"


def setUpModule():
    judge.start()


def tearDownModule():
    judge.finish()


class Clone(JudgeTest):
    def clone(self, session, *words):
        told = self.holdfast("clone", session.id, *words, cwd=session.project)
        self.assertEqual(told["original_session_id"], session.id)
        self.assertRegex(told["new_session_id"], UUID_V7)
        return self.copied(told)

    def test_clone_8_leaves_the_original_as_it_was_even_when_used(self):
        before = self.rich.files()
        copy = self.clone(self.rich)
        self.judge_rich(copy, self.rich)
        self.assertEqual(self.rich.files(), before)

    def test_clone_5_of_a_plain_session(self):
        self.judge_history(self.clone(self.plain), self.plain)

    def test_clone_5_of_a_compacted_session_names_its_own_transcript(self):
        copy = self.clone(self.compacted, "--tp", self.world.other_project)
        self.judge_history(copy, self.compacted)
        self.assertIn(f"read the full transcript at: {copy.transcript}", copy.transcript.read_text())

    def test_clone_5_has_a_title_of_its_own_to_resume_by(self):
        told = self.holdfast("clone", self.compacted.id, cwd=self.compacted.project)
        title = f"{corpus.TITLE} (clone-{told['new_session_id'][-8:]})"
        self.assertEqual(told["custom_title"], title)
        by_title = Session(self.world.home, self.world.project, title)
        self.assertEqual(self.world.client.run(by_title, corpus.AGAIN).printed["session_id"], told["new_session_id"])

    def test_clone_5_has_a_workflow_of_its_own(self):
        before = self.workflow.files()
        self.judge_workflow(self.clone(self.workflow), self.workflow)
        self.assertEqual(self.workflow.files(), before)

    def test_clone_5_has_a_plan_of_its_own(self):
        copy = self.clone(self.rich)
        self.assertRegex(copy.slug, f"^{re.escape(self.rich.slug)}-clone-[0-9a-f]{{8}}$")
        self.assertEqual(copy.plan.read_bytes(), self.rich.plan.read_bytes())

    def test_clone_6_into_another_project(self):
        copy = self.clone(self.rich, "--tp", self.world.other_project)
        self.assertEqual(copy.project, self.world.other_project)
        self.assertEqual({record["cwd"] for record in copy.records() if "cwd" in record}, {str(copy.project)})
        used = corpus.tool_results(self.judge_rich(copy, self.rich).of_session(corpus.CHILD)[-1])
        self.assertEqual(used["Edit"][0]["file_path"], str(copy.project / "note.txt"))
        self.assertEqual(used["Write"][0]["file_path"], str(copy.plan))

    def test_clone_5_of_a_clone(self):
        first = self.clone(self.rich)
        second = self.clone(first)
        self.assertRegex(second.slug, f"^{re.escape(self.rich.slug)}-clone-[0-9a-f]{{8}}$")
        self.judge_rich(second, first, self.rich)

    def test_clone_5_of_a_clone_that_was_used(self):
        first = self.clone(self.rich)
        self.judge_rich(first, self.rich)
        second = self.clone(first)
        self.judge_beside(first, second, [self.rich], [first, self.rich])

    def test_clone_up_to_a_record_ends_there(self):
        answer = next(record for record in self.rich.records() if "Running it." in json.dumps(record))
        copy = self.clone(self.rich, "--up-to", answer["uuid"])
        sent = self.world.client.run(copy, corpus.AGAIN).requests[0]["messages"]
        self.assertIn("Running it.", json.dumps(sent))
        self.assertNotIn("TaskCreate", json.dumps(sent))

    def test_clone_with_fresh_uuids(self):
        copies = [self.clone(session, "--fresh-uuids") for session in (self.rich, self.compacted)]
        for session, copy in zip((self.rich, self.compacted), copies):
            old, new = ({record["uuid"] for record in each.records() if "uuid" in record} for each in (session, copy))
            self.assertFalse(old & new)
        self.judge_rich(copies[0], self.rich)
        self.judge_history(copies[1], self.compacted)


class Archive(JudgeTest):
    def archive(self, session, name):
        output = self.world.folder / name
        output.unlink(missing_ok=True)
        self.holdfast("archive", session.id, output, cwd=session.project)
        return output

    def test_restore_5_from_json_and_zst(self):
        for name in ("rich.json", "rich.json.zst"):
            with self.subTest(name):
                self.world.reset()
                told = self.holdfast("restore", self.archive(self.rich, name), "--tp", self.world.other_project)
                self.assertNotEqual(told["new_session_id"], self.rich.id)
                self.judge_rich(self.copied(told), self.rich)

    def test_restore_5_of_a_workflow(self):
        archive = self.archive(self.workflow, "workflow.json.zst")
        told = self.holdfast("restore", archive, "--tp", self.workflow.project)
        self.judge_workflow(self.copied(told), self.workflow)

    def test_restore_6_in_a_home_that_never_ran_the_client(self):
        archive = self.archive(self.rich, "moved-house.json.zst")
        told = self.holdfast("restore", archive, "--tp", self.world.other_project, home=self.world.elsewhere)
        self.judge_rich(self.copied(told, self.world.elsewhere), self.rich)

    def test_restore_in_place_after_delete_is_the_same_session(self):
        before = self.world.home.tree()
        told = self.holdfast("delete", self.rich.id, "--force", cwd=self.rich.project)
        self.assertEqual(self.rich.files(), {}, "the session is not gone")
        self.assertTrue(self.plain.transcript.exists())
        told = self.holdfast("restore", "--in-place", told["backup_path"])
        self.assertEqual(told["new_session_id"], self.rich.id)
        self.assertEqual(self.world.home.tree(), before)
        self.judge_rich(self.rich)

    def test_restore_in_place_of_an_archive(self):
        archive = self.archive(self.rich, "kept.json.zst")
        before = self.world.home.tree()
        self.holdfast("delete", self.rich.id, "--force", "--no-backup", cwd=self.rich.project)
        self.holdfast("restore", "--in-place", archive)
        self.assertEqual(self.world.home.tree(), before)
        self.judge_rich(self.rich)


class Move(JudgeTest):
    def test_move_keeps_the_id_and_everything_else(self):
        told = self.holdfast("move", self.rich.id, "--force", "--tp", self.world.other_project, cwd=self.rich.project)
        self.assertEqual((told["session_id"], told["target_project"]), (self.rich.id, str(self.world.other_project)))
        self.assertFalse(self.rich.transcript.exists())
        self.assertFalse(self.rich.folder.exists())
        moved = Session(self.world.home, self.world.other_project, self.rich.id)
        self.assertEqual(moved.slug, self.rich.slug)
        self.judge_rich(moved, self.rich)


class Fixture(JudgeTest):
    """Sessions of a home on another machine: /home/dev does not exist here."""

    def test_clone_6_of_every_session_into_a_project_that_exists(self):
        for name, id in FIXTURE_SESSIONS:
            with self.subTest(id):
                self.world.reset()
                home = self.world.elsewhere
                shutil.copytree(FIXTURE, home.config)
                home.age()
                original = Session(Home("/home/dev"), f"/home/dev/work/{name}", id)
                held = Session(home, original.project, id)
                original.slug = held.slug
                reference = crude_copy.copy(held, self.world.other_project, CRUDE_ID)
                told = self.holdfast("clone", id, "--tp", self.world.other_project, home=home)
                copy = self.copied(told, home)
                self.judge_beside(reference, copy, [original], [original])
                histories = [sorted(path.name for path in (home.config / "file-history" / each).glob("*"))
                             for each in (id, copy.id)]
                self.assertEqual(*histories)


class CurrentSession(JudgeTest):
    """Tools called by the client itself know which session calls, though the environment names another (3.1)."""

    def run_with_tools(self):
        servers = {"mcpServers": {"holdfast": {"command": HOLDFAST, "args": ["mcp"],
                                               "env": {"CLAUDE_CODE_SESSION_ID": self.plain.id}}}}
        return self.world.client.run(self.rich, "Call [[script:call]]", "--mcp-config", json.dumps(servers))

    def answer(self, request, tool):
        _, text = corpus.tool_results(request)[f"mcp__holdfast__{tool}"]
        try:
            return json.loads(text)
        except ValueError:
            raise AssertionError(f"{tool} answered: {text}") from None

    def call(self, tool, **arguments):
        self.world.api.scripts["call"] = [[use(f"mcp__holdfast__{tool}", **arguments)]]
        return self.answer(self.run_with_tools().of_session(corpus.CHILD)[-1], tool)

    def test_get_session_info(self):
        self.assertEqual(self.call("get_session_info")["session_id"], self.rich.id)

    def test_get_session_info_of_a_subagent_names_the_session_it_works_for(self):
        self.world.api.scripts["call"] = [[use("Agent", description="Ask", prompt="Ask [[script:ask]]",
                                               subagent_type="general-purpose")]]
        self.world.api.scripts["ask"] = [[use("mcp__holdfast__get_session_info")]]
        asked = self.run_with_tools().of_subagent("[[script:ask]]")[-1]
        self.assertEqual(self.answer(asked, "get_session_info")["session_id"], self.rich.id)

    def test_save_current_session(self):
        output = self.world.folder / "saved.json.zst"
        output.unlink(missing_ok=True)
        told = self.call("save_current_session", output_path=str(output))
        self.assertEqual((told["session_id"], told["file_path"]), (self.rich.id, str(output)))
        self.holdfast("verify", output)

    def test_clone_session(self):
        told = self.call("clone_session")
        self.assertEqual(told["original_session_id"], self.rich.id)
        copy = self.copied(told)
        run, expected = self.world.client.run(copy, corpus.AGAIN), self.world.expected_rich.of_session(corpus.CHILD)[0]
        histories = [History(expected, self.rich), History(run.requests[0], copy, self.rich)]
        for history in histories:  # up to the prompt in which the clone was asked for
            del history.messages[len(expected["messages"]) - 2:]
        self.assert_same_history(*histories)


judge.main()
