"""The scheduler of the Kubernetes that a test plays (played.py): selectors, affinities and taints as pods of jobs have them."""
import random

import played


def objects(plural):
    with played.LOCK:
        return [(path, obj) for path, obj in played.OBJECTS.items() if path.split("/")[-2] == plural]


def nodes():
    return [obj for _, obj in objects("nodes")]


def tolerated(taint, tolerations):
    return any(t.get("key", taint["key"]) == taint["key"] and t.get("effect", taint["effect"]) == taint["effect"] and (t.get("operator") == "Exists" or t.get("value") == taint.get("value"))
               for t in tolerations)


def fits(labels, term):
    tests = {"In": lambda has, values: has in values, "Exists": lambda has, _: has is not None, "Gt": lambda has, values: has is not None and int(has) > int(values[0])}
    return all(tests[e["operator"]](labels.get(e["key"]), e.get("values")) for e in term.get("matchExpressions", []))


def node_for(pod):
    spec, found = pod["spec"], []
    terms = spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [{}])
    for node in nodes():
        labels = node["metadata"]["labels"]
        against = [t["effect"] for t in node["spec"].get("taints", []) if not tolerated(t, spec.get("tolerations", []))]
        if spec.get("nodeSelector", {}).items() <= labels.items() and any(fits(labels, term) for term in terms) and set(against) <= {"PreferNoSchedule"}:
            found.append((len(against), random.random(), node["metadata"]["name"]))
    return min(found)[2] if found else None


def binds():
    """Each pod that waits for a node, if one fits."""
    for path, pod in objects("pods"):
        if pod["spec"].get("nodeName"):
            continue
        with played.LOCK:
            now, node = played.copied(played.OBJECTS[path]), node_for(pod)
            waits = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no node fits"}
            if node:
                now["spec"]["nodeName"] = node
            if node or now.get("status", {}).get("conditions") != [waits]:
                now.setdefault("status", {"phase": "Pending"})["conditions"] = [] if node else [waits]
                played.put(path, now)
