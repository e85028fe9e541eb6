#!/usr/bin/env python3
"""usage: install.py CMAKE BUILD-FOLDER    what `cmake --install` puts in place, and that it runs from there"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE, BUILD = sys.argv[1:3]


class Install(unittest.TestCase):
    def test_program_and_its_other_names(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run([CMAKE, "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
            names = sorted(path.name for path in pathlib.Path(prefix, "bin").iterdir())
            self.assertEqual(names, ["claude-session", "claude-session-mcp", "holdfast"])
            for name in names:
                done = subprocess.run([pathlib.Path(prefix, "bin", name), "--version"], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(done.stdout, r"^holdfast \d+\.\d+\.\d+\n$")
            self.assertEqual(pathlib.Path(prefix, "bin", "claude-session").readlink(), pathlib.Path("holdfast"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
