// Loads traces into Perfetto and prints how many slices it shows, and how many of them have no end. An import error ends
// with exit code 1.
//
//     node perfetto-loads.mjs DIRECTORY TRACE...

import { loadFile } from './perfetto_engine.mjs';

for (const trace of process.argv.slice(3)) {
  const engine = await loadFile(trace);
  for await (const row of engine.rows('select count(*) as slices, ifnull(sum(dur < 0), 0) as open from slice')) {
    process.stdout.write(`${row.slices} slices, ${row.open} without an end\n`);
  }
}
process.exit(0);
