"""Prints sections of rows as text, as a Markdown table or as JSON. Does not know what the figures mean."""

import json
from dataclasses import dataclass, field

TITLE_WIDTH = 46
CELL_WIDTH = 10
CELLS = 4


@dataclass
class Target:
    """A bound for the columns that it names, or for all of them."""

    sign: str  # "<=" or ">="
    bound: float
    columns: tuple = None

    def is_met(self, values):
        """None if nothing was measured."""
        judged = [value for column, value in values.items()
                  if value is not None and (self.columns is None or column in self.columns)]
        if not judged:
            return None
        return all(value <= self.bound if self.sign == "<=" else value >= self.bound for value in judged)

    def __str__(self):
        return f"{self.sign} {self.bound:g}"


@dataclass
class Row:
    key: str
    title: str
    values: dict
    target: Target = None
    decimals: int = 2

    def cells(self):
        return ["-" if value is None else f"{value:.{self.decimals}f}" for value in self.values.values()]

    def verdict(self):
        met = self.target.is_met(self.values) if self.target else None
        return {None: "", True: "met", False: "missed"}[met]

    def tail(self):
        return [str(self.target) if self.target else "", self.verdict()]


@dataclass
class Section:
    key: str
    title: str
    columns: tuple
    rows: list = field(default_factory=list)

    def add(self, key, title, values, target=None, decimals=2):
        """A row without any measurement is not printed."""
        if any(value is not None for value in values):
            self.rows.append(Row(key, title, dict(zip(self.columns, values)), target, decimals))


def pad(cells):
    return list(cells) + [""] * (CELLS - len(cells))


def render_text(sections, notes):
    def line(title, cells, tail):
        text = f"{title:<{TITLE_WIDTH}}" + "".join(f"{cell:>{CELL_WIDTH}}" for cell in pad(cells))
        return f"{text}  {tail[0]:<9}{tail[1]}".rstrip()

    lines = []
    for section in sections:
        if lines:
            lines.append("")
        lines.append(line(section.title, section.columns, ["target", ""]))
        lines += [line("  " + row.title, row.cells(), row.tail()) for row in section.rows]
    return "\n".join([*lines, "", *notes])


def render_markdown(sections, notes):
    def line(cells):
        return "| " + " | ".join(cells) + " |"

    lines = [line(pad([""]) + ["", "target", ""]), line(["---"] + ["---:"] * CELLS + ["---", "---"])]
    for section in sections:
        lines.append(line([f"**{section.title}**", *pad([f"**{name}**" for name in section.columns]), "", ""]))
        lines += [line([row.title, *pad(row.cells()), *row.tail()]) for row in section.rows]
    return "\n".join([*lines, "", *(f"- {note}" for note in notes)])


def render_json(sections, facts, left_out):
    rows = [
        {
            "section": section.key,
            "row": row.key,
            "title": row.title,
            "values": {name: None if value is None else round(value, 4) for name, value in row.values.items()},
            "target": str(row.target) if row.target else None,
            "met": {"met": True, "missed": False, "": None}[row.verdict()],
        }
        for section in sections
        for row in section.rows
    ]
    return json.dumps({**facts, "rows": rows, "left_out": left_out}, indent=1)
