"""Finds references in documents to files, folders and headings that do not exist.

Checked are links ([text](path#heading)) and paths in backquotes whose first folder is one of the project's, such as
`spool/format.h`. A path may contain `*`, and the name of a test may lack its extension. Capital words such as NAME stand for
something that the reader chooses: paths with them are not checked.
"""

import fnmatch
import os
import re

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
PLACEHOLDER = re.compile(r"(?:^|[/-])[A-Z]{2,}(?:$|[/.-])|[<$…]")


def anchor_of(heading):
    """The name that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def exists(path, files):
    path = path.rstrip("/")
    return any(file == path or file.startswith((path + "/", path + ".")) or fnmatch.fnmatch(file, path) for file in files)


def find_stale_paths(text, files, folders):
    for match in QUOTED.finditer(text):
        for word in match.group(1).split():
            word = word.rstrip(",;:")
            if "/" in word and word.split("/")[0] in folders and not PLACEHOLDER.search(word) and not exists(word, files):
                yield match.start(), word


def find_broken_links(path, text, files, read):
    for match in LINK.finditer(text):
        target = match.group(1)
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if not exists(file, files):
            yield match.start(), target
        elif anchor and anchor not in map(anchor_of, HEADING.findall(read(file))):
            yield match.start(), target


def find(path, text, files, read):
    """Yields (line, reference) for each reference that leads nowhere. `files` are the project's; `read` returns a file's text."""
    folders = {file.split("/")[0] for file in files if "/" in file}
    text = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    for offset, reference in [*find_stale_paths(text, files, folders), *find_broken_links(path, text, files, read)]:
        yield text.count("\n", 0, offset) + 1, reference
