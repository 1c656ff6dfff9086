/**
 * Finds the line (from 1) that most likely contains a key, for messages. smol-toml keeps no positions, so this looks only for
 * headers and `key =` at the start of a line, and skips multi-line strings. Returns undefined if nothing matches.
 */
export function lineOfKey(text: string, path: readonly string[]): number | undefined {
  if (path.length === 0) return undefined;
  const wanted = path.map((part) => part.replace(/^"(.*)"$/, '$1').replace(/\[\d+\]$/, ''));
  let table: string[] = [];
  let best: { line: number; depth: number } | undefined;
  let closing: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (closing) {
      if (line.includes(closing)) closing = undefined;
      continue;
    }
    const header = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/.exec(line);
    const key = /^\s*((?:"[^"]*"|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|[A-Za-z0-9_-]+))*)\s*=/.exec(line);
    if (header?.[1]) table = parts(header[1]);
    const here = header ? table : key?.[1] ? [...table, ...parts(key[1])] : undefined;
    if (here && isPrefix(here, wanted) && here.length > (best?.depth ?? 0)) {
      best = { line: index + 1, depth: here.length };
    }
    closing = opens(line);
  }
  return best?.line;
}

function parts(dotted: string): string[] {
  return [...dotted.matchAll(/"([^"]*)"|'([^']*)'|([^.\s"']+)/g)].map((each) => each[1] ?? each[2] ?? each[3] ?? '');
}

function isPrefix(short: readonly string[], long: readonly string[]): boolean {
  return short.length <= long.length && short.every((part, index) => part === long[index]);
}

function opens(line: string): string | undefined {
  for (const quotes of ['"""', "'''"]) {
    if ((line.split(quotes).length - 1) % 2 === 1) return quotes;
  }
  return undefined;
}
