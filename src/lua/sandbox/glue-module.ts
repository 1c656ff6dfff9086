import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { workerUrl } from '../../base/worker-url.ts';

/**
 * Lua 5.4 as WebAssembly, compiled once and shared by all threads. It is wasmoon's build; its own JavaScript, which brings a
 * file system and `system()` along, is not loaded. Published it lies beside the worker file, in a checkout in its package.
 */
export async function compileGlue(): Promise<WebAssembly.Module> {
  const worker = workerUrl('lua/sandbox/lua-worker');
  const place = worker.pathname.endsWith('.ts')
    ? createRequire(import.meta.url).resolve('wasmoon/dist/glue.wasm')
    : new URL('glue.wasm', worker);
  return WebAssembly.compile(withSmallMemory(new Uint8Array(await readFile(place))));
}

/** Static data and stack take 17 pages of 64 KB; more comes when it is asked for. */
const firstPages = 24;

/**
 * The same module with less memory to begin with than its 16 MB, so that setting a machine back means copying little.
 * Only the number of first pages in the memory section changes.
 */
function withSmallMemory(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const memorySection = 5;
  let at = 8;
  const readNumber = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at] ?? 0;
      at += 1;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const id = readNumber();
    const end = readNumber() + at;
    if (id !== memorySection) {
      at = end;
      continue;
    }
    // How many memories, whether the first has a maximum, its first pages in two bytes.
    at += 2;
    bytes[at] = (firstPages & 127) | 128;
    bytes[at + 1] = firstPages >> 7;
    return bytes;
  }
  throw new Error('The Lua module has no memory of its own.');
}
