import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { workerUrl } from '../base/worker-url.ts';

/**
 * Lua 5.4 as WebAssembly, compiled once and shared by all threads. It is wasmoon's build; its own JavaScript, which brings a
 * file system and `system()` along, is not loaded. Published it lies beside the worker file, in a checkout in its package.
 */
export async function compileGlue(): Promise<WebAssembly.Module> {
  const worker = workerUrl('lua/lua-worker');
  const place = worker.pathname.endsWith('.ts')
    ? createRequire(import.meta.url).resolve('wasmoon/dist/glue.wasm')
    : new URL('glue.wasm', worker);
  return WebAssembly.compile(await readFile(place));
}
