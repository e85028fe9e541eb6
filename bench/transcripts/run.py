#!/usr/bin/env python3
"""Measures what holdfast does with transcripts, beside what the machine can do at best.

  run.py [--runs N] [--large] [--work FOLDER] HOLDFAST

Sessions of 1.4, 14 and 72 MB (with --large also 720 MB), one with a line of 64 MiB, and 3,000 in 300 projects are made by
generate.py. The verbs run in rounds, so that whatever else the machine does hits all of them; figures are medians. In the
same rounds: `cp -r` of the same tree and `sync`, the transcript written and fsynced by dd, and `zstd -3 -T2` of it.
FOLDER should be on a disk (default: build/bench-transcripts); it needs ten times the largest session and is removed.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from measure import MEGABYTE, Series, run, smallest_peak

HERE = pathlib.Path(__file__).resolve().parent
SESSION = "0000be4c-0000-4000-8000-00000000be4c"
SIZES = {"1.4 MB": 2_001, "14 MB": 20_001, "72 MB": 100_001, "720 MB": 1_000_001}
LARGE = "720 MB"
LONG_LINE = 64 << 20
MANY, PROJECTS = 3_000, 300
AN_HOUR = 3600
# Seconds the original (claude-session on Python) took on a comparable machine; contract for transcripts, 14.
ORIGINAL = {
    "start-up": 1.3, "info among 3,000": 3.3,
    "1.4 MB": {"archive json": 1.5, "restore": 2.2, "clone": 2.7},
    "14 MB": {"archive json": 3.3, "restore": 11.5, "clone": 12},
    "72 MB": {"archive zst": 11, "restore": 50, "clone": 44, "delete": 21},
    "64 MiB line": {"archive json": 3.7, "clone": 5.0},
}
# What bounds a verb: nothing that copies a tree is faster than cp, nothing that compresses than zstd.
LIMIT = {"archive json": "write + fsync", "archive zst": "zstd -3 -T2", "restore": "cp -r + sync", "clone": "cp -r + sync",
         "move": "cp -r + sync", "delete": "write + fsync"}


class Place:
    """A home with one session to work on, and the programs that do."""

    def __init__(self, holdfast, folder, *words):
        self.holdfast, self.folder = holdfast, folder
        self.config, self.projects = folder / "home/.claude", [folder / "work" / name for name in ("one", "two", "three")]
        for path in (self.config, *self.projects):
            path.mkdir(parents=True)
        generate(*(str(word) for word in words[:1]), self.config, self.projects[0], SESSION, *words[1:])
        self.transcript = next((self.config / "projects").glob(f"*/{SESSION}.jsonl"))
        self.size = self.transcript.stat().st_size
        self.environment = environment(folder / "home")

    def run(self, *words):
        return run([self.holdfast, *words, "--json"], self.environment, self.folder)

    def age(self):
        """A session written to a moment ago counts as running; these are to be moved and deleted."""
        then = time.time() - AN_HOUR
        for path in (self.config / "projects").rglob("*.jsonl"):
            os.utime(path, (then, then))


def generate(*words):
    subprocess.run([sys.executable, HERE / "generate.py", *map(str, words)], check=True)


def environment(home):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "HOLDFAST_", "XDG_"))}
    return {**kept, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}


def limits_round(place, series):
    """The same bytes handled by programs that have nothing else to do."""
    target = place.folder / "limit"
    source = place.transcript.parent
    shell = {"cp -r + sync": ["sh", "-c", f"cp -r '{source}' '{target}' && sync -f '{target}'"],
             "write + fsync": ["dd", f"if={place.transcript}", f"of={target}", "bs=1M", "conv=fsync", "status=none"],
             "zstd -3 -T2": ["zstd", "-3", "-T2", "-q", "-f", place.transcript, "-o", target]}
    for name, command in shell.items():
        series[name].add(run(command, place.environment, place.folder))
        shutil.rmtree(target) if target.is_dir() else target.unlink()


def verbs_round(place, series, records):
    """Each verb once; the copies made on the way are moved and deleted, so the home ends as it began."""
    archives = {name: place.folder / f"session.{name}" for name in ("json", "json.zst")}
    series["archive json"].add(place.run("archive", SESSION, archives["json"]))
    series["archive zst"].add(place.run("archive", SESSION, archives["json.zst"]))
    restored = series["restore"].add(place.run("restore", archives["json.zst"], "--tp", place.projects[1]))
    cloned = series["clone"].add(place.run("clone", SESSION, "--tp", place.projects[1]))
    ids = []
    for sample in (restored, cloned):
        told = json.loads(sample.output)
        if told["main_records_restored"] != records:
            raise SystemExit(f"{told['main_records_restored']} records instead of {records}")
        ids.append(told["new_session_id"])
    place.age()
    series["move"].add(place.run("move", ids[1], "--force", "--tp", place.projects[2]))
    place.age()
    series["delete"].add(place.run("delete", ids[1], "--force"))
    place.run("delete", ids[0], "--force", "--no-backup")
    for path in archives.values():
        path.unlink()
    for backup in (place.folder / "home").rglob("deleted/*"):
        backup.unlink()


def measure_session(arguments, name, records, *words):
    folder = arguments.work / name.replace(" ", "-")
    place = Place(arguments.holdfast, folder, *words)
    series = {verb: Series(verb, place.size) for verb in (*LIMIT, *dict.fromkeys(LIMIT.values()))}
    for _ in range(arguments.runs):
        verbs_round(place, series, records)
        limits_round(place, series)
    shutil.rmtree(folder)
    print(f"\n{name}: {place.size / MEGABYTE:.1f} MB in the transcript, {records:,} records\n")
    print("| | median s | spread | CPU s | MB/s | peak MB | beside | of it | CPU of it | original s | times |\n" + "|---" * 11 + "|")
    for verb, each in series.items():
        limit, original = series.get(LIMIT.get(verb)), ORIGINAL.get(name, {}).get(verb)
        beside = (f"{limit.name} | {each.seconds / limit.seconds:.2f} | {each.processor_seconds / limit.processor_seconds:.2f}"
                  if limit else "| | ")
        print(f"| {verb} | {each.seconds:.3f} | {each.spread} | {each.processor_seconds:.3f} | {each.rate:.0f} | {each.peak / MEGABYTE:.0f} | {beside} | "
              f"{original or ''} | {f'{original / each.seconds:.0f}' if original else ''} |", flush=True)


def measure_start(arguments):
    """Start-up, and finding one session among many."""
    folder = arguments.work / "many"
    folder.mkdir()
    generate("many", folder / "home/.claude", folder / "work", MANY, PROJECTS)
    transcripts = sorted((folder / "home/.claude/projects").glob("*/*.jsonl"))
    surroundings = environment(folder / "home")
    series = {"start-up": Series("start-up"), "info among 3,000": Series("info among 3,000")}
    for number in range(arguments.runs):
        series["start-up"].add(run([arguments.holdfast, "--help"], surroundings, folder))
        id = transcripts[number * len(transcripts) // arguments.runs].stem
        told = series["info among 3,000"].add(run([arguments.holdfast, "info", id, "--json"], surroundings, folder))
        if id not in told.output:
            raise SystemExit(f"info of another session: {told.output}")
    shutil.rmtree(folder)
    print("\n| | median ms | spread s | CPU ms | peak MB | original s | times |\n" + "|---" * 7 + "|")
    for name, each in series.items():
        print(f"| {name} | {each.seconds * 1000:.1f} | {each.spread} | {each.processor_seconds * 1000:.1f} | {each.peak / MEGABYTE:.0f} | {ORIGINAL[name]} | "
              f"{ORIGINAL[name] / each.seconds:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large", action="store_true", help=f"also a session of {LARGE}")
    parser.add_argument("--work", type=pathlib.Path, default=HERE.parents[1] / "build/bench-transcripts")
    parser.add_argument("holdfast", type=lambda word: pathlib.Path(word).resolve())
    arguments = parser.parse_args()
    arguments.work = arguments.work.resolve()
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    try:
        print(f"medians of {arguments.runs}; peaks below {smallest_peak() / MEGABYTE:.0f} MB cannot be seen")
        measure_start(arguments)
        for name, records in SIZES.items():
            if name != LARGE or arguments.large:
                measure_session(arguments, name, records, "session", records)
        measure_session(arguments, "64 MiB line", 15, "long-line", LONG_LINE)
    finally:
        shutil.rmtree(arguments.work, ignore_errors=True)


main()
