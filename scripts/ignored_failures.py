"""Finds commands of tests whose failure the shell ignores, so that the test cannot fail.

The shell runs tests with `set -e`, which ignores the failure of a command before `&&`. The status of such a list matters
only if the list is the last command, and in a loop only in the last iteration. `a && b; c` and
`for ...; do a && b; done` therefore hide a failure of `a`. The same is true of a command after `!`. Such lists must end with `|| exit 1`, or separate their commands
with `;`. `set -e` has no effect either inside a loop that is followed by `&&` or `||`.
"""

import re

TOKEN = re.compile(
    r"""(?P<space>[ \t]+|\\\n)
      | (?P<comment>\#[^\n]*)
      | (?P<operator>&&|\|\||;;|[;\n|(){}](?![\w,])|[;\n|()]|&(?!>))
      | (?P<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}|[<>]&|&>|\\.|[^\s;|&()'"])+)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
RUN = re.compile(r"RUN:[ ]?(.*)")
SUBSCRIPT = re.compile(r"^(%each-level|%each-compiler|-\w*c)$")
OPENING = {"{": "}", "(": ")", "if": "fi", "case": "esac", "do": "done"}
CONDITION = ("then", "do")
LAST = ("}", ")", "fi", "esac", "else", "elif", ";;")
WAITING = re.compile(r"^(sleep|:|true|read|kill -0)\b")


class List:
    """Commands joined by && and ||."""

    def __init__(self):
        self.words = []
        self.ands = 0
        self.negated = False  # begins with !
        self.handled = False  # the last operator is ||

    def hides(self):
        return (self.ands > 0 or self.negated) and not self.handled


def tokenize(script):
    """(line, token) of each word and operator; line breaks become semicolons."""
    line = 1
    for match in TOKEN.finditer(script):
        if match.lastgroup in ("operator", "word", "other"):
            yield line, ";" if match.group() == "\n" else match.group()
        line += match.group().count("\n")


def check_tokens(tokens):
    """Yields the line of each list whose failure is ignored."""
    stack = []  # (closing word, the list around it, line and lists of the body)
    current = List()
    bodies = []
    for index, (line, token) in enumerate(tokens):
        following = tokens[index + 1][1] if index + 1 < len(tokens) else None
        at_start = not current.words
        if token in OPENING and (at_start or token in "({" or token == "do"):
            stack.append((OPENING[token], current, bodies))
            current, bodies = List(), []
        elif stack and token == stack[-1][0] and (at_start or token in ")}"):
            if token == "done" and following in ("&&", "||"):
                yield from (where for where, words, handled in bodies if not handled and not WAITING.match(words))
            _, current, bodies = stack.pop()
            current.words.append(token)
        elif token in ("&&", "||"):
            current.ands += token == "&&"
            current.handled = token == "||"
            current.words.append(token)
        elif token == ";" and current.words and current.words[-1] in ("|", "&&", "||"):
            continue  # the line goes on
        elif token in (";", ";;", "&"):
            if current.words:
                bodies.append((line, " ".join(current.words), current.handled))
                ignored = following == "done" or (following is not None and following not in LAST + CONDITION)
                if token == ";" and current.hides() and ignored:
                    yield line
                current = List()
        else:
            if at_start and token in CONDITION + ("else", "elif", "in", "!"):
                current.negated |= token == "!"
                continue
            current.words.append(token)
            if SUBSCRIPT.match(tokens[index][1]) and following and following[0] == "'":
                inner = [(line, inner_token) for _, inner_token in tokenize(following[1:-1])]
                yield from check_tokens(inner)


def scripts_of_test(text):
    """(first line, script) of each RUN command of a lit test, continued lines joined."""
    start, script = 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        match = RUN.search(line)
        if not match:
            continue
        start = start or number
        if match.group(1).endswith("\\"):
            script += match.group(1)[:-1] + " "
            continue
        yield start, script + match.group(1)
        start, script = 0, ""


def find(path, text):
    """Yields the number of each line on which a failure is ignored."""
    if re.search(r"\A#!.*\b(ba)?sh\b", text):
        if re.search(r"^set -\w*e", text, re.MULTILINE):
            yield from check_tokens(list(tokenize(text)))
    elif path.endswith((".c", ".cc", ".f90", ".ll", ".test")):
        for start, script in scripts_of_test(text):
            yield from (start + line - 1 for line in check_tokens(list(tokenize(script))))
