"""Sessions that the real client writes through the scripted API, and what a resumed one has to show.

`plain` is a question and an answer. `compacted` has a title and a compaction, so its history begins with a summary. `rich`
has thinking, tools in parallel, a failing command, and most of what lies beside a transcript: tasks, a subagent, a saved
tool result, a plan; `CHECK` resumes it and asks for each of them. `workflow` ran a workflow of two agents; `RERUN` runs it
again from its journal, so that no agent is asked.
"""
import json
import re

from anthropic_api import say, think, use
from client import Session

CHILD = "[[script:child]]"
CHECK = "What do we have? [[script:check]]"
RERUN = "Run it again [[script:rerun]]"
AGAIN = "And again?"
LINES = 1500  # of the large result: above the 30,000 characters that stay in a transcript
TITLE = "My Work, „quoted“"
PLAIN_ID, COMPACTED_ID, RICH_ID, WORKFLOW_ID = (f"0000c0de-0000-4000-8000-00000000c0d{n}" for n in range(1, 5))
BACKGROUND_MS = 20_000  # how long the client may wait for a woken subagent or a workflow
WORKER = "[[script:worker]]"
WORKFLOW = f"""export const meta = {{name: 'ask-two', description: 'Asks two agents', phases: []}}
const first = await agent('The first {WORKER}')
const second = await agent('The second {WORKER}')
return first + second
"""


def saved_result(messages):
    """Where the history says the large result is."""
    return re.search(r"saved to: (.+?)\\n", json.dumps(messages, ensure_ascii=False))[1]


def subagent(messages):
    return re.search(r"agentId: (\w+)", json.dumps(messages))[1]


def await_workflow(messages):
    task = re.findall(r"Task ID: (\w+)", json.dumps(messages))[-1]
    return [use("TaskOutput", task_id=task, block=True, timeout=BACKGROUND_MS)]


def rerun_workflow(messages):
    """As the history says: with the script it names, from the run it names."""
    text = json.dumps(messages, ensure_ascii=False)
    return [use("Workflow", scriptPath=re.findall(r"Script file: (.+?)\\n", text)[-1],
                resumeFromRunId=re.findall(r"Run ID: (wf_[a-z0-9-]+)", text)[-1])]


def scripts(project):
    note = str(project / "note.txt")
    return {
        "hello": [[say("Hello. Grüße, 世界 🙂 \u2028 <&>")]],
        "tools": [[think("A command first."), say("Running it."), use("Bash", command="echo out; pwd", description="Say")],
                  [use("Write", file_path=note, content="alpha\nbeta\n")],
                  [use("Read", file_path=note), use("Bash", command="ls | wc -l", description="Count")],
                  [use("Edit", file_path=note, old_string="beta", new_string="gamma", replace_all=False)],
                  [use("Bash", command="false", description="Fail")]],
        "tasks": [[use("TaskCreate", subject="First task", description="Do the first thing")],
                  [use("TaskCreate", subject="Second task", description="Do the second thing")],
                  [use("TaskUpdate", taskId="1", status="completed")]],
        "delegate": [[use("Agent", description="A child", prompt=f"Be a child {CHILD}", subagent_type="general-purpose")]],
        "child": [[use("Bash", command="echo from the child", description="Say")], [say("The child is done.")]],
        "large": [[use("Bash", command=f"seq -f 'line-%.0f-abcdefghijklmnopqrstuvwxyz' 1 {LINES}", description="A lot")]],
        "plan": [[say("I shall plan.")]],
        "workflow": [[use("Workflow", script=WORKFLOW)], await_workflow],
        "worker": [[say("worked")]],
        "rerun": [rerun_workflow, await_workflow],
        "check": [[use("TaskList")],
                  lambda messages: [use("Read", file_path=saved_result(messages), offset=LINES - 1, limit=2)],
                  lambda messages: [use("SendMessage", to=subagent(messages), summary="wake up", message="Are you there?")],
                  lambda messages: [use("TaskOutput", task_id=subagent(messages), block=True, timeout=BACKGROUND_MS)]],
    }


def write_plain(client, home, project):
    session = Session(home, project, PLAIN_ID)
    client.run(session, "A plain question [[script:hello]]", resume=False)
    return Session(home, project, PLAIN_ID)


def write_compacted(client, home, project):
    session = Session(home, project, COMPACTED_ID)
    client.run(session, "Use some tools [[script:tools]]", "--name", TITLE, resume=False)
    client.run(session, "/compact")
    return Session(home, project, COMPACTED_ID)


def write_rich(client, home, project):
    session = Session(home, project, RICH_ID)
    client.run(session, "Use some tools [[script:tools]]", resume=False)
    for name in ("tasks", "delegate", "large"):
        client.run(session, f"Next [[script:{name}]]")
    client.run(session, "Make a plan [[script:plan]]", "--permission-mode", "plan")
    session = Session(home, project, RICH_ID)  # it has a plan's name by now
    client.api.scripts["write-plan"] = [[use("Write", file_path=str(session.plan), content="# The plan\n\n1. Do it\n")]]
    client.run(session, "Write it down [[script:write-plan]]", "--permission-mode", "plan")
    return session


def write_workflow(client, home, project):
    session = Session(home, project, WORKFLOW_ID)
    client.run(session, "Use a workflow [[script:workflow]]", resume=False)
    return session


def tool_results(request):
    """What the last call of each tool was and what it gave, by the tool's name."""
    uses, results = {}, {}
    for message in request["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block["type"] == "tool_use":
                uses[block["id"]] = block
            elif block["type"] == "tool_result":
                used, content = uses[block["tool_use_id"]], block["content"]
                text = content if isinstance(content, str) else "".join(each.get("text", "") for each in content)
                results[used["name"]] = (used["input"], text)
    return results
