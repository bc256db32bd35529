"""Checks the trace of every_call.py."""

import sys

import events

pattern = sys.argv[1]
position = {"epoch": 5, "step": 6}
events.same(
    events.read(pattern),
    [
        ("explicit", "direct", {"i": 2**40, "f": 0.1, "s": 'a "b"'}),
        ("plain", "direct", {"s": "text", "n": 3}),
        ("plain", "app", {"epoch": 2, "step": 5}),
        ("plain", "app", {"epoch": 2, "step": 7}),
        ("plain", "app", {"epoch": 3, "step": 8}),
        ("renamed", "app", {"epoch": 1, "step": 2, "image_idx": 3, "image_size": 4.5, "i": 1, "f": 0.5, "s": "t", "b": True, "n": "None", "l": "[1]"}),
        ("Model.__init__", "app", {"epoch": 4, "image_size": 10}),
        ("Model.made", "app", {}),
        ("Model.train", "app", {"epoch": 4, "image_size": 10, "step": 9}),
        ("Model.below", "app", {"epoch": 1}),
        ("Model.inside", "app", {}),
        ("Model.inside", "app", {}),
        ("around", "app", {"epoch": 3}),
        ("around", "app", {"epoch": 3}),
        ("Model.__init__", "app", {"epoch": 4, "image_size": 10}),
        ("Model.made", "app", {}),
        ("Model.made", "app", {}),
        ("Model.train", "app", {"epoch": 4, "image_size": 10, "step": 11}),
        ("Model.train", "app", {"epoch": 4, "image_size": 10, "step": 11}),
        ("<module>", "app", {"step": 1, "x": 1}),
        ("block", "app", {"epoch": 1}),
        ("written", "app", {"step": 2}),
        ("<module>", "app", {}),
        ("loose", "app", {"step": 1}),
        ("loose", "app", {"step": 1, "epoch": 2}),
        ("loop.iter", "app", {"step": 1, "epoch": 2}),
        ("loop.yield", "app", {"step": 1, "epoch": 2}),
        ("loop.iter", "app", {"step": 2, "epoch": 2}),
        ("loop.yield", "app", {"step": 2, "epoch": 2}),
        ("letters.iter", "app", {"letter": 1}),
        ("letters.yield", "app", {"letter": 1, "seen": "a"}),
        ("letters.iter", "app", {"letter": 2}),
        ("letters.yield", "app", {"letter": 2, "seen": "b"}),
        ("left.iter", "app", {"step": 1}),
        ("left.yield", "app", {"step": 1}),
        ("related", "app", {"relations": {"used": ["0000000000000001", "8bbc0ece1071d985"], "generated": ["8bbc0bce1071d46c"], "updated": ["8bbc0cce1071d61f"]}}),
        ("compute", "compute", {}),
        ("forward", "compute", {"epoch": 1, "layer": "a"}),
        ("checkpoint.init", "checkpoint", {}),
        ("checkpoint.io.write", "checkpoint", {}),
        ("other.log", "other", {}),
        ("data.io.read", "data", {}),
        ("item", "data", {"image_idx": 4, "image_size": 2.5}),
        ("item", "data", {}),
        ("item", "data", {}),
        ("transfer", "device", {}),
        ("fetch.iter", "dataloader", {"count": 1}),
        ("fetch.block", "dataloader", {"count": 1}),
        ("fetch.iter", "dataloader", {"count": 2}),
        ("fetch.block", "dataloader", {"count": 2}),
        ("own", "dataloader", {"count": 1}),
        ("body", "dataloader", {"count": 1}),
        ("compute", "compute", {}),
        ("barrier", "comm", {}),
        ("preprocess.collate", "data", position),
        ("l", "own", {"step": 1}),
        ("mine", "own", {"step": 1}),
        ("train", "pipeline", {**position, "extra": 1}),
    ],
)
metadata = events.read_metadata(pattern)
marks = {key: metadata.pop(key) for key in ("epoch.start", "epoch.end")}
assert 10**15 < int(marks["epoch.start"]) <= int(marks["epoch.end"]), marks
assert metadata == {"key": "value", "number": 7, "text": "seven", "used.library": True, "loose": "yes"}, metadata
declared = events.read_instants(pattern)
assert [name for name, _ in declared] == ["EH", "ET", "ER", "EH", "EH", "EH"], declared
assert declared[0][1] == {"id": "8f0de68c04eea0bf", "type": "protein_structure", "store": 2, "uri": "file:x"}, declared[0]
assert declared[1][1] == {"type": "protein_structure", "role": 1, "description": "a fold"}, declared[1]
assert declared[2][1] == {"relation": 19, "subject": "8f0de68c04eea0bf", "object": "8f0de68c04eea0bf"}, declared[2]
