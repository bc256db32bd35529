// Loads traces into Perfetto and checks that it shows what they contain.
//
//     node perfetto.mjs DIRECTORY TRACE...
//
// DIRECTORY contains the trace processor of Perfetto's own page, which `./dev test` puts into build/readers.
// Checks of each TRACE: no import error; every call with its name, category, times, depth, thread, processor time
// and arguments; every value of every counter; the names of process and threads. Stops at the first
// difference with exit code 1.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { fail, loadFile } from './perfetto_engine.mjs';

const MAX_DEPTH = 512; // deeper slices are on tracks of their own, with only their times

const traces = process.argv.slice(3);

// Its number parser is wrong in the last bit of some numbers.
const showNumber = (number) => String(Number(Number(number).toPrecision(12)));
const inNanoseconds = (microseconds) => Math.round(microseconds * 1000);

function flatten(value, key, into) {
  if (value !== null && typeof value === 'object') {
    for (const [name, part] of Object.entries(value)) {
      flatten(part, Array.isArray(value) ? `${key}[${name}]` : `${key}.${name}`, into);
    }
  } else {
    into[key] = typeof value === 'number' ? showNumber(value) : String(value);
  }
  return into;
}

// The expected contents, one line for each item.
function expect(events) {
  const lines = [];
  const threads = new Map();
  for (const event of events) {
    if (event.ph === 'X') {
      const slice = { event, start: inNanoseconds(event.ts), length: inNanoseconds(event.dur ?? 0) };
      threads.set(event.tid, [...(threads.get(event.tid) ?? []), slice]);
    } else if (event.ph === 'C') {
      for (const [key, value] of Object.entries(event.args)) {
        lines.push(`counter ${event.name} ${key} ${inNanoseconds(event.ts)} ${showNumber(value)}`);
      }
    } else if (event.name === 'thread_name') {
      lines.push(`thread ${event.tid} ${event.args.name}`);
    } else if (event.name === 'process_name') {
      lines.push(`process ${event.pid} ${event.args.name}`);
    }
  }
  for (const [tid, slices] of threads) {
    slices.sort((a, b) => a.start - b.start || b.length - a.length); // stable: the caller comes first
    const ends = [];
    for (const { event, start, length } of slices) {
      while (ends.length && ends.at(-1) <= start) ends.pop();
      const isDeep = ends.length >= MAX_DEPTH;
      const args = isDeep ? {} : flatten(event.args ?? {}, 'args', {});
      const cpu = isDeep || event.tdur === undefined ? 'null' : inNanoseconds(event.tdur);
      lines.push(showSlice(event.name, event.cat, start, length, isDeep ? 0 : ends.length, tid, cpu, args));
      ends.push(start + length);
    }
  }
  return lines.sort();
}

function showSlice(name, category, start, length, depth, tid, cpu, args) {
  const shown = Object.keys(args).sort().map((key) => `${key}=${args[key]}`).join(' ');
  return `slice ${name} ${category} ${start}+${length} depth ${depth} of ${tid} cpu ${cpu}: ${shown}`;
}

async function show(engine) {
  const lines = [];
  const sets = new Map();
  for await (const row of engine.rows('select arg_set_id, key, value_type, display_value from args')) {
    const set = sets.get(row.arg_set_id) ?? {};
    const isNumber = row.value_type === 'real' || row.value_type === 'int';
    set[row.key] = isNumber ? showNumber(row.display_value) : row.display_value;
    sets.set(row.arg_set_id, set);
  }
  for await (const row of engine.rows(
    'select s.name, category, ts, dur, depth, thread_dur, tid, s.arg_set_id from slice s ' +
      'join thread_track t on s.track_id = t.id join thread using (utid)',
  )) {
    lines.push(
      showSlice(row.name, row.category, row.ts, row.dur, row.depth, row.tid, row.thread_dur,
        sets.get(row.arg_set_id) ?? {}),
    );
  }
  for await (const row of engine.rows(
    'select name, ts, value from counter join counter_track t on track_id = t.id',
  )) {
    lines.push(`counter ${row.name} ${row.ts} ${showNumber(row.value)}`);
  }
  for await (const row of engine.rows('select tid, name from thread where tid != 0 and name is not null')) {
    lines.push(`thread ${row.tid} ${row.name}`);
  }
  for await (const row of engine.rows('select pid, name from process where pid != 0')) {
    lines.push(`process ${row.pid} ${row.name}`);
  }
  return lines.sort();
}

for (const trace of traces) {
  const bytes = readFileSync(trace);
  const text = trace.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  const expected = expect(JSON.parse(text));
  const engine = await loadFile(trace);
  const shown = await show(engine);
  for (let i = 0; i < Math.max(expected.length, shown.length); i++) {
    if (expected[i] !== shown[i]) fail(`${trace}:\n  expected ${expected[i]}\n  shown    ${shown[i]}`);
  }
  const count = (kind) => shown.filter((line) => line.startsWith(kind)).length;
  process.stdout.write(`${count('slice')} slices, ${count('counter')} counter values, ${count('thread')} threads\n`);
}
process.exit(0);
