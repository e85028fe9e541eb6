#!/usr/bin/env python3
"""What zstd, restic and borg take to keep a home that grows, beside our guard.

  bench/blob_alternatives.py HOLDFAST [--days N] [--records N]     # packages: restic, borgbackup, zstd

Each day some sessions grow, new ones begin, and one is cloned (another session id in every record); then each keeps what is there: the guard and the
two tools what is new, zstd one file for each transcript that changed. Sizes are of all files they have made. Seconds are of the
processor, user and system, so that others on the machine do not count.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "transcripts"))
from generate import SEED, Text, Transcript, folder_name  # noqa: E402

GROWING, FRESH = 4, 3  # sessions a day that go on, and that begin


def bytes_of(folder):
    return sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())


def processor_seconds(words, env):
    process = subprocess.Popen([str(word) for word in words], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    problems = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{words}: {problems.decode()}")
    return usage.ru_utime + usage.ru_stime


class Home:
    def __init__(self, folder, records):
        self.rng = random.Random(SEED)
        self.text, self.records, self.sessions = Text(self.rng), records, {}
        self.project = "/home/user/project"
        self.folder = pathlib.Path(folder) / "projects" / folder_name(self.project)
        self.folder.mkdir(parents=True)

    def session_id(self):
        bits = f"{self.rng.getrandbits(128):032x}"
        return f"{bits[:8]}-{bits[8:12]}-4{bits[13:16]}-a{bits[17:20]}-{bits[20:]}"

    def live_a_day(self):
        """The transcripts that changed."""
        changed = self.rng.sample(sorted(self.sessions), min(GROWING, len(self.sessions)))
        for _ in range(FRESH):
            session = self.session_id()
            self.sessions[session] = Transcript(self.rng, self.text, self.project, session).lines()
            changed.append(session)
        for session in changed:
            with open(self.folder / f"{session}.jsonl", "a", encoding="utf-8") as transcript:
                for _ in range(self.records):
                    transcript.write(next(self.sessions[session]))
        clone = self.session_id()
        original = (self.folder / f"{changed[0]}.jsonl").read_text(encoding="utf-8")
        (self.folder / f"{clone}.jsonl").write_text(original.replace(changed[0], clone), encoding="utf-8")
        return [self.folder / f"{session}.jsonl" for session in [*changed, clone]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("holdfast")
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--records", type=int, default=600, help="that a session grows by, of some 720 bytes")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as name:
        folder = pathlib.Path(name)
        home = Home(folder / "claude", given.records)
        env = {**os.environ, "HOME": name, "CLAUDE_CONFIG_DIR": str(folder / "claude"), "XDG_DATA_HOME": str(folder / "data"),
               "RESTIC_PASSWORD": "x", "RESTIC_REPOSITORY": str(folder / "restic"), "BORG_REPO": str(folder / "borg"),
               "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes"}
        (folder / "zstd").mkdir()
        ours, restic, borg = folder / "data/holdfast/guard", folder / "restic", folder / "borg"
        processor_seconds(["restic", "init"], env)
        processor_seconds(["borg", "init", "--encryption=none"], env)
        took = dict.fromkeys(("guard", "zstd -3", "restic", "borg, zstd 3"), 0.0)
        for day in range(given.days):
            changed = home.live_a_day()
            took["guard"] += processor_seconds([given.holdfast, "guard"], env)
            took["zstd -3"] += processor_seconds(["zstd", "-3", "-q", "-f", "--output-dir-flat", folder / "zstd", *changed], env)
            took["restic"] += processor_seconds(["restic", "backup", folder / "claude"], env)
            took["borg, zstd 3"] += processor_seconds(["borg", "create", "--compression=zstd,3", f"::{day}", folder / "claude"], env)
        size = bytes_of(folder / "claude")
        nothing_new = {"guard": processor_seconds([given.holdfast, "guard"], env),
                       "restic": processor_seconds(["restic", "backup", folder / "claude"], env),
                       "borg, zstd 3": processor_seconds(["borg", "create", "--compression=zstd,3", "::again", folder / "claude"], env)}
        print(f"{given.days} days, {len(list(home.folder.iterdir()))} transcripts, {size / 1e6:.0f} MB")
        print(f"{'':<14}{'MB':>8}{'of it':>8}{'all days, s':>13}{'nothing new, s':>16}")
        for tool, where in zip(took, (ours, folder / "zstd", restic, borg)):
            again = f"{nothing_new[tool]:>16.2f}" if tool in nothing_new else ""
            print(f"{tool:<14}{bytes_of(where) / 1e6:>8.1f}{bytes_of(where) / size:>8.1%}{took[tool]:>13.1f}{again}")


if __name__ == "__main__":
    main()
