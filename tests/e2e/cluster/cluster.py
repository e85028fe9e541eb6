"""PostgreSQL, nodes and HAProxy on free ports of the loopback address, for the tests beside this file.

Everything is in one folder that is removed at the end. Children end with this process, however it ends.
"""
import contextlib
import ctypes
import http.client
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
HAPROXY_EXAMPLE = HERE.parents[2] / "packaging/haproxy.cfg"
POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
PATIENCE = 60  # seconds to start; a sanitizer build on a busy machine

libc = ctypes.CDLL(None)


def die_with_parent():
    PR_SET_PDEATHSIG = 1
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, what, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.02)


def answers(port, path="/healthz"):
    with contextlib.suppress(OSError, http.client.HTTPException):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
        connection.request("GET", path)
        return connection.getresponse().status == 200
    return False


class Postgres:
    """A server with a database of its own. Started as root, it runs as its own user."""

    def __init__(self, folder):
        self.folder = folder / "postgres"
        self.folder.mkdir()
        self.port = free_port()
        self.user = {}
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self.user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        subprocess.run([POSTGRES / "initdb", "-D", self.folder / "data", "-U", "holdfast", "-A", "trust", "-E", "UTF8",
                        "--locale=C"], check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self.user)
        self.process = None
        self.start()

    @property
    def url(self):
        return f"postgres://holdfast@127.0.0.1:{self.port}/postgres"

    def start(self):
        with open(self.folder / "log", "ab") as log:
            # A shell in between would survive us; this does not.
            self.process = subprocess.Popen(
                [POSTGRES / "postgres", "-D", self.folder / "data", "-p", str(self.port), "-k", self.folder,
                 "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=100", "-c", "shared_buffers=64MB"],
                stdout=log, stderr=log, cwd=self.folder, preexec_fn=die_with_parent, **self.user)
        wait_until(self.is_ready, "PostgreSQL does not start")

    def is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError("PostgreSQL ended: " + (self.folder / "log").read_text()[-2000:])
        return subprocess.run([POSTGRES / "pg_isready", "-h", "127.0.0.1", "-p", str(self.port)],
                              stdout=subprocess.DEVNULL).returncode == 0

    def stop(self, how=signal.SIGINT):
        """SIGINT: connections are cut, then a clean end. SIGQUIT: as a crash; the log is replayed at the next start."""
        self.process.send_signal(how)
        self.process.wait()

    def cut_connections(self):
        """All of them, in the middle of whatever they do."""
        self.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                   "AND backend_type = 'client backend'")

    def query(self, sql):
        """Rows as lists of strings."""
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-F", "\x1f", "-R", "\x1e", "-v", "ON_ERROR_STOP=1", "-c", sql,
                               self.url], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        text = done.stdout.removesuffix("\n")
        return [row.split("\x1f") for row in text.split("\x1e")] if text else []


class Node:
    """One process that serves; `command` without its port."""

    def __init__(self, command, folder, name, environment):
        self.command, self.name, self.environment = command, name, environment
        self.port = free_port()
        self.log = folder / f"{name}.log"
        self.process = None

    def start(self, wait=True):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*self.command, "--port", str(self.port)], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, env=self.environment, preexec_fn=die_with_parent)
        if wait:
            self.wait()

    def wait(self):
        def ready():
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} ended with {self.process.returncode}: {self.log.read_text()[-2000:]}")
            return answers(self.port)
        wait_until(ready, f"{self.name} does not start")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, seconds=20):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None


class Balancer:
    """HAProxy with the example that ships, other addresses in it and nothing else changed."""

    def __init__(self, folder, nodes, port=None):
        self.port = port or free_port()
        text = HAPROXY_EXAMPLE.read_text()
        text, bound = re.subn(r"bind 127\.0\.0\.1:\d+", f"bind 127.0.0.1:{self.port}", text)
        lines, rest = [], list(nodes)
        for line in text.splitlines():
            if line.startswith("  server "):
                line = re.sub(r"127\.0\.0\.1:\d+", f"127.0.0.1:{rest.pop(0).port}", line)
            lines.append(line)
        if bound != 1 or rest:
            raise ValueError(f"{HAPROXY_EXAMPLE} does not have one bind and {len(nodes)} servers")
        self.config, self.log = folder / "haproxy.cfg", folder / "haproxy.log"
        self.config.write_text("\n".join(lines) + "\n")
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(["haproxy", "-db", "-f", self.config], stdout=log, stderr=log,
                                            preexec_fn=die_with_parent)
        wait_until(lambda: answers(self.port), "HAProxy does not start")

    def stop(self):
        self.process.kill()
        self.process.wait()


class Cluster:
    """As a context: everything runs. `command(folder, url)` is what starts a node."""

    def __init__(self, command, nodes=3, port=None, environment=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="holdfast-cluster-"))
        self.folder.chmod(0o755)  # PostgreSQL runs as another user and needs to reach its own folder
        self.started = []
        try:
            self.postgres = Postgres(self.folder)
            self.started.append(lambda: self.postgres.stop(signal.SIGQUIT))
            self.nodes = []
            for number in range(1, nodes + 1):
                home = self.folder / f"node{number}-home"
                home.mkdir(mode=0o700)
                node = Node(command(self.folder, self.postgres.url), self.folder, f"node{number}",
                            {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data"),
                             "XDG_CONFIG_HOME": str(home / "config"), **(environment or {})})
                node.start()
                self.started.append(node.kill)
                self.nodes.append(node)
            self.balancer = Balancer(self.folder, self.nodes, port)
            self.balancer.start()
            self.started.append(self.balancer.stop)
        except BaseException:
            self.end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.end()

    def end(self):
        for stop in reversed(self.started):
            with contextlib.suppress(Exception):
                stop()
        shutil.rmtree(self.folder, ignore_errors=True)
