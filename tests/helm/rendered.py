"""The golden file of a chart, tests/helm/CHART/rendered.yaml: what the chart renders for all its value sets, each line once.

A document of several sets, from the same template and of the same kind and name, stands here once. RELEASE and NAMESPACE in the name of a document stand for those of a set.
Lines that begin with #@ are marks; every other line is one that the chart renders:

  #@ set SET                     a value set that is rendered
  #@ document NAME: CONDITION    a document begins; CONDITION: which sets have it
  #@ CONDITION                   which sets, of those that have the document, have the lines below, up to the next mark

CONDITION is "all", "only SET ..." or "not SET ...". The lines of a set, read from top to bottom, are the text that helm prints for it: tests/helm/golden show CHART/SET.
"""
import difflib
import re

FILE = "rendered.yaml"
MARK = "#@ "
HEAD = '# What chart %s renders for its value sets. "make golden" writes this file; tests/helm/rendered.py says how to read it.\n'


def documents(text, words):
    """[(name, text)] of what helm printed, in its order. words: namespace and release, with which an object's name may begin."""
    found, count = [], {}
    words = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    for part in re.split(r"(?m)^(?=---)", text):
        source, kind, name = (re.search(pattern, part, re.M) for pattern in (r"^# Source: [^/\n]*/(.*)$", r"^kind: (.*)$", r"^  name: [\"']?(.*?)[\"']?$"))
        title = re.sub(rf"^(?:{words})\.(?=(?:{words}))", "NAMESPACE.", name[1]) if name else ""
        title = re.sub(rf"^(NAMESPACE\.)?(?:{words})(?=[-.]|$)", r"\1RELEASE", title)
        # one document for all NodeSets, virtual nodes and Jobs of their templates: their names come from values
        title = re.sub(r"(?<=-compute)-.+|(?<=-virtual-node)-(?!test$).+|-[0-9a-f]{8}$", "-NAME", title)
        title = " ".join(word for word in (source and source[1], kind and kind[1], title) if word)
        if part:
            count[title] = count.get(title, 0) + 1
            found.append((title + (f" ({count[title]})" if count[title] > 1 else ""), part))
    return found


def steps(there, items):
    return difflib.SequenceMatcher(None, there, items, False).get_opcodes()


def weave(versions):
    """One row [(item, sets that have it)] of several rows [(sets, items)]: the items of a set, from first to last, are its row."""
    woven = []
    for sets, items in versions:
        before, woven = woven, []
        for how, i, j, a, b in steps([item for item, _ in before], items):
            old, new = before[i:j], [(item, set(sets)) for item in items[a:b]]
            if how == "equal":
                woven += [(item, those | set(sets)) for item, those in old]
                continue
            # another value of a key comes behind that key
            for _, i, j, a, b in steps([item.split(":")[0] for item, _ in old], [item.split(":")[0] for item, _ in new]):
                woven += old[i:j] + new[a:b]
    return woven


def condition(those, every):
    """What says which of the sets are meant, in few words."""
    others = [name for name in every if name not in those]
    if not others:
        return "all"
    return " ".join(["only", *[name for name in every if name in those]] if len(those) <= len(others) else ["not", *others])


def meant(words, every):
    how, *names = words.split()
    return [name for name in every if how == "all" or (name in names) == (how == "only")]


def dump(chart, sets):
    """The golden file of {set: [(name, text)]}."""
    out = [HEAD % chart, *[f"{MARK}set {name}\n" for name in sets]]
    for title, those in weave([([name], [title for title, _ in docs]) for name, docs in sets.items()]):
        having = [name for name in sets if name in those]
        out.append(f"{MARK}document {title}: {condition(those, sets)}\n")
        versions, last = {}, those
        for name in having:
            versions.setdefault(dict(sets[name])[title], []).append(name)
        for line, those in weave([(names, text.split("\n")[:-1]) for text, names in versions.items()]):
            if those != last:
                out.append(f"{MARK}{condition(those, having)}\n")
            out.append(line + "\n")
            last = those
    return "".join(out)


def load(text):
    """{set: [(name, text)]} of a golden file."""
    sets, having, now = {}, [], []
    for line in text.split("\n")[:-1]:
        if line.startswith(MARK + "set "):
            sets[line.removeprefix(MARK + "set ")] = []
        elif line.startswith(MARK + "document "):
            title, words = line.removeprefix(MARK + "document ").rsplit(": ", 1)
            having = now = meant(words, sets)
            for name in having:
                sets[name].append((title, []))
        elif line.startswith(MARK):
            now = meant(line.removeprefix(MARK), having)
        else:
            for name in now:
                sets[name][-1][1].append(line + "\n")
    return {name: [(title, "".join(lines)) for title, lines in docs] for name, docs in sets.items()}


def changes(title, old, new):
    """[(document, what differs, for people, and its lines alone)] of two rows of documents. title: the set."""
    found, before, now = [], dict(old), dict(new)
    pairs = [(name, before.get(name, ""), now.get(name, "")) for name in dict.fromkeys([*before, *now])]
    if set(before) == set(now):
        pairs.append(("order of the documents", "".join(f"{name}\n" for name in before), "".join(f"{name}\n" for name in now)))
    for name, was, got in pairs:
        diff = list(difflib.unified_diff(was.splitlines(True), got.splitlines(True), f"{title}: {name}", "now"))
        if diff:
            found.append((name, "".join(diff), tuple(line for line in diff[2:] if line[0] in "+-")))
    return found
