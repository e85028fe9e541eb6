"""A PostgreSQL server of a test's own: in a temporary folder, on a Unix socket and a free port, with its usual, durable settings."""
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import tempfile

PATIENCE = 60


def binaries():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if not found:
        raise RuntimeError("PostgreSQL is not installed (Debian: postgresql)")
    return found[-1].parent


class PostgresServer:
    """Started when made; stop() ends it. PostgreSQL refuses to be root, so root starts it as its own user."""

    def __init__(self, *settings):
        self.bin = binaries()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="holdfast-postgres-"))
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        self.identity = {}
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self.identity = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.run("initdb", "-D", self.folder / "data", "-U", self.user, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        with open(self.folder / "data/postgresql.conf", "a") as configuration:
            configuration.write(f"port={self.port}\nlisten_addresses='127.0.0.1'\nunix_socket_directories='{self.folder}'\n")
            configuration.write("".join(setting + "\n" for setting in settings))
        self.start()

    def run(self, program, *words, **more):
        return subprocess.run([self.bin / program, *map(str, words)], check=True, capture_output=True, timeout=PATIENCE,
                              cwd=self.folder, **self.identity, **more)

    def start(self):
        # Without pipes: the server would keep them open.
        subprocess.run([self.bin / "pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-w", "start"], check=True,
                       timeout=PATIENCE, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, **self.identity)

    def stop(self):
        subprocess.run([self.bin / "pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop"], timeout=PATIENCE,
                       cwd=self.folder, capture_output=True, **self.identity)

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, True)

    def url(self, database="postgres"):
        return f"postgresql://{self.user}@127.0.0.1:{self.port}/{database}"

    def make_database(self, name):
        self.run("createdb", "-h", self.folder, "-p", self.port, "-U", self.user, "-E", "UTF8", "-T", "template0", name)
        return self.url(name)
