// Perfetto's trace processor, in this process: load and loadFile give an engine that answers queries. The first
// argument of the program is a directory with the trace processor of Perfetto's own page, which `./dev test` puts
// into build/readers.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';

const directory = process.argv[2];
const { EngineBase } = await import(pathToFileURL(resolve(directory, 'engine.mjs')).href);
const module = readFileSync(resolve(directory, 'trace_processor.wasm'));

// The trace processor's code expects to run in a worker of a page, which loads the module from a server.
function patch(source) {
  for (const [from, to] of [
    ['this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;'],
    ['locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.wasm,'],
    ['new wasm_bridge_1.WasmBridge();', 'globalThis.bridge = new wasm_bridge_1.WasmBridge();'],
  ]) {
    if (!source.includes(from)) throw new Error(`engine_bundle.node.js is another version: no ${from}`);
    source = source.replace(from, to);
  }
  return source;
}

const source = patch(readFileSync(resolve(directory, 'engine_bundle.node.js'), 'utf8'));
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = class {};
globalThis.location = { href: 'file:///' };
globalThis.wasm = new Uint8Array(module);
console.warn = console.error = () => {}; // progress, and system calls that a page does not have

class Engine extends EngineBase {
  mode = 'WASM';
  id = 'test';

  constructor(port) {
    super();
    this.port = port;
    port.onmessage = (message) => this.onRpcResponseBytes(message.data);
  }

  rpcSendRequestBytes(data) {
    this.port.postMessage(data);
  }

  async *rows(sql) {
    const result = await this.query(sql);
    if (result.error()) throw new Error(`${result.error()}: ${sql}`);
    const columns = result.columns();
    for (const row = result.iter({}); row.valid(); row.next()) {
      yield Object.fromEntries(columns.map((column) => [column, row.get(column)]));
    }
  }
}

export async function load(bytes) {
  runInThisContext(source);
  const { bridge } = globalThis;
  const channel = new MessageChannel();
  bridge.initialize(channel.port1);
  while (!bridge.reqBufferAddr) await new Promise((done) => setTimeout(done, 5));
  const engine = new Engine(channel.port2);
  await engine.parse(new Uint8Array(bytes));
  await engine.notifyEof();
  return engine;
}

// Ends with exit code 1.
export function fail(text) {
  process.stdout.write(`${text}\n`);
  process.exit(1);
}

// Loads a file, which must have no import errors.
export async function loadFile(path) {
  const engine = await load(readFileSync(path)).catch((error) => fail(`${path}: ${error.message}`));
  for await (const row of engine.rows("select name, value from stats where severity != 'info' and value > 0")) {
    fail(`${path}: import error ${row.name}: ${row.value}`);
  }
  return engine;
}
