/** Returns the file of a worker thread, such as `lua/lua-worker`: TypeScript in a checkout, built JavaScript in the published package. */
export function workerUrl(name: string): URL {
  const here = import.meta.url;
  const built = here.lastIndexOf('/dist/');
  return here.endsWith('.ts') ? new URL(`../${name}.ts`, here) : new URL(`${here.slice(0, built)}/dist/${name}.js`);
}
