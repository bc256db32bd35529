// Loads a JSON trace and a trace in Perfetto's own format, made from the same spool or run, into Perfetto, and checks
// that it shows the same: slices with their times, depths, threads or tracks, processor time and args; instants;
// counters; the slices that flows connect; how the program's tracks nest.
//
//     node perfetto-same.mjs DIRECTORY TRACE.pfw[.gz] TRACE.pftrace

import { fail, loadFile } from './perfetto_engine.mjs';

const TRACK_TID = 0x40000000;
const [json, binary] = process.argv.slice(3);

async function all(engine, sql) {
  const rows = [];
  for await (const row of engine.rows(sql)) rows.push(row);
  return rows;
}

// The args of an event as in JSON. Some are not args in Perfetto's own format, and types that JSON lacks are strings. In
// JSON, only functions have their place in the source among the args that Perfetto reads.
function addArg(set, row, isFunction) {
  if (/^(source.function_name|source_location_iid|legacy_event\..*)$/.test(row.key)) return;
  if (/^source\./.test(row.key) && !isFunction) return;
  const key = row.key.replace('source.file_name', 'file').replace('source.line_number', 'line').replace(/^(args|debug)\./, '');
  const isNumber = row.value_type === 'real' || row.value_type === 'int' || row.value_type === 'uint';
  const value = row.display_value ?? 'NaN';
  set[key] = isNumber && Math.abs(Number(value)) < 2 ** 53 ? Number(Number(value).toPrecision(12)) : String(value);
}

async function readArgs(engine) {
  const sets = new Map();
  const rows = await all(engine, 'select arg_set_id, key, value_type, display_value from args');
  const functions = new Set(rows.filter((row) => row.key === 'source.function_name' && row.display_value).map((row) => row.arg_set_id));
  for (const row of rows) {
    if (!sets.has(row.arg_set_id)) sets.set(row.arg_set_id, {});
    addArg(sets.get(row.arg_set_id), row, functions.has(row.arg_set_id));
  }
  return sets;
}

// The name of a track, after those of the tracks around it.
function pathOf(tracks, id) {
  const track = tracks.get(id);
  return track.parent_id === null ? track.name : `${pathOf(tracks, track.parent_id)}/${track.name}`;
}

async function readPlaces(engine) {
  const places = new Map();
  const tracks = new Map((await all(engine, 'select id, name, parent_id from track')).map((row) => [row.id, row]));
  for (const row of await all(engine, 'select t.id, tid, thread.name from thread_track t join thread using (utid)')) {
    places.set(row.id, Number(row.tid) >= TRACK_TID ? row.name : String(row.tid));
  }
  for (const id of tracks.keys()) if (!places.has(id)) places.set(id, pathOf(tracks, id) ?? 'process');
  return places;
}

async function show(engine) {
  const lines = [];
  const sets = await readArgs(engine);
  const places = await readPlaces(engine);
  const slices = new Map();
  for (const row of await all(engine, 'select id, name, category, ts, dur, depth, thread_dur, track_id, parent_id, arg_set_id from slice')) {
    slices.set(row.id, row);
    const place = places.get(row.track_id);
    const args = JSON.stringify(Object.entries(sets.get(row.arg_set_id) ?? {}).sort());
    const text = `${row.name} [${row.category}] ${row.ts}+${row.dur}`;
    if (row.category === 'flow') continue; // what flows connect is below
    if (row.category === 'dftrace' && (row.name === 'start' || row.name === 'end')) lines.push(`${text}: ${args}`);
    else if (place !== 'process') lines.push(`slice ${text} depth ${row.depth} on ${place} cpu ${row.thread_dur}: ${args}`);
  }
  for (const row of await all(engine, 'select name, ts, value from counter join counter_track t on track_id = t.id')) {
    // The thread's CPU time is a counter in Perfetto's own format; the time of each slice is compared above.
    if (!row.name.startsWith('calls of ') && row.name !== 'thread_time') lines.push(`counter ${row.name.replace(/ value$/, '')} ${row.ts} ${row.value}`);
  }
  // In Perfetto's own format, a flow connects instants inside the slices.
  const around = (id) => (slices.get(id).category === 'flow' ? slices.get(slices.get(id).parent_id) : slices.get(id));
  const title = (slice) => `${slice.name} ${slice.ts} on ${places.get(slice.track_id)}`;
  for (const row of await all(engine, 'select slice_out, slice_in from flow')) {
    const ends = [around(row.slice_out), around(row.slice_in)];
    // Of a flow outside all slices, Perfetto makes one from the last instant if it reads JSON.
    if (ends.every((slice) => slice && Number(slice.dur) !== 0)) lines.push(`flow from ${title(ends[0])} to ${title(ends[1])}`);
  }
  for (const row of await all(engine, `select tid, name from thread where tid != 0 and tid < ${TRACK_TID} and name is not null`)) {
    lines.push(`thread ${row.tid} ${row.name}`);
  }
  for (const row of await all(engine, 'select pid, name from process where pid != 0')) lines.push(`process ${row.pid} ${row.name}`);
  return lines.sort();
}

// Perfetto appends the unit to the name of a JSON trace's counter; here it is a column.
async function showBinary(engine) {
  const units = new Map();
  for (const row of await all(engine, 'select name, unit from counter_track')) units.set(row.name, row.unit);
  return (await show(engine)).map((line) => {
    const [, name, rest] = /^counter (.*) (\d+ \S+)$/.exec(line) ?? [];
    const unit = units.get(name);
    return unit && !name.endsWith(` ${unit}`) ? `counter ${name} ${unit} ${rest}` : line;
  }).sort();
}

const expected = await show(await loadFile(json));
const shown = await showBinary(await loadFile(binary));
for (let i = 0; i < Math.max(expected.length, shown.length); i++) {
  if (expected[i] !== shown[i]) fail(`${binary}:\n  JSON      ${expected[i]}\n  Perfetto  ${shown[i]}`);
}
const count = (kind) => shown.filter((line) => line.startsWith(kind)).length;
process.stdout.write(`the same: ${count('slice')} slices, ${count('counter')} counter values, ${count('flow')} flows\n`);
process.exit(0);
