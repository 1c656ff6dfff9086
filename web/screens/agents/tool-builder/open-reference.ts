/** A reference that is being typed: from behind its brace to the end of what is to be replaced. */
export interface OpenReference {
  from: number;
  to: number;
  typed: string;
  /** The closing brace is there already. */
  isClosed: boolean;
}

/** The reference around a place in a line, if its brace opens one. */
export function openReferenceAt(line: string, at: number): OpenReference | undefined {
  const brace = line.lastIndexOf('{', at - 1);
  if (brace === -1 || line.slice(brace, at).includes('}')) return undefined;
  let braces = 1;
  while (line[brace - braces] === '{') braces += 1;
  // Two braces are a literal one.
  if (braces % 2 === 0) return undefined;
  const rest = /^[^{}]*/.exec(line.slice(at))?.[0] ?? '';
  const isClosed = line[at + rest.length] === '}';
  return { from: brace + 1, to: isClosed ? at + rest.length : at, typed: line.slice(brace + 1, at), isClosed };
}
