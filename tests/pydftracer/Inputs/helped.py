"""Uses dftrace.helpers. Everything but the trace is the same when the program is not traced."""

from dftrace.helpers import TrainingTracer, operation

with operation("allocate", "setup", mib=32) as allocate:
    assert allocate.seconds == 0
    kept = bytearray(32 << 20)
    for i in range(0, len(kept), 4096):
        kept[i] = 1
    allocate.set(kept=len(kept))
assert allocate.seconds > 0 and allocate.cpu_seconds > 0 and allocate.error is None
assert allocate.memory_kb >= allocate.memory_added_kb > 30 << 10, allocate.memory_added_kb

try:
    with operation("fails") as fails:
        raise KeyError("x")
except KeyError:
    assert fails.error == "KeyError" and fails.seconds > 0
else:
    raise AssertionError("no exception")

tracer = TrainingTracer()
for number in range(2):
    with tracer.episode(seed=7) as episode:
        for step in range(3):
            with episode.step(action=step):
                pass
            episode.add(reward=step, loss=0.5)
with tracer.episode(9):
    pass

first, second, last = tracer.results()
assert (first["episode"], second["episode"], last["episode"]) == (1, 2, 9)
assert (first["steps"], first["reward"], first["reward_mean"], first["loss"], first["loss_mean"]) == (3, 3.0, 1.0, 1.5, 0.5)
assert first["seconds"] > 0 and first["steps_per_second"] > 0 and last["steps"] == 0 and "reward" not in last
assert tracer.episodes[2].mean("reward") == 0
lines = [line.split() for line in tracer.summary().splitlines()]
assert [line[:2] for line in lines] == [["EPISODE", "STEPS"], ["1", "3"], ["2", "3"], ["9", "0"]], lines
assert [line[-2:] for line in lines] == [["REWARD", "LOSS"], ["3", "1.5"], ["3", "1.5"], ["0", "0"]], lines
