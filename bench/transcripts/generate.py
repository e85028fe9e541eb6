#!/usr/bin/env python3
"""Writes Claude Code homes with sessions of any size, for the benchmark beside this file.

  generate.py session HOME PROJECT ID RECORDS      a transcript of that many records (about 720 bytes each) and its satellites
  generate.py long-line HOME PROJECT ID BYTES      a short transcript with one line of that many bytes
  generate.py many HOME WORK SESSIONS PROJECTS     small sessions, spread evenly over projects below WORK

The records have the shapes of tests/data/claude-home-basic: prompts, thinking with a signature, answers with usage, tool
calls with toolUseResult, attachments, file history, titles. The same arguments give the same bytes.
"""
import base64
import itertools
import json
import pathlib
import random
import re
import sys

SEED = 20261115
POOL = 4 << 20  # characters of text that records take pieces of: twice what zstd -3 looks back over
TURN = 12  # records a prompt leads to
AGENT_RECORDS = 7  # of a turn: those that are links of the chain
CHUNK = 4096  # records written at once
SMALL_RECORDS = 13  # of one of many sessions


def folder_name(path):
    return re.sub(r"[^A-Za-z0-9]", "-", str(path))


class Text:
    """Pieces of made-up prose and code, already escaped for JSON."""

    def __init__(self, rng):
        letters = "etaoinshrdlucmfwypvbgkqjxz"
        words = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(3000)]
        words += ["for (auto& x : v) {\\n", "return;\\n", "\\t", "größer", "日本", "\\\"quoted\\\"", "foo_bar()", "=>", "0x1f", "\\n\\n"]
        self.rng, self.pool = rng, " ".join(rng.choices(words, k=POOL // 6))

    def piece(self, length):
        start = self.rng.randrange(len(self.pool) - length - 1)
        # Both ends at spaces, so that no escape is cut in two.
        return self.pool[self.pool.index(" ", start) + 1:start + length].rsplit(" ", 1)[0]


class Transcript:
    """The records of one conversation, as an endless stream of lines."""

    def __init__(self, rng, text, project, session, agent=None):
        self.rng, self.text, self.project, self.clock, self.parent = rng, text, project, 0, None
        self.session = session
        self.side = f'"isSidechain":true,"agentId":"{agent}"' if agent else '"isSidechain":false'
        self.tail = (f'"userType":"external","entrypoint":"cli","cwd":"{project}","sessionId":"{session}",'
                     '"version":"2.1.197","gitBranch":"main"}\n')

    def uuid(self):
        bits = f"{self.rng.getrandbits(128):032x}"
        return f"{bits[:8]}-{bits[8:12]}-4{bits[13:16]}-a{bits[17:20]}-{bits[20:]}"

    def time(self):
        self.clock += 137
        seconds, milliseconds = divmod(self.clock, 1000)
        day, seconds = divmod(seconds, 86400)
        return (f"2026-{1 + day // 28 % 12:02}-{1 + day % 28:02}T{seconds // 3600:02}:{seconds // 60 % 60:02}:"
                f"{seconds % 60:02}.{milliseconds:03}Z")

    def link(self, own, body, rest):
        """A record of the conversation's chain; returns its line."""
        parent = f'"{self.parent}"' if self.parent else "null"
        self.parent = own
        return f'{{"parentUuid":{parent},{self.side},{body},"uuid":"{own}","timestamp":"{self.time()}",{rest}{self.tail}'

    def prompt(self, prompt_id, words):
        return self.link(self.uuid(), f'"promptId":"{prompt_id}","type":"user","message":{{"role":"user","content":"{words}"}}',
                         '"permissionMode":"default","promptSource":"typed",')

    def assistant(self, content, stop):
        message = f"msg_01{self.rng.getrandbits(88):022x}"
        usage = (f'{{"input_tokens":{self.rng.randrange(3000)},"cache_creation_input_tokens":{self.rng.randrange(9000)},'
                 f'"cache_read_input_tokens":{self.rng.randrange(90000)},"output_tokens":{self.rng.randrange(900)},'
                 '"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard"}')
        return self.link(self.uuid(), f'"message":{{"id":"{message}","type":"message","role":"assistant","model":"claude-opus-4-8",'
                         f'"content":[{content}],"stop_reason":"{stop}","stop_sequence":null,"usage":{usage}}},'
                         f'"requestId":"req_01{self.rng.getrandbits(88):022x}","type":"assistant"', "")

    def call(self, name, arguments, prompt_id, result, told):
        """A tool call and its result."""
        tool = f"toolu_01{self.rng.getrandbits(88):022x}"
        use = self.assistant(f'{{"type":"tool_use","id":"{tool}","name":"{name}","input":{arguments}}}', "tool_use")
        source = self.parent
        return use, self.link(
            self.uuid(), f'"promptId":"{prompt_id}","type":"user","message":{{"role":"user","content":[{{"tool_use_id":"{tool}",'
            f'"type":"tool_result","content":"{result}"}}]}}', f'"toolUseResult":{told},"sourceToolAssistantUUID":"{source}",')

    def turn(self):
        piece, prompt_id = self.text.piece, self.uuid()
        words, file = piece(90), f"{self.project}/src/file_{self.rng.randrange(400)}.cpp"
        yield self.prompt(prompt_id, words)
        yield self.link(self.uuid(), '"attachment":{"type":"task_reminder","content":[],"itemCount":0},"type":"attachment"', "")
        yield self.assistant(f'{{"type":"thinking","thinking":"{piece(380)}","signature":"{self.rng.getrandbits(512):0128x}"}}',
                             "tool_use")
        output = piece(220)
        yield from self.call("Bash", f'{{"command":"{piece(60)}","description":"{piece(30)}"}}', prompt_id, output,
                             f'{{"stdout":"{output}","stderr":"","interrupted":false,"isImage":false}}')
        old, new = piece(80), piece(90)
        yield from self.call("Edit", f'{{"file_path":"{file}","old_string":"{old}","new_string":"{new}","replace_all":false}}',
                             prompt_id, f"The file {file} has been updated successfully.",
                             f'{{"filePath":"{file}","oldString":"{old}","newString":"{new}","userModified":false}}')
        yield (f'{{"type":"file-history-snapshot","messageId":"{self.parent}","snapshot":{{"messageId":"{self.parent}",'
               f'"trackedFileBackups":{{"{file}":{{"backupFileName":"{self.rng.getrandbits(64):016x}@v1","version":1,'
               f'"backupTime":"{self.time()}"}}}},"timestamp":"{self.time()}"}},"isSnapshotUpdate":true}}\n')
        yield self.assistant(f'{{"type":"text","text":"{piece(560)}"}}', "end_turn")
        yield self.link(self.uuid(), '"type":"system","subtype":"turn_duration","durationMs":580,"messageCount":11', "")
        yield f'{{"type":"last-prompt","lastPrompt":"{words}","leafUuid":"{self.parent}","sessionId":"{self.session}"}}\n'
        yield f'{{"type":"ai-title","aiTitle":"{piece(40)}","sessionId":"{self.session}"}}\n'

    def lines(self):
        yield f'{{"type":"permission-mode","permissionMode":"default","sessionId":"{self.session}"}}\n'
        while True:
            yield from self.turn()


def write_lines(path, lines, count):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = itertools.islice(lines, count)
    with path.open("w", encoding="utf-8") as file:
        while chunk := "".join(itertools.islice(lines, CHUNK)):
            file.write(chunk)


def write_session(home, project, session, records, text=None):
    """A transcript, a subagent with its sidecar, a saved result and two tasks."""
    rng = random.Random(f"{SEED}/{session}/{records}")
    text = text or Text(rng)
    main = home / "projects" / folder_name(project) / f"{session}.jsonl"
    write_lines(main, Transcript(rng, text, project, session).lines(), records)
    agent = f"a{rng.getrandbits(64):016x}"
    beside = main.with_suffix("")
    write_lines(beside / f"subagents/agent-{agent}.jsonl", Transcript(rng, text, project, session, agent).turn(), AGENT_RECORDS)
    (beside / f"subagents/agent-{agent}.meta.json").write_text('{"agentType":"general-purpose","spawnDepth":1}')
    write_lines(beside / "tool-results/b1a2b3c4d.txt", (text.piece(60) + "\n" for _ in itertools.count()), 700)
    for number in ("1", "2"):
        task = home / "tasks" / session / f"{number}.json"
        task.parent.mkdir(parents=True, exist_ok=True)
        task.write_text(json.dumps({"id": number, "subject": "A task", "description": "To do", "status": "pending",
                                    "blocks": [], "blockedBy": []}, indent=2))
    return main


def write_long_line(home, project, session, length):
    rng = random.Random(f"{SEED}/{session}/{length}")
    conversation = Transcript(rng, Text(rng), project, session)
    start = list(itertools.islice(conversation.lines(), 1 + TURN))
    data = base64.b64encode(rng.randbytes(length // 4 * 3)).decode()
    long = conversation.call("Read", '{"file_path":"image.png"}', conversation.uuid(), "image",
                             f'{{"type":"image","file":{{"base64":"{data}"}}}}')
    write_lines(home / "projects" / folder_name(project) / f"{session}.jsonl", itertools.chain(start, long), len(start) + 2)


def write_many(home, work, sessions, projects):
    text = Text(random.Random(SEED))
    for number in range(sessions):
        rng = random.Random(f"{SEED}/{number}")
        project = work / f"project-{number % projects:03}"
        session = f"{number:08x}-0000-4000-8000-{rng.getrandbits(48):012x}"
        path = home / "projects" / folder_name(project) / f"{session}.jsonl"
        write_lines(path, Transcript(rng, text, project, session).lines(), SMALL_RECORDS)


def main(words):
    match words:
        case ["session", home, project, session, records]:
            write_session(pathlib.Path(home), project, session, int(records))
        case ["long-line", home, project, session, length]:
            write_long_line(pathlib.Path(home), project, session, int(length))
        case ["many", home, work, sessions, projects]:
            write_many(pathlib.Path(home), pathlib.Path(work), int(sessions), int(projects))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
