"""Ten ways in which a tenant harms the manager that serves all. Each has a namespace of its own, of which nobody else is an owner."""

import base64
import socket
import time

import campaign
from world import Refused

GROUP = "/apis/slinky.slurm.net/v1alpha1"


class Attack(campaign.Attack):
    def __init__(self, api, ns, host):
        self.api, self.ns, self.host = api, ns, host

    def path(self, plural, name=""):
        group = GROUP if plural in ("nodesets", "clusters") else "/api/v1"
        return f"{group}/namespaces/{self.ns}/{plural}" + (f"/{name}" if name else "")

    def make(self, plural, body):
        return self.api.ask("POST", self.path(plural), body)

    def patch(self, plural, name, body, sub=""):
        return self.api.ask("PATCH", self.path(plural, name) + sub, body, "application/merge-patch+json")

    def cluster(self, name, server):
        self.make("clusters", {"apiVersion": "slinky.slurm.net/v1alpha1", "kind": "Cluster", "metadata": {"name": name},
                               "spec": {"server": server, "token": {"secretRef": "t"}}})

    def token(self):
        self.make("secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "t"},
                              "data": {"auth-token": base64.b64encode(b"hostile").decode()}})

    def nodeset(self, name, replicas, cluster="c", **pod):
        labels = {"app": name}
        spec = {"schedulerName": "nobody", "containers": [{"name": "c", "image": "none"}], **pod}
        self.make("nodesets", {"apiVersion": "slinky.slurm.net/v1alpha1", "kind": "NodeSet", "metadata": {"name": name},
                               "spec": {"clusterName": cluster, "serviceName": "none", "replicas": replicas, "selector": {"matchLabels": labels},
                                        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}},
                                        "template": {"metadata": {"labels": labels}, "spec": spec}}})

    def server(self, port):
        self.token()
        self.cluster("c", f"http://{self.host}:{port}")

    def run_pods(self, most):
        """As if a kubelet ran them: they are Running and Ready."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        for pod in self.api.ask("GET", self.path("pods"))["items"][:most]:
            if pod["status"].get("phase") != "Running":
                self.run_pod(pod["metadata"]["name"], now)

    def run_pod(self, name, now):
        try:
            self.patch("pods", name, {"status": {"phase": "Running", "conditions": [
                {"type": "Ready", "status": "True", "lastTransitionTime": now, "lastProbeTime": None}]}}, "/status")
        except Refused as e:
            if e.status != 404:  # it has gone meanwhile
                raise


class Deep(Attack):
    """NodeSets nested deeper than anybody reads."""

    def begin(self):
        for i in range(3):
            self.nodeset(f"deep-{i}", 1, "none", junk=self.nested(200))

    def nested(self, levels):
        return {"a": self.nested(levels - 1)} if levels else self.turns

    def turn(self):
        self.patch("nodesets", f"deep-{self.turns % 3}", {"spec": {"template": {"spec": {"junk": self.nested(150 + self.turns % 50)}}}})


class LargePods(Attack):
    """Pods of nobody's with as many annotations, labels and claims as the API server takes, which change all the time."""

    pause_s = 0.5

    def begin(self):
        for i in range(120):
            self.make("pods", {"apiVersion": "v1", "kind": "Pod",
                               "metadata": {"name": f"large-{i}", "annotations": {"a": "x" * 250_000},
                                            "labels": {f"l-{n}": "x" * 60 for n in range(200)}},
                               "spec": {"schedulerName": "nobody", "containers": [{"name": "c", "image": "none"}],
                                        "volumes": [{"name": f"v-{n}", "persistentVolumeClaim": {"claimName": "x" * 200}} for n in range(50)]}})

    def turn(self):
        self.patch("pods", f"large-{self.turns % 120}", {"metadata": {"labels": {"turn": str(self.turns)}}})


class LargeTemplate(Attack):
    """Templates as large as the API server takes, for many pods; and hundreds of large objects."""

    def begin(self):
        for i in range(350):
            self.nodeset(f"heap-{i}", 0, "none", containers=[{"name": "c", "image": "none", "args": ["x" * 100] * 1600}])
        self.nodeset("wide", 60, "none", containers=[{"name": "c", "image": "none", "args": ["x" * 100] * 2000}])
        self.nodeset("huge", 60, "none", containers=[{"name": "c", "image": "none", "args": ["x" * 100] * 6000}])


class ManyJobs(Attack):
    def begin(self):
        self.server(7001)
        self.nodeset("t", 20)

    def turn(self):
        self.run_pods(20)  # nobody asks for the jobs of pods that never ran
        self.patch("nodesets", "t", {"spec": {"replicas": 10 + self.turns % 10}})


class HangsOnUpdates(Attack):
    def begin(self):
        self.server(7002)
        self.nodeset("t", 40)

    def turn(self):
        self.run_pods(40)
        self.patch("nodesets", "t", {"spec": {"replicas": 30 + self.turns % 10}})


class Endless(Attack):
    def begin(self):
        self.server(7003)
        self.nodeset("t", 1)


class NewNames(Attack):
    def begin(self):
        self.server(7004)
        self.nodeset("t", 1)


class SlowConnections(Attack):
    """Sixty-four to each port, with a byte now and then."""

    def __init__(self, *args):
        super().__init__(*args)
        self.sockets = {18080: [], 18081: []}

    def turn(self):
        for port, held in self.sockets.items():
            self.sockets[port] = [s for s in held if self.sends(s, b"x")]
            for _ in range(64 - len(self.sockets[port])):
                try:
                    s = socket.create_connection((self.host, port), timeout=0.5)
                except OSError:
                    break
                if self.sends(s, b"GET /metrics HTTP/1.1\r\nX: "):
                    self.sockets[port].append(s)

    @staticmethod
    def sends(s, text):
        try:
            return s.send(text) > 0
        except OSError:
            s.close()
            return False

    def end(self):
        for held in self.sockets.values():
            for s in held:
                s.close()


class ManyClusters(Attack):
    """Of which none answers: half of them take a connection and are silent, the others refuse it."""

    def begin(self):
        self.token()
        for i in range(200):
            self.cluster(f"c{i}", f"http://{self.host}:{7006 if i % 2 else 7999}")


class Restless(Attack):
    """What is asked for changes all the time, and Slurm says that everything is done, and does nothing."""

    pause_s = 0.3

    def begin(self):
        self.server(7005)
        self.nodeset("t", 10)

    def turn(self):
        self.run_pods(10)
        self.patch("nodesets", "t", {"spec": {"replicas": 3 + 7 * (self.turns % 2),
                                              "template": {"metadata": {"annotations": {"turn": str(self.turns)}}}}})


ATTACKS = [Deep, LargePods, LargeTemplate, ManyJobs, HangsOnUpdates, Endless, NewNames, SlowConnections, ManyClusters, Restless]
