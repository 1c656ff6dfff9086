import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { workerUrl } from '../../base/worker-url.ts';

/**
 * Compiles Lua 5.4 to WebAssembly, once for all threads. Uses wasmoon's build without its JavaScript, which includes a file
 * system and `system()`. The file is next to the published worker, or in the wasmoon package in a checkout.
 */
export async function compileGlue(): Promise<WebAssembly.Module> {
  const worker = workerUrl('lua/sandbox/lua-worker');
  const file = worker.pathname.endsWith('.ts')
    ? createRequire(import.meta.url).resolve('wasmoon/dist/glue.wasm')
    : new URL('glue.wasm', worker);
  return WebAssembly.compile(withSmallMemory(new Uint8Array(await readFile(file))));
}

/** Static data and stack take 17 pages of 64 KB. More memory is allocated on demand. */
const initialPages = 24;

/**
 * Reduces the initial memory of 16 MB, so that resetting a machine copies less. Changes only the number of initial pages in the
 * memory section.
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
    // Skips the number of memories and the flag for a maximum. The initial pages take two bytes.
    at += 2;
    bytes[at] = (initialPages & 127) | 128;
    bytes[at + 1] = initialPages >> 7;
    return bytes;
  }
  throw new Error('The Lua module defines no memory.');
}
