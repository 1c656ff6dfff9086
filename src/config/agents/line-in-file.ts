/** The line of an error in one module, as V8 tells it in the stack: of the throw, or of what cannot be parsed. */
export function lineInFile(error: unknown, url: string): number | undefined {
  const stack = error instanceof Error ? error.stack : undefined;
  if (!stack) return undefined;
  const start = stack.indexOf(url);
  if (start === -1) return undefined;
  const line = /^(?:\?v=[0-9a-f]+)?:(\d+)/.exec(stack.slice(start + url.length))?.[1];
  return line === undefined ? undefined : Number(line);
}
