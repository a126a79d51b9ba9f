"""The site has some files that are not below docs: the pages at the top of the checkout, and whatever else a page links, such as an example.

On the site they stand beside the pages of docs. So a link from docs to ../SECURITY.md, and one from README.md to docs/nodeset.md, lead where they
lead on a forge.
"""
import os
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOP_PAGES = ["ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "tests/README.md"]
LINK = re.compile(r"\[([^]\[]*)\]\((?![a-z]+:|#|/)([^)#\s]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"(?ms)^ *```.*?^ *```[^\n]*$")


def source_of(src_uri):
    """The path, from the top of the checkout, of a page of the site."""
    return src_uri if src_uri in TOP_PAGES else "docs/" + src_uri


def place_of(path):
    """Where a file of the checkout stands on the site."""
    if path == "README.md":
        return "index.md"
    if path.startswith("docs/"):
        path = path[len("docs/"):]
        return path + "/README.md" if (ROOT / "docs" / path).is_dir() else path
    return path


def linked(path, text):
    """Each link of a page to a file: the match, and the path from the top of the checkout to which it leads."""
    for m in LINK.finditer(FENCE.sub(lambda f: " " * len(f[0]), text)):
        yield m, posixpath.normpath(posixpath.join(posixpath.dirname(path), m[2]))


def on_files(files, config):
    pages = [p for p in TOP_PAGES if (ROOT / p).exists()]
    for page in pages:
        files.append(File.generated(config, page, abs_src_path=str(ROOT / page)))
    for file in list(files.documentation_pages()):
        path = source_of(file.src_uri)
        for _, to in linked(path, (ROOT / path).read_text()):
            if not to.startswith("docs/") and to not in pages and (ROOT / to).is_file() and not files.get_file_from_path(place_of(to)) and to != "README.md":
                files.append(File.generated(config, to, abs_src_path=str(ROOT / to)))
    return files


def refuse(page, why, text):
    raise SystemExit(f"{page.file.src_uri}: {why}: {text!r}")


def on_page_markdown(markdown, page, config, files):
    if m := re.search(r"(?m)^ {1,3}(?:[-*]|\d+\.) .*", FENCE.sub("", markdown)):
        refuse(page, "a list within a list is indented by four columns", m[0])
    path, at, out = source_of(page.file.src_uri), 0, []
    for m, to in linked(path, markdown):
        there = posixpath.relpath(place_of(to), posixpath.dirname(page.file.src_uri) or ".")
        folder = (ROOT / to).is_dir() and not to.startswith("docs/")   # no page: its name stays
        out += [markdown[at:m.start()], m[1] if folder else f"[{m[1]}]({there}{m[3] or ''})"]
        at = m.end()
    return "".join(out) + markdown[at:]


NO_PARAGRAPH = re.compile(r"<p>(?:(?!</p>).)*?(?:```|\n\s*(?:[-*]|\d+\.|\|) )", re.S)


def on_page_content(html, page, config, files):
    """A list or a fence that a forge shows and this generator does not is a paragraph with its signs in it."""
    bare = re.sub(r"(?s)<pre.*?</pre>|<code>.*?</code>", "", html)
    if m := NO_PARAGRAPH.search(bare):
        refuse(page, "a list, a table or a fence is no block of its own; leave a line free before it", m[0][-80:])
    return html
