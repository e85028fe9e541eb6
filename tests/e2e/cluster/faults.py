"""What goes wrong while the clients work: nodes die, the database restarts or crashes, connections are cut."""
import collections
import random
import signal
import threading
import traceback


class Faults(threading.Thread):
    """One fault after the other until stopped; everything is up again then."""

    def __init__(self, cluster, listeners, seed):
        super().__init__(name="faults", daemon=True)
        self.cluster, self.listeners, self.random = cluster, listeners, random.Random(f"{seed}/faults")
        self.stop_asked, self.problem, self.counts = threading.Event(), None, collections.Counter()

    def run(self):
        # The worst first: a short run has them, too.
        plan = [self.kill_node, self.crash_postgres, self.cut_database, self.restart_node, self.restart_postgres, self.cut_clients,
                self.kill_two]
        try:
            while not self.stop_asked.wait(self.random.uniform(0.8, 2.5)):
                fault = plan.pop(0) if plan else self.random.choice(
                    [self.kill_node] * 4 + [self.restart_node] * 2 + [self.cut_database] * 2
                    + [self.cut_clients, self.kill_two, self.restart_postgres, self.crash_postgres])
                self.counts[fault.__name__.replace("_", " ")] += 1
                fault()
        except BaseException:
            self.problem = traceback.format_exc()

    def pause(self, most):
        self.stop_asked.wait(self.random.uniform(0, most))

    def kill_node(self):
        node = self.random.choice(self.cluster.nodes)
        node.kill()
        self.pause(1.5)
        node.start()

    def kill_two(self):
        nodes = self.random.sample(self.cluster.nodes, 2)
        for node in nodes:
            node.kill()
        self.pause(0.5)
        for node in nodes:
            node.start(wait=False)
        for node in nodes:
            node.wait()

    def restart_node(self):
        """As a rolling restart does it: told to end, it finishes what it has."""
        node = self.random.choice(self.cluster.nodes)
        status = node.stop()
        if status != 0:
            self.counts["restarts that did not end cleanly"] += 1
            raise RuntimeError(f"{node.name} ended with {status}: {node.log.read_text()[-3000:]}")
        node.start()

    def restart_postgres(self):
        self.cluster.postgres.stop(signal.SIGINT)
        self.pause(1)
        self.cluster.postgres.start()

    def crash_postgres(self):
        self.cluster.postgres.stop(signal.SIGQUIT)
        self.pause(1)
        self.cluster.postgres.start()

    def cut_database(self):
        self.cluster.postgres.cut_connections()

    def cut_clients(self):
        """Every connection between clients and nodes."""
        self.cluster.balancer.stop()
        self.cluster.balancer.start()
