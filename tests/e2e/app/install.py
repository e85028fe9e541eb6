#!/usr/bin/env python3
"""usage: install.py CMAKE BUILD-FOLDER    what `cmake --install` puts in place, and that it runs from there"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE, BUILD = sys.argv[1:3]
PATIENCE = 120  # seconds; stripping and compressing on a busy machine


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

    def test_debian_package(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([pathlib.Path(CMAKE).with_name("cpack"), "--config", f"{BUILD}/CPackConfig.cmake", "-G", "DEB", "-B", folder],
                           check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
            [package] = pathlib.Path(folder).glob("holdfast_*.deb")
            fields = subprocess.run(["dpkg-deb", "--field", package], check=True, capture_output=True, text=True).stdout
            self.assertRegex(fields, r"(?m)^Package: holdfast$")
            for library in ("libcurl4", "libsqlite3-0", "libzstd1", "libssl3"):
                self.assertIn(library, fields)
            root = pathlib.Path(folder, "root")
            subprocess.run(["dpkg-deb", "--extract", package, root], check=True)
            version = subprocess.run([root / "usr/bin/claude-session", "--version"], check=True, capture_output=True, text=True).stdout
            self.assertRegex(version, r"^holdfast \d+\.\d+\.\d+\n$")
            for unit in ("system", "user"):
                text = (root / "usr/lib/systemd" / unit / "holdfast.service").read_text()
                self.assertRegex(text, r"(?m)^ExecStart=/usr/bin/holdfast serve$")
            completion = (root / "usr/share/bash-completion/completions/holdfast").read_text()
            self.assertIn("research", completion)
            for name in ("copyright", "README.md", "http.md"):
                self.assertTrue((root / "usr/share/doc/holdfast" / name).is_file(), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
